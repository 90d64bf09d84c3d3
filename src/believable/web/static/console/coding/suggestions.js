// @ts-check
/** Suggestions, never decisions: keywords that occur, and what the same coder said about similar texts. */
import { make } from "./view.js";

/** @param {HTMLElement} root @param {string} base @param {(label: any) => string} words */
export function createSuggestions(root, base, words) {
  let turn = 0;
  let on = true;
  return {
    /** Whether they are on screen: recorded with every label. */
    get shown() { return on; },
    toggle() { on = !on; root.hidden = !on; },
    /** @param {number} number */
    async show(number) {
      const own = ++turn;
      root.hidden = !on;
      if (!on) return;
      const reply = await fetch(`${base}/suggestions/${number}`, { headers: { Accept: "application/json" } }).catch(() => null);
      if (own !== turn || !reply?.ok) return;
      const { hits, neighbours } = await reply.json();
      if (own !== turn) return;
      const parts = [make("h3", {}, make("kbd", { textContent: "X" }), " Suggestions")];
      if (hits.length) parts.push(make("p", { className: "hits" }, ...hits.map((/** @type {any} */ hit) => make("span", { className: "chip soft", textContent: words({ ...hit, side: null }) }))));
      for (const one of neighbours) {
        parts.push(make("div", { className: "neighbour" }, make("p", { className: "soft", textContent: `“${one.text}”` }),
          make("p", {}, ...one.labels.map((/** @type {any} */ label) => make("span", { className: "chip soft", textContent: `${words(label)}${label.side ? ` · ${label.side}` : ""}` })))));
      }
      if (!hits.length && !neighbours.length) parts.push(make("p", { className: "soft", textContent: "Nothing to suggest." }));
      root.replaceChildren(...parts);
    },
  };
}
