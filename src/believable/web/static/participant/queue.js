// @ts-check
/**
 * The write-ahead queue. An event gets its number and its place in the hash chain inside one transaction, shared by all
 * tabs of the browser, and stays until the server has acknowledged it. An event that still grows is kept beside the head of the
 * chain: it gets its number when it is whole, or when the next page finds it.
 *
 * @typedef {{seq: number, body: string, prev: string, hash: string, epoch: number}} Entry
 * @typedef {{seq: number, hash: string, epoch: number, growing?: string}} Head
 * @typedef {{epoch: number, ack: number, head: string}} Claim what the server says when a tab takes over writing
 * @typedef {ReturnType<typeof createQueue>} Queue
 */
import { extend } from "./chain.js";

/**
 * @param {import("./storage.js").Storage} storage
 * @param {string} session
 */
export function createQueue(storage, session) {
  return {
    durable: storage.durable,

    /**
     * After a claim: keeps the unsent events that continue the server's chain and sets aside, as strays, those that
     * grew on another branch while a second device was writing. They are sent all the same. An event that was still growing
     * when its page went away is the last of them.
     * @param {Claim} claim
     */
    adopt: (claim) =>
      storage.run(async (t) => {
        /** @type {Entry[]} */
        const entries = await t.all("events", session);
        /** @type {Head | undefined} */
        const before = await t.get("heads", [session]);
        if (before?.growing !== undefined) entries.push(following(before, before.growing));
        /** @type {Head} */
        let head = { seq: claim.ack, hash: claim.head, epoch: claim.epoch };
        const acknowledged = entries.find(({ seq }) => seq === claim.ack);
        const sameBranch = acknowledged?.hash === claim.head;
        let strays = (await t.all("strays", session)).length;
        for (const entry of entries) {
          t.remove("events", [session, entry.seq]);
          if (entry.seq === head.seq + 1 && entry.prev === head.hash) {
            t.put("events", [session, entry.seq], { ...entry, epoch: claim.epoch });
            head = { seq: entry.seq, hash: entry.hash, epoch: claim.epoch };
          } else if (entry.seq > claim.ack || !sameBranch) {
            t.put("strays", [session, strays++], entry);
          }
        }
        t.put("heads", [session], head);
        return head;
      }),

    /**
     * @param {number} epoch
     * @param {string} body
     * @param {boolean} [grown] this is the event that was kept while it grew
     * @returns {Promise<Entry | null>} null when another tab of this browser has taken over
     */
    append: (epoch, body, grown = false) =>
      storage.run(async (t) => {
        /** @type {Head | undefined} */
        const head = await t.get("heads", [session]);
        if (!head || head.epoch !== epoch) return null;
        const entry = following(head, body);
        const growing = grown || head.growing === undefined ? {} : { growing: head.growing };
        t.put("events", [session, entry.seq], entry);
        t.put("heads", [session], { seq: entry.seq, hash: entry.hash, epoch, ...growing });
        return entry;
      }),

    /**
     * Keeps what there is of an event that still grows, in place of what was kept of it before.
     * @param {number} epoch @param {string} body @returns {Promise<boolean>} false when another tab of this browser has taken over
     */
    keep: (epoch, body) =>
      storage.run(async (t) => {
        /** @type {Head | undefined} */
        const head = await t.get("heads", [session]);
        if (!head || head.epoch !== epoch) return false;
        t.put("heads", [session], { ...head, growing: body });
        return true;
      }),

    /** @param {number} [limit] @returns {Promise<Entry[]>} in order */
    unsent: (limit) => storage.run((t) => t.all("events", session, limit)),

    /** @returns {Promise<Entry[]>} */
    strays: () => storage.run((t) => t.all("strays", session)),

    /** @returns {Promise<void>} */
    dropStrays: () =>
      storage.run(async (t) => {
        const count = (await t.all("strays", session)).length;
        for (let n = 0; n < count; n++) t.remove("strays", [session, n]);
      }),

    /** @param {number} ack everything up to it is stored by the server @returns {Promise<void>} */
    drop: (ack) =>
      storage.run(async (t) => {
        for (const { seq } of await t.all("events", session))
          if (seq <= ack) t.remove("events", [session, seq]);
      }),

    /** @returns {Promise<Head | undefined>} */
    head: () => storage.run((t) => t.get("heads", [session])),

    /** Forgets everything of the session: it was withdrawn, or is finished. @returns {Promise<void>} */
    clear: () =>
      storage.run(async (t) => {
        for (const { seq } of await t.all("events", session)) t.remove("events", [session, seq]);
        const count = (await t.all("strays", session)).length;
        for (let n = 0; n < count; n++) t.remove("strays", [session, n]);
        t.remove("heads", [session]);
      }),

    /** Goes on after an event that another queue held, when that one's storage stops working. @param {Head} head @returns {Promise<void>} */
    goOnFrom: (head) => storage.run(async (t) => t.put("heads", [session], head)),
  };
}

/** The event that comes next in the chain. @param {Head} head @param {string} body @returns {Entry} */
function following({ seq, hash, epoch }, body) {
  return { seq: seq + 1, body, prev: hash, hash: extend(hash, body), epoch };
}
