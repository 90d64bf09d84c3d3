// @ts-check
export { read, write } from "../likert/widget.js";
