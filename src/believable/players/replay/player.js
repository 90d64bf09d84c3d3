// @ts-check
/**
 * Shows a recording on a canvas at any speed, with exactly the controls the study allows, and records what was really seen.
 * The same contract as the video player.
 *
 * @typedef {import("../video/policy.js").Policy} Policy
 * @typedef {object} Options
 * @property {Blob} src `{replay, scene}` as gzipped JSON
 * @property {Policy} policy
 * @property {Record<string, string>} texts
 * @property {(kind: string, data: any) => void} record
 * @property {{views: number, position_ms: number}} seen what an earlier page of this trial has shown already
 * @property {() => boolean} [wasWatched] whether it was watched already; until then `first_speed_limit` holds
 * @property {EventTarget} [keys] where keys are listened to: the whole page, unless there are several players
 */
import { buildControls, shownTime } from "./controls.js";
import { paint } from "./painter.js";
import { readouts } from "./readouts.js";
import { displayList, recording } from "./scene.js";
import { ZOOM_STEP, view } from "./view.js";
import { frames } from "../video/frames.js";
import { allowedSpeeds, nextSpeed, viewsLeft } from "../video/policy.js";
import { watched } from "../video/watched.js";

/** A longer gap between two animation frames means that nothing was on screen (the machine slept); time does not run on. */
const LONGEST_FRAME_MS = 1000;

/** @param {HTMLElement} root @param {Options} options */
export function create(
  root,
  { src, policy, texts, record, seen, wasWatched = () => true, keys = document },
) {
  const canvas = document.createElement("canvas");
  canvas.tabIndex = -1;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", texts["replay.label"]);
  const context = /** @type {CanvasRenderingContext2D} */ (
    canvas.getContext("2d", { alpha: false })
  );
  /** @type {Record<string, ((data?: any) => void)[]>} */
  const listeners = {};
  /** @type {import("./scene.js").Scene} */ let scene;
  /** @type {import("./scene.js").Recording} */ let replay;
  /** @type {ReturnType<typeof view>} */ let camera;
  /** @type {ReturnType<typeof readouts>} */ let written;
  let time = seen.position_ms;
  let rate = policy.speed;
  let playing = false;
  let views = seen.views;
  let pausedByHiding = false;
  let drawnAt = 0;
  let handle = 0;
  let quiet = false;
  let stands = false;
  const pictures = frames();
  const intervals = watched((interval) => record("media.interval", interval));
  /** @param {string} name @param {any} [data] */
  const emit = (name, data) => (listeners[name] ?? []).forEach((listener) => listener(data));
  const at = () => ({ media_ms: Math.round(time) });
  /** @param {number} ms @returns {number} the frame of the recording that is shown then */
  const frameOf = (ms) => Math.min(Math.floor(ms / replay.frameMs), replay.frames - 1);

  const player = {
    get time_ms() {
      return time;
    },
    get rate() {
      return rate;
    },
    set rate(value) {
      setRate(value);
    },
    /** The speeds that may be chosen now. */
    get speeds() {
      return allowedSpeeds(policy, wasWatched());
    },
    get paused() {
      return !playing;
    },
    get ended() {
      return Boolean(replay) && time >= replay.durationMs;
    },
    get duration_ms() {
      return replay ? replay.durationMs : NaN;
    },
    get views() {
      return views;
    },
    get viewsLeft() {
      return viewsLeft(policy, views);
    },
    get recording() {
      return replay;
    },
    get view() {
      return camera;
    },
    get running() {
      return playing;
    },
    /** Only then is anything annotated. It never halts by itself, so it runs whenever it plays. */
    get playing() {
      return playing;
    },
    get log() {
      return replay;
    },
    /** Bubbles are left out. */
    set quiet(/** @type {boolean} */ on) {
      quiet = on;
    },
    /** What was on screen at a time of the page's monotonic clock. @param {number} mono_ms */
    moment: (mono_ms) => {
      const shown = (playing && pictures.on(mono_ms)) || {
        media_ms: time,
        frame: replay ? frameOf(time) : null,
      };
      return { media_ms: Math.floor(shown.media_ms), frame: shown.frame }; // down, so that it stays within its frame
    },
    /** What was watched so far is told now: something else on the page changes. */
    split: () => {
      if (!playing) return;
      intervals.stop(time);
      intervals.start(time, rate);
    },
    play: async () => {
      if (playing || !replay) return;
      if (player.ended) {
        if (player.viewsLeft < 1) return;
        jump(0);
      }
      playing = true;
      drawnAt = performance.now();
      pictures.clear();
      record("media.play", at());
      intervals.start(time, rate);
      emit("play");
    },
    /** @param {string} [reason] */
    pause: (reason = "person") => {
      if (!playing) return;
      playing = false;
      intervals.stop(time);
      record("media.pause", { ...at(), reason });
      emit("pause", { reason });
    },
    /** @param {number} ms */
    seek: (ms) => jump(Math.min(Math.max(0, ms), replay.durationMs)),
    /** @param {string} name @param {(data?: any) => void} listener */
    on: (name, listener) => void (listeners[name] ??= []).push(listener),
    /** How a moment is written. @param {number} ms @param {boolean} [ends] as the end of something */
    clock: (ms, ends) => shownTime(replay, ms, ends),
    canvas,
    destroy,
  };

  /** @param {number} ms */
  function jump(ms) {
    intervals.stop(time);
    record("media.seek", { from_ms: Math.round(time), to_ms: Math.round(ms) });
    time = ms;
    pictures.clear();
    if (playing) intervals.start(time, rate);
    emit("seek");
    emit("time");
  }

  /** @param {number} value */
  function setRate(value) {
    if (value === rate || !player.speeds.includes(value)) return;
    intervals.stop(time);
    rate = value;
    record("media.rate", { ...at(), rate });
    if (playing) intervals.start(time, rate);
    emit("rate");
  }

  /** @param {number} now */
  function frame(now) {
    handle = requestAnimationFrame(frame);
    if (playing) advance(now);
    fit();
    if (!stands && canvas.clientWidth) comeNear();
    paint(
      context,
      displayList(scene, replay, time, quiet, camera.followed),
      camera.camera(time),
      scene.background,
    );
    written.show(time);
  }

  /** @param {number} now */
  function advance(now) {
    const passed = Math.max(0, now - drawnAt); // a picture may have begun before the key or click that started it
    drawnAt = Math.max(now, drawnAt);
    if (passed > LONGEST_FRAME_MS) {
      record("media.stall", { ...at(), error: null });
      intervals.stop(time);
      record("media.resume", at());
      intervals.start(time, rate);
      return;
    }
    time = Math.min(time + passed * rate, replay.durationMs);
    pictures.add({ shown_ms: now, media_ms: time, frame: frameOf(time) });
    intervals.frame(time);
    emit("time");
    if (time >= replay.durationMs) finish();
  }

  function finish() {
    playing = false;
    views += 1;
    intervals.stop(time);
    record("media.ended", { ...at(), view: views });
    emit("pause");
    emit("ended");
  }

  /** How near depends on the picture's size, which is known when it is on the page. */
  function comeNear() {
    stands = true;
    if (policy.follow && replay.actors.length) camera.follow(replay.actors[0].id);
  }

  /** The canvas has as many pixels as the screen shows, so that lines stay sharp. */
  function fit() {
    const density = globalThis.devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * density);
    const height = Math.round(canvas.clientHeight * density);
    if (width && height && (canvas.width !== width || canvas.height !== height))
      Object.assign(canvas, { width, height });
  }

  function onVisibility() {
    if (document.hidden && playing) {
      pausedByHiding = true;
      player.pause("hidden");
    } else if (!document.hidden && pausedByHiding) {
      pausedByHiding = false;
      void player.play();
    }
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (
      !replay ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.closest("input, textarea, select, dialog")
    )
      return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if ((event.key === " " && !target.closest("button, a, summary")) || event.key === "k") {
      if (!playing) void player.play();
      else if (policy.pause) player.pause();
    } else if (step && policy.seek) {
      player.seek(time + (step * replay.durationMs) / 100);
    } else if ((event.key === "<" || event.key === ">") && policy.speeds.length > 1) {
      setRate(nextSpeed(player.speeds, rate, event.key === ">" ? 1 : -1));
    } else if ((event.key === "+" || event.key === "-") && policy.zoom) {
      camera.zoomBy(event.key === "+" ? ZOOM_STEP : 1 / ZOOM_STEP);
    } else return;
    event.preventDefault();
  }

  function destroy() {
    cancelAnimationFrame(handle);
    document.removeEventListener("visibilitychange", onVisibility);
    keys.removeEventListener("keydown", /** @type {EventListener} */ (onKey));
    intervals.stop(time);
  }

  async function load() {
    const unpacked = src.stream().pipeThrough(new DecompressionStream("gzip"));
    const { replay: tree, scene: looks } = await new Response(unpacked).json();
    scene = looks;
    replay = recording(tree);
    canvas.style.aspectRatio = `${scene.width} / ${scene.height}`;
    canvas.style.setProperty("--ratio", String(scene.width / scene.height));
    camera = view(scene, replay, canvas, policy.zoom, () => {
      const follow =
        camera.followed === null
          ? null
          : replay.actors.findIndex(({ id }) => id === camera.followed) + 1;
      record("media.view", { ...at(), zoom: Math.round(camera.zoom * 100) / 100, follow });
      emit("view");
    });
    const picture = document.createElement("div");
    picture.className = "picture";
    picture.append(canvas);
    written = readouts(picture, scene, replay, texts);
    root.append(
      ...(written.line ? [written.line] : []),
      picture,
      buildControls(player, policy, { ...texts, "media.ended": texts["replay.ended"] }),
    );
    record("media.ready", {
      duration_ms: replay.durationMs,
      width: scene.width,
      height: scene.height,
    });
    handle = requestAnimationFrame(frame);
  }

  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  document.addEventListener("visibilitychange", onVisibility);
  keys.addEventListener("keydown", /** @type {EventListener} */ (onKey));
  load().then(
    () => emit("ready"),
    ({ message }) => emit("trouble", { message }),
  );
  return player;
}
