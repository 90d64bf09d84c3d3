// @ts-check
/** RankTrace: every notch up adds one, every notch down takes one away; the axis grows with the trace. */
import { createStage } from "../tracing/stage.js";
import { createTrace } from "../tracing/trace.js";
import { createView } from "../tracing/view.js";

/** @param {HTMLElement} root @param {any} context */
export function mount(root, { player, params, texts, record, saved }) {
  const trace = createTrace({ player, record, saved });
  const move = (
    /** @type {number} */ by,
    /** @type {string} */ input,
    /** @type {number} */ mono_ms,
  ) => {
    if (trace.change(trace.value + by, input, mono_ms)) tell();
  };
  const stage = createStage(root, {
    player,
    texts,
    name: "ranktrace",
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
  const view = createView(stage.canvas, { duration: player.duration_ms, kind: "free" });
  const tell = () => stage.area.setAttribute("aria-valuenow", String(trace.value));
  stage.area.setAttribute("role", "spinbutton");
  tell();
  player.on("seek", trace.cut);
  return {
    destroy: () => {
      stage.destroy();
      view.destroy();
    },
  };
}
