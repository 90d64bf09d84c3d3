// @ts-check
/**
 * A trace while it is made: its value, what is recorded of it, and the line to draw. Pure: player and recorder are handed in.
 *
 * @typedef {{running: boolean, playing: boolean, moment: (mono_ms: number) => {media_ms: number, frame: number | null}}} Watched
 * @typedef {(kind: string, data: any, options?: {mono_ms: number}) => void} Record
 * @typedef {[kind: string, data: any][]} Saved what was recorded before a reload
 * @typedef {{t: number, v: number}} Point media time and value from there on
 */
export const SAMPLE = "trace.sample";
export const MARK = "trace.mark";
export const HEARTBEAT_MS = 1000;
/** An input may be on its way for so long. A heartbeat tells what held so long ago, so that an input keeps its own time. */
export const SETTLED_MS = 100;

/** @param {{player: Watched, record: Record, saved?: Saved}} outside */
export function createTrace({ player, record, saved = [] }) {
  const drawn = line();
  let value = 0;
  /** When the last sample was taken; inputs that waited for their turn never go back behind it. */
  let last = -Infinity;
  let ran = false;
  for (const [kind, data] of saved) {
    if (kind !== SAMPLE) continue;
    drawn.add(data.media_ms, data.value);
    value = data.value;
  }

  /** @param {string} input @param {number} mono_ms */
  function sample(input, mono_ms) {
    last = mono_ms;
    const { media_ms, frame } = player.moment(mono_ms);
    record(SAMPLE, { value, media_ms, frame, input }, { mono_ms });
    drawn.add(media_ms, value);
  }

  /** To be called for every picture: while the stimulus runs there is a sample at its start and at least one a second. @param {number} mono_ms */
  function tick(mono_ms) {
    const settled_ms = mono_ms - SETTLED_MS;
    if (player.running && !ran) sample("heartbeat", Math.max(mono_ms, last));
    else if (player.running && settled_ms - last >= HEARTBEAT_MS) sample("heartbeat", settled_ms);
    ran = player.running;
  }

  return {
    tick,
    get value() { return value; },
    get points() { return drawn.points; },

    /** @param {number} next @param {string} input @param {number} mono_ms the input's own time @returns {boolean} whether it was taken */
    change: (next, input, mono_ms) => {
      if (!player.playing || next === value) return false;
      if (!ran) tick(mono_ms);
      value = next;
      sample(input, Math.max(mono_ms, last));
      return true;
    },

    /** The stimulus goes on somewhere else. */
    cut: () => {
      drawn.cut();
      ran = false;
    },
  };
}

/** Marks on the time line. @param {{player: Watched, record: Record, saved?: Saved}} outside */
export function createMarks({ player, record, saved = [] }) {
  const marks = saved.filter(([kind]) => kind === MARK).map(([, { media_ms, sign }]) => ({ t: media_ms, v: sign }));
  return {
    /** @type {Point[]} */
    get points() { return marks; },

    /** @param {1 | -1} sign @param {string} input @param {number} mono_ms @returns {boolean} */
    add: (sign, input, mono_ms) => {
      if (!player.playing) return false;
      const { media_ms, frame } = player.moment(mono_ms);
      record(MARK, { sign, media_ms, frame, input }, { mono_ms });
      marks.push({ t: media_ms, v: sign });
      return true;
    },
  };
}

/** The line to draw, by media time. What is watched again replaces what was drawn there. */
export function line() {
  /** @type {Point[]} */
  const points = [];
  /** How far the line has come in this stretch of watching. @type {number | null} */
  let reached = null;

  return {
    points,
    /** @param {number} t @param {number} v */
    add: (t, v) => {
      if (reached !== null && t < reached) reached = null;
      let end = points.length;
      while (end > 0 && points[end - 1].t > t) end -= 1;
      let start = end;
      while (start > 0 && points[start - 1].t > (reached ?? t - 1)) start -= 1;
      const [one, two] = [points[start - 2], points[start - 1]];
      const level = reached !== null && one && two && one.v === v && two.v === v && two.t === reached;
      points.splice(level ? start - 1 : start, end - start + (level ? 1 : 0), { t, v });
      reached = t;
    },
    cut: () => { reached = null; },
  };
}
