// @ts-check
/**
 * Draws a trace below its stimulus: the whole time line, what was traced so far, and where the stimulus stands.
 *
 * @typedef {import("./trace.js").Point} Point
 * @typedef {{points: readonly Point[], time: number, value: number, live: boolean}} State `live`: the stimulus runs
 * @typedef {[low: number, high: number]} Range
 */
import { reach, ticks } from "./scale.js";

const PAD = { left: 46, right: 18, top: 14, bottom: 22 };
const DOT = 6;
/** How much of the way to its new range the axis goes per picture. */
const EASE = 0.22;

/** @param {HTMLCanvasElement} canvas @param {{duration: number, kind: "free" | "unit" | "marks"}} options */
export function createView(canvas, { duration, kind }) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let colours = readColours(canvas);
  /** @type {Range} */
  let range = kind === "free" ? reach([], 0) : [-1, 1];
  const box = { width: 0, height: 0 };
  const onScheme = () => {
    colours = readColours(canvas);
  };
  dark.addEventListener("change", onScheme);

  const x = (/** @type {number} */ t) =>
    PAD.left + (Math.min(Math.max(t, 0), duration) / duration) * (box.width - PAD.left - PAD.right);
  const y = (/** @type {number} */ v) =>
    PAD.top + ((range[1] - v) / (range[1] - range[0])) * (box.height - PAD.top - PAD.bottom);

  /** As many pixels as the screen has, so that lines stay sharp. */
  function fit() {
    const density = globalThis.devicePixelRatio || 1;
    box.width = canvas.clientWidth;
    box.height = canvas.clientHeight;
    const [width, height] = [Math.round(box.width * density), Math.round(box.height * density)];
    if (canvas.width !== width || canvas.height !== height)
      Object.assign(canvas, { width, height });
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, box.width, box.height);
  }

  /** @param {Range} wanted */
  function rescale(wanted) {
    const share = still.matches ? 1 : EASE;
    range = [range[0] + (wanted[0] - range[0]) * share, range[1] + (wanted[1] - range[1]) * share];
  }

  /** @param {number} time */
  function ground(time) {
    const [top, bottom] = [PAD.top - 8, box.height - PAD.bottom + 4];
    context.fillStyle = colours.page;
    context.beginPath();
    context.roundRect(PAD.left - 8, top, box.width - PAD.left - PAD.right + 16, bottom - top, 8);
    context.fill();
    context.fillStyle = colours.soft_accent;
    context.beginPath();
    context.roundRect(PAD.left - 8, top, x(time) - PAD.left + 8, bottom - top, [8, 0, 0, 8]);
    context.fill();
    context.fillStyle = colours.soft;
    context.font = `12px ${colours.font}`;
    context.textBaseline = "alphabetic";
    for (const { t, words } of ticks(duration, box.width - PAD.left - PAD.right)) {
      context.textAlign = t === 0 ? "left" : "center";
      context.fillText(words, t === 0 ? PAD.left - 8 : x(t), box.height - 4);
    }
  }

  /** A level to compare with. @param {number} v @param {string} words @param {boolean} dashed */
  function mark(v, words, dashed) {
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    context.setLineDash(dashed ? [4, 4] : []);
    context.beginPath();
    context.moveTo(PAD.left - 8, Math.round(y(v)) + 0.5);
    context.lineTo(box.width - PAD.right + 8, Math.round(y(v)) + 0.5);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = colours.soft;
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(words, PAD.left - 13, y(v));
  }

  /** @param {readonly Point[]} points */
  function levels(points) {
    mark(0, "0", true);
    if (kind === "unit") {
      mark(1, "+1", false);
      mark(-1, "−1", false);
      return;
    }
    const [high, low] = [
      Math.max(0, ...points.map(({ v }) => v)),
      Math.min(0, ...points.map(({ v }) => v)),
    ];
    if (y(0) - y(high) > 13) mark(high, signed(high), false);
    if (y(low) - y(0) > 13) mark(low, signed(low), false);
  }

  /** The line so far: a value holds until the next one. @param {State} state */
  function steps({ points, time, live }) {
    if (!points.length) return;
    const path = new Path2D();
    path.moveTo(x(points[0].t), y(points[0].v));
    for (let i = 1; i < points.length; i += 1) {
      path.lineTo(x(points[i].t), y(points[i - 1].v));
      path.lineTo(x(points[i].t), y(points[i].v));
    }
    const last = points[points.length - 1];
    const end = live ? Math.max(last.t, time) : last.t;
    path.lineTo(x(end), y(last.v));
    context.strokeStyle = colours.accent;
    context.lineWidth = 2.25;
    context.lineJoin = "round";
    context.stroke(path);
    path.lineTo(x(end), y(0));
    path.lineTo(x(points[0].t), y(0));
    context.globalAlpha = 0.12;
    context.fillStyle = colours.accent;
    context.fill(path);
    context.globalAlpha = 1;
  }

  /** Signs on stems: above the line what speaks for it, below what speaks against; a band for as long as it was held. @param {readonly Point[]} points */
  function signs(points) {
    mark(0, "", false);
    for (const { t, v, until = t } of points) {
      const [left, level] = [x(t), y(v * 0.6)];
      context.strokeStyle = context.fillStyle = v > 0 ? colours.good : colours.bad;
      if (until > t) {
        context.globalAlpha = 0.3;
        context.fillRect(left, Math.min(level, y(0)), x(until) - left, Math.abs(y(0) - level));
        context.globalAlpha = 1;
        context.fillRect(left, level - 2, x(until) - left, 4);
      }
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(left, y(0));
      context.lineTo(left, level);
      context.stroke();
      context.beginPath();
      context.arc(left, level, 9, 0, 2 * Math.PI);
      context.fill();
      context.strokeStyle = colours.panel;
      context.beginPath();
      context.moveTo(left - 4.5, level);
      context.lineTo(left + 4.5, level);
      if (v > 0) {
        context.moveTo(left, level - 4.5);
        context.lineTo(left, level + 4.5);
      }
      context.stroke();
    }
  }

  /** @param {State} state */
  function now({ time, value }) {
    context.strokeStyle = colours.soft;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x(time), PAD.top - 8);
    context.lineTo(x(time), box.height - PAD.bottom + 4);
    context.stroke();
    if (kind === "marks") return;
    context.fillStyle = colours.accent;
    context.strokeStyle = colours.panel;
    context.lineWidth = 2.5;
    context.beginPath();
    context.arc(x(time), y(value), kind === "unit" ? DOT + 3 : DOT, 0, 2 * Math.PI);
    context.fill();
    context.stroke();
  }

  return {
    /** @param {State} state */
    draw: (state) => {
      fit();
      if (!box.width) return;
      if (kind === "free") rescale(reach(state.points, state.value));
      ground(state.time);
      if (kind === "marks") signs(state.points);
      else {
        levels(state.points);
        steps(state);
      }
      now(state);
    },
    /** The value at a height of the canvas. @param {number} offset in CSS pixels from its top */
    valueAt: (offset) =>
      range[1] - ((offset - PAD.top) / (box.height - PAD.top - PAD.bottom)) * (range[1] - range[0]),
    destroy: () => dark.removeEventListener("change", onScheme),
  };
}

/** @param {number} value */
const signed = (value) => (value > 0 ? `+${value}` : String(value).replace("-", "−"));

/** @param {HTMLElement} element */
function readColours(element) {
  const style = getComputedStyle(element);
  const named = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  return {
    page: named("page"),
    panel: named("panel"),
    line: named("line"),
    soft: named("soft"),
    accent: named("accent"),
    soft_accent: named("accent-soft"),
    good: named("good"),
    bad: named("bad"),
    font: named("sans"),
  };
}
