// @ts-check
/** BTrace: two keys or buttons, each press leaves a plus or a minus on the time line. */
import { createStage } from "../tracing/stage.js";
import { createMarks } from "../tracing/trace.js";
import { createView } from "../tracing/view.js";

/** @param {HTMLElement} root @param {any} context */
export function mount(root, { player, params, texts, record, saved }) {
  const marks = createMarks({ player, record, saved });
  const stage = createStage(root, {
    player, texts, name: "btrace", signs: ["+", "−"],
    high: params.high ?? texts["trace.plus"], low: params.low ?? texts["trace.minus"],
    push: (direction, input, mono_ms, repeated) => {
      if (!repeated && marks.add(direction, input, mono_ms)) {
        stage.flash(direction);
        tell();
      }
    },
    frame: () => view.draw({ points: marks.points, time: player.time_ms, value: 0, live: player.running }),
  });
  const count = (/** @type {number} */ sign) => marks.points.filter(({ v }) => v === sign).length;
  const tell = () => stage.area.setAttribute("aria-description", `+${count(1)} −${count(-1)}`);
  stage.area.setAttribute("role", "img");
  tell();
  const view = createView(stage.canvas, { duration: player.duration_ms, kind: "marks" });
  return { destroy: () => { stage.destroy(); view.destroy(); } };
}
