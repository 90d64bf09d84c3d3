// @ts-check
/**
 * Time and level of a quality test. Pure: told the time of the page's clock.
 *
 * @typedef {{test: "visual" | "auditory", duration_ms: number, corners: [ms: number, level: number][]}} Signal
 */

export const GREEN = [25, 255];
export const PITCH_HZ = [50, 470];

/** @param {Signal} signal @param {number} ms @returns {number} from 0 to 1, straight between the corners */
export function levelAt({ corners }, ms) {
  const after = corners.findIndex(([at]) => at > ms);
  if (after < 0) return corners[corners.length - 1][1];
  if (after === 0) return corners[0][1];
  const [[from, low], [to, high]] = [corners[after - 1], corners[after]];
  return low + ((high - low) * (ms - from)) / (to - from);
}

/** @param {number[]} range @param {number} level */
export const between = ([low, high], level) => low + (high - low) * level;

/** @param {number} level @returns {string} the colour of the surface */
export const colour = (level) => `rgb(20, ${Math.round(between(GREEN, level))}, 12)`;

/** Media time that runs with the page's clock. @param {number} end @param {number} start both in milliseconds */
export function course(end, start) {
  let base = start;
  let rate = 1;
  /** @type {number | null} */
  let since = null;
  /** @param {number} mono_ms */
  const at = (mono_ms) =>
    Math.min(end, base + (since === null ? 0 : Math.max(0, mono_ms - since) * rate));
  return {
    at,
    get running() {
      return since !== null;
    },
    get rate() {
      return rate;
    },
    /** @param {number} mono_ms */
    start: (mono_ms) => {
      if (since === null) since = mono_ms;
    },
    /** @param {number} mono_ms @returns {number} where it stopped */
    stop: (mono_ms) => {
      base = at(mono_ms);
      since = null;
      return base;
    },
    /** @param {number} ms @param {number} mono_ms */
    seek: (ms, mono_ms) => {
      base = Math.min(Math.max(0, ms), end);
      if (since !== null) since = mono_ms;
    },
    /** @param {number} value @param {number} mono_ms */
    setRate: (value, mono_ms) => {
      base = at(mono_ms);
      if (since !== null) since = mono_ms;
      rate = value;
    },
  };
}
