// @ts-check
/** Stretches of a text: words, and positions as the browser (UTF-16) and as the server (characters) count them. Pure. */

/** @typedef {[number, number]} Span */

/** @param {string} text @returns {Span[]} the words */
export const words = (text) =>
  [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu)].map((word) => [
    word.index,
    word.index + word[0].length,
  ]);

/** @param {Span[]} spans @returns {Span[]} without overlaps, in order */
export function merged(spans) {
  /** @type {Span[]} */
  const joined = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = joined[joined.length - 1];
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else joined.push([start, end]);
  }
  return joined;
}

/** From the browser's positions to characters. @param {string} text @param {Span[]} spans @returns {Span[]} */
export const toCharacters = (text, spans) =>
  spans.map(([start, end]) => [[...text.slice(0, start)].length, [...text.slice(0, end)].length]);

/** From characters to the browser's positions. @param {string} text @param {Span[]} spans @returns {Span[]} */
export function fromCharacters(text, spans) {
  const letters = [...text];
  const at = (/** @type {number} */ n) => letters.slice(0, n).join("").length;
  return spans.map(([start, end]) => [at(start), at(end)]);
}

/** A selection grown to whole words; null where it holds none. @param {string} text @param {Span} span @returns {Span | null} */
export function wholeWords(text, [start, end]) {
  const touched = words(text).filter(([from, to]) => from < end && start < to);
  return touched.length ? [touched[0][0], touched[touched.length - 1][1]] : null;
}

/**
 * The text cut where any stretch begins or ends, each piece with the names of the stretches over it.
 * @param {string} text @param {{name: string, spans: Span[]}[]} layers @returns {{text: string, names: string[]}[]}
 */
export function pieces(text, layers) {
  const cuts = [...new Set([0, text.length, ...layers.flatMap(({ spans }) => spans.flat())])].sort(
    (a, b) => a - b,
  );
  return cuts
    .slice(0, -1)
    .map((start, i) => ({
      text: text.slice(start, cuts[i + 1]),
      names: layers
        .filter(({ spans }) => spans.some(([from, to]) => from <= start && cuts[i + 1] <= to))
        .map(({ name }) => name),
    }))
    .filter((piece) => piece.text);
}
