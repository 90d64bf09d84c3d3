// @ts-check
/**
 * Shows a video with exactly the controls the study allows, and records what was really seen.
 *
 * @typedef {object} Options
 * @property {string} src
 * @property {import("./policy.js").Policy} policy
 * @property {Record<string, string>} texts
 * @property {(kind: string, data: any) => void} record
 * @property {{views: number, position_ms: number}} seen what an earlier page of this trial has shown already
 * @property {() => boolean} [wasWatched] whether it was watched already; until then `first_speed_limit` holds
 * @property {EventTarget} [keys] where keys are listened to: the whole page, unless there are several players
 */
import { buildControls } from "./controls.js";
import { frames } from "./frames.js";
import { minutes } from "./parts.js";
import { allowedSpeeds, nativeControls, nextSpeed, viewsLeft } from "./policy.js";
import { watched } from "./watched.js";

/** How far, in seconds, playing may drift before a jump counts as a seek. */
const JUMP_S = 0.35;

/** @param {HTMLElement} root @param {Options} options */
export function create(
  root,
  { src, policy, texts, record, seen, wasWatched = () => true, keys = document },
) {
  const video = document.createElement("video");
  const native = nativeControls(policy);
  Object.assign(video, {
    src,
    playsInline: true,
    preload: "auto",
    controls: native,
    disablePictureInPicture: true,
  });
  video.defaultPlaybackRate = video.playbackRate = policy.speed;
  video.setAttribute("controlslist", "nodownload noremoteplayback noplaybackrate");
  video.setAttribute("disableremoteplayback", "");
  video.setAttribute("aria-label", texts["media.label"]);
  /** @type {Record<string, ((data?: any) => void)[]>} */
  const listeners = {};
  let views = seen.views;
  let frameMs = seen.position_ms;
  let lastMs = seen.position_ms;
  /** Where the next interval begins: exactly where the last one ended, or where a jump went. */
  let fromMs = seen.position_ms;
  let stalled = false;
  let pausedByHiding = false;
  let pauseReason = "person";
  /** Where a jump went, until a picture from there is on screen. @type {number | null} */
  let awaited = null;
  /** The position the player itself asked for; any other jump was made by someone. */
  let expected = seen.position_ms / 1000;

  const intervals = watched((interval) => record("media.interval", interval));
  const pictures = frames();
  const framed = "requestVideoFrameCallback" in video;
  const timeMs = () =>
    framed && intervals.running ? Math.max(frameMs, 0) : video.currentTime * 1000;
  /** @param {string} name @param {any} [data] */
  const emit = (name, data) => (listeners[name] ?? []).forEach((listener) => listener(data));
  /** Nothing is shown any more from this moment on. @param {number} ms */
  const halt = (ms) => {
    fromMs = intervals.stop(ms) ?? fromMs;
  };
  const halted = () => ({ media_ms: Math.round(fromMs) });

  /** @param {number} _now @param {VideoFrameCallbackMetadata} frame */
  function onFrame(_now, frame) {
    video.requestVideoFrameCallback(onFrame);
    const late =
      awaited !== null &&
      video.seeking &&
      Math.abs(frame.mediaTime * 1000 - awaited) > JUMP_S * 1000;
    if (late) return; // a picture from before the jump
    awaited = null;
    frameMs = frame.mediaTime * 1000;
    pictures.add({
      shown_ms: frame.presentationTime,
      media_ms: frameMs,
      frame: frame.presentedFrames,
    });
    intervals.frame(frameMs);
  }
  if (framed) video.requestVideoFrameCallback(onFrame);

  const player = {
    get time_ms() {
      return timeMs();
    },
    get rate() {
      return video.playbackRate;
    },
    set rate(value) {
      if (player.speeds.includes(value)) video.playbackRate = value;
    },
    /** The speeds that may be chosen now. */
    get speeds() {
      return allowedSpeeds(policy, wasWatched());
    },
    get paused() {
      return video.paused;
    },
    /** Whether something new is on screen all the time: it plays, and neither halts nor jumps. */
    get running() {
      return intervals.running && !video.paused && !video.seeking;
    },
    /** Whether what someone does now belongs to what is on screen: it runs, or it halted and shows the last picture. */
    get playing() {
      return player.running || (stalled && fromMs > 0 && !video.paused && !video.seeking);
    },
    get ended() {
      return video.ended;
    },
    get duration_ms() {
      return video.duration * 1000;
    },
    get views() {
      return views;
    },
    get viewsLeft() {
      return viewsLeft(policy, views);
    },
    play: () => {
      const begins = views > 0 && video.currentTime === 0; // after a reload
      if (video.ended || begins || (views > 0 && video.currentTime >= video.duration)) {
        if (player.viewsLeft < 1) return Promise.resolve();
        if (!begins) jump(0);
      }
      return video.play().catch((error) => emit("trouble", error));
    },
    /** @param {string} [reason] */
    pause: (reason = "person") => {
      if (!video.paused) {
        pauseReason = reason;
        video.pause();
      }
    },
    /** @param {number} ms */
    seek: (ms) => jump(Math.min(Math.max(0, ms / 1000), video.duration)),
    /** @param {string} name @param {(data?: any) => void} listener */
    on: (name, listener) => void (listeners[name] ??= []).push(listener),
    /** What was on screen at a time of the page's clock. @param {number} mono_ms @returns {{media_ms: number, frame: number | null}} */
    moment: (mono_ms) => {
      const waited_ms = player.running ? Math.max(0, performance.now() - mono_ms) : 0;
      const clock_ms = Math.max(0, video.currentTime * 1000 - waited_ms * video.playbackRate);
      const shown = pictures.at(mono_ms, video.playbackRate, clock_ms) ?? {
        media_ms: clock_ms,
        frame: null,
      };
      return { media_ms: Math.round(shown.media_ms), frame: shown.frame };
    },
    /** What was watched so far is told now: something else on the page changes. */
    split: () => {
      if (!intervals.running) return;
      const ms = intervals.stop(timeMs()) ?? fromMs;
      intervals.start(ms, video.playbackRate);
    },
    /** How a moment is written. @param {number} ms */
    clock: minutes,
    video,
    destroy,
  };

  /** @param {number} seconds */
  function jump(seconds) {
    const from = intervals.stop(timeMs()) ?? fromMs;
    record("media.seek", { from_ms: Math.round(from), to_ms: Math.round(seconds * 1000) });
    expected = seconds;
    pictures.clear();
    awaited = fromMs = frameMs = seconds * 1000;
    video.currentTime = seconds;
    if (!video.paused) intervals.start(seconds * 1000, video.playbackRate);
    emit("seek");
    emit("time");
  }

  /** @type {[string, () => void][]} */
  const handlers = [
    [
      "loadedmetadata",
      () => {
        if (expected) video.currentTime = expected;
      },
    ],
    [
      "canplaythrough",
      once(() => {
        const { duration, videoWidth: width, videoHeight: height } = video;
        record("media.ready", { duration_ms: Math.round(duration * 1000), width, height });
        emit("ready");
      }),
    ],
    ["play", () => record("media.play", halted())],
    [
      "playing",
      () => {
        if (stalled) record("media.resume", halted());
        stalled = false;
        frameMs = video.currentTime * 1000;
        intervals.start(fromMs, video.playbackRate);
        emit("play");
      },
    ],
    [
      "timeupdate",
      () => {
        lastMs = video.currentTime * 1000;
        if (!framed) intervals.frame(lastMs);
        expected = video.currentTime;
        emit("time");
      },
    ],
    [
      "pause",
      () => {
        halt(video.ended ? video.duration * 1000 : timeMs());
        if (!video.ended)
          record("media.pause", { ...halted(), reason: pausedByHiding ? "hidden" : pauseReason });
        const reason = pauseReason;
        pauseReason = "person";
        emit("pause", { reason });
      },
    ],
    [
      "waiting",
      () => {
        if (video.paused || video.seeking || stalled) return;
        stalled = true;
        halt(timeMs());
        record("media.stall", { ...halted(), error: null });
      },
    ],
    [
      "seeking",
      () => {
        if (Math.abs(video.currentTime - expected) < JUMP_S) return;
        if (policy.seek) {
          const to = video.currentTime;
          expected = to;
          seekSeen(to);
        } else video.currentTime = expected;
      },
    ],
    [
      "ratechange",
      () => {
        const running = intervals.running;
        const ms = intervals.stop(timeMs()) ?? fromMs;
        if (!player.speeds.includes(video.playbackRate)) video.playbackRate = policy.speed;
        record("media.rate", { media_ms: Math.round(ms), rate: video.playbackRate });
        if (running) intervals.start(ms, video.playbackRate);
        emit("rate");
      },
    ],
    [
      "ended",
      () => {
        views += 1;
        intervals.stop(video.duration * 1000);
        record("media.ended", { media_ms: Math.round(video.duration * 1000), view: views });
        emit("ended");
      },
    ],
    [
      "error",
      () => {
        halt(timeMs());
        record("media.stall", { ...halted(), error: video.error?.code ?? 0 });
        emit("trouble", video.error);
      },
    ],
  ];

  /** A seek made with the browser's own controls. @param {number} to seconds */
  function seekSeen(to) {
    const from = intervals.stop(Math.min(timeMs(), Math.max(lastMs, frameMs))) ?? fromMs;
    record("media.seek", { from_ms: Math.round(from), to_ms: Math.round(to * 1000) });
    pictures.clear();
    awaited = fromMs = frameMs = to * 1000;
    emit("seek");
  }

  function onVisibility() {
    if (document.hidden && !video.paused) {
      pausedByHiding = true;
      video.pause();
    } else if (!document.hidden && pausedByHiding) {
      pausedByHiding = false;
      void player.play();
    }
  }

  function destroy() {
    document.removeEventListener("visibilitychange", onVisibility);
    keys.removeEventListener("keydown", /** @type {EventListener} */ (onKey));
    intervals.stop(timeMs());
    video.removeAttribute("src");
    video.load();
    URL.revokeObjectURL(src);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.closest("input, textarea, select, dialog")
    )
      return;
    const onButton = Boolean(target.closest("button, a, summary"));
    if ((event.key === " " && !onButton) || event.key === "k") {
      event.preventDefault();
      if (video.paused) void player.play();
      else if (policy.pause) player.pause();
    } else if (
      policy.seek &&
      !native &&
      (event.key === "ArrowLeft" || event.key === "ArrowRight")
    ) {
      event.preventDefault();
      player.seek(video.currentTime * 1000 + (event.key === "ArrowLeft" ? -5000 : 5000));
    } else if (event.key === "<" || event.key === ">") {
      player.rate = nextSpeed(player.speeds, video.playbackRate, event.key === ">" ? 1 : -1);
    } else if (policy.volume && event.key === "m") {
      video.muted = !video.muted;
    }
  }

  for (const [name, handler] of handlers) video.addEventListener(name, handler);
  video.addEventListener("contextmenu", (event) => event.preventDefault());
  document.addEventListener("visibilitychange", onVisibility);
  keys.addEventListener("keydown", /** @type {EventListener} */ (onKey));
  root.append(video);
  if (!native) root.append(buildControls(player, policy, texts));
  return player;
}

/** @param {() => void} work @returns {() => void} */
function once(work) {
  let done = false;
  return () => {
    if (!done) {
      done = true;
      work();
    }
  };
}
