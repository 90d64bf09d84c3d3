// @ts-check
/** The page's own record of the round: its inputs and what it noticed, as events like any other. Inputs are gathered. */

const GATHER_MS = 250;
const MOST = 32;

/**
 * @param {(kind: string, data?: any) => unknown} record
 * @param {{now: () => number}} outside
 */
export function createLog(record, { now }) {
  /** @type {number[][]} */
  let inputs = [];
  let attempt = 0;
  let first_ms = 0;
  const timer = setInterval(() => { if (inputs.length && now() - first_ms >= GATHER_MS) flush(); }, GATHER_MS / 2);

  function flush() {
    if (!inputs.length) return;
    void record("play.input", { attempt, inputs });
    inputs = [];
  }

  return {
    /** @param {number} of the attempt @param {number[]} input `[number, tick, dx, dy, aim, shoot, bomb]` */
    input(of, input) {
      if (of !== attempt) flush();
      attempt = of;
      if (!inputs.length) first_ms = now();
      inputs.push(input);
      if (inputs.length >= MOST) flush();
    },
    /** @param {string} kind @param {any} data */
    note(kind, data) {
      flush();
      void record(kind, data);
    },
    flush,
    stop: () => clearInterval(timer),
  };
}
