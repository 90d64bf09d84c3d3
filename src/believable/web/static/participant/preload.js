// @ts-check
/** Fetches a medium completely before it is shown, going on where it stopped when the connection breaks or falls silent. */

/** A download that brings nothing for so long is given up and begun again. */
const PATIENCE_MS = 8000;

/**
 * @param {string} url
 * @param {object} outside
 * @param {typeof fetch} outside.fetch
 * @param {(ms: number) => Promise<void>} outside.sleep
 * @param {(received: number, total: number) => void} outside.onProgress
 * @param {(trying: boolean) => void} [outside.onTrouble]
 * @param {AbortSignal} [outside.signal]
 * @param {number} [outside.patienceMs]
 * @returns {Promise<Uint8Array[]>} the pieces, in order
 */
export async function preload(
  url,
  { fetch, sleep, onProgress, onTrouble = () => undefined, signal, patienceMs = PATIENCE_MS },
) {
  /** @type {Uint8Array[]} */
  let pieces = [];
  let received = 0;
  let total = Infinity;
  for (let failures = 0; received < total;) {
    const silence = new AbortController();
    const leave = () => silence.abort();
    signal?.addEventListener("abort", leave);
    if (signal?.aborted) leave();
    let timer = setTimeout(leave, patienceMs);
    try {
      const headers = received ? { Range: `bytes=${received}-` } : undefined;
      const response = await fetch(url, { headers, signal: silence.signal });
      if (response.status === 200 && received) {
        pieces = [];
        received = 0;
      }
      if (response.status !== 200 && response.status !== 206)
        throw new Error(`status ${response.status}`);
      total = received + Number(response.headers.get("Content-Length"));
      const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        clearTimeout(timer);
        timer = setTimeout(leave, patienceMs);
        pieces.push(part.value);
        received += part.value.length;
        failures = 0;
        onTrouble(false);
        onProgress(received, total);
      }
      if (received < total) throw new Error("ended early");
    } catch (error) {
      if (signal?.aborted) throw error;
      onTrouble(true);
      clearTimeout(timer);
      await sleep(Math.min(8000, 500 * 2 ** failures++));
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    }
  }
  return pieces;
}

/** @param {Uint8Array[]} pieces @returns {string} told from the first bytes; the server gives nothing away */
export function mediaType(pieces) {
  const [a, b, c, d] = pieces[0] ?? [];
  return a === 0x1a && b === 0x45 && c === 0xdf && d === 0xa3 ? "video/webm" : "video/mp4";
}

/**
 * What a player takes as its `src`: a video an address, a recording the content itself.
 * @param {string} player @param {Uint8Array[]} pieces @returns {string | Blob}
 */
export function asContent(player, pieces) {
  const whole = new Blob(
    /** @type {BlobPart[]} */ (pieces),
    player === "video" ? { type: mediaType(pieces) } : {},
  );
  return player === "video" ? URL.createObjectURL(whole) : whole;
}
