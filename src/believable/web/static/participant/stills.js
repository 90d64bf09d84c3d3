// @ts-check
/**
 * Small pictures that remind of what was watched, made by the browser from the stimulus itself. They show how it begins, without
 * speech or labels of what somebody does: a picture from its midst could show the very thing that is judged.
 *
 * @typedef {{player: string, src: any}} Source what a player takes as its `src`
 */
import { asContent, preload } from "./preload.js";
import { load } from "./scripts.js";

const WIDTH = 480;
const PATIENCE_MS = 500;

/**
 * Draws into every `canvas[data-still]` of the page; one that has no picture is taken away.
 * @param {HTMLElement} form @param {Source[]} sources @param {Record<string, string>} modules
 */
export async function drawStills(form, sources, modules) {
  const places = /** @type {HTMLCanvasElement[]} */ (
    Array.from(form.querySelectorAll("canvas[data-still]"))
  );
  if (!places.length) return;
  const pictures = await Promise.all(
    sources.map((source) => picture(source, modules).catch(() => null)),
  );
  for (const place of places) {
    const picture = pictures[Number(place.dataset.still)];
    if (picture) copy(picture, place);
    else place.remove();
  }
}

/**
 * Fetches what a page reminds of and no longer shows.
 * @param {HTMLElement} form @param {import("./trial.js").TrialData} trial @param {AbortSignal} signal
 */
export async function remind(form, trial, signal) {
  const sources = await Promise.all(
    trial.stills.map(async ({ url, player }) => ({
      player,
      src: asContent(
        player,
        await preload(url, {
          fetch: (...request) => fetch(...request),
          sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
          onProgress: () => undefined,
          signal,
        }),
      ),
    })),
  );
  await drawStills(form, sources, trial.modules);
  for (const { src } of sources) if (typeof src === "string") URL.revokeObjectURL(src);
}

/** @param {Source} source @param {Record<string, string>} modules @returns {Promise<HTMLCanvasElement>} */
async function picture({ player, src }, modules) {
  return player === "video" ? ofVideo(src) : ofRecording(src, (await load(modules[player])).create);
}

/** @param {string} src */
async function ofVideo(src) {
  const video = Object.assign(document.createElement("video"), {
    muted: true,
    preload: "auto",
    src,
  });
  await happens(video, "loadeddata");
  await handedOver(video);
  const drawn = canvas(video.videoWidth / video.videoHeight);
  copy(video, drawn);
  video.removeAttribute("src");
  video.load();
  return drawn;
}

/** A recording is drawn by its own player, out of sight. @param {Blob} src @param {Function} create */
async function ofRecording(src, create) {
  const root = document.createElement("div");
  // Hidden by `visibility`, the player keeps its size and draws, but the Tab key cannot reach its buttons.
  Object.assign(root.style, {
    position: "absolute",
    left: "-9999px",
    width: `${WIDTH}px`,
    visibility: "hidden",
  });
  document.body.append(root);
  const policy = {
    pause: true,
    seek: true,
    replay: true,
    max_views: null,
    must_finish: true,
    volume: false,
    speeds: [1],
    speed: 1,
    zoom: false,
  };
  const texts = new Proxy({}, { get: () => "" });
  const player = create(root, {
    src,
    policy,
    texts,
    record: () => undefined,
    seen: { views: 0, position_ms: 0 },
    keys: new EventTarget(),
  });
  try {
    await new Promise((resolve, reject) => {
      player.on("ready", resolve);
      player.on("trouble", reject);
    });
    player.quiet = true;
    for (let n = 0; n < 3; n += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
    const drawn = canvas(player.canvas.width / player.canvas.height);
    copy(player.canvas, drawn);
    return drawn;
  } finally {
    player.destroy();
    root.remove();
  }
}

/** @param {number} ratio */
function canvas(ratio) {
  return Object.assign(document.createElement("canvas"), {
    width: WIDTH,
    height: Math.round(WIDTH / (ratio || 16 / 9)),
  });
}

/** @param {HTMLVideoElement | HTMLCanvasElement} from @param {HTMLCanvasElement} to gets the shape of what is copied */
function copy(from, to) {
  if (from instanceof HTMLCanvasElement) {
    Object.assign(to, { width: from.width, height: from.height });
    to.style.aspectRatio = `${from.width} / ${from.height}`;
  }
  to.getContext("2d")?.drawImage(from, 0, 0, to.width, to.height);
}

/**
 * A picture can be copied once it was handed over to be shown, which may be later than the jump is over. Browsers that do not say
 * so, or not for a video out of sight, are given a moment. @param {HTMLVideoElement} video
 */
function handedOver(video) {
  const shown = new Promise((resolve) => {
    if ("requestVideoFrameCallback" in video) video.requestVideoFrameCallback(resolve);
  });
  return Promise.race([shown, new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
}

/** @param {EventTarget} target @param {string} name */
function happens(target, name) {
  return new Promise((resolve, reject) => {
    target.addEventListener(name, resolve, { once: true });
    target.addEventListener("error", reject, { once: true });
  });
}
