// @ts-check
/**
 * Turns what wheels and trackpads report into whole notches. A mouse wheel reports a notch at once; trackpads and finely graded
 * wheels report many small distances, which are added up.
 *
 * @typedef {{deltaY: number, deltaMode: number, timeStamp: number, wheelDeltaY?: number}} Turn the part of a WheelEvent that is used
 */

/** Pixels that count as one notch. */
export const NOTCH_PX = 100;
/** Lines that count as one notch, where a browser counts lines. */
const NOTCH_LINES = 3;
/** What mouse wheels report per notch, by an old convention. */
const NOTCH_UNITS = 120;
/** No notch of a mouse wheel scrolls less: where the wheel says that it was a whole notch, and where it does not say. */
const SMALLEST_NOTCH_PX = { told: 20, untold: 40 };
/** Distances that follow each other this closely belong to one movement of the fingers. */
const GESTURE_MS = 200;

/** @returns {(turn: Turn) => {notches: number, input: "wheel" | "trackpad"}} notches are positive upwards, 0 while adding up */
export function wheel() {
  let rest = 0;
  let fineUntil = -Infinity;
  return (turn) => {
    const coarse = coarseNotches(turn, turn.timeStamp < fineUntil);
    if (coarse === null) fineUntil = turn.timeStamp + GESTURE_MS;
    const amount = coarse ?? turn.deltaY / NOTCH_PX;
    if (rest * amount < 0) rest = 0;
    rest += amount;
    const whole = Math.trunc(rest + Math.sign(rest) * 1e-9);
    rest -= whole;
    return { notches: whole === 0 ? 0 : -whole, input: coarse === null ? "trackpad" : "wheel" };
  };
}

/** Notches of a mouse wheel, downwards positive; null where it is no such wheel. @param {Turn} turn @param {boolean} inGesture */
function coarseNotches({ deltaY, deltaMode, wheelDeltaY }, inGesture) {
  if (deltaMode === 1) return atLeastOne(deltaY / NOTCH_LINES);
  if (deltaMode === 2) return atLeastOne(deltaY);
  if (inGesture || deltaY === 0) return null;
  const units = wheelDeltaY ?? 0;
  // Trackpads report exactly three units per pixel; a mouse reports whole notches whatever distance they are set to scroll.
  const wholeNotches = units !== 0 && units % NOTCH_UNITS === 0 && units !== -3 * deltaY;
  if (wholeNotches && Math.abs(deltaY) >= SMALLEST_NOTCH_PX.told) return -units / NOTCH_UNITS;
  const whole = Number.isInteger(deltaY) && Math.abs(deltaY) >= SMALLEST_NOTCH_PX.untold;
  return whole ? atLeastOne(deltaY / (deltaY % NOTCH_UNITS === 0 ? NOTCH_UNITS : NOTCH_PX)) : null;
}

/** @param {number} notches */
function atLeastOne(notches) {
  return Math.sign(notches) * Math.max(1, Math.round(Math.abs(notches)));
}
