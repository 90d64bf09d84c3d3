// @ts-check
/** The desk on the page: draws what the model holds. */
import { FILTERS, keyOf } from "./model.js";
import { pieces } from "./spans.js";

/** Texts listed around the current one. */
const LISTED = 60;
const SIDES = { more: "more human-like", less: "less human-like" };
const SIGNS = /** @type {Record<string, string>} */ ({ "+": "+", "-": "−" });

/** @param {string} id @returns {HTMLElement} */
const part = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} tag @param {Record<string, any>} [properties] @param {(Node | string)[]} children */
export function make(tag, properties = {}, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/** @param {number} index @returns {string} the key of a code */
export const keyName = (index) => (index < 9 ? String(index + 1) : index === 9 ? "0" : "");

/** @typedef {ReturnType<typeof import("./model.js").createModel>} Model */

/** @param {Model} model */
export function createView(model) {
  const { book } = model;
  const sided = book.codes.some((code) => code.side);
  const directed = book.codes.some((code) => code.direction);
  const colour = new Map(book.codes.map((code, index) => [code.id, index % 8]));

  /** @param {import("./rules.js").Label} label */
  const words = (label) => {
    const code = book.codes.find(({ id }) => id === label.code);
    return `${code?.label ?? label.code}${label.direction ? ` ${SIGNS[label.direction]}` : ""}`;
  };

  const filter = /** @type {HTMLSelectElement} */ (part("filter"));
  filter.replaceChildren(...FILTERS.map(([value, text]) => new Option(text, value)));

  function list() {
    const shown = model.tasks
      .map((task, index) => ({ task, index }))
      .filter(({ task }) => model.passes(task));
    const place = Math.max(
      0,
      shown.findIndex(({ index }) => index === model.at),
    );
    const start = Math.max(0, Math.min(place - LISTED / 3, shown.length - LISTED));
    part("found").textContent =
      model.filter === "all" && !model.search ? "" : `${shown.length} of ${model.tasks.length}`;
    part("list").replaceChildren(
      ...shown.slice(start, start + LISTED).map(({ task, index }) => {
        const mark = model.markOf(task);
        const state = mark.review
          ? "review"
          : mark.discard
            ? "discarded"
            : mark.done
              ? "done"
              : mark.labels.length
                ? "begun"
                : "open";
        const button = make(
          "button",
          { type: "button", className: `entry ${state}` },
          make("span", { className: "dot", ariaHidden: "true" }),
          make("span", { className: "num", textContent: String(task.number) }),
          make("span", { className: "words", textContent: task.text.slice(0, 60) }),
          ...(mark.uncertain ? [make("span", { className: "soft", textContent: "?" })] : []),
        );
        button.dataset.index = String(index);
        if (index === model.at) button.setAttribute("aria-current", "true");
        return make("li", {}, button);
      }),
    );
    const current = part("list").querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest" });
  }

  function progress() {
    const done = model.doneCount;
    Object.assign(part("progress"), { max: model.tasks.length, value: done });
    part("progress-words").textContent = `${done} of ${model.tasks.length}`;
  }

  /** @param {[number, number][]} chosen words that are chosen now */
  function text(chosen) {
    const { task, mark } = model;
    const layers = mark.labels
      .filter(({ spans }) => spans.length)
      .map((label) => ({
        name: `span c${colour.get(label.code) ?? 7}${model.active && label === model.active ? " active" : ""}`,
        spans: label.spans,
      }));
    const parts = pieces(task.text, [...layers, { name: "chosen", spans: chosen }]);
    part("text").replaceChildren(
      ...parts.map(({ text, names }) =>
        names.length
          ? make("mark", { className: names.join(" "), textContent: text })
          : document.createTextNode(text),
      ),
    );
  }

  function labels() {
    const { mark } = model;
    /** @param {string | null} side */
    const chips = (side) =>
      mark.labels
        .filter((label) => label.side === side)
        .map((label) => {
          const chip = make("button", {
            type: "button",
            className: `chip c${colour.get(label.code) ?? 7}${label === model.active ? " active" : ""}`,
            title: "Take it off",
            textContent: words(label),
          });
          chip.dataset.label = JSON.stringify([label.code, label.direction, label.side]);
          return chip;
        });
    const parts = sided
      ? ["more", "less"].map((side) =>
          make(
            "div",
            { className: `side ${side}${model.side === side ? " current" : ""}` },
            make("h3", { textContent: SIDES[/** @type {"more" | "less"} */ (side)] }),
            ...chips(side),
          ),
        )
      : [make("div", { className: "side" }, ...chips(null))];
    const flags = [];
    const reason = book.discards.find(({ id }) => id === mark.discard);
    if (reason)
      flags.push(
        make("span", { className: "chip discard", textContent: `Discarded: ${reason.label}` }),
      );
    if (mark.uncertain)
      flags.push(make("span", { className: "chip uncertain", textContent: "Uncertain" }));
    if (mark.review)
      flags.push(
        make("span", {
          className: "chip review",
          textContent: "To review: the codebook has changed",
        }),
      );
    part("labels").replaceChildren(...parts, make("div", { className: "flags" }, ...flags));
  }

  /** @param {string} looked text to find codes by */
  function codes(looked = "") {
    const { mark } = model;
    part("codes").replaceChildren(
      ...book.codes.map((code, index) => {
        const on = mark.labels.filter(
          (label) => label.code === code.id && label.side === (code.side ? model.side : null),
        );
        const signs = on.map(({ direction }) => (direction ? SIGNS[direction] : "✓")).join(" ");
        const button = make(
          "button",
          { type: "button", className: `code-key c${index % 8}`, title: code.definition },
          make("kbd", { textContent: keyName(index) || "C" }),
          make("span", { className: "name", textContent: code.label }),
          make("span", { className: "sign", textContent: signs }),
        );
        button.dataset.code = code.id;
        button.setAttribute("aria-pressed", String(on.length > 0));
        const item = make("li", { className: code.parent ? "child" : "" }, button);
        item.hidden = Boolean(looked) && !code.label.toLowerCase().includes(looked);
        return item;
      }),
    );
    const switches = [];
    if (sided)
      switches.push(
        make(
          "button",
          { type: "button", className: `switch side ${model.side}`, id: "side-switch" },
          make("kbd", { textContent: "S" }),
          ` ${SIDES[model.side]}`,
        ),
      );
    if (directed)
      switches.push(
        make(
          "span",
          { className: "switch", id: "direction-switch" },
          make("kbd", { textContent: "+" }),
          make("kbd", { textContent: "−" }),
          ` ${model.pending ? `next: ${SIGNS[model.pending]}` : "direction"}`,
        ),
      );
    switches.push(
      make("span", { className: "switch" }, make("kbd", { textContent: "U" }), " uncertain"),
      make("span", { className: "switch" }, make("kbd", { textContent: "H" }), " words"),
    );
    part("switches").replaceChildren(...switches);
    const code = book.codes.find(({ id }) => id === model.active?.code);
    part("definition").replaceChildren(
      ...(code
        ? [
            make("h3", { textContent: code.label }),
            make("p", { textContent: code.definition }),
            ...code.examples.map((example) =>
              make("p", { className: "soft", textContent: `“${example}”` }),
            ),
          ]
        : []),
    );
  }

  /** @param {boolean} choosing */
  function discards(choosing) {
    part("discards").classList.toggle("choosing", choosing);
    part("discards").replaceChildren(
      ...(book.discards.length
        ? [make("h3", {}, make("kbd", { textContent: "D" }), " Discard")]
        : []),
      ...book.discards.map((discard, index) => {
        const button = make(
          "button",
          { type: "button", className: "code-key", title: discard.definition },
          make("kbd", { textContent: `D ${index + 1}` }),
          make("span", { className: "name", textContent: discard.label }),
        );
        button.dataset.discard = String(index + 1);
        button.setAttribute("aria-pressed", String(model.mark.discard === discard.id));
        return button;
      }),
    );
  }

  function place() {
    const { task } = model;
    const parts = [`Text ${task.number}`, `${model.at + 1} of ${model.tasks.length}`];
    if (task.chosen) parts.push(`chose ${task.chosen} as the more human-like one`);
    part("place").textContent = parts.join(" · ");
    part("prompt").textContent = task.prompt ?? "";
    const memo = /** @type {HTMLTextAreaElement} */ (part("memo"));
    if (document.activeElement !== memo) memo.value = model.mark.memo;
  }

  return {
    /** @param {{chosen: [number, number][], discarding: boolean, looked: string}} state */
    all({ chosen, discarding, looked }) {
      document.body.dataset.at = keyOf(model.task);
      place();
      text(chosen);
      labels();
      codes(looked);
      discards(discarding);
      list();
      progress();
    },
    text,
    words,
    /** @param {string} words */
    notice: (words) => {
      part("notice").textContent = words;
    },
  };
}
