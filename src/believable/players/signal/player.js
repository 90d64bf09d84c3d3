// @ts-check
/**
 * Shows the signal of a quality test: a green surface, or a tone. The contract is that of all players.
 *
 * @typedef {object} Options
 * @property {import("./course.js").Signal} src
 * @property {import("../video/policy.js").Policy} policy
 * @property {Record<string, string>} texts
 * @property {(kind: string, data: any) => void} record
 * @property {{views: number, position_ms: number}} seen what an earlier page of this trial has shown already
 */
import { viewsLeft } from "../video/policy.js";
import { watched } from "../video/watched.js";
import { colour, course, levelAt } from "./course.js";
import { voice } from "./voice.js";

/** @param {HTMLElement} root @param {Options} options */
export function create(root, { src, policy, texts, record, seen }) {
  const panel = Object.assign(document.createElement("div"), { className: "signal" });
  const bar = Object.assign(document.createElement("div"), { className: "signal-controls" });
  const main = Object.assign(document.createElement("button"), {
    className: "button play",
    type: "button",
    textContent: texts["media.play"],
  });
  const line = Object.assign(document.createElement("progress"), {
    max: src.duration_ms,
    value: seen.position_ms,
  });
  line.setAttribute("aria-label", texts["media.seek"]);
  bar.append(main, line);
  /** @type {Record<string, ((data?: any) => void)[]>} */
  const listeners = {};
  /** @param {string} name @param {any} [data] */
  const emit = (name, data) => (listeners[name] ?? []).forEach((listener) => listener(data));
  const time = course(src.duration_ms, seen.position_ms);
  const intervals = watched((interval) => record("media.interval", interval));
  const sound = src.test === "auditory" ? voice(src) : null;
  let views = seen.views;
  let frame = 0;
  let shownMs = performance.now();
  let pausedByHiding = false;
  let starting = false;

  const player = {
    get time_ms() {
      return time.at(shownMs);
    },
    get duration_ms() {
      return src.duration_ms;
    },
    get running() {
      return time.running;
    },
    get playing() {
      return time.running;
    },
    get paused() {
      return !time.running;
    },
    get ended() {
      return !time.running && time.at(shownMs) >= src.duration_ms;
    },
    get views() {
      return views;
    },
    get viewsLeft() {
      return viewsLeft(policy, views);
    },
    get rate() {
      return time.rate;
    },
    set rate(value) {
      if (!policy.speeds.includes(value)) return;
      const now = performance.now();
      const ms = time.at(now);
      intervals.stop(ms);
      time.setRate(value, now);
      record("media.rate", { media_ms: Math.round(ms), rate: value });
      if (time.running) {
        intervals.start(ms, value);
        sound?.start(ms, value);
      }
      emit("rate");
    },
    play: async () => {
      if (time.running || starting) return;
      const over = views > 0 && (player.ended || time.at(performance.now()) === 0);
      if (over && player.viewsLeft < 1) return;
      starting = true;
      const heard = sound ? await sound.wake() : true;
      starting = false;
      if (!heard) {
        record("media.stall", { media_ms: Math.round(player.time_ms), error: 0 });
        emit("trouble", { name: "NotAllowedError" });
        return;
      }
      if (player.ended) player.seek(0);
      const now = performance.now();
      const ms = time.at(now);
      shownMs = now;
      time.start(now);
      record("media.play", { media_ms: Math.round(ms) });
      intervals.start(ms, time.rate);
      sound?.start(ms, time.rate);
      emit("play");
      refresh();
    },
    /** @param {string} [reason] */
    pause: (reason = "person") => {
      if (!time.running) return;
      const ms = halt();
      record("media.pause", { media_ms: Math.round(ms), reason });
      emit("pause");
    },
    /** @param {number} to */
    seek: (to) => {
      const now = performance.now();
      const from = time.at(now);
      intervals.stop(from);
      time.seek(to, now);
      shownMs = now;
      record("media.seek", { from_ms: Math.round(from), to_ms: Math.round(time.at(now)) });
      if (time.running) {
        intervals.start(time.at(now), time.rate);
        sound?.start(time.at(now), time.rate);
      }
      emit("seek");
    },
    /** @param {string} name @param {(data?: any) => void} listener */
    on: (name, listener) => void (listeners[name] ??= []).push(listener),
    /** @param {number} mono_ms @returns {{media_ms: number, frame: number | null}} */
    moment: (mono_ms) => ({ media_ms: Math.round(time.at(mono_ms)), frame }),
    destroy: () => {
      cancelAnimationFrame(next);
      document.removeEventListener("visibilitychange", onVisibility);
      if (time.running) halt();
      sound?.close();
    },
  };

  function halt() {
    const ms = time.stop(performance.now());
    shownMs = performance.now();
    intervals.stop(ms);
    sound?.stop();
    refresh();
    return ms;
  }

  function refresh() {
    main.hidden = time.running ? !policy.pause : views > 0 && player.viewsLeft < 1;
    main.textContent = texts[time.running ? "media.pause" : "media.play"];
  }

  /** @param {number} now */
  function draw(now) {
    next = requestAnimationFrame(draw);
    if (time.running) {
      shownMs = Math.max(shownMs, now);
      frame += 1;
    }
    const ms = time.at(shownMs);
    if (src.test === "visual") panel.style.background = colour(levelAt(src, ms));
    line.value = ms;
    if (!time.running) return;
    intervals.frame(ms);
    emit("time");
    if (ms < src.duration_ms) return;
    views += 1;
    halt();
    record("media.ended", { media_ms: src.duration_ms, view: views });
    refresh();
    emit("ended");
  }

  function onVisibility() {
    if (document.hidden && time.running) {
      pausedByHiding = true;
      player.pause("hidden");
    } else if (!document.hidden && pausedByHiding) {
      pausedByHiding = false;
      void player.play();
    }
  }

  if (sound) panel.textContent = texts["media.listen"];
  else {
    panel.setAttribute("role", "img");
    panel.setAttribute("aria-label", texts["media.surface"]);
  }
  main.addEventListener("click", () => {
    if (!time.running) void player.play();
    else if (policy.pause) player.pause();
  });
  document.addEventListener("visibilitychange", onVisibility);
  root.append(panel, bar);
  let next = requestAnimationFrame(draw);
  refresh();
  queueMicrotask(() => {
    emit("ready"); // whoever hears it shows the panel: before that it has no size
    record("media.ready", {
      duration_ms: src.duration_ms,
      width: panel.clientWidth,
      height: panel.clientHeight,
    });
  });
  return player;
}
