// @ts-check
/**
 * Pictures that the server encoded, drawn on a canvas in their order: H.264 by the browser's own decoder, without delay, or JPEG.
 * The canvas says which tick it shows (`data-tick`).
 */

/** Tried before anything is asked for: the smallest of the kinds that the server sends. */
const TRIED = { codec: "avc1.42E01E", optimizeForLatency: true };
/** One byte, whether the picture can be shown by itself, and four of its tick. */
const HEAD = 5;

/** What this browser can show. @returns {Promise<"h264" | "jpeg">} */
export async function coding() {
  if (!("VideoDecoder" in globalThis)) return "jpeg"; // also on addresses without encryption
  try {
    return (await VideoDecoder.isConfigSupported(TRIED)).supported ? "h264" : "jpeg";
  } catch {
    return "jpeg";
  }
}

/**
 * @param {HTMLCanvasElement} canvas @param {{codec: string, tick_hz: number, width_px: number, height_px: number}} welcome
 * @param {string} coding
 */
export function createPictures(canvas, { codec, tick_hz, width_px, height_px }, coding) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  let seen = -1;
  let destroyed = false;
  /** Whether the next picture has to be one that can be shown by itself. */
  let broken = true;
  /** @type {VideoDecoder | null} */ let decoder = null;
  let drawn = Promise.resolve();

  /** @param {CanvasImageSource} image @param {number} tick */
  function draw(image, tick) {
    if (destroyed) return;
    context.drawImage(image, 0, 0, width_px, height_px, 0, 0, width_px, height_px);
    canvas.dataset.tick = String(tick);
  }

  function createDecoder() {
    const mine = new VideoDecoder({
      output: (frame) => {
        draw(frame, Math.round((frame.timestamp * tick_hz) / 1e6));
        frame.close();
      },
      error: () => {
        if (decoder === mine) {
          decoder = null;
          broken = true;
        }
      },
    });
    mine.configure({ codec, optimizeForLatency: true });
    return mine;
  }

  /** @param {Uint8Array<ArrayBuffer>} data @param {number} tick @param {boolean} whole */
  function decode(data, tick, whole) {
    if (broken && !whole) return;
    decoder ??= createDecoder();
    broken = false;
    decoder.decode(
      new EncodedVideoChunk({
        type: whole ? "key" : "delta",
        timestamp: (tick * 1e6) / tick_hz,
        data,
      }),
    );
  }

  /** @param {Uint8Array<ArrayBuffer>} data @param {number} tick */
  async function unpack(data, tick) {
    const image = await createImageBitmap(new Blob([data], { type: "image/jpeg" }));
    draw(image, tick);
    image.close();
  }

  return {
    /** @param {ArrayBuffer} bytes */
    show(bytes) {
      const head = new DataView(bytes, 0, HEAD);
      const whole = head.getUint8(0) === 1;
      const tick = head.getUint32(1);
      const data = new Uint8Array(bytes, HEAD);
      seen = tick;
      if (coding === "h264") decode(data, tick, whole);
      else drawn = drawn.then(() => unpack(data, tick)).catch(() => {});
    },
    /** What the server is told: how far the pictures have come, and whether the next one has to be whole. */
    report: () => ({
      ...(seen >= 0 ? { seen } : {}),
      ...(seen >= 0 && coding === "h264" && broken ? { whole: true } : {}),
    }),
    destroy() {
      destroyed = true;
      if (decoder && decoder.state !== "closed") decoder.close();
      decoder = null;
    },
  };
}
