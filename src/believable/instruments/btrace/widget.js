// @ts-check
/** BTrace: two keys or buttons, each press leaves a plus or a minus on the time line, and more of them while it is held. */
import { createStage } from "../tracing/stage.js";
import { createMarks } from "../tracing/trace.js";
import { createView } from "../tracing/view.js";

/** @param {HTMLElement} root @param {any} context */
export function mount(root, { player, params, texts, record, saved }) {
  const marks = createMarks({ player, record, saved, repeat_ms: params.repeat_ms });
  const stage = createStage(root, {
    player,
    texts,
    name: "btrace",
    signs: ["+", "−"],
    high: params.high ?? texts["trace.plus"],
    low: params.low ?? texts["trace.minus"],
    push: (direction, input, mono_ms, repeated) => {
      if (!repeated && marks.add(direction, input, mono_ms)) {
        stage.flash(direction);
        tell();
      }
    },
    release: (mono_ms) => {
      marks.release(mono_ms);
      tell();
    },
    frame: (now) => {
      marks.tick(now);
      view.draw({ points: marks.points, time: player.time_ms, value: 0, live: player.running });
    },
  });
  const tell = () =>
    stage.area.setAttribute("aria-description", `+${marks.count(1)} −${marks.count(-1)}`);
  stage.area.setAttribute("role", "img");
  tell();
  const view = createView(stage.canvas, { duration: player.duration_ms, kind: "marks" });
  player.on("seek", () => marks.cut(performance.now()));
  return {
    destroy: () => {
      marks.release(performance.now());
      stage.destroy();
      view.destroy();
    },
  };
}
