// @ts-check
/**
 * When the page's own tick has to run so that an input reaches the server in time for it, and which moment of the server's
 * game the page shows. Fed with what arrives; time comes in as a parameter.
 */

/** So many pictures count for the offset. */
const REMEMBERED = 60;
/** Ticks in reserve, beside what the line's own unsteadiness asks for. */
const MARGIN_TICKS = 1;
/** The opponent is shown this much later than the newest picture, so that there is always a next one to move towards. */
const DELAY_TICKS = 2;
const LONGEST_LEAD_MS = 800;

/** @typedef {ReturnType<typeof createClock>} GameClock */

/** @param {number} tick_ms how long a tick lasts */
export function createClock(tick_ms) {
  /** @type {number[]} */
  let offsets = [];
  const line = createDelay();
  const keeping = createDelay();

  const offset = () => Math.max(...offsets);

  return {
    /** A picture of tick `tick` arrived. @param {number} tick @param {number} now_ms */
    heard(tick, now_ms) {
      offsets.push(tick * tick_ms - now_ms);
      if (offsets.length > REMEMBERED) offsets.shift();
    },
    /** How long there and back took. @param {number} ms */
    echoed: (ms) => line.add(ms),
    /** How long an input took to become durable here, before it was sent. @param {number} ms */
    kept: (ms) => keeping.add(ms),
    /** The game stood still: what was known of its pace no longer holds. */
    restart() {
      offsets = [];
    },
    get ready() {
      return offsets.length > 0;
    },
    /** The tick, with fractions, that the page's own figure should be at. @param {number} now_ms */
    own(now_ms) {
      const lead = Math.min(line.expected_ms + keeping.expected_ms, LONGEST_LEAD_MS);
      return (now_ms + offset() + lead) / tick_ms + MARGIN_TICKS;
    },
    /** The tick, with fractions, at which everything else is shown. @param {number} now_ms */
    others: (now_ms) => (now_ms + offset()) / tick_ms - DELAY_TICKS,
  };
}

/** How long something usually takes, with a reserve for its unsteadiness. */
function createDelay() {
  /** @type {number | null} */
  let mean = null;
  let unsteady = 0;
  return {
    /** @param {number} ms */
    add(ms) {
      mean ??= ms;
      unsteady += (Math.abs(ms - mean) - unsteady) / 4;
      mean += (ms - mean) / 8;
    },
    get expected_ms() {
      return (mean ?? 0) + 2 * unsteady;
    },
  };
}
