// @ts-check
/** What a trial shows beside its player: the log of actions for whoever needs it (`player.actions`), and plan and log to open. */
import { actionLog } from "./actionlog.js";
import { showOverlay } from "./overlay.js";
import { preload } from "./preload.js";
import { toRows } from "/static/players/replay/scene.js";

/**
 * @param {HTMLElement} root
 * @param {object} outside
 * @param {any} outside.player
 * @param {{log: string | null}} outside.medium
 * @param {{plan: boolean, log: boolean}} outside.overlay
 * @param {boolean} outside.seekable
 * @param {Record<string, string>} outside.texts
 * @param {(kind: string, data: any) => void} outside.record
 * @param {AbortSignal} outside.signal
 */
export async function showBeside(root, { player, medium, overlay, seekable, texts, record, signal }) {
  const given = medium.log === null ? player.log : await fetched(medium.log, signal);
  if (!given) return;
  player.actions = actionLog(given);
  showOverlay(root, { player, log: player.actions, overlay, seekable, texts, record });
}

/** @param {string} url @param {AbortSignal} signal */
async function fetched(url, signal) {
  const pieces = await preload(url, {
    fetch: (...request) => fetch(...request),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onProgress: () => undefined,
    signal,
  });
  const whole = new Blob(/** @type {BlobPart[]} */ (pieces));
  const { actors, actions, plans } = await new Response(whole.stream().pipeThrough(new DecompressionStream("gzip"))).json();
  return { actors, actions: toRows(actions), plans: toRows(plans) };
}
