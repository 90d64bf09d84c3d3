// @ts-check
/**
 * Which codes stand together: `excludes` never on the same side, `wins_over` not on the same words. The same as
 * `believable.coding.labels`; both are tested with `tests/coding/rules.json`.
 *
 * @typedef {{code: string, direction: string | null, side: string | null, spans: [number, number][]}} Label
 * @typedef {{id: string, label: string, short: string, definition: string, keywords: string[], examples: string[], direction: boolean,
 *   side: boolean, parent: string | null, excludes: string[], wins_over: string[], other: boolean}} Code
 * @typedef {{id: string, title: string, pick: "many" | "one", codes: Code[], discards: {id: string, label: string, definition: string}[]}} Book
 * @typedef {{winner: Label, loser: Label, why: "excludes" | "wins_over"}} Conflict
 */

/** @param {Label} a @param {Label} b */
export const sameLabel = (a, b) =>
  a.code === b.code && a.direction === b.direction && a.side === b.side;

/** A label on the whole text overlaps with every other. @param {Label} a @param {Label} b */
export const onSameWords = (a, b) =>
  !a.spans.length ||
  !b.spans.length ||
  a.spans.some(([start, stop]) => b.spans.some(([begin, end]) => start < end && begin < stop));

/** @param {Book} book @param {Label} a @param {Label} b @returns {Conflict | null} */
export function between(book, a, b) {
  const code = book.codes.find(({ id }) => id === a.code);
  const other = book.codes.find(({ id }) => id === b.code);
  if (!code || !other || a.code === b.code || a.side !== b.side) return null;
  if (code.excludes.includes(other.id) || other.excludes.includes(code.id))
    return { winner: a, loser: b, why: "excludes" };
  if (!onSameWords(a, b)) return null;
  if (code.wins_over.includes(other.id)) return { winner: a, loser: b, why: "wins_over" };
  return other.wins_over.includes(code.id) ? { winner: b, loser: a, why: "wins_over" } : null;
}

/**
 * The labels after one more was put on, and what gave way. The newer one wins an exclusion; a more specific one that stands on
 * the same words keeps a more general one out.
 * @param {Book} book @param {Label[]} labels @param {Label} label @returns {{labels: Label[], conflicts: Conflict[]}}
 */
export function added(book, labels, label) {
  const kept = labels.filter((other) => !sameLabel(other, label));
  if (book.pick === "one") return { labels: [label], conflicts: [] };
  const conflicts = kept
    .map((other) => between(book, label, other))
    .filter((other) => other !== null);
  const lost = conflicts.filter(({ loser }) => sameLabel(loser, label));
  if (lost.length) return { labels: kept, conflicts: lost };
  return {
    labels: [
      ...kept.filter((other) => !conflicts.some(({ loser }) => sameLabel(loser, other))),
      label,
    ],
    conflicts,
  };
}
