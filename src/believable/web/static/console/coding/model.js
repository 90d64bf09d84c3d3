// @ts-check
/**
 * What is on the desk: the texts, the marks, where the coder stands, and undo. Pure: no page, no network.
 *
 * @typedef {import("./rules.js").Label} Label
 * @typedef {import("./rules.js").Book} Book
 * @typedef {{labels: Label[], discard: string | null, uncertain: boolean, memo: string, done: boolean, review?: boolean}} Mark
 * @typedef {{round: number, number: number, text: string, prompt?: string, chosen?: string, moment_ms?: number}} Task
 * @typedef {"all" | "todo" | "done" | "uncertain" | "review" | "discarded"} Filter
 */
import { added, sameLabel } from "./rules.js";
import { merged } from "./spans.js";

/** @type {[Filter, string][]} */
export const FILTERS = [
  ["all", "All"],
  ["todo", "To do"],
  ["done", "Done"],
  ["uncertain", "Uncertain"],
  ["review", "To review"],
  ["discarded", "Discarded"],
];
const UNDO_STEPS = 500;

/** @returns {Mark} */
export const emptyMark = () => ({
  labels: [],
  discard: null,
  uncertain: false,
  memo: "",
  done: false,
});

/** @param {Task} task */
export const keyOf = (task) => `${task.round}-${task.number}`;

/** @param {Book} book @param {Task[]} tasks @param {Record<string, Mark>} marks */
export function createModel(book, tasks, marks) {
  let at = Math.max(
    0,
    tasks.findIndex((task) => !marks[keyOf(task)]?.done),
  );
  /** @type {Filter} */
  let filter = "all";
  let search = "";
  /** @type {"more" | "less"} */
  let side = "more";
  /** Set before a code; used up by it. @type {"+" | "-" | null} */
  let pending = null;
  /** The label that was touched last in this text. @type {Label | null} */
  let active = null;
  /** @type {{key: string, mark: Mark}[]} */
  let history = [];
  /** @type {Map<string, string>} */
  const lowered = new Map();

  const task = () => tasks[at];
  const mark = () => marks[keyOf(task())] ?? emptyMark();

  /** @param {Partial<Mark>} changed @param {boolean} [remember] */
  function change(changed, remember = true) {
    const key = keyOf(task());
    const before = mark();
    if (remember) history = [...history.slice(1 - UNDO_STEPS), { key, mark: before }];
    marks[key] = { ...before, ...changed, review: false };
  }

  /** @param {Task} task */
  const isLeft = (task) => {
    const mark = marks[keyOf(task)];
    return !mark?.done || Boolean(mark.review);
  };

  /** @param {Task} task */
  function passes(task) {
    const mark = marks[keyOf(task)];
    const fits = {
      all: true,
      todo: isLeft(task),
      done: Boolean(mark?.done),
      uncertain: Boolean(mark?.uncertain),
      review: Boolean(mark?.review),
      discarded: Boolean(mark?.discard),
    }[filter];
    if (!fits || !search) return fits;
    const key = keyOf(task);
    if (!lowered.has(key)) lowered.set(key, `${task.text} ${task.number}`.toLowerCase());
    return (
      /** @type {string} */ (lowered.get(key)).includes(search) ||
      Boolean(mark?.memo.toLowerCase().includes(search))
    );
  }

  /** @param {number} index */
  function go(index) {
    at = index;
    active = null;
    pending = null;
    side = "more";
  }

  /** @param {1 | -1} step */
  function step(step) {
    for (let i = at + step; i >= 0 && i < tasks.length; i += step)
      if (passes(tasks[i])) {
        go(i);
        return true;
      }
    return false;
  }

  return {
    book,
    tasks,
    get at() {
      return at;
    },
    get task() {
      return task();
    },
    get mark() {
      return mark();
    },
    get side() {
      return side;
    },
    get pending() {
      return pending;
    },
    get active() {
      return active;
    },
    get filter() {
      return filter;
    },
    get search() {
      return search;
    },
    get canUndo() {
      return history.length > 0;
    },
    /** @param {Task} task */
    markOf: (task) => marks[keyOf(task)] ?? emptyMark(),
    passes,
    go,
    next: () => step(1),
    previous: () => step(-1),
    get doneCount() {
      return tasks.reduce((n, task) => n + (marks[keyOf(task)]?.done ? 1 : 0), 0);
    },

    /**
     * Puts a code on, with these words if there are any, or takes it off where it is on already.
     * @param {string} id @param {[number, number][]} spans @returns {{conflicts: import("./rules.js").Conflict[], label: Label | null}}
     */
    toggle(id, spans) {
      const code = book.codes.find((candidate) => candidate.id === id);
      if (!code) return { conflicts: [], label: null };
      const own = mark().labels.filter(
        (label) => label.code === id && label.side === (code.side ? side : null),
      );
      const wanted = code.direction
        ? (pending ?? (own.length === 1 && spans.length ? own[0].direction : "+"))
        : null;
      const there = pending ? own.find((label) => label.direction === wanted) : own[own.length - 1];
      pending = null;
      if (there && spans.length) {
        const grown = { ...there, spans: merged([...there.spans, ...spans]) };
        change({
          labels: mark().labels.map((label) => (sameLabel(label, there) ? grown : label)),
          discard: null,
        });
        active = grown;
        return { conflicts: [], label: grown };
      }
      if (there) {
        change({ labels: mark().labels.filter((label) => !sameLabel(label, there)) });
        active = null;
        return { conflicts: [], label: null };
      }
      /** @type {Label} */
      const label = { code: id, direction: wanted, side: code.side ? side : null, spans };
      const result = added(book, mark().labels, label);
      change({ labels: result.labels, discard: null });
      active = result.labels.find((other) => sameLabel(other, label)) ?? null;
      return { conflicts: result.conflicts, label: active };
    },

    /** Direction of the label just given, else of the next one. @param {"+" | "-"} direction */
    direct(direction) {
      const label = active;
      if (!label || label.direction === null) {
        pending = pending === direction ? null : direction;
        return;
      }
      if (label.direction === direction) return;
      const turned = { ...label, direction };
      const others = mark().labels.filter(
        (other) => !sameLabel(other, label) && !sameLabel(other, turned),
      );
      change({ labels: [...others, turned] });
      active = turned;
    },

    switchSide() {
      side = side === "more" ? "less" : "more";
      active = null;
    },

    /** Words for the label just given. @param {[number, number][]} spans @returns {boolean} whether there was one */
    give(spans) {
      const label = active;
      if (!label) return false;
      const grown = { ...label, spans: merged([...label.spans, ...spans]) };
      change({ labels: mark().labels.map((other) => (sameLabel(other, label) ? grown : other)) });
      active = grown;
      return true;
    },

    /** @param {Label} label */
    takeOff(label) {
      change({ labels: mark().labels.filter((other) => !sameLabel(other, label)) });
      active = null;
    },

    /** @param {number} n counts from 1 */
    discard(n) {
      const reason = book.discards[n - 1];
      if (!reason) return false;
      const same = mark().discard === reason.id;
      change({ discard: same ? null : reason.id, labels: same ? mark().labels : [] });
      active = null;
      return true;
    },

    toggleUncertain() {
      change({ uncertain: !mark().uncertain });
    },
    /** @param {string} memo */
    setMemo(memo) {
      if (memo !== mark().memo) change({ memo });
    },

    /** The coder is through with this text; goes to the next one, at the end to the first that is left. @returns {boolean} whether it moved */
    done() {
      if (isLeft(task())) change({ done: true });
      if (step(1)) return true;
      const first = tasks.findIndex((task) => passes(task) && isLeft(task));
      if (first >= 0) go(first);
      return first >= 0;
    },

    /** Restores what was before the last change, wherever that was. @returns {boolean} */
    undo() {
      const last = history.pop();
      if (!last) return false;
      const index = tasks.findIndex((task) => keyOf(task) === last.key);
      if (index >= 0 && index !== at) go(index);
      marks[last.key] = last.mark;
      active = null;
      return true;
    },

    /** @param {Filter} wanted @param {string} words */
    narrow(wanted, words) {
      filter = wanted;
      search = words.trim().toLowerCase();
      if (!passes(task())) {
        const first = tasks.findIndex(passes);
        if (first >= 0) go(first);
      }
    },
  };
}
