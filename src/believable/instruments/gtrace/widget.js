// @ts-check
/** GTrace: a slider from -1 to 1 that remembers where it was; moved with pointer, wheel or keys. */
import { createStage } from "../tracing/stage.js";
import { createTrace } from "../tracing/trace.js";
import { createView } from "../tracing/view.js";

/** @param {HTMLElement} root @param {any} context */
export function mount(root, { player, params, texts, record, saved }) {
  const trace = createTrace({ player, record, saved });
  const put = (
    /** @type {number} */ value,
    /** @type {string} */ input,
    /** @type {number} */ mono_ms,
  ) => {
    if (trace.change(within(value), input, mono_ms)) tell();
  };
  const move = (
    /** @type {number} */ by,
    /** @type {string} */ input,
    /** @type {number} */ mono_ms,
  ) => put(trace.value + by * params.step, input, mono_ms);
  const stage = createStage(root, {
    player,
    texts,
    name: "gtrace",
    signs: ["▲", "▼"],
    high: params.high ?? texts["trace.high"],
    low: params.low ?? texts["trace.low"],
    push: (direction, input, mono_ms) => move(direction, input, mono_ms),
    turn: move,
    frame: (now) => {
      trace.tick(now);
      view.draw({
        points: trace.points,
        time: player.time_ms,
        value: trace.value,
        live: player.running,
      });
    },
  });
  const { area, canvas } = stage;
  const view = createView(canvas, { duration: player.duration_ms, kind: "unit" });
  const tell = () => area.setAttribute("aria-valuenow", String(trace.value));
  for (const [name, value] of [
    ["role", "slider"],
    ["aria-orientation", "vertical"],
    ["aria-valuemin", "-1"],
    ["aria-valuemax", "1"],
  ]) {
    area.setAttribute(name, value);
  }
  tell();

  /** @param {PointerEvent} event */
  function onPointer(event) {
    if (event.type === "pointerdown" && event.button === 0) area.setPointerCapture(event.pointerId);
    if (event.buttons & 1)
      put(
        view.valueAt(event.clientY - canvas.getBoundingClientRect().top),
        "pointer",
        event.timeStamp,
      );
  }
  area.addEventListener("pointerdown", onPointer);
  area.addEventListener("pointermove", onPointer);
  player.on("seek", trace.cut);
  return {
    destroy: () => {
      stage.destroy();
      view.destroy();
    },
  };
}

/** Between the ends, to two decimals. @param {number} value */
function within(value) {
  return Math.round(Math.min(1, Math.max(-1, value)) * 100) / 100 + 0;
}
