// @ts-check
/**
 * The practice stimulus: a disc that grows, rests and shrinks. Nothing of it resembles what a study shows. It has what an
 * instrument needs of a player.
 */

/** Up (1) and down (-1), with a rest after each. */
export const MOVES = [
  { from_ms: 1500, to_ms: 4500, direction: 1 },
  { from_ms: 6500, to_ms: 9500, direction: -1 },
  { from_ms: 11_500, to_ms: 13_500, direction: 1 },
  { from_ms: 15_500, to_ms: 17_500, direction: -1 },
];
export const DURATION_MS = 19_500;
const [SMALL, LARGE] = [0.3, 0.9];
/** A longer gap between two pictures means that nothing was on screen. */
const LONGEST_FRAME_MS = 500;

/** How large the disc is, as a share of the height. Pure. @param {number} ms */
export function size(ms) {
  let share = 0;
  for (const { from_ms, to_ms, direction } of MOVES) {
    const done = Math.min(1, Math.max(0, (ms - from_ms) / (to_ms - from_ms)));
    const eased = done * done * (3 - 2 * done);
    share += direction * eased;
  }
  return SMALL + (LARGE - SMALL) * share;
}

/** @param {HTMLCanvasElement} canvas */
export function createDisc(canvas) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {Record<string, (() => void)[]>} */
  const listeners = {};
  const emit = (/** @type {string} */ name) =>
    (listeners[name] ?? []).forEach((listener) => listener());
  let time = 0;
  let running = false;
  let frame = 0;
  let drawnAt = 0;
  let handle = 0;

  function draw() {
    const density = globalThis.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth * density, canvas.clientHeight * density].map(
      Math.round,
    );
    if (canvas.width !== width || canvas.height !== height)
      Object.assign(canvas, { width, height });
    const style = getComputedStyle(canvas);
    context.clearRect(0, 0, width, height);
    context.fillStyle = style.getPropertyValue("--accent");
    context.beginPath();
    context.arc(
      width / 2,
      height / 2,
      Math.max(0, (size(time) * Math.min(width, height)) / 2),
      0,
      2 * Math.PI,
    );
    context.fill();
    frame += 1;
  }

  /** @param {number} now */
  function loop(now) {
    handle = requestAnimationFrame(loop);
    const passed = now - drawnAt;
    drawnAt = now;
    if (running && passed > 0 && passed < LONGEST_FRAME_MS)
      time = Math.min(DURATION_MS, time + passed);
    draw();
    if (!running || time < DURATION_MS) return;
    running = false;
    emit("ended");
  }
  handle = requestAnimationFrame(loop);

  return {
    get time_ms() {
      return time;
    },
    get duration_ms() {
      return DURATION_MS;
    },
    get running() {
      return running;
    },
    get playing() {
      return running;
    },
    get ended() {
      return time >= DURATION_MS;
    },
    /** @param {number} mono_ms */
    moment: (mono_ms) => ({
      media_ms: Math.round(Math.min(time, Math.max(0, time + Math.min(0, mono_ms - drawnAt)))),
      frame,
    }),
    /** @param {string} name @param {() => void} listener */
    on: (name, listener) => void (listeners[name] ??= []).push(listener),
    start: () => {
      time = frame = 0;
      running = true;
      emit("play");
    },
    destroy: () => cancelAnimationFrame(handle),
  };
}
