// @ts-check
/**
 * What the participant may do with the video, as the study says.
 *
 * @typedef {{pause: boolean, seek: boolean, replay: boolean, max_views: number | null, must_finish: boolean, watched_share: number, volume: boolean,
 *   speeds: number[], speed: number, first_speed_limit?: number | null, zoom: boolean, follow?: boolean, clock?: boolean}} Policy
 *   `clock: false` hides how long it is
 */

/** The browser's own controls allow everything, so they appear only where everything is allowed. @param {Policy} policy */
export const nativeControls = (policy) =>
  policy.pause &&
  policy.seek &&
  policy.replay &&
  policy.volume &&
  policy.max_views === null &&
  !policy.must_finish &&
  policy.speeds.length < 2;

/** @param {Policy} policy @param {boolean} watched whether it was watched already @returns {number[]} the speeds that may be chosen now */
export function allowedSpeeds({ speeds, first_speed_limit: limit }, watched) {
  return watched || limit == null ? speeds : speeds.filter((speed) => speed <= limit);
}

/** @param {number[]} speeds that may be chosen @param {number} rate @param {1 | -1} step @returns {number} the neighbouring speed */
export function nextSpeed(speeds, rate, step) {
  const at = speeds.indexOf(rate) + step;
  return speeds[Math.min(Math.max(at, 0), speeds.length - 1)];
}

/** @param {Policy} policy @param {number} views how often it was watched to the end @returns {number} may be Infinity */
export function viewsLeft(policy, views) {
  if (views === 0) return 1;
  if (!policy.replay) return 0;
  return Math.max(0, (policy.max_views ?? Infinity) - views);
}
