// @ts-check
/**
 * The tabs of one browser: a new one asks the others to put down what they hold, then writes in their place.
 *
 * @typedef {Pick<BroadcastChannel, "postMessage" | "onmessage" | "close">} Room
 * @typedef {(name: string) => Room | null} OpenRoom null where the browser has none
 */

/** How long a new tab waits for the others; they answer within a few milliseconds, if there are any. */
const PATIENCE_MS = 150;

/** @param {string} session */
const name = (session) => `believable ${session}`;

/**
 * Before a claim: resolves when the tab that writes until now has recorded everything, or when none answers.
 * @param {string} session @param {OpenRoom} open @param {(ms: number) => Promise<void>} sleep @returns {Promise<void>}
 */
export async function askToSettle(session, open, sleep) {
  const room = open(name(session));
  if (!room) return;
  const settled = new Promise((resolve) => {
    room.onmessage = (/** @type {MessageEvent} */ event) => {
      if (event.data?.settled) resolve(undefined);
    };
  });
  room.postMessage({ hello: true });
  await Promise.race([settled, sleep(PATIENCE_MS)]);
  room.close();
}

/**
 * After a claim: tells the others, and hears when another tab comes or has taken over.
 * @param {string} session
 * @param {number} epoch
 * @param {{onTaken: () => void, onHello: () => Promise<void>}} listener
 * @param {OpenRoom} open
 */
export function announceTab(session, epoch, { onTaken, onHello }, open) {
  const room = open(name(session));
  if (!room) return;
  room.onmessage = async (/** @type {MessageEvent} */ event) => {
    if (event.data?.epoch > epoch) onTaken();
    if (!event.data?.hello) return;
    await onHello();
    room.postMessage({ settled: true });
  };
  room.postMessage({ epoch });
}
