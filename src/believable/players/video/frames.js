// @ts-check
/** Which picture of a video was on screen at a given time. Pure: it is told when each one appeared. */

/** So many pictures are remembered: longer than any input waits for its turn. */
const KEPT = 90;
/** @typedef {{shown_ms: number, media_ms: number, frame: number}} Shown */

export function frames() {
  /** @type {Shown[]} */
  let past = [];

  /** @param {number} mono_ms @returns {number} which of them was on screen; the first one before it appeared; -1 without any */
  function indexAt(mono_ms) {
    let index = past.length - 1;
    while (index > 0 && past[index].shown_ms > mono_ms) index -= 1;
    return index;
  }

  return {
    /** @param {Shown} picture `shown_ms` on the page's monotonic clock, `frame` counts pictures */
    add: (picture) => {
      past.push(picture);
      if (past.length > 2 * KEPT) past = past.slice(-KEPT);
    },

    /** After a jump, what was shown says nothing about what follows. */
    clear: () => {
      past = [];
    },

    /** @param {number} mono_ms @returns {Shown | null} the one that was on screen */
    on: (mono_ms) => past[indexAt(mono_ms)] ?? null,

    /**
     * Between two pictures the time runs evenly; after the last one it runs on, but never past the video's own clock, which
     * stands still in a halt.
     * @param {number} mono_ms @param {number} rate @param {number} clock_ms where the video's own clock was then @returns {{media_ms: number, frame: number} | null} null before the first
     */
    at: (mono_ms, rate, clock_ms) => {
      const index = indexAt(mono_ms);
      const picture = past[index];
      if (!picture) return null;
      const waited = Math.max(0, mono_ms - picture.shown_ms);
      const next = past[index + 1];
      if (next) {
        const share = Math.min(1, waited / Math.max(1, next.shown_ms - picture.shown_ms));
        return {
          media_ms: picture.media_ms + share * (next.media_ms - picture.media_ms),
          frame: picture.frame,
        };
      }
      const latest = Math.max(picture.media_ms, clock_ms);
      return { media_ms: Math.min(picture.media_ms + waited * rate, latest), frame: picture.frame };
    },
  };
}
