// @ts-check
/**
 * The questions of a trial: loads their widgets, reads and writes answers, shows and hides what depends on them.
 *
 * @typedef {{read: (root: HTMLElement) => any, write: (root: HTMLElement, value: any) => void,
 *   mount?: (root: HTMLElement, context: {texts: Record<string, string>}) => void}} Widget
 * @typedef {{id: string, kind: string, show_if?: Rule}} Question
 * @typedef {{question: string, item?: string, test: string, value: any} | {opened: string}} Rule
 */

/** Typing is recorded when it pauses, everything else at once. */
const TYPING_PAUSE_MS = 700;

/**
 * Whether a rule holds, as the server sees it (`study/rules.py`).
 * @param {{test: string, value: any, item?: string}} rule @param {any} whole what the question it names is answered with, or null
 */
export function holds({ test, value, item }, whole) {
  const answer = (item ? whole?.[item] : whole) ?? null;
  if (test === "answered") return (answer !== null) === value;
  if (test === "is_not") return !is(answer, value);
  if (answer === null) return false;
  if (test === "is") return is(answer, value);
  if (test === "in") return value.some((/** @type {any} */ option) => is(answer, option));
  return typeof answer === "number" && (test === "at_least" ? answer >= value : answer <= value);
}

/** Equal; of several ticked options, one of them. @param {any} answer @param {any} value @returns {boolean} */
function is(answer, value) {
  if (Array.isArray(answer) && !Array.isArray(value))
    return answer.some((chosen) => is(chosen, value));
  if (Array.isArray(answer))
    return JSON.stringify(answer.map(String).sort()) === JSON.stringify(value.map(String).sort());
  return typeof answer === "string" && typeof value === "number"
    ? answer === String(value)
    : answer === value;
}

/**
 * @param {HTMLElement} form
 * @param {Question[]} questions
 * @param {object} outside
 * @param {(kind: string) => Promise<Widget>} outside.load
 * @param {Record<string, string>} outside.texts
 * @param {(kind: string, data: any) => Promise<any>} outside.record resolves when it is in the queue
 * @param {import("./typing.js").Typing} outside.typing
 */
export async function mountQuestions(form, questions, { load, texts, record, typing }) {
  const parts = await Promise.all(
    questions.map(async (question) => {
      const root = /** @type {HTMLElement} */ (
        form.querySelector(`[data-question="${question.id}"]`)
      );
      const widget = await load(question.kind);
      widget.mount?.(root, { texts });
      return {
        question,
        root,
        widget,
        told: JSON.stringify(null),
        timer: /** @type {any} */ (null),
        recorded: /** @type {Promise<any>} */ (Promise.resolve()),
      };
    }),
  );
  /** @type {Set<string>} what was opened beside the player */
  const opened = new Set();
  const byId = new Map(parts.map((part) => [part.question.id, part]));

  /** @param {typeof parts[0]} part */
  const value = (part) => (part.root.hidden ? null : part.widget.read(part.root));

  /** @param {typeof parts[0]} part */
  function tell(part) {
    clearTimeout(part.timer);
    part.timer = null;
    const answer = part.widget.read(part.root);
    const text = JSON.stringify(answer);
    if (text !== part.told) {
      part.told = text;
      // The queue takes its time on a slow disk; a reload in that moment would lose the answer.
      typing.save(part.question.id, answer);
      part.recorded = record("answer.change", {
        question: part.question.id,
        value: JSON.parse(text),
      });
    }
    void part.recorded.then(() => {
      if (part.timer === null && part.told === text) typing.forget(part.question.id);
    });
  }

  /** @param {Rule | undefined} rule */
  function wanted(rule) {
    if (!rule) return true;
    if ("opened" in rule) return rule.opened === "any" ? opened.size > 0 : opened.has(rule.opened);
    const other = byId.get(rule.question);
    return !other || holds(rule, value(other));
  }

  function show() {
    for (const part of parts) {
      part.root.hidden = !wanted(part.question.show_if);
      const clear = /** @type {HTMLElement | null} */ (part.root.querySelector(".clear"));
      if (clear) clear.hidden = part.widget.read(part.root) === null;
    }
  }

  for (const part of parts) {
    part.root.addEventListener("input", (event) => {
      const target = /** @type {HTMLInputElement} */ (event.target);
      clearTimeout(part.timer);
      if (target.matches("textarea, input[type=text], input[type=range]")) {
        typing.save(part.question.id, part.widget.read(part.root));
        part.timer = setTimeout(() => tell(part), TYPING_PAUSE_MS);
      } else tell(part);
      show();
    });
    part.root.addEventListener("change", () => {
      tell(part);
      show();
    });
    part.root.addEventListener("paste", (event) => {
      const length =
        /** @type {ClipboardEvent} */ (event).clipboardData?.getData("text").length ?? 0;
      record("text.paste", { question: part.question.id, length });
    });
    part.root.querySelector(".clear")?.addEventListener("click", () => {
      part.widget.write(part.root, null);
      tell(part);
      show();
      /** @type {HTMLElement | null} */ (part.root.querySelector("input, textarea"))?.focus();
    });
  }
  show();

  return {
    /** Records what was typed and not told yet. */
    settle: () => parts.filter(({ timer }) => timer !== null).forEach(tell),

    /** @returns {Record<string, any>} unanswered is null; a hidden question is not there */
    answers: () =>
      Object.fromEntries(
        parts.filter(({ root }) => !root.hidden).map((part) => [part.question.id, value(part)]),
      ),

    /** Something was opened beside the player. @param {string[]} which */
    opened: (...which) => {
      which.forEach((part) => opened.add(part));
      show();
    },

    /**
     * Puts back what was recorded, and what was typed after that. What was entered before this script was there is told.
     * @param {Record<string, any>} drafts
     */
    restore: (drafts) => {
      const typed = typing.all();
      for (const part of parts) {
        const { id } = part.question;
        if (id in drafts) {
          part.widget.write(part.root, drafts[id]);
          part.told = JSON.stringify(part.widget.read(part.root));
        }
        if (id in typed) part.widget.write(part.root, typed[id]);
        tell(part);
      }
      show();
    },
  };
}
