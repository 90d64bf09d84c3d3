// @ts-check
/**
 * The player's own figure, moved at once by the same rules as on the server and put right by each picture that arrives.
 *
 * @typedef {import("./rules.js").Own} Own
 * @typedef {import("./rules.js").Keys} Keys
 * @typedef {{t: number, p: number[], o: number[] | null, h?: [side: number, loudness: number] | null, m: any[][], f: number[], s: number, n: number, r: number[], e: string[], x: any[][],
 *   st: string, d?: number, c?: number, q?: number, w?: number}} Picture
 */
import { step } from "./rules.js";

/** A correction larger than this is a jump (both were put back to their places). */
const JUMP = 1500;
/** A correction fades with this time constant. */
const FADE_MS = 80;
const STILL = { dx: 0, dy: 0, aim: 0, shoot: 0, bomb: 0 };

/** @param {import("./rules.js").Grid} grid @param {import("./rules.js").Rules} rules */
export function createPrediction(grid, rules) {
  /** @type {Map<number, Keys>} */
  const pressed = new Map();
  /** @type {Own | null} */ let own = null;
  /** @type {Own | null} */ let before = null;
  let tick = 0;
  let error = { x: 0, y: 0 };
  let faded_ms = 0;

  return {
    /** The tick that comes next. */
    get tick() {
      return tick;
    },
    get own() {
      return own;
    },
    /** The keys that the latest tick was played with. */
    keysAt: (/** @type {number} */ at) => pressed.get(at) ?? STILL,

    /** Begin at a picture: nothing of before counts. @param {Picture} picture */
    restart(picture) {
      pressed.clear();
      own = before = stateOf(picture);
      tick = picture.t;
      error = { x: 0, y: 0 };
    },

    /** Play one tick ahead. @param {Keys} keys */
    advance(keys) {
      if (!own) return;
      pressed.set(tick, keys);
      before = own;
      own = step(own, tick, keys, grid, rules);
      tick += 1;
    },

    /** What the server says was so at `picture.t`; the ticks since then are played again. @param {Picture} picture */
    correct(picture) {
      if (!own) return this.restart(picture);
      for (const at of pressed.keys()) if (at < picture.t) pressed.delete(at);
      let state = stateOf(picture);
      let previous = state;
      for (let at = picture.t; at < tick; at += 1) {
        previous = state;
        state = step(state, at, pressed.get(at) ?? STILL, grid, rules);
      }
      if (picture.t >= tick) tick = picture.t;
      const moved = { x: own.x - state.x + error.x, y: own.y - state.y + error.y };
      error = Math.hypot(moved.x, moved.y) > JUMP ? { x: 0, y: 0 } : moved;
      own = state;
      before = previous;
    },

    /** What to draw between two ticks. @param {number} share 0: the one before, 1: the latest @param {number} now_ms */
    shown(share, now_ms) {
      if (!own || !before) return null;
      const fade = Math.exp(-Math.max(0, now_ms - faded_ms) / FADE_MS);
      faded_ms = now_ms;
      error = { x: error.x * fade, y: error.y * fade };
      const jumped = Math.hypot(own.x - before.x, own.y - before.y) > JUMP;
      const back = jumped ? 0 : 1 - share;
      return {
        x: own.x - (own.x - before.x) * back + error.x,
        y: own.y - (own.y - before.y) * back + error.y,
        heading: own.heading,
        missiles: own.missiles.map((missile) => ({
          ...missile,
          x: missile.x - missile.vx * back,
          y: missile.y - missile.vy * back,
        })),
      };
    },
  };
}

/** @param {Picture} picture @returns {Own} */
function stateOf({ p: [x, y, heading], m, r: [bulletReady, bombReady, launched] }) {
  const missiles = m.map(([id, bomb, mx, my, vx, vy, left]) => ({
    id,
    bomb,
    x: mx,
    y: my,
    vx,
    vy,
    left,
  }));
  return { x, y, heading, missiles, bulletReady, bombReady, made: launched };
}
