// @ts-check
/**
 * How much of a medium was on screen, from what its player records; and whether that is enough for the questions. The server
 * judges by the same rule (`contracts/submission.py`). Pure.
 *
 * @typedef {[from: number, to: number]} Part
 */

/**
 * @param {{views: number, watched: Part[]}} seen what was seen before a reload
 * @param {{must_finish: boolean, watched_share: number, seek: boolean}} policy
 */
export function coverage(seen, policy) {
  let { views } = seen;
  /** @type {Part[]} */
  let parts = seen.watched.map(([from, to]) => [from, to]);
  let duration = 0;

  /** @param {number} from @param {number} to */
  function add(from, to) {
    const touching = parts.filter((part) => part[0] <= to && from <= part[1]);
    const others = parts.filter((part) => !touching.includes(part));
    const starts = [from, ...touching.map((part) => part[0])];
    const ends = [to, ...touching.map((part) => part[1])];
    parts = [...others, /** @type {Part} */ ([Math.min(...starts), Math.max(...ends)])].sort(
      (a, b) => a[0] - b[0],
    );
  }

  const result = {
    /** Takes note of what the player records. @param {string} kind @param {any} data */
    note: (kind, data) => {
      if (kind === "media.ready") duration = data.duration_ms;
      else if (kind === "media.interval" && data.to_ms > data.from_ms)
        add(data.from_ms, data.to_ms);
      else if (kind === "media.ended") views += 1;
    },
    get views() {
      return views;
    },
    /** From 0 to 1. */
    get share() {
      if (!duration) return 0;
      return Math.min(
        1,
        parts.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, duration) - from), 0) /
          duration,
      );
    },
    /** Whether it was watched already: to the end, and enough of it. */
    get complete() {
      return views > 0 && result.share >= policy.watched_share;
    },
    /** Whether the questions may come. */
    get enough() {
      if (!policy.must_finish) return true;
      return views > 0 && (!policy.seek || result.share >= policy.watched_share);
    },
    /** What was not on screen yet, in order. @returns {Part[]} */
    get gaps() {
      /** @type {Part[]} */
      const gaps = [];
      let at = 0;
      for (const [from, to] of parts) {
        if (from > at) gaps.push([at, from]);
        at = Math.max(at, to);
      }
      if (duration > at) gaps.push([at, duration]);
      return gaps;
    },
  };
  return result;
}
