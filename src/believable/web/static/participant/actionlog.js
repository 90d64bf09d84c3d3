// @ts-check
/**
 * What the figures did and planned, and what of it is going on at a moment. Pure.
 *
 * @typedef {{id: string, actor: string, t0_ms: number, t1_ms: number, verb: string, object: string | null, place: string | null, text: string, serves?: string | null}} Action
 * @typedef {{id: string, actor: string, parent: string | null, level: number, t0_ms: number, t1_ms: number, text: string}} Step
 * @typedef {{flagged: (action: Action) => boolean, toggle: (action: Action, mono_ms: number) => void}} Marks what an instrument adds to each line
 * @typedef {ReturnType<typeof actionLog>} ActionLog
 */

/** @param {{actors: {id: string, name: string}[], actions: Action[], plans: Step[]}} given */
export function actionLog({ actors, actions, plans }) {
  const names = new Map(actors.map(({ id, name }) => [id, name]));
  const lines = [...actions].sort((a, b) => a.t0_ms - b.t0_ms || a.t1_ms - b.t1_ms);
  const edges = Float64Array.from(
    new Set([...lines, ...plans].flatMap(({ t0_ms, t1_ms }) => [t0_ms, t1_ms])),
  ).sort();
  /** @type {(() => void)[]} */
  const listeners = [];
  /** @type {Marks | null} */
  let marks = null;

  return {
    actors,
    lines,
    plans,
    several: actors.length > 1,
    /** @param {string} actor */
    name: (actor) => names.get(actor) ?? "",
    /** @param {Action} action what to call it */
    words: (action) => action.text || [action.verb, action.object].filter(Boolean).join(" "),
    /** @param {string} id */
    action: (id) => lines.find((line) => line.id === id) ?? null,
    /** @param {number} ms @returns {Action[]} what is going on, in the order it began */
    current: (ms) => lines.filter((line) => line.t0_ms <= ms && ms < line.t1_ms),
    /** Between two numbers with the same period nothing changes. @param {number} ms */
    period: (ms) => {
      let low = 0;
      let high = edges.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (edges[middle] <= ms) low = middle + 1;
        else high = middle;
      }
      return low;
    },
    get marks() {
      return marks;
    },
    /** @param {Marks | null} shownMarks */
    setMarks: (shownMarks) => {
      marks = shownMarks;
      listeners.forEach((listener) => listener());
    },
    /** Some line is marked otherwise than before. */
    marksChanged: () => listeners.forEach((listener) => listener()),
    /** @param {() => void} listener */
    onMarks: (listener) => void listeners.push(listener),
  };
}
