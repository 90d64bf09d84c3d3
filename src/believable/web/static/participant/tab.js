// @ts-check
/** Tells the other tabs of this browser that this one writes now, and hears when another does. */

/**
 * @param {string} session
 * @param {number} epoch
 * @param {() => void} onTaken
 * @param {(name: string) => Pick<BroadcastChannel, "postMessage" | "onmessage" | "close"> | null} open
 * @returns {{close: () => void}}
 */
export function announceTab(session, epoch, onTaken, open) {
  const channel = open(`believable ${session}`);
  if (!channel) return { close: () => undefined };
  channel.onmessage = (/** @type {MessageEvent} */ event) => {
    if (event.data?.epoch > epoch) onTaken();
  };
  channel.postMessage({ epoch });
  return { close: () => channel.close() };
}
