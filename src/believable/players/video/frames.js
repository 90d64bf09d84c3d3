// @ts-check
/** Which picture of a video was on screen at a given time. Pure: it is told when each one appeared. */

/** So many pictures are remembered: longer than any input waits for its turn. */
const KEPT = 90;
/** How long a picture is expected to stay before the next one is known. */
const USUAL_GAP_MS = 50;

/** @typedef {{shown_ms: number, media_ms: number, frame: number}} Shown */

export function frames() {
  /** @type {Shown[]} */
  let past = [];

  return {
    /** @param {Shown} picture `shown_ms` on the page's monotonic clock, `frame` counts pictures */
    add: (picture) => {
      past.push(picture);
      if (past.length > 2 * KEPT) past = past.slice(-KEPT);
    },

    /** After a jump, what was shown says nothing about what follows. */
    clear: () => { past = []; },

    /**
     * Between two pictures the time runs evenly; after the last one it runs on for one picture at most, since then the
     * video stands still.
     * @param {number} mono_ms @param {number} rate @returns {{media_ms: number, frame: number} | null} null before the first
     */
    at: (mono_ms, rate) => {
      let index = past.length - 1;
      while (index > 0 && past[index].shown_ms > mono_ms) index -= 1;
      const picture = past[index];
      if (!picture) return null;
      const waited = Math.max(0, mono_ms - picture.shown_ms);
      const next = past[index + 1];
      if (next) {
        const share = Math.min(1, waited / Math.max(1, next.shown_ms - picture.shown_ms));
        return { media_ms: picture.media_ms + share * (next.media_ms - picture.media_ms), frame: picture.frame };
      }
      const before = past[index - 1];
      const gap = before ? picture.media_ms - before.media_ms : USUAL_GAP_MS * rate;
      return { media_ms: picture.media_ms + Math.min(waited * rate, Math.max(0, gap)), frame: picture.frame };
    },
  };
}
