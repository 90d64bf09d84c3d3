// @ts-check
/**
 * A trace while it is made: its value, what is recorded of it, and the line to draw. Pure: player and recorder are handed in.
 *
 * @typedef {{running: boolean, playing: boolean, moment: (mono_ms: number) => {media_ms: number, frame: number | null}}} Watched
 * @typedef {(kind: string, data: any, options?: {mono_ms: number}) => void} Record
 * @typedef {[kind: string, data: any][]} Saved what was recorded before a reload
 * @typedef {{t: number, v: number, until?: number}} Point media time and value from there on; of a mark, its last repetition
 */
export const SAMPLE = "trace.sample";
export const MARK = "trace.mark";
export const HOLD = "trace.hold";
export const HEARTBEAT_MS = 1000;
/** An input may be on its way for so long. A heartbeat tells what held so long ago, so that an input keeps its own time. */
export const SETTLED_MS = 100;

/** An input may come after a picture that is a little later than itself; farther back was another place of the stimulus. */
const JUMP_MS = 250;

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
    else if (ran && !player.running) drawn.add(player.moment(mono_ms).media_ms, value); // the line reaches its dot
    ran = player.running;
  }

  return {
    tick,
    get value() {
      return value;
    },
    get points() {
      return drawn.points;
    },

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

/**
 * Marks on the time line. A press is a mark at once; while it is held, the mark is repeated every `repeat_ms` of the medium, so that
 * nothing is repeated while the stimulus stands. Kept are the press and, when it is over, how long it was held.
 * @param {{player: Watched, record: Record, saved?: Saved, repeat_ms?: number}} outside
 */
export function createMarks({ player, record, saved = [], repeat_ms = 100 }) {
  /** @typedef {Point & {until: number}} Mark `until`: of its last repetition */
  /** @type {Mark[]} */
  const marks = [];
  /** The one that is held, how, and how far the stimulus has come since. @type {{mark: Mark, input: string, reached: number} | null} */
  let held = null;
  for (const [kind, data] of saved) {
    if (kind === MARK) marks.push({ t: data.media_ms, v: data.sign, until: data.media_ms });
    const mark = marks[marks.length - 1];
    if (kind === HOLD && mark) mark.until = lastOf(data.from_ms, data.media_ms, data.repeat_ms);
  }

  /** Goes on with what is held: as far as the stimulus has come, unless it went back to somewhere else. @param {number} mono_ms */
  function follow(mono_ms) {
    if (!held) return;
    const { media_ms } = player.moment(mono_ms);
    if (media_ms > held.reached - JUMP_MS) held.reached = Math.max(held.mark.t, media_ms);
    held.mark.until = lastOf(held.mark.t, held.reached, repeat_ms);
  }

  /** The key is let go, or the stimulus no longer goes on from where it was. @param {number} mono_ms */
  function end(mono_ms) {
    if (!held) return;
    const {
      mark: { t, v, until },
      input,
      reached,
    } = held;
    held = null;
    if (until === t) return;
    const { frame } = player.moment(mono_ms);
    record(HOLD, { sign: v, from_ms: t, media_ms: reached, repeat_ms, frame, input }, { mono_ms });
  }

  return {
    /** @type {Mark[]} */
    get points() {
      return marks;
    },
    /** How many of a sign there are, repetitions with them. @param {number} sign */
    count: (sign) =>
      marks.reduce(
        (sum, { t, v, until }) =>
          sum + (v === sign ? 1 + (until > t ? Math.round((until - t) / repeat_ms) : 0) : 0),
        0,
      ),

    /** @param {1 | -1} sign @param {string} input @param {number} mono_ms @returns {boolean} */
    add: (sign, input, mono_ms) => {
      end(mono_ms);
      if (!player.playing) return false;
      const { media_ms, frame } = player.moment(mono_ms);
      record(MARK, { sign, media_ms, frame, input }, { mono_ms });
      const mark = { t: media_ms, v: sign, until: media_ms };
      marks.push(mark);
      if (repeat_ms > 0) held = { mark, input, reached: media_ms };
      return true;
    },

    /** To be called for every picture: a pause lets go of what is held. @param {number} mono_ms */
    tick: (mono_ms) => {
      if (player.playing) follow(mono_ms);
      else end(mono_ms);
    },

    /** The key or button is up. @param {number} mono_ms */
    release: (mono_ms) => {
      if (player.playing) follow(mono_ms);
      end(mono_ms);
    },

    /** The stimulus goes on somewhere else. @param {number} mono_ms */
    cut: end,
  };
}

/** When a mark that is held from one moment to another is repeated for the last time. @param {number} from @param {number} to @param {number} every */
export function lastOf(from, to, every) {
  return every > 0 && to > from ? from + every * Math.floor((to - from) / every) : from;
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
      const [former, latter] = [points[start - 2], points[start - 1]];
      const level =
        reached !== null &&
        former &&
        latter &&
        former.v === v &&
        latter.v === v &&
        latter.t === reached;
      points.splice(level ? start - 1 : start, end - start + (level ? 1 : 0), { t, v });
      reached = t;
    },
    cut: () => {
      reached = null;
    },
  };
}
