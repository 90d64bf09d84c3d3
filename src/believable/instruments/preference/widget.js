// @ts-check
export { read, write } from "../choice/widget.js";
