// @ts-check
/** The coder's desk: keys become changes of the model, changes become operations that are never lost, the page shows them at once. */
import { HELP, meaning } from "./keys.js";
import { createModel, FILTERS, keyOf } from "./model.js";
import { openOutbox } from "./outbox.js";
import { offsetAt } from "./pointer.js";
import { fromCharacters, toCharacters, wholeWords, words } from "./spans.js";
import { createStage } from "./stage.js";
import { createSuggestions } from "./suggestions.js";
import { createView, make } from "./view.js";

const SAVING = /** @type {Record<string, string>} */ ({
  saved: "Saved",
  saving: "Saving…",
  offline: "Offline. Your codes are safe here and will be sent later.",
  full: "The server cannot store more right now. Your codes are safe here.",
  memory: "This browser keeps nothing. Keep this page open until everything is saved.",
  login: "You are logged out. Log in again and reload: your codes are safe here.",
  conflict: "What you did could not be matched with the server. Tell the coordinator.",
  refused: "The server did not accept an operation. Tell the coordinator.",
});

/** @param {string} id @returns {any} */
const part = (id) => document.getElementById(id);
const state = JSON.parse(part("state").textContent);

/** From the server's characters to the browser's positions. @param {any} mark @param {string} text */
const inbound = (mark, text) => ({
  ...mark,
  labels: mark.labels.map((/** @type {any} */ label) => ({
    ...label,
    spans: fromCharacters(text, label.spans),
  })),
});
/** @param {any} mark @param {string} text */
const outbound = ({ labels, discard, uncertain, memo, done }, text) => ({
  labels: labels.map((/** @type {any} */ label) => ({
    ...label,
    spans: toCharacters(text, label.spans),
  })),
  discard,
  uncertain,
  memo,
  done,
});

async function run() {
  const texts = new Map(state.tasks.map((/** @type {any} */ task) => [keyOf(task), task.text]));
  /** @type {Record<string, any>} */
  const marks = {};
  for (const [key, mark] of Object.entries(state.marks))
    if (texts.has(key)) marks[key] = inbound(mark, texts.get(key));

  let login = false;
  /** @param {string} saving */
  const showSaving = (saving) => {
    const shown = login && saving !== "saved" ? "login" : saving;
    part("status").dataset.state = shown;
    part("status").textContent = SAVING[shown] ?? saving;
    part("status").setAttribute(
      "aria-live",
      shown === "saving" || shown === "saved" ? "off" : "polite",
    );
  };
  const outbox = await openOutbox(
    { base: state.base, log: state.log, csrf: document.body.dataset.csrf ?? "" },
    {
      onSaving: showSaving,
      onTaken: () => part("taken").showModal(),
      onEnd: showSaving,
      onLogin: (needed) => {
        login = needed;
      },
    },
  );
  // What an earlier page could not send yet is newer than what the server knew when it made this page.
  for (const { round, number, mark } of outbox.waiting) {
    const key = `${round}-${number}`;
    if (texts.has(key)) marks[key] = inbound(mark, texts.get(key));
  }
  if (!outbox.durable) showSaving("memory");

  const model = createModel(state.book, state.tasks, marks);
  const view = createView(model);
  const stage = createStage(part("stage"), state.media);
  const hints = state.suggestions
    ? createSuggestions(part("suggestions"), state.base, view.words)
    : null;
  /** @type {"coding" | "discarding" | "words"} */
  let mode = "coding";
  /** Words that are chosen for the next code. @type {[number, number] | null} */
  let chosen = null;
  /** First and last word while choosing by keyboard. */
  let from = 0;
  let to = 0;
  let looked = "";
  let shownKey = "";

  const spans = () => (chosen ? /** @type {[number, number][]} */ ([chosen]) : []);

  function refresh() {
    view.all({ chosen: spans(), discarding: mode === "discarding", looked });
    const key = keyOf(model.task);
    if (key === shownKey) return;
    shownKey = key;
    part("text").scrollTop = 0;
    void stage.show(model.task.number, model.task.moment_ms);
    void hints?.show(model.task.number);
  }

  /** The mark of the text as it stands goes out. */
  function save(task = model.task) {
    void outbox.put({
      kind: "mark",
      round: task.round,
      number: task.number,
      mark: outbound(model.markOf(task), task.text),
      version: state.version,
      suggested: Boolean(hints?.shown),
      at_ms: Date.now(),
    });
  }

  function moved() {
    mode = "coding";
    chosen = null;
    view.notice("");
  }

  /** @param {string} id */
  function code(id) {
    const { conflicts, label } = model.toggle(id, spans());
    chosen = null;
    if (mode === "words") mode = "coding";
    const lost = conflicts.map(({ winner, loser, why }) =>
      why === "excludes"
        ? `${view.words(winner)} excludes ${view.words(loser)}, which was taken off.`
        : `${view.words(winner)} wins over ${view.words(loser)} on the same words. Choose other words (H) to give both.`,
    );
    const other =
      label &&
      state.book.codes.find((/** @type {any} */ candidate) => candidate.id === id)?.other &&
      !model.mark.memo;
    view.notice([...lost, ...(other ? ["Write an example into the memo (E)."] : [])].join(" "));
    save();
  }

  function chooseWord() {
    const all = words(model.task.text);
    if (!all.length) {
      mode = "coding";
      chosen = null;
      return;
    }
    from = Math.min(Math.max(from, 0), all.length - 1);
    to = Math.min(Math.max(to, 0), all.length - 1);
    chosen = [all[Math.min(from, to)][0], all[Math.max(from, to)][1]];
  }

  function saveMemo() {
    const memo = part("memo");
    if (memo.value === model.mark.memo) return;
    model.setMemo(memo.value);
    save();
  }

  /** @type {Record<string, (action: import("./keys.js").Action) => void>} */
  const deeds = {
    code: ({ n }) => {
      const numbered = state.book.codes[(n ?? 0) - 1];
      if (numbered) code(numbered.id);
    },
    direction: ({ direction }) => {
      const before = model.active;
      model.direct(direction ?? "+");
      if (before && model.active !== before) save();
    },
    side: () => model.switchSide(),
    done: () => {
      const task = model.task;
      const more = model.done();
      save(task);
      moved();
      if (!more)
        view.notice(
          model.doneCount === model.tasks.length
            ? "All texts are done. Thank you!"
            : "This was the last one shown.",
        );
    },
    next: () => {
      if (model.next()) moved();
    },
    previous: () => {
      if (model.previous()) moved();
    },
    uncertain: () => {
      model.toggleUncertain();
      save();
    },
    discarding: () => {
      mode = state.book.discards.length ? "discarding" : "coding";
      view.notice(
        mode === "discarding" ? "Discard: press the number of the reason, or Escape." : "",
      );
    },
    discard: ({ n }) => {
      if (model.discard(n ?? 0)) {
        save();
        mode = "coding";
        view.notice("");
      }
    },
    words: () => {
      mode = "words";
      from = to = 0;
      chooseWord();
      view.notice("Words: ← → move, Shift extends; then a number, or Enter for the last code.");
    },
    word: ({ step, extend }) => {
      to += step ?? 1;
      if (!extend) from = to;
      chooseWord();
    },
    give: () => {
      if (chosen && model.give([chosen])) {
        save();
        mode = "coding";
        chosen = null;
        view.notice("");
      } else view.notice("Give a code first, or press its number now.");
    },
    memo: () => part("memo").focus(),
    undo: () => {
      if (model.undo()) {
        save();
        moved();
        view.notice("Undone.");
      }
    },
    search: () => {
      part("search").focus();
      part("search").select();
    },
    filter: () => {
      const at = FILTERS.findIndex(([name]) => name === model.filter);
      part("filter").value = FILTERS[(at + 1) % FILTERS.length][0];
      narrow();
    },
    find: () => {
      part("search").blur();
      openFind();
    },
    play: () => stage.toggle(),
    suggestions: () => {
      hints?.toggle();
      void hints?.show(model.task.number);
    },
    help: () => part("help").showModal(),
    leave: () => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      saveMemo();
      mode = "coding";
      chosen = null;
      looked = "";
      view.notice("");
    },
  };

  function narrow() {
    model.narrow(part("filter").value, part("search").value);
  }

  /** A field to find a code by its name: for codebooks with more codes than there are digits. */
  function openFind() {
    const field = /** @type {HTMLInputElement} */ (
      make("input", {
        type: "text",
        className: "find-code",
        placeholder: "Code…",
        ariaLabel: "Find a code",
      })
    );
    part("codes").before(field);
    field.focus();
    field.addEventListener("input", () => {
      looked = field.value.trim().toLowerCase();
      refresh();
    });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      event.stopPropagation();
      const match = state.book.codes.find((/** @type {any} */ candidate) =>
        candidate.label.toLowerCase().includes(looked),
      );
      looked = "";
      field.remove();
      if (match) code(match.id);
      refresh();
    });
    field.addEventListener("blur", () => {
      looked = "";
      field.remove();
      refresh();
    });
  }

  document.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.closest("dialog")) return;
    const typing = target.matches("input, textarea, select");
    if (target.matches("button, a, summary") && (event.key === "Enter" || event.key === " "))
      return;
    if (target.id === "search" && event.key === "Enter") {
      event.preventDefault();
      target.blur();
      return;
    }
    const action = meaning(event, typing ? "typing" : mode);
    const deed = action && deeds[action.do];
    if (!deed) return;
    event.preventDefault();
    deed(action);
    refresh();
  });
  part("search").addEventListener("input", () => {
    narrow();
    refresh();
  });
  part("filter").addEventListener("change", () => {
    narrow();
    part("filter").blur();
    refresh();
  });
  part("memo").addEventListener("change", () => {
    saveMemo();
    refresh();
  });
  part("help-button").addEventListener("click", () => part("help").showModal());
  part("take-back").addEventListener("click", () => location.reload());
  part("list").addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const entry = /** @type {HTMLElement} */ (event.target).closest("button");
    if (entry) {
      model.go(Number(entry.dataset.index));
      moved();
      entry.blur();
      refresh();
    }
  });
  part("codes").addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    if (button?.dataset.code) {
      code(button.dataset.code);
      refresh();
    }
  });
  part("discards").addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    if (button?.dataset.discard) {
      deeds.discard({ do: "discard", n: Number(button.dataset.discard) });
      refresh();
    }
  });
  part("switches").addEventListener("click", (/** @type {MouseEvent} */ event) => {
    if (/** @type {HTMLElement} */ (event.target).closest("#side-switch")) {
      model.switchSide();
      refresh();
    }
  });
  part("labels").addEventListener("click", (/** @type {MouseEvent} */ event) => {
    const chip = /** @type {HTMLElement} */ (event.target).closest("button");
    if (!chip?.dataset.label) return;
    const [code, direction, side] = JSON.parse(chip.dataset.label);
    model.takeOff({ code, direction, side, spans: [] });
    save();
    refresh();
  });
  /** Where the pointer began to mark words. @type {number | null} */
  let marking = null;
  part("text").addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    marking = event.button === 0 ? offsetAt(part("text"), event) : null;
    if (marking === null) return;
    event.preventDefault();
    part("text").setPointerCapture(event.pointerId);
  });
  part("text").addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    const end = marking === null ? null : offsetAt(part("text"), event);
    if (marking === null || end === null) return;
    chosen =
      end === marking
        ? null
        : wholeWords(model.task.text, [Math.min(marking, end), Math.max(marking, end)]);
    view.text(spans());
  });
  part("text").addEventListener("pointerup", () => {
    if (marking === null) return;
    marking = null;
    if (chosen && model.active && model.give([chosen])) {
      chosen = null;
      save();
    } else if (chosen) view.notice("Chosen. Now press the number of a code.");
    refresh();
  });

  part("help-rows").replaceChildren(
    ...HELP.map(([keys, about]) =>
      make(
        "tr",
        {},
        make("th", { scope: "row", textContent: keys }),
        make("td", { textContent: about }),
      ),
    ),
  );
  refresh();
  part("main").setAttribute("aria-busy", "false");
}

await run();
