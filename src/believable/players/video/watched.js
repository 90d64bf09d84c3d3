// @ts-check
/** Which parts of a medium were really shown, as intervals of media time. Pure: it is told what happens. */

/** A running interval is reported this often (of real time), so that a crash costs seconds and not the whole view. */
export const REPORT_MS = 5000;

/** @param {(interval: {from_ms: number, to_ms: number, rate: number}) => void} report */
export function watched(report) {
  /** @type {{from: number, rate: number} | null} */
  let open = null;

  /** @param {number} ms */
  function close(ms) {
    if (open && ms > open.from) report({ from_ms: whole(open.from), to_ms: whole(ms), rate: open.rate });
    open = null;
  }

  return {
    /** Something is being shown from here on. @param {number} ms @param {number} rate */
    start: (ms, rate) => { if (!open) open = { from: ms, rate }; },

    /** A frame was shown. @param {number} ms */
    frame: (ms) => {
      if (!open || ms - open.from < REPORT_MS * open.rate) return;
      const { rate } = open;
      close(ms);
      open = { from: ms, rate };
    },

    /** Nothing is shown any more, or not at this speed. @param {number} ms the last moment that was */
    stop: close,

    get running() { return open !== null; },
  };
}

/** @param {number} ms */
const whole = (ms) => Math.round(ms);
