// @ts-check
/** The opponent between the pictures that have arrived: a little in the past, so that it moves evenly. */

const KEPT = 40;
const JUMP = 1500;

/** @typedef {import("./prediction.js").Picture} Picture */

export function createOthers() {
  /** @type {Picture[]} */
  let pictures = [];
  return {
    /** @param {Picture} picture */
    add(picture) {
      const last = pictures[pictures.length - 1];
      if (last && picture.t < last.t) pictures = [];
      if (last && picture.t === last.t) pictures.pop();
      pictures.push(picture);
      if (pictures.length > KEPT) pictures.shift();
    },
    get latest() {
      return pictures[pictures.length - 1];
    },

    /** Where it is at a tick with fractions. @param {number} tick @returns {{x: number, y: number, heading: number} | null} null also while fog hides it */
    opponent(tick) {
      if (!pictures.length) return null;
      const next = pictures.findIndex(({ t }) => t > tick);
      if (next <= 0) return pose(pictures[next === 0 ? 0 : pictures.length - 1].o);
      const a = pictures[next - 1];
      const b = pictures[next];
      return a.o && b.o ? between(a.o, b.o, (tick - a.t) / (b.t - a.t)) : pose(a.o);
    },
  };
}

/** @param {number[] | null} o */
const pose = (o) => o && { x: o[0], y: o[1], heading: o[2] };

/** @param {number[]} a @param {number[]} b @param {number} share */
function between(a, b, share) {
  if (Math.hypot(b[0] - a[0], b[1] - a[1]) > JUMP) return pose(share < 1 ? a : b);
  const turn = ((((b[2] - a[2] + 180) % 360) + 360) % 360) - 180;
  return {
    x: a[0] + (b[0] - a[0]) * share,
    y: a[1] + (b[1] - a[1]) * share,
    heading: a[2] + turn * share,
  };
}
