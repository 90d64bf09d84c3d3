// @ts-check
/**
 * Whether this is a desktop or laptop computer. Pure.
 *
 * The width of the screen says nothing: display scaling makes a laptop 911 px wide, and a tablet is wider than that. A mouse says
 * little: a person may use a keyboard alone.
 *
 * @typedef {object} Device
 * @property {string} userAgent
 * @property {boolean} [mobile] what the browser says of itself, if it does
 * @property {number} touchPoints that the screen tells apart
 * @property {boolean} touchFirst the main pointer is a finger
 * @property {boolean} fine there is a mouse, a trackpad or a pen
 */

const MOBILE = /Mobi|Android|iPhone|iPad/;

/** @param {Device} device */
export function isDesktop({ userAgent, mobile = false, touchPoints, touchFirst, fine }) {
  if (mobile || MOBILE.test(userAgent)) return false;
  if (/Macintosh/.test(userAgent) && touchPoints > 1) return false; // a tablet that presents itself as a computer
  return fine || !touchFirst;
}
