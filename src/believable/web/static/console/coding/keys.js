// @ts-check
/**
 * What a key means at the desk. Pure: everything can be done without a mouse.
 *
 * @typedef {"coding" | "typing" | "discarding" | "words"} Mode
 * @typedef {{do: string, n?: number, direction?: "+" | "-", extend?: boolean, step?: number}} Action
 */

/** For the help. @type {[string, string][]} */
export const HELP = [
  ["1 … 9, 0", "put a code on, or take it off"],
  ["+  −", "direction of the code just given; before a code, of the next one"],
  ["S", "side: more or less human-like"],
  ["Enter", "done, next text"],
  ["→ J, ← K", "next and previous text"],
  ["U", "uncertain"],
  ["D, then 1 …", "discard the text for a reason"],
  [
    "H",
    "choose words: ← → move, Shift extends, a number codes them, Enter gives them to the last code",
  ],
  ["C", "find a code by its name"],
  ["E", "memo; Escape leaves it"],
  ["Z", "undo"],
  ["/", "search the texts; Escape leaves"],
  ["F", "filter: all, to do, done, uncertain, to review, discarded"],
  ["V", "play or pause"],
  ["X", "show or hide suggestions"],
  ["?", "these keys"],
];

/**
 * @param {{key: string, ctrlKey?: boolean, metaKey?: boolean, altKey?: boolean, shiftKey?: boolean}} event
 * @param {Mode} mode
 * @returns {Action | null} null when the key is for the page's own controls
 */
export function meaning(event, mode) {
  const { key } = event;
  if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === "z" && mode !== "typing")
    return { do: "undo" };
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  if (mode === "typing") return key === "Escape" ? { do: "leave" } : null;
  const digit = /^[0-9]$/.test(key) ? (key === "0" ? 10 : Number(key)) : null;
  if (mode === "discarding") {
    if (digit !== null) return { do: "discard", n: digit };
    return key === "Escape" || key.toLowerCase() === "d" ? { do: "leave" } : null;
  }
  if (mode === "words") {
    if (key === "ArrowRight" || key === "ArrowLeft")
      return { do: "word", step: key === "ArrowRight" ? 1 : -1, extend: Boolean(event.shiftKey) };
    if (key === "Enter") return { do: "give" };
    if (key === "Escape" || key.toLowerCase() === "h") return { do: "leave" };
  }
  if (digit !== null) return { do: "code", n: digit };
  if (key === "+" || key === "=") return { do: "direction", direction: "+" };
  if (key === "-" || key === "−" || key === "_") return { do: "direction", direction: "-" };
  /** @type {Record<string, string>} */
  const plain = {
    Enter: "done",
    ArrowRight: "next",
    j: "next",
    ArrowLeft: "previous",
    k: "previous",
    s: "side",
    u: "uncertain",
    d: "discarding",
    h: "words",
    c: "find",
    e: "memo",
    z: "undo",
    "/": "search",
    f: "filter",
    v: "play",
    x: "suggestions",
    "?": "help",
    Escape: "leave",
  };
  const action = plain[key] ?? plain[key.toLowerCase()];
  return action ? { do: action } : null;
}
