// @ts-check
/**
 * What a scene wants written around its picture: the time that is left, the score, what just happened.
 * @typedef {{kind: string, text: string, actor: string, state: string}} Readout
 */
import { stateAt } from "./scene.js";
import { element, minutes } from "../video/parts.js";

/**
 * @param {HTMLElement} over the box around the picture @param {import("./scene.js").Scene} scene
 * @param {import("./scene.js").Recording} replay @param {Record<string, string>} texts
 * @returns {{line: HTMLElement | null, show: (time_ms: number) => void}} the line that stands above the picture, and its update
 */
export function readouts(over, scene, replay, texts) {
  const shown = (scene.readouts ?? []).map(
    (readout) => /** @type {const} */ ([readout, place(readout)]),
  );
  const beside = shown.filter(([{ kind }]) => kind !== "news");
  const line = beside.length ? element("p", { className: "readouts" }) : null;

  /** @param {Readout} readout @returns {HTMLElement} where its value is written */
  function place({ kind }) {
    const value = element(kind === "news" ? "p" : "b", { className: kind });
    if (kind === "news") over.append(value);
    return value;
  }
  for (const [{ text }, value] of beside) {
    const item = element("span", { className: "readout" });
    item.append(
      element("span", { className: "readout-name", textContent: texts[text] }),
      " ",
      value,
    );
    line?.append(item);
  }

  /** @param {Readout} readout @param {number} time_ms */
  function words({ kind, text, actor, state }, time_ms) {
    if (kind === "left") return minutes(Math.ceil((replay.durationMs - time_ms) / 1000) * 1000);
    const track = replay.tracks.get(actor);
    const value = track
      ? stateAt(track, state, Math.min(time_ms / replay.frameMs, replay.frames - 1))
      : null;
    if (kind === "score") return String(value ?? 0);
    return value ? texts[`${text}${value}`] : "";
  }

  return {
    line,
    show(time_ms) {
      for (const [readout, value] of shown) {
        const now = words(readout, time_ms);
        if (value.textContent !== now) value.textContent = now;
      }
    },
  };
}
