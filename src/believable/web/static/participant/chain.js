// @ts-check
/** The hash chain over a session's events: what the receipt proves. */
import { sha256 } from "./sha256.js";

/** @param {string} sessionId @returns {string} the head of an empty chain */
export const start = (sessionId) => sha256(`believable/1 ${sessionId}`);

/** @param {string} head @param {string} body @returns {string} the head after one more event */
export const extend = (head, body) => sha256(`${head}\n${body}`);
