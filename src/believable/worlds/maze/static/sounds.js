// @ts-check
/**
 * What the maze sounds like: steps, shots, explosions, hits, deaths. Made of noise and tones when they are needed, so that nothing
 * has to be loaded. Sounds of others are quieter the farther away, and come from their side.
 *
 * @typedef {{noise?: [from_hz: number, to_hz: number], tone?: [from_hz: number, to_hz: number], type?: OscillatorType, gain: number, lasts_s: number}} Voice
 */
import { TILE } from "./rules.js";

/** @type {Record<string, Voice[]>} */
export const SOUNDS = {
  step: [{ noise: [700, 250], gain: 0.22, lasts_s: 0.07 }],
  tread: [{ noise: [260, 110], gain: 0.7, lasts_s: 0.11 }, { tone: [85, 55], gain: 0.3, lasts_s: 0.09 }],
  shot: [{ noise: [5200, 500], gain: 0.5, lasts_s: 0.16 }, { tone: [320, 70], type: "square", gain: 0.14, lasts_s: 0.09 }],
  throw: [{ noise: [500, 1800], gain: 0.2, lasts_s: 0.2 }],
  hit: [{ tone: [760, 300], type: "square", gain: 0.16, lasts_s: 0.1 }],
  blast_hit: [{ tone: [500, 150], type: "square", gain: 0.16, lasts_s: 0.16 }],
  blast: [{ noise: [1600, 60], gain: 0.9, lasts_s: 0.75 }, { tone: [110, 34], gain: 0.6, lasts_s: 0.55 }],
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

/** Puts a sound on its way. @param {BaseAudioContext} audio @param {AudioNode} to @param {string} name @param {{gain?: number, pan?: number, at_s?: number}} [how] */
export function play(audio, to, name, { gain = 1, pan = 0, at_s = audio.currentTime } = {}) {
  const side = new StereoPannerNode(audio, { pan });
  side.connect(to);
  for (const voice of SOUNDS[name] ?? []) {
    const [from_hz, to_hz] = /** @type {[number, number]} */ (voice.noise ?? voice.tone);
    const end_s = at_s + voice.lasts_s;
    const loud = new GainNode(audio, { gain: 0 });
    loud.gain.setValueAtTime(0, at_s);
    loud.gain.linearRampToValueAtTime(voice.gain * gain, at_s + 0.004);
    loud.gain.exponentialRampToValueAtTime(0.0005, end_s);
    loud.connect(side);
    /** @type {AudioScheduledSourceNode} */ let source;
    if (voice.noise) {
      const filter = new BiquadFilterNode(audio, { type: "lowpass", frequency: from_hz });
      filter.frequency.setValueAtTime(from_hz, at_s);
      filter.frequency.exponentialRampToValueAtTime(to_hz, end_s);
      source = new AudioBufferSourceNode(audio, { buffer: noise(audio), loop: true });
      source.connect(filter).connect(loud);
    } else {
      const tone = new OscillatorNode(audio, { type: voice.type ?? "sine", frequency: from_hz });
      tone.frequency.setValueAtTime(from_hz, at_s);
      tone.frequency.exponentialRampToValueAtTime(to_hz, end_s);
      source = tone;
      source.connect(loud);
    }
    source.start(at_s);
    source.stop(end_s);
  }
}

/** @type {WeakMap<BaseAudioContext, AudioBuffer>} */
const noises = new WeakMap();

/** Half a second of noise, the same each time. @param {BaseAudioContext} audio */
function noise(audio) {
  const ready = noises.get(audio);
  if (ready) return ready;
  const buffer = new AudioBuffer({ length: Math.round(audio.sampleRate / 2), sampleRate: audio.sampleRate });
  const samples = buffer.getChannelData(0);
  let state = 1;
  for (let i = 0; i < samples.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    samples[i] = state / 2 ** 31 - 1;
  }
  noises.set(audio, buffer);
  return buffer;
}

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
        sound("tread", { gain: (1 - away / STEPS_TILES) ** 1.5, pan: Math.max(-1, Math.min(1, (ox - x) / TILE / 6)) });
      }
    },
  };
}

/**
 * The sounds of a round on the page, with the switch that silences them. Sound begins with the first click or key, as browsers want it.
 * @param {HTMLElement} form
 */
export function createSounds(form) {
  const leaving = new AbortController();
  const { signal } = leaving;
  const wanted = /** @type {HTMLInputElement | null} */ (form.querySelector(".sound input"));
  /** @type {AudioContext | null} */ let audio = null;
  /** @type {GainNode | null} */ let all = null;
  const begin = () => {
    audio ??= new AudioContext();
    if (!all) {
      all = new GainNode(audio, { gain: 0.5 });
      all.connect(audio.destination);
    }
    if (audio.state === "suspended") void audio.resume();
  };
  for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, begin, { signal });
  // The keys belong to the game again at once.
  wanted?.addEventListener("change", () => /** @type {HTMLElement} */ (form.querySelector(".field canvas")).focus(), { signal });
  const ears = createEars((name, how) => {
    if (audio && all && audio.state === "running" && (wanted?.checked ?? true)) play(audio, all, name, how);
  });
  return {
    hear: ears.hear,
    destroy: () => { leaving.abort(); void audio?.close(); },
  };
}
