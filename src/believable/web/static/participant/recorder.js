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
export function createRecorder({
  queue,
  head,
  fallback,
  channel,
  epoch,
  clock,
  onTaken,
  onMemory,
}) {
  let position = 0;
  let closed = false;
  /** @type {Promise<any>} */
  let turn = Promise.resolve();

  /**
   * What is unsent stays with the channel, so a storage that fails takes nothing along.
   * @template T @param {(queue: import("./queue.js").Queue) => Promise<T>} work @returns {Promise<T>}
   */
  async function stored(work) {
    try {
      return await work(queue);
    } catch {
      queue = fallback();
      await queue.goOnFrom(head);
      onMemory();
      return work(queue);
    }
  }

  /** @param {string} body @param {boolean} now @param {boolean} grown */
  async function write(body, now, grown) {
    const entry = await stored((queue) => queue.append(epoch, body, grown));
    if (!entry) {
      onTaken();
      return null;
    }
    head = { seq: entry.seq, hash: entry.hash, epoch };
    channel.push(entry, now);
    return entry;
  }

  /** @param {string} body */
  async function keep(body) {
    const kept = await stored((queue) => queue.keep(epoch, body));
    if (!kept) onTaken();
    return kept;
  }

  /** @param {string} kind @param {any} data @param {number} mono_ms */
  function bodyOf(kind, data, mono_ms) {
    const waited = Math.max(0, clock.mono() - mono_ms);
    return JSON.stringify({
      kind,
      trial: position,
      at_ms: Math.round(clock.wall() - waited),
      mono_ms: Math.round(mono_ms * 10) / 10,
      data,
    });
  }

  return {
    /**
     * @param {string} kind
     * @param {any} [data]
     * @param {{now?: boolean, mono_ms?: number, grown?: boolean}} [options] `now` sends without gathering; `mono_ms` is when it
     *   happened, where that was before this call (an input waits for its turn); `grown` is the whole of what was kept
     * @returns {Promise<import("./queue.js").Entry | null>} null when another tab writes, or the session is over
     */
    record: (kind, data = {}, { now = false, mono_ms = clock.mono(), grown = false } = {}) => {
      if (closed) return Promise.resolve(null);
      const body = bodyOf(kind, data, mono_ms);
      channel.expect();
      turn = turn.then(() => write(body, now, grown));
      return turn;
    },

    /**
     * Makes an event durable that still grows. If the page goes away, the next one finds it; otherwise it is recorded, `grown`.
     * @param {string} kind @param {any} data @returns {Promise<boolean>} false when another tab writes, or the session is over
     */
    keep: (kind, data) => {
      if (closed) return Promise.resolve(false);
      const body = bodyOf(kind, data, clock.mono());
      turn = turn.then(() => keep(body));
      return turn;
    },

    /** Events from now on belong to this trial. @param {number} next */
    at: (next) => {
      position = next;
    },

    /** @returns {Promise<void>} resolves when everything so far is in the queue */
    idle: () => turn.then(() => undefined),

    /** Nothing is recorded any more. @returns {Promise<import("./queue.js").Head>} the end of the chain */
    close: async () => {
      closed = true;
      await turn;
      return head;
    },

    get unsent() {
      return channel.unsent;
    },
  };
}
