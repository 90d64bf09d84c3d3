// @ts-check
/** Which parts of a medium were really shown, as intervals of media time. Pure: it is told what happens. */

/** A running interval is reported this often (of real time), so that a crash costs seconds and not the whole view. */
export const REPORT_MS = 5000;

/** @param {(interval: {from_ms: number, to_ms: number, rate: number}) => void} report */
export function watched(report) {
  /** @type {{from: number, rate: number} | null} */
  let open = null;

  /** @param {number} ms @returns {number | null} where it ended, null if nothing was running */
  function close(ms) {
    if (!open) return null;
    const { from, rate } = open;
    open = null;
    if (ms > from) report({ from_ms: whole(from), to_ms: whole(ms), rate });
    return Math.max(from, ms);
  }

  return {
    /** Something is being shown from here on. @param {number} ms @param {number} rate */
    start: (ms, rate) => {
      if (!open) open = { from: ms, rate };
    },

    /** A frame was shown. @param {number} ms */
    frame: (ms) => {
      if (!open || ms - open.from < REPORT_MS * open.rate) return;
      const { rate } = open;
      close(ms);
      open = { from: ms, rate };
    },

    /** Nothing is shown any more, or not at this speed. What goes on without a jump starts exactly where this ended. @param {number} ms the last moment that was shown */
    stop: close,

    get running() {
      return open !== null;
    },
  };
}

/** @param {number} ms */
const whole = (ms) => Math.round(ms);
