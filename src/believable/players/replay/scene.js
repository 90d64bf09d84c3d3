// @ts-check
/**
 * A recording and its scene, and what is on screen at a moment. The same function as `believable.recordings.scene.display_list`;
 * a test holds the two equal.
 *
 * @typedef {{kind: string, fill: string, x?: number, y?: number, w?: number, h?: number, r?: number, from_deg?: number,
 *   to_deg?: number, points?: number[][], text?: string, size?: number, state?: string, full?: number, turns?: boolean, halo?: string}} Shape
 * @typedef {{actor: string, shapes: Shape[], label: string, bubbles: string[], shown_when: string}} Sprite
 * @typedef {{width: number, height: number, left: number, top: number, background: string, ground: Shape[], sprites: Sprite[], above: Shape[],
 *   walls?: string[], readouts?: import("./readouts.js").Readout[]}} Scene
 * @typedef {{frame: number, value: any}} Change
 * @typedef {{x: Int32Array, y: Int32Array, heading: Int32Array, first: number, states: Map<string, Change[]>}} Track
 * @typedef {{tracks: Map<string, Track>, frameMs: number, frames: number, durationMs: number, start: string | null,
 *   simulatedMs: number | null, jumps?: [number, number][], actors: {id: string, name: string}[], actions: any[], plans: any[]}} Recording
 */

import { sight } from "./sight.js";

const UNITS_PER_TILE = 1000;
const JUMP_TILES = 1.5;
/** Half the width of a letter of a name, in heights of the line. */
const HALF_LETTER = 0.28;

/** @param {any} tree `believable-replay/1` as JSON values @returns {Recording} */
export function recording(tree) {
  const timing = tree.timing;
  return {
    tracks: new Map(tree.tracks.map((/** @type {any} */ track) => [track.actor, toTrack(track)])),
    frameMs: timing.frame_ms,
    frames: timing.frames,
    durationMs: Math.round(timing.frame_ms * timing.frames),
    start: timing.simulated_start,
    simulatedMs: timing.simulated_ms_per_frame,
    jumps: timing.jumps ?? [],
    actors: tree.actors,
    actions: toRows(tree.actions),
    plans: toRows(tree.plans),
  };
}

/**
 * @param {Scene} scene @param {Recording} replay @param {number} tMs @param {boolean} [quiet] without bubbles
 * @param {string | null} [followed] the actor that nobody covers @returns {Shape[]} everything above the ground, bottom first
 */
export function displayList(scene, replay, tMs, quiet = false, followed = null) {
  const frame = Math.min(Math.max(tMs / replay.frameMs, 0), replay.frames - 1);
  /** @type {Shape[]} */ const placed = [];
  /** @type {Shape[]} */ const words = [];
  const above = scene.sprites.filter(({ actor }) => actor === followed);
  const sprites = above.length
    ? [...scene.sprites.filter(({ actor }) => actor !== followed), ...above]
    : scene.sprites;
  for (const sprite of sprites) {
    const track = replay.tracks.get(sprite.actor);
    const pose = track && poseAt(track, frame);
    if (!track || !pose || (sprite.shown_when && !stateAt(track, sprite.shown_when, frame)))
      continue;
    for (const shape of sprite.shapes)
      placed.push(place(shape, pose, track, frame, scene.walls ?? []));
    words.push(
      ...wordsOf(sprite, pose, track, frame).filter(({ kind }) => !quiet || kind !== "bubble"),
    );
  }
  return [...scene.ground, ...placed, ...scene.above, ...apart(words)];
}

/** Names that would stand upon each other stand one below the other, that of whoever is on top first. @param {Shape[]} words @returns {Shape[]} */
function apart(words) {
  /** @type {Shape[]} */ const names = [];
  const moved = [...words].reverse().map((word) => {
    if (word.kind !== "text") return word;
    const { x = 0, size = 0, text = "" } = word;
    let { y = 0 } = word;
    const touches = (/** @type {Shape} */ name) =>
      Math.abs((name.y ?? 0) - y) < 0.9 * size &&
      Math.abs((name.x ?? 0) - x) < HALF_LETTER * size * (text + name.text).length;
    while (names.some(touches)) y += size;
    const placed = { ...word, y };
    names.push(placed);
    return placed;
  });
  return moved.reverse();
}

/** @param {Track} track @param {number} frame @returns {{x: number, y: number, heading: number} | null} */
export function poseAt(track, frame) {
  const last = track.x.length - 1;
  const at = frame - track.first;
  if (at < 0 || at > last + 1e-9) return null;
  const low = Math.min(Math.floor(at), last);
  const high = Math.min(low + 1, last);
  const share = at - low;
  let dx = track.x[high] - track.x[low];
  let dy = track.y[high] - track.y[low];
  if (Math.hypot(dx, dy) > JUMP_TILES * UNITS_PER_TILE) dx = dy = 0;
  let heading = 0;
  if (track.heading.length) {
    const turn = modulo(track.heading[high] - track.heading[low] + 180, 360) - 180;
    heading = modulo(track.heading[low] + turn * share, 360);
  }
  return {
    x: (track.x[low] + dx * share) / UNITS_PER_TILE,
    y: (track.y[low] + dy * share) / UNITS_PER_TILE,
    heading,
  };
}

/** @param {Track} track @param {string} key @param {number} frame */
export function stateAt(track, key, frame) {
  const changes = track.states.get(key) ?? [];
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (changes[middle].frame <= frame) low = middle + 1;
    else high = middle;
  }
  return low ? changes[low - 1].value : null;
}

/**
 * @param {Shape} shape @param {{x: number, y: number, heading: number}} pose @param {Track} track @param {number} frame
 * @param {string[]} walls @returns {Shape}
 */
function place(shape, pose, track, frame, walls) {
  const turns = shape.turns ?? true;
  const angle = turns ? (pose.heading * Math.PI) / 180 : 0;
  const cos = Math.cos(angle);
  const sin = Math.sin(angle);
  const moved = (/** @type {number} */ x, /** @type {number} */ y) => [
    pose.x + x * cos - y * sin,
    pose.y + x * sin + y * cos,
  ];
  const { x: sx = 0, y: sy = 0, w = 0, h = 0, r = 0 } = shape;
  const { kind, fill } = shape;
  if (kind === "bar") {
    const value = Number(stateAt(track, shape.state ?? "", frame) || 0);
    const share = Math.min(Math.max(value / (shape.full ?? 1), 0), 1);
    return { kind: "rect", fill, x: pose.x + sx, y: pose.y + sy, w: w * share, h };
  }
  if (kind === "view") {
    const turn = turns ? pose.heading : 0;
    const points = sight(
      walls,
      pose.x,
      pose.y,
      r,
      (shape.from_deg ?? 0) + turn,
      (shape.to_deg ?? 360) + turn,
    );
    return { kind: "star", fill, points };
  }
  if (kind === "rect") {
    const corners = [
      [sx, sy],
      [sx + w, sy],
      [sx + w, sy + h],
      [sx, sy + h],
    ];
    return { kind: "poly", fill, points: corners.map(([x, y]) => moved(x, y)) };
  }
  if (kind === "poly")
    return { kind, fill, points: (shape.points ?? []).map(([x, y]) => moved(x, y)) };
  const [x, y] = moved(sx, sy);
  if (kind === "sector") {
    const turn = turns ? pose.heading : 0;
    return {
      kind,
      fill,
      x,
      y,
      r,
      from_deg: (shape.from_deg ?? 0) + turn,
      to_deg: (shape.to_deg ?? 360) + turn,
    };
  }
  return { kind, fill, x, y, r, text: shape.text ?? "", size: shape.size ?? 0 };
}

/** @param {Sprite} sprite @param {{x: number, y: number}} pose @param {Track} track @param {number} frame @returns {Shape[]} */
function wordsOf(sprite, pose, track, frame) {
  /** @type {Shape[]} */ const words = [];
  if (sprite.label)
    words.push({
      kind: "text",
      fill: "#26303a",
      x: pose.x,
      y: pose.y + 1.1,
      text: sprite.label,
      size: 0.8,
      halo: "#ffffffb3",
    });
  const said = sprite.bubbles.map((key) => stateAt(track, key, frame)).find(Boolean);
  if (said)
    words.push({
      kind: "bubble",
      fill: "#ffffff",
      x: pose.x,
      y: pose.y - 0.8,
      text: String(said),
      size: 0.8,
    });
  return words;
}

/** @param {any} tree @returns {Track} */
function toTrack(tree) {
  /** @type {Map<string, Change[]>} */ const states = new Map();
  for (const [frame, key, value] of tree.states) {
    if (!states.has(key)) states.set(key, []);
    states.get(key)?.push({ frame, value });
  }
  return {
    x: summed(tree.x),
    y: summed(tree.y),
    heading: summed(tree.heading),
    first: tree.first_frame,
    states,
  };
}

/** @param {number[]} deltas */
function summed(deltas) {
  const values = new Int32Array(deltas.length);
  let sum = 0;
  for (let i = 0; i < deltas.length; i += 1) values[i] = sum += deltas[i];
  return values;
}

/** @param {Record<string, any[]>} columns @returns {any[]} */
export function toRows(columns) {
  const names = Object.keys(columns);
  return (columns[names[0]] ?? []).map((_, i) =>
    Object.fromEntries(names.map((name) => [name, columns[name][i]])),
  );
}

/** @param {number} a @param {number} n the sign of the divisor, as in Python */
function modulo(a, n) {
  return ((a % n) + n) % n;
}
