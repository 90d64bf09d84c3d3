// @ts-check
/** The two axes of a trace. Pure. */

/** An axis that has hardly been used shows at least so many steps to both sides. */
const LEAST_REACH = 4;
/** Room above the highest and below the lowest value, as a share of the range. */
const ROOM = 0.08;
const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600];
const LABEL_PX = 64;

/**
 * The range that holds all values, zero always among them.
 * @param {readonly {v: number}[]} points @param {number} value the present one @returns {[number, number]}
 */
export function reach(points, value) {
  let [low, high] = [Math.min(-LEAST_REACH, value), Math.max(LEAST_REACH, value)];
  for (const { v } of points) {
    if (v < low) low = v;
    if (v > high) high = v;
  }
  const room = (high - low) * ROOM;
  return [low - room, high + room];
}

/**
 * Moments to label, not too close to each other.
 * @param {number} duration milliseconds @param {number} width pixels
 */
export function ticks(duration, width) {
  const seconds = duration / 1000;
  const most = Math.max(1, Math.floor(width / LABEL_PX));
  const step =
    STEPS_S.find((length_s) => seconds / length_s <= most) ?? STEPS_S[STEPS_S.length - 1];
  const labels = [];
  for (let s = 0; s <= seconds; s += step) labels.push({ t: s * 1000, words: clock(s) });
  return labels;
}

/** @param {number} seconds */
function clock(seconds) {
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours
    ? `${hours}:${two(minutes)}:${two(seconds % 60)}`
    : `${minutes}:${two(seconds % 60)}`;
}
