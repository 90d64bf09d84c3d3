// @ts-check
/** Suggestions, never decisions: keywords that occur, and what the same coder said about similar texts. */
import { make } from "./view.js";

/** @param {HTMLElement} root @param {string} base @param {(label: any) => string} words */
export function createSuggestions(root, base, words) {
  let turn = 0;
  let on = true;

  /** @param {number} number @returns {Promise<any>} null where the server does not say */
  async function ask(number) {
    const reply = await fetch(`${base}/suggestions/${number}`, {
      headers: { Accept: "application/json" },
    });
    return reply.ok ? reply.json() : null;
  }

  return {
    /** Whether they are on screen: recorded with every label. */
    get shown() {
      return on;
    },
    toggle() {
      on = !on;
      root.hidden = !on;
    },
    /** @param {number} number */
    async show(number) {
      const own = ++turn;
      root.hidden = !on;
      if (!on) return;
      const parts = [make("h3", {}, make("kbd", { textContent: "X" }), " Suggestions")];
      root.replaceChildren(...parts); // those of another text must not stand here
      const answer = await ask(number).catch(() => null);
      if (own !== turn) return;
      const { hits, neighbours } = answer ?? { hits: [], neighbours: [] };
      if (hits.length)
        parts.push(
          make(
            "p",
            { className: "hits" },
            ...hits.map((/** @type {any} */ hit) =>
              make("span", { className: "chip soft", textContent: words({ ...hit, side: null }) }),
            ),
          ),
        );
      for (const neighbour of neighbours) {
        parts.push(
          make(
            "div",
            { className: "neighbour" },
            make("p", { className: "soft", textContent: `“${neighbour.text}”` }),
            make(
              "p",
              {},
              ...neighbour.labels.map((/** @type {any} */ label) =>
                make("span", {
                  className: "chip soft",
                  textContent: `${words(label)}${label.side ? ` · ${label.side}` : ""}`,
                }),
              ),
            ),
          ),
        );
      }
      if (!answer)
        parts.push(
          make("p", {
            className: "soft",
            textContent: "No suggestions now: the server does not answer.",
          }),
        );
      else if (!hits.length && !neighbours.length)
        parts.push(make("p", { className: "soft", textContent: "Nothing to suggest." }));
      root.replaceChildren(...parts);
    },
  };
}
