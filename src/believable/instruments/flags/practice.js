// @ts-check
/**
 * Practising thumbs down, and measuring how long the person takes from seeing something odd to pressing the key.
 *
 * A trial shows ordinary lines one after the other, then an odd one. The delay is the time from the first picture of the odd line to
 * the press. A press on an ordinary line is counted and otherwise ignored, so that pressing all the time measures nothing.
 *
 * @typedef {object} Context
 * @property {Record<string, string>} texts
 * @property {(kind: string, data: any, options?: any) => void} record
 * @property {[kind: string, data: any][]} saved
 * @property {number} tries
 * @property {() => void} onDone
 * @property {() => number} [random] from 0 to 1
 */
import { button, element, onPress } from "./parts.js";

/** The same numbers as in `__init__.py`. */
export const TRIALS = 6;
export const LATEST_MS = 3000;
export const LEAST_TRIALS = 3;
/** How long an ordinary line stays, and how many come before the odd one. */
const USUAL_MS = 1400;
const FEWEST = 1;
const MOST = 3;
/** A short rest between two trials. */
const REST_MS = 900;

/**
 * The lines of every trial of a try: ordinary ones, then an odd one. No line comes twice before all have come.
 * @param {string[]} usual @param {string[]} odd @param {() => number} random @returns {string[][]}
 */
export function drawTrials(usual, odd, random) {
  const odds = shuffle(odd, random);
  /** @type {string[]} */
  let rest = [];
  return Array.from({ length: TRIALS }, (_, trial) => {
    const many = FEWEST + Math.floor(random() * (MOST - FEWEST + 1));
    const lines = Array.from({ length: many }, () => {
      if (!rest.length) rest = shuffle(usual, random);
      return /** @type {string} */ (rest.pop());
    });
    return [...lines, odds[trial % odds.length]];
  });
}

/** @param {string[]} lines @param {() => number} random */
function shuffle(lines, random) {
  const keyed = lines.map((line) => /** @type {const} */ ([random(), line]));
  return keyed.sort((a, b) => a[0] - b[0]).map(([, line]) => line);
}

/** @param {HTMLElement} root @param {Context} context */
export function practise(root, { texts, record, saved, tries, onDone, random = Math.random }) {
  const scene = element("div", "reaction");
  const stage = element("div", "reaction-stage");
  const line = element("p", "reaction-line");
  const bar = element("div", "reaction-bar");
  const start = button("button start", texts["practice.start"]);
  const thumb = button("flags-thumb", "", texts["flags.flag"]);
  const said = element("p", "reaction-said");
  said.setAttribute("role", "status");
  thumb.hidden = true;
  stage.append(line);
  bar.append(start, thumb, said);
  scene.append(stage, bar);
  root.append(scene);
  const lines = {
    usual: texts["practice.flags.usual"].split(" | "),
    odd: texts["practice.flags.odd"].split(" | "),
  };
  const results = saved.filter(([kind]) => kind === "practice.result").map(([, data]) => data);
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let frame = 0;
  /** @type {string[][]} */
  let trials = [];
  let measured = 0;
  let early = 0;
  /** When the odd line was first on screen; null while there is none. @type {number | null} */
  let onset = null;
  let running = false;
  let done = false;

  function finishIfEnough() {
    if (done || !(results.some(({ passed }) => passed) || results.length >= tries)) return;
    done = true;
    onDone();
  }

  function begin() {
    running = true;
    measured = 0;
    trials = drawTrials(lines.usual, lines.odd, random);
    record("practice.start", { try: results.length + 1 });
    start.hidden = true;
    thumb.hidden = false;
    thumb.focus({ preventScroll: true });
    said.textContent = "";
    wait(() => runTrial(0), REST_MS);
  }

  /** @param {number} index */
  function runTrial(index) {
    early = 0;
    showLine(index, 0);
  }

  /** @param {number} index @param {number} at */
  function showLine(index, at) {
    const last = at === trials[index].length - 1;
    line.textContent = trials[index][at];
    if (!last) return wait(() => showLine(index, at + 1), USUAL_MS);
    // The line is painted in the frame that comes next; the one after it begins when it can be seen.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame((shown_ms) => {
        onset = shown_ms;
        wait(() => endTrial(index, null), LATEST_MS);
      });
    });
  }

  /** @param {number} index @param {number | null} delay_ms @param {number} [mono_ms] */
  function endTrial(index, delay_ms, mono_ms) {
    clearTimeout(timer);
    onset = null;
    measured += Number(delay_ms !== null);
    record(
      "flag.delay",
      { try: results.length + 1, trial: index + 1, delay_ms, early },
      mono_ms === undefined ? undefined : { mono_ms },
    );
    said.textContent = texts[delay_ms === null ? "practice.flags.missed" : "practice.flags.hit"];
    line.textContent = "";
    trials[index] = [];
    if (index + 1 < TRIALS)
      wait(() => {
        said.textContent = "";
        runTrial(index + 1);
      }, REST_MS);
    else finish();
  }

  function finish() {
    running = false;
    const result = { try: results.length + 1, passed: measured >= LEAST_TRIALS, moves: [] };
    results.push(result);
    record("practice.result", result);
    thumb.hidden = true;
    start.hidden = false;
    show(result, measured);
    if (!result.passed) start.focus();
    finishIfEnough();
  }

  /** @param {{passed: boolean}} result @param {number} [hits] */
  function show({ passed }, hits) {
    const counted =
      hits === undefined
        ? ""
        : `${texts["practice.flags.counted"].replace("{n}", String(hits)).replace("{total}", String(TRIALS))} `;
    said.textContent =
      counted +
      texts[
        passed ? "practice.passed" : results.length >= tries ? "practice.enough" : "practice.failed"
      ];
    start.textContent = texts["practice.again"];
    start.className = passed ? "button quiet start" : "button start";
  }

  /** @param {number} mono_ms */
  function press(mono_ms) {
    if (!running) return;
    if (onset === null) {
      if (line.textContent) {
        early += 1;
        said.textContent = texts["practice.flags.early"];
      }
      return;
    }
    endTrial(
      trials.findIndex((trial) => trial.length),
      Math.max(0, Math.round(mono_ms - onset)),
      mono_ms,
    );
  }

  /** @param {() => void} work @param {number} ms */
  function wait(work, ms) {
    timer = setTimeout(work, ms);
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    if (
      event.key.toLowerCase() !== "f" ||
      event.repeat ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    if (/** @type {HTMLElement} */ (event.target).closest("dialog")) return;
    event.preventDefault();
    press(event.timeStamp);
  }

  start.addEventListener("click", begin);
  onPress(thumb, press);
  document.addEventListener("keydown", onKey);
  if (results.length) show(results[results.length - 1]);
  finishIfEnough();
  return {
    destroy: () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
      document.removeEventListener("keydown", onKey);
    },
  };
}
