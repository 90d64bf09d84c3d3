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

  const troubled = media.map(() => false);
  /** Waits that a press on the button ends. @type {Set<() => void>} */
  const waits = new Set();
  const retry = Object.assign(document.createElement("button"), {
    className: "button quiet retry",
    type: "button",
    textContent: texts["button.retry"],
    hidden: true,
  });
  retry.addEventListener("click", () => [...waits].forEach((over) => over()));
  line.after(retry);
  /** @param {number} ms @returns {Promise<void>} */
  const sleep = (ms) =>
    new Promise((resolve) => {
      const over = () => {
        clearTimeout(timer);
        waits.delete(over);
        resolve();
      };
      const timer = setTimeout(over, ms);
      waits.add(over);
    });

  /** @param {number} number @param {boolean} on */
  function trouble(number, on) {
    troubled[number] = on;
    const any = troubled.some(Boolean);
    line.textContent = any ? texts["media.failed"] : "";
    retry.hidden = !any;
    form.dispatchEvent(new CustomEvent("trouble", { detail: any, bubbles: true }));
  }

  /** A file, whatever it takes. @param {string} url @param {(bytes: number) => void} [onProgress] @param {number} [number] */
  const get = (url, onProgress = () => undefined, number = media.length) =>
    preload(url, {
      fetch: (...request) => fetch(...request),
      sleep,
      onProgress,
      onTrouble: (trying) => {
        if (Boolean(troubled[number]) !== trying) trouble(number, trying);
      },
      signal,
    });

  return {
    get,
    /** All media, as their players take them. */
    media: () =>
      Promise.all(
        media.map(async ({ url, player }, number) =>
          asContent(
            player,
            await get(
              url,
              (bytes) => {
                received[number] = bytes;
                bar.value = received.reduce((sum, count) => sum + count, 0);
              },
              number,
            ),
          ),
        ),
      ),
    over: () => {
      box.hidden = true;
    },
    /** What came cannot be shown. */
    failed: () => {
      if (!signal.aborted)
        /** @type {HTMLElement} */ (form.querySelector(".unplayable")).hidden = false;
    },
  };
}
