// @ts-check
/**
 * The page's own record of the round: its inputs and what it noticed, as events like any other. Inputs are gathered into few
 * events, but none leaves the page before it is durable here: the event that still grows is kept with each of them.
 *
 * @typedef {number[]} Input `[number, tick, dx, dy, aim, shoot, bomb]`
 * @typedef {object} Writing
 * @property {(kind: string, data?: any, options?: {grown: boolean}) => Promise<any>} record
 * @property {(kind: string, data: any) => Promise<boolean>} keep
 */

const GATHER_MS = 250;
const MOST = 32;

/**
 * @param {Writing} writing
 * @param {{now: () => number, durable: (inputs: Input[]) => void}} outside `durable` hears of inputs once they are, in their order
 */
export function createLog({ record, keep }, { now, durable }) {
  /** What the event that grows holds. @type {Input[]} */
  let inputs = [];
  /** Those of them that are not being written yet. @type {Input[]} */
  let fresh = [];
  let attempt = 0;
  let first_ms = 0;
  let busy = false;
  let reports = Promise.resolve();
  const timer = setInterval(() => {
    if (inputs.length && now() - first_ms >= GATHER_MS) flush();
  }, GATHER_MS / 2);

  /** In their order, whichever way each was written. @param {Input[]} mine @param {Promise<any>} written */
  function tell(mine, written) {
    reports = reports
      .then(() => written)
      .then((done) => {
        if (done && mine.length) durable(mine);
      });
  }

  /** One write at a time: what comes meanwhile is joined. */
  async function keepFresh() {
    if (busy) return;
    busy = true;
    while (fresh.length) {
      const mine = fresh;
      fresh = [];
      const written = keep("play.input", { attempt, inputs });
      tell(mine, written);
      await written;
    }
    busy = false;
  }

  function flush() {
    if (!inputs.length) return;
    tell(fresh, record("play.input", { attempt, inputs }, { grown: true }));
    inputs = [];
    fresh = [];
  }

  return {
    /** @param {number} of the attempt @param {Input} input */
    input(of, input) {
      if (of !== attempt) flush();
      attempt = of;
      if (!inputs.length) first_ms = now();
      inputs.push(input);
      fresh.push(input);
      if (inputs.length >= MOST) flush();
      else void keepFresh();
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
