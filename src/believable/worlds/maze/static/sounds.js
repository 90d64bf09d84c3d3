// @ts-check
/**
 * What the maze sounds like: steps, shots, explosions, hits, deaths. Sounds of others are quieter the farther away, and come from
 * their side.
 */
import { createSpeaker } from "/static/play/sounds.js";
import { TILE } from "./rules.js";

/** @type {Record<string, import("/static/play/sounds.js").Voice[]>} */
export const SOUNDS = {
  step: [{ noise: [700, 250], gain: 0.22, lasts_s: 0.07 }],
  tread: [
    { noise: [260, 110], gain: 0.7, lasts_s: 0.11 },
    { tone: [85, 55], gain: 0.3, lasts_s: 0.09 },
  ],
  shot: [
    { noise: [5200, 500], gain: 0.5, lasts_s: 0.16 },
    { tone: [320, 70], type: "square", gain: 0.14, lasts_s: 0.09 },
  ],
  throw: [{ noise: [500, 1800], gain: 0.2, lasts_s: 0.2 }],
  hit: [{ tone: [760, 300], type: "square", gain: 0.16, lasts_s: 0.1 }],
  blast_hit: [{ tone: [500, 150], type: "square", gain: 0.16, lasts_s: 0.16 }],
  blast: [
    { noise: [1600, 60], gain: 0.9, lasts_s: 0.75 },
    { tone: [110, 34], gain: 0.6, lasts_s: 0.55 },
  ],
  hurt: [{ tone: [240, 150], type: "sawtooth", gain: 0.16, lasts_s: 0.12 }],
  burn: [{ noise: [2600, 1200], gain: 0.08, lasts_s: 0.1 }],
  caught: [{ tone: [420, 90], type: "sawtooth", gain: 0.3, lasts_s: 0.7 }],
  player_killed: [{ tone: [420, 90], type: "sawtooth", gain: 0.3, lasts_s: 0.7 }],
  opponent_killed: [{ tone: [440, 880], type: "triangle", gain: 0.35, lasts_s: 0.45 }],
};
/** So far a step takes one. */
const STRIDE = 0.95 * TILE;
/** Farther away than this nobody hears steps. */
const STEPS_TILES = 9;
const JUMP = 1500;

/**
 * Hears pictures of a round and says which sounds they make.
 * @param {(name: string, how?: {gain?: number, pan?: number}) => void} sound
 */
export function createEars(sound) {
  /** @type {Record<string, {x: number, y: number, walked: number}>} */
  const walkers = {};

  /** @param {string} who @param {number} x @param {number} y @returns {boolean} whether a foot comes down */
  function steps(who, x, y) {
    const before = walkers[who];
    const moved = before ? Math.hypot(x - before.x, y - before.y) : Infinity;
    const walked = moved > JUMP ? 0 : before.walked + moved;
    walkers[who] = { x, y, walked: walked >= STRIDE ? walked - STRIDE : walked };
    return walked >= STRIDE;
  }

  return {
    /** @param {{p: number[], o: number[] | null, h?: [side: number, loudness: number] | null, e: string[]}} picture `h`: steps in the fog */
    hear({ p: [x, y], o, h, e }) {
      for (const name of new Set(e)) if (name in SOUNDS) sound(name);
      if (steps("player", x, y)) sound("step");
      if (h) sound("tread", { gain: h[1], pan: h[0] });
      if (!o) return;
      const [ox, oy] = o;
      const away = Math.hypot(ox - x, oy - y) / TILE;
      if (steps("opponent", ox, oy) && away < STEPS_TILES) {
        sound("tread", {
          gain: (1 - away / STEPS_TILES) ** 1.5,
          pan: Math.max(-1, Math.min(1, (ox - x) / TILE / 6)),
        });
      }
    },
  };
}

/** The sounds of a round on the page. @param {HTMLElement} form */
export function createSounds(form) {
  const speaker = createSpeaker(form, SOUNDS);
  return { hear: createEars(speaker.say).hear, destroy: speaker.destroy };
}
