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
 * @param {import("./queue.js").Head} parts.head where the queue stands
 * @param {() => import("./queue.js").Queue} parts.fallback a queue in memory, should the browser's storage fail
 * @param {import("./channel.js").Channel} parts.channel
 * @param {number} parts.epoch
 * @param {Clock} parts.clock
 * @param {() => void} parts.onTaken
 * @param {() => void} parts.onMemory
 */
export function createRecorder({ queue, head, fallback, channel, epoch, clock, onTaken, onMemory }) {
  let position = 0;
  let closed = false;
  let writing = 0;
  /** @type {Promise<any>} */
  let turn = Promise.resolve();

  /** What is unsent stays with the channel, so a storage that fails takes nothing along. @param {string} body */
  async function append(body) {
    try {
      return await queue.append(epoch, body);
    } catch {
      queue = fallback();
      await queue.goOnFrom(head);
      onMemory();
      return queue.append(epoch, body);
    }
  }

  /** @param {string} body @param {boolean} now */
  async function write(body, now) {
    const entry = await append(body);
    writing -= 1;
    if (!entry) {
      onTaken();
      return null;
    }
    head = { seq: entry.seq, hash: entry.hash, epoch };
    channel.push(entry, now);
    return entry;
  }

  return {
    /**
     * @param {string} kind
     * @param {any} [data]
     * @param {{now?: boolean, mono_ms?: number}} [options] `now` sends without gathering; `mono_ms` is when it happened, where
     *   that was before this call (an input waits for its turn)
     * @returns {Promise<import("./queue.js").Entry | null>} null when another tab writes, or the session is over
     */
    record: (kind, data = {}, { now = false, mono_ms = clock.mono() } = {}) => {
      if (closed) return Promise.resolve(null);
      const waited = Math.max(0, clock.mono() - mono_ms);
      const body = JSON.stringify({
        kind, trial: position, at_ms: Math.round(clock.wall() - waited), mono_ms: Math.round(mono_ms * 10) / 10, data });
      writing += 1;
      channel.expect();
      turn = turn.then(() => write(body, now));
      return turn;
    },

    /** Events from now on belong to this trial. @param {number} next */
    at: (next) => { position = next; },

    /** @returns {Promise<void>} resolves when everything so far is in the queue */
    idle: () => turn.then(() => undefined),

    /** Nothing is recorded any more. @returns {Promise<import("./queue.js").Head>} the end of the chain */
    close: async () => {
      closed = true;
      await turn;
      return head;
    },

    get unsent() { return writing + channel.unsent; },
  };
}
