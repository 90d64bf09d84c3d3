// @ts-check
/**
 * Turns what happens into numbered events: first into the queue, then to the channel.
 *
 * @typedef {{wall: () => number, mono: () => number}} Clock milliseconds since 1970, and of the page's monotonic clock
 * @typedef {ReturnType<typeof createRecorder>} Recorder
 */

/**
 * @param {object} parts
 * @param {import("./queue.js").Queue} parts.queue
 * @param {() => import("./queue.js").Queue} parts.fallback a queue in memory, should the browser's storage fail
 * @param {import("./channel.js").Channel} parts.channel
 * @param {number} parts.epoch
 * @param {Clock} parts.clock
 * @param {() => void} parts.onTaken
 * @param {() => void} parts.onMemory
 */
export function createRecorder({ queue, fallback, channel, epoch, clock, onTaken, onMemory }) {
  let position = 0;
  let closed = false;
  let writing = 0;
  /** @type {Promise<any>} */
  let turn = Promise.resolve();

  /** @param {string} body */
  async function append(body) {
    try {
      return await queue.append(epoch, body);
    } catch {
      const memory = fallback();
      await queue.moveTo(memory);
      queue = memory;
      onMemory();
      return queue.append(epoch, body);
    }
  }

  /** @param {string} body @param {boolean} now */
  async function write(body, now) {
    const entry = await append(body);
    writing -= 1;
    if (entry) channel.push(entry, now);
    else onTaken();
    return entry;
  }

  return {
    /**
     * @param {string} kind
     * @param {any} [data]
     * @param {{now?: boolean}} [options] `now` sends without gathering
     * @returns {Promise<import("./queue.js").Entry | null>} null when another tab writes, or the session is over
     */
    record: (kind, data = {}, { now = false } = {}) => {
      if (closed) return Promise.resolve(null);
      const body = JSON.stringify({
        kind, trial: position, at_ms: Math.round(clock.wall()), mono_ms: Math.round(clock.mono() * 10) / 10, data });
      writing += 1;
      channel.expect();
      turn = turn.then(() => write(body, now));
      return turn;
    },

    /** Events from now on belong to this trial. @param {number} next */
    at: (next) => { position = next; },

    /** @returns {Promise<void>} resolves when everything so far is in the queue */
    idle: () => turn.then(() => undefined),

    /** Nothing is recorded any more. @returns {Promise<import("./queue.js").Head | undefined>} the end of the chain */
    close: async () => {
      closed = true;
      await turn;
      return queue.head();
    },

    get unsent() { return writing + channel.unsent; },
  };
}
