// @ts-check
/**
 * Practising on the disc: as often as one likes, with words about what was understood. Going on is possible after a try that
 * went well, or after `tries` of them.
 *
 * @typedef {object} Context
 * @property {(root: HTMLElement, context: any) => {destroy: () => void}} mount the instrument
 * @property {string} kind its name
 * @property {any} params
 * @property {Record<string, string>} texts
 * @property {(kind: string, data: any, options?: any) => void} record
 * @property {[kind: string, data: any][]} saved
 * @property {number} tries
 * @property {() => void} onDone
 */
import { createDisc, MOVES } from "./disc.js";
import { changes, judge } from "./judge.js";
import { element } from "./stage.js";

/** @param {HTMLElement} root @param {Context} context */
export function practise(root, { mount, kind, params, texts, record, saved, tries, onDone }) {
  const canvas = /** @type {HTMLCanvasElement} */ (element("canvas", { className: "disc" }));
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", texts["practice.disc"]);
  const start = element("button", {
    className: "button start",
    type: "button",
    textContent: texts["practice.start"],
  });
  const scene = element("div", { className: "practice-scene" });
  const box = element("div", { className: "annotate" });
  const feedback = element("div", { className: "practice-feedback" });
  feedback.setAttribute("role", "status");
  scene.append(canvas, start);
  root.append(scene, box, feedback);
  const disc = createDisc(canvas);
  const named = { ...params, high: texts["practice.high"], low: texts["practice.low"] };
  const results = saved.filter(([name]) => name === "practice.result").map(([, data]) => data);
  /** @type {{kind: string, data: any}[]} */
  let events = [];
  let widget = mountInstrument();
  let done = false;

  function mountInstrument() {
    return mount(box, {
      player: disc,
      params: named,
      texts,
      saved: [],
      record: (/** @type {string} */ name, /** @type {any} */ data, /** @type {any} */ options) => {
        events.push({ kind: name, data });
        record(name, data, options);
      },
    });
  }

  function finishIfEnough() {
    if (done || !(results.some(({ passed }) => passed) || results.length >= tries)) return;
    done = true;
    onDone();
  }

  start.addEventListener("click", () => {
    widget.destroy();
    events = [];
    widget = mountInstrument();
    feedback.replaceChildren();
    start.hidden = true;
    record("practice.start", { try: results.length + 1 });
    disc.start();
  });

  disc.on("ended", () => {
    const result = { try: results.length + 1, ...judge(MOVES, changes(events)) };
    results.push(result);
    record("practice.result", result);
    show(feedback, kind, result, texts, results.length >= tries);
    start.textContent = texts["practice.again"];
    start.className = "button quiet start";
    start.hidden = false;
    if (!result.passed) start.focus();
    finishIfEnough();
  });

  if (results.length) {
    show(feedback, kind, results[results.length - 1], texts, results.length >= tries);
    start.textContent = texts["practice.again"];
  }
  finishIfEnough();
  return {
    destroy: () => {
      widget.destroy();
      disc.destroy();
    },
  };
}

/** @param {HTMLElement} box @param {string} kind @param {any} result @param {Record<string, string>} texts @param {boolean} enough */
function show(box, kind, { passed, moves }, texts, enough) {
  const list = element("ul", { className: "practice-moves" });
  for (const { direction, change, right } of moves) {
    const line = element("li", { className: right ? "right" : "wrong" });
    const happened = element("span", {
      textContent: texts[direction > 0 ? "practice.grew" : "practice.shrank"],
    });
    line.append(happened, element("span", { textContent: texts[understood(kind, change)] }));
    list.append(line);
  }
  const words = passed ? "practice.passed" : enough ? "practice.enough" : "practice.failed";
  box.replaceChildren(
    element("p", {
      className: passed ? "practice-verdict good" : "practice-verdict",
      textContent: texts[words],
    }),
    list,
  );
}

/** @param {string} kind @param {number} change */
function understood(kind, change) {
  if (change === 0) return kind === "btrace" ? "practice.unmarked" : "practice.still";
  if (kind === "btrace") return change > 0 ? "practice.plus" : "practice.minus";
  return change > 0 ? "practice.up" : "practice.down";
}
