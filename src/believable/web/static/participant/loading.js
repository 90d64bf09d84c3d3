// @ts-check
/** The bar of a page that loads what it shows, and what the page says when that does not go well. */
import { asContent, preload } from "./preload.js";

/**
 * @param {HTMLElement} form
 * @param {{url: string, bytes: number, player: string}[]} media
 * @param {Record<string, string>} texts
 * @param {AbortSignal} signal
 */
export function createLoading(form, media, texts, signal) {
  const box = /** @type {HTMLElement} */ (form.querySelector(".loading"));
  const bar = /** @type {HTMLProgressElement} */ (box.querySelector("progress"));
  const line = /** @type {HTMLElement} */ (box.querySelector(".trouble"));
  const received = media.map(() => 0);
  if (media.length) bar.max = media.reduce((sum, { bytes }) => sum + bytes, 0);

  /** A file, whatever it takes. @param {string} url @param {(bytes: number) => void} onProgress */
  const get = (url, onProgress = () => undefined) => preload(url, {
    fetch: (...request) => fetch(...request),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onProgress,
    onTrouble: (trying) => { line.textContent = trying ? texts["media.failed"] : ""; },
    signal,
  });

  return {
    get,
    /** All media, as their players take them. */
    media: () => Promise.all(media.map(async ({ url, player }, number) => asContent(player, await get(url, (bytes) => {
      received[number] = bytes;
      bar.value = received.reduce((sum, one) => sum + one, 0);
    })))),
    over: () => { box.hidden = true; },
    /** What came cannot be shown. */
    failed: () => { if (!signal.aborted) /** @type {HTMLElement} */ (form.querySelector(".unplayable")).hidden = false; },
  };
}
