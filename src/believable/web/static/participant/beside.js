// @ts-check
/** What a trial shows beside its player: the log of actions for whoever needs it (`player.actions`), and plan and log to open. */
import { actionLog } from "./actionlog.js";
import { showOverlay } from "./overlay.js";
import { toRows } from "/static/players/replay/scene.js";

/** @typedef {Parameters<typeof actionLog>[0]} Log */

/**
 * @param {HTMLElement} root
 * @param {object} outside
 * @param {any} outside.player that is ready
 * @param {Log | null} outside.actions null: what the player shows has none
 * @param {{plan: boolean, log: boolean}} outside.overlay
 * @param {boolean} outside.seekable
 * @param {Record<string, string>} outside.texts
 * @param {(kind: string, data: any) => void} outside.record
 */
export function showBeside(root, { player, actions, overlay, seekable, texts, record }) {
  if (!actions) return;
  player.actions = actionLog(actions);
  showOverlay(root, { player, log: player.actions, overlay, seekable, texts, record });
}

/** The log of a video, which comes as a file of its own. @param {Uint8Array[]} pieces @returns {Promise<Log>} */
export async function unpack(pieces) {
  const whole = new Blob(/** @type {BlobPart[]} */ (pieces));
  const { actors, actions, plans } = await new Response(
    whole.stream().pipeThrough(new DecompressionStream("gzip")),
  ).json();
  return { actors, actions: toRows(actions), plans: toRows(plans) };
}
