// @ts-check
/**
 * Sends what the queue holds: in batches, one request at a time, again and again until the server has it.
 *
 * @typedef {"saved" | "saving" | "offline" | "full"} Saving
 * @typedef {"taken_over" | "withdrawn" | "conflict" | "refused"} End why sending has stopped for good
 * @typedef {{status: number, data: any}} Reply
 * @typedef {(path: string, payload: any, options?: {keepalive?: boolean}) => Promise<Reply>} Post rejects when offline
 * @typedef {object} Outside what the channel needs of the world
 * @property {Post} post
 * @property {(work: () => void, ms: number) => any} later
 * @property {(timer: any) => void} cancel
 * @property {() => number} random
 * @property {(saving: Saving) => void} onSaving
 * @property {(end: End) => void} onEnd
 * @typedef {ReturnType<typeof createChannel>} Channel
 */

const BATCH_EVENTS = 200;
const BATCH_CHARACTERS = 400_000;
const GATHER_MS = 500;
const FIRST_RETRY_MS = 400;
const LONGEST_RETRY_MS = 8_000;
/** What browsers let a page send while it is going away. */
const KEEPALIVE_CHARACTERS = 50_000;

/**
 * @param {import("./queue.js").Queue} queue
 * @param {number} epoch
 * @param {import("./queue.js").Entry[]} unsent what the queue holds already
 * @param {Outside} outside
 */
export function createChannel(queue, epoch, unsent, outside) {
  /** What is not acknowledged yet, mirrored from the queue: a page that goes away cannot wait for a database. */
  let held = [...unsent];
  /** How many events are on their way into the queue: as long as there are any, not everything is saved. */
  let coming = 0;
  let busy = false;
  let stopped = false;
  let failures = 0;
  let batchEvents = BATCH_EVENTS;
  let acknowledged = 0;
  /** @type {any} */
  let timer = null;
  /** @type {{seq: number, resolve: () => void}[]} */
  let waiting = [];

  /** @param {number} ms */
  function wakeIn(ms) {
    if (timer !== null || stopped) return;
    timer = outside.later(() => {
      timer = null;
      void pump();
    }, ms);
  }

  function pumpNow() {
    if (timer !== null) outside.cancel(timer);
    timer = null;
    void pump();
  }

  async function pump() {
    if (busy || stopped) return;
    busy = true;
    let delay = null;
    while (delay === null && held.length && !stopped) {
      if (!failures) outside.onSaving("saving");
      delay = await send(fitting(held.slice(0, batchEvents), BATCH_CHARACTERS));
    }
    busy = false;
    if (delay !== null) wakeIn(delay);
    else if (!stopped && !coming) outside.onSaving("saved");
  }

  /** @param {import("./queue.js").Entry[]} batch @returns {Promise<number | null>} ms to wait, or null to go on */
  async function send(batch) {
    let reply;
    try {
      reply = await outside.post("events", { epoch, events: pairs(batch) });
    } catch {
      outside.onSaving("offline");
      return nextDelay();
    }
    if (reply.status === 200) return arrived(reply.data.ack);
    if (reply.status === 413 && batch.length > 1) {
      batchEvents = batch.length >> 1;
      return null;
    }
    const end = endOf(reply);
    if (end) return stop(end);
    outside.onSaving(reply.status === 507 || reply.status === 429 ? "full" : "offline");
    return nextDelay();
  }

  /** @param {number} ack */
  async function arrived(ack) {
    failures = 0;
    acknowledged = Math.max(acknowledged, ack);
    held = held.filter(({ seq }) => seq > acknowledged);
    // The server has them: should the browser fail to forget them, they are only sent once more.
    await queue.drop(acknowledged).catch(() => undefined);
    waiting = waiting.filter(({ seq, resolve }) => seq > acknowledged || resolve());
    return null;
  }

  /** @param {End} end */
  function stop(end) {
    stopped = true;
    outside.onEnd(end);
    return null;
  }

  function nextDelay() {
    const longest = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** failures++);
    return longest * (0.5 + outside.random() / 2);
  }

  return {
    /** An event is on its way into the queue. */
    expect: () => {
      coming += 1;
      if (!failures && !stopped) outside.onSaving("saving");
    },

    /** Takes an expected event that is in the queue now, and sends it soon, or at once. @param {import("./queue.js").Entry} entry @param {boolean} now */
    push: (entry, now) => {
      coming -= 1;
      held.push(entry);
      if (now && !failures) pumpNow();
      else wakeIn(GATHER_MS);
    },

    /**
     * Everything up to `seq` goes along with another request, which is answered after it is durable, so that leaving a page
     * takes one request. Where that cannot be (something is on its way, the line is bad, it is too much) or fails, it is sent
     * by itself, as ever.
     * @param {number} seq @param {(events: [number, string][]) => Promise<Reply>} post
     * @returns {Promise<Reply | null>} null: ask again once it is `flushed`
     */
    carry: async (seq, post) => {
      const batch = fitting(held.slice(0, batchEvents), BATCH_CHARACTERS);
      if (busy || stopped || failures || !batch.some((entry) => entry.seq === seq)) {
        pumpNow();
        return null;
      }
      busy = true;
      const reply = await post(pairs(batch)).catch(() => null);
      busy = false;
      const stored = reply?.status === 200;
      if (stored) await arrived(reply.data.ack);
      pumpNow(); // what came meanwhile; or all of it, which also finds out what was wrong
      return stored ? reply : null;
    },

    /** The network is back, or a page begins with unsent events: do not sit out the pause. */
    retry: () => pumpNow(),

    /** @param {number} seq @returns {Promise<void>} resolves when the server has everything up to `seq` */
    flushed: (seq) =>
      seq <= acknowledged
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ seq, resolve })),

    /** The page goes away: one last request that may outlive it. What does not fit waits in the queue. */
    leave: () => {
      const batch = fitting(held.slice(0, batchEvents), KEEPALIVE_CHARACTERS);
      if (stopped || !batch.length || batch[0].body.length > KEEPALIVE_CHARACTERS) return;
      outside
        .post("events", { epoch, events: pairs(batch) }, { keepalive: true })
        .catch(() => undefined);
    },

    stop: () => {
      stopped = true;
    },
    /** How many the server does not have yet. */
    get unsent() {
      return coming + held.length;
    },
    /** What is not acknowledged yet, in order. */
    get entries() {
      return [...held];
    },
  };
}

/** @param {import("./queue.js").Entry[]} batch @returns {[number, string][]} */
const pairs = (batch) => batch.map(({ seq, body }) => [seq, body]);

/** @param {Reply} reply @returns {End | null} */
function endOf({ status, data }) {
  if (status === 410) return "withdrawn";
  if (status === 409) return data?.error?.code === "taken_over" ? "taken_over" : "conflict";
  return status === 413 || status === 422 || status === 404 ? "refused" : null;
}

/** At least one event, then as many as stay under the limit. @param {import("./queue.js").Entry[]} entries @param {number} limit */
function fitting(entries, limit) {
  let characters = 0;
  return entries.filter(({ body }, index) => (characters += body.length) <= limit || index === 0);
}
