// @ts-check
/**
 * What a person did while the disc moved. Pure.
 *
 * @typedef {{media_ms: number, change: number}} Change
 * @typedef {{direction: number, change: number, right: boolean}} Judged
 */

/** Nobody reacts faster: what comes earlier belongs to the movement before. */
const REACTION_MS = 200;

/** The steps of a trace, or its marks. @param {{kind: string, data: any}[]} events @returns {Change[]} */
export function changes(events) {
  let value = 0;
  return events.flatMap(({ kind, data }) => {
    if (kind === "trace.mark") return [{ media_ms: data.media_ms, change: data.sign }];
    if (kind === "trace.hold") return repeated(data);
    if (kind !== "trace.sample") return [];
    const change = data.value - value;
    value = data.value;
    return change ? [{ media_ms: data.media_ms, change }] : [];
  });
}

/**
 * Each movement counts until the next one begins.
 * @param {readonly {from_ms: number, direction: number}[]} moves @param {readonly Change[]} changes
 * @returns {{passed: boolean, moves: Judged[]}}
 */
export function judge(moves, changes) {
  const judged = moves.map(({ from_ms, direction }, index) => {
    const until = (moves[index + 1]?.from_ms ?? Infinity) + REACTION_MS;
    const own = changes.filter(
      ({ media_ms }) => media_ms >= from_ms + REACTION_MS && media_ms < until,
    );
    const change = Math.round(own.reduce((sum, step) => sum + step.change, 0) * 100) / 100;
    return { direction, change, right: Math.sign(change) === direction };
  });
  return { passed: judged.every(({ right }) => right), moves: judged };
}

/** @param {{from_ms: number, media_ms: number, repeat_ms: number, sign: number}} hold @returns {Change[]} */
function repeated({ from_ms, media_ms, repeat_ms, sign }) {
  const count = Math.floor((media_ms - from_ms) / repeat_ms);
  return Array.from({ length: count }, (_, index) => ({
    media_ms: from_ms + repeat_ms * (index + 1),
    change: sign,
  }));
}
