// @ts-check
/**
 * Where a trace is made: the drawing with its two buttons, the wheel and the keys, and the picture-by-picture loop.
 * Inputs count while the stimulus plays, also where it halts for want of data: what was just seen is still judged. Before, in
 * pauses and after, wheel and keys do what they always do; only just after the end the wheel does nothing.
 *
 * @typedef {object} Parts
 * @property {any} player
 * @property {Record<string, string>} texts
 * @property {string} name of the instrument, for its words
 * @property {string} high words for up
 * @property {string} low words for down
 * @property {[up: string, down: string]} signs shown on the buttons before the words
 * @property {(direction: 1 | -1, input: string, mono_ms: number, repeated: boolean) => void} push a key or a button
 * @property {(mono_ms: number) => void} [release] the key or button of the last push is up
 * @property {(notches: number, input: string, mono_ms: number) => void} [turn] the wheel, where it is used
 * @property {(now: number) => void} frame for every picture
 */
import { wheel } from "./wheel.js";

/** So long after the end a hand may still turn the wheel. */
const SETTLE_MS = 1000;
const KEYS = /** @type {Record<string, 1 | -1>} */ ({ ArrowUp: 1, ArrowDown: -1, "+": 1, "-": -1 });

/** @param {HTMLElement} root @param {Parts} parts */
export function createStage(
  root,
  { player, texts, name, high, low, signs, push, release, turn, frame },
) {
  const canvas = element("canvas", {});
  const area = element("div", { className: "trace-area", tabIndex: 0 });
  const up = button(signs[0], high, "up");
  const down = button(signs[1], low, "down");
  const state = element("span", { className: "trace-state" });
  const help = element("p", { className: "trace-help" });
  const words = element("span", { textContent: texts[`trace.help.${name}`] });
  state.setAttribute("role", "status");
  area.setAttribute("aria-label", texts[`trace.label.${name}`]);
  const box = element("div", { className: `trace trace-${name}` });
  const ends = element("div", { className: "trace-ends" });
  ends.append(up, down);
  area.append(canvas);
  help.append(words, state);
  box.append(ends, area, help);
  root.append(box);
  const notches = wheel();
  let handle = 0;
  let endedAt = -Infinity;
  /** Which key or button made the last push. @type {string | null} */
  let pressed = null;

  /** @param {string} key @param {number} mono_ms */
  function letGo(key, mono_ms) {
    if (pressed !== key) return;
    pressed = null;
    release?.(mono_ms);
  }

  /** @param {Event} event */
  const elsewhere = (event) =>
    Boolean(/** @type {HTMLElement} */ (event.target).closest?.("input, textarea, select, dialog"));

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const direction = KEYS[event.key];
    if (
      !direction ||
      !player.playing ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      elsewhere(event)
    )
      return;
    event.preventDefault();
    if (!event.repeat) pressed = event.code;
    push(direction, "key", event.timeStamp, event.repeat);
  }

  const onKeyUp = (/** @type {KeyboardEvent} */ event) => letGo(event.code, event.timeStamp);
  const onPointerUp = (/** @type {PointerEvent} */ event) => letGo("pointer", event.timeStamp);
  const onBlur = (/** @type {Event} */ event) => {
    if (pressed) letGo(pressed, event.timeStamp);
  };

  /** @param {WheelEvent} event */
  function onWheel(event) {
    if (!turn || event.ctrlKey || document.querySelector("dialog[open]")) return;
    if (player.playing || event.timeStamp - endedAt < SETTLE_MS) event.preventDefault(); // the page does not jump under a turning hand
    if (!player.playing) return;
    const { notches: n, input } = notches(event);
    if (n) turn(n, input, event.timeStamp);
  }

  /** @param {1 | -1} direction @returns {(event: MouseEvent) => void} */
  const onPress = (direction) => (event) => {
    const byPointer = event.type === "pointerdown" && event.button === 0;
    const byKey = event.type === "click" && event.detail === 0;
    if (!byPointer && !byKey) return;
    pressed = byPointer ? "pointer" : null;
    push(direction, byKey ? "key" : "pointer", event.timeStamp, false);
    if (byKey) release?.(event.timeStamp);
  };

  for (const [control, direction] of /** @type {[HTMLElement, 1 | -1][]} */ ([
    [up, 1],
    [down, -1],
  ])) {
    control.addEventListener("pointerdown", onPress(direction));
    control.addEventListener("click", onPress(direction));
  }
  document.addEventListener("keydown", onKey, { capture: true });
  document.addEventListener("keyup", onKeyUp, { capture: true });
  for (const name of ["pointerup", "pointercancel"])
    document.addEventListener(name, /** @type {EventListener} */ (onPointerUp));
  addEventListener("blur", onBlur);
  document.addEventListener("wheel", onWheel, { capture: true, passive: false });
  player.on("ended", () => {
    endedAt = performance.now();
  });
  player.on("play", () => {
    if (!(/** @type {HTMLElement} */ (document.activeElement)?.matches("input, textarea, select")))
      area.focus({ preventScroll: true });
  });

  /** @param {number} now */
  function loop(now) {
    handle = requestAnimationFrame(loop);
    const playing = Boolean(player.playing);
    if (box.dataset.playing !== String(playing)) {
      box.dataset.playing = String(playing);
      const now = playing ? "" : player.ended ? "ended" : player.time_ms > 0 ? "paused" : "waiting";
      state.textContent = now && texts[`trace.${now}`];
      state.className = `trace-state ${now}`;
    }
    frame(now);
  }
  handle = requestAnimationFrame(loop);

  return {
    area,
    canvas: /** @type {HTMLCanvasElement} */ (canvas),
    /** A short sign that a press was taken. @param {1 | -1} direction */
    flash: (direction) => {
      const pressed = direction > 0 ? up : down;
      pressed.classList.remove("taken");
      void pressed.offsetWidth; // restarts the animation
      pressed.classList.add("taken");
    },
    destroy: () => {
      cancelAnimationFrame(handle);
      document.removeEventListener("keydown", onKey, { capture: true });
      document.removeEventListener("keyup", onKeyUp, { capture: true });
      for (const name of ["pointerup", "pointercancel"])
        document.removeEventListener(name, /** @type {EventListener} */ (onPointerUp));
      removeEventListener("blur", onBlur);
      document.removeEventListener("wheel", onWheel, { capture: true });
      box.remove();
    },
  };
}

/** @param {string} sign @param {string} words @param {string} side */
function button(sign, words, side) {
  const control = element("button", { className: `trace-button ${side}`, type: "button" });
  const mark = element("span", { className: "trace-sign", textContent: sign });
  mark.setAttribute("aria-hidden", "true");
  control.append(mark, element("span", { textContent: words }));
  return control;
}

/** @param {string} name @param {Record<string, any>} properties @returns {HTMLElement} */
export function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
