// @ts-check
/**
 * Keys and mouse as a world's controls say, asked for with every picture of the screen. A key that went down and up in between
 * still counts once. In a part that is `pressed`, presses are counted: each takes the next serial. The mouse counts while the canvas has it to itself (pointer lock).
 *
 * @typedef {object} Controls
 * @property {[kind: string, low: number, high: number][]} parts of an input, in their order
 * @property {Record<string, [part: number, value: number]>} keys by their place on the keyboard, `KeyA+KeyW` for several together
 * @property {Record<string, [part: number, value: number]>} buttons of the mouse
 * @property {[sideways: number, upwards: number, per_px: number] | null} mouse
 */

/** As in the world's contract: presses are counted from 1 to this, then from 1 again. */
const SERIALS = 7;
const REMEMBERED = "believable.sensitivity";
/** After a longer stop a key that is held has not turned for all of it. */
const LONGEST_MS = 100;

/**
 * @param {HTMLCanvasElement} canvas @param {Controls} controls
 * @param {{active: () => boolean, act: () => void, settings: HTMLElement, now: () => number}} outside `settings` holds the page's slider
 */
export function createControls(
  canvas,
  { parts, keys, buttons, mouse },
  { active, act, settings, now },
) {
  const leaving = new AbortController();
  const { signal } = leaving;
  /** What is down, with when it went down, counted. @type {Map<string, number>} */ const down =
    new Map();
  /** @type {Map<string, number>} */ const tapped = new Map();
  /** Movements that did not make a whole step yet, by part. */
  const moved = parts.map(() => 0);
  const uses = [
    ...Object.entries(keys).map(([codes, [part, value]]) => ({
      codes: codes.split("+"),
      part,
      value,
    })),
    ...Object.entries(buttons).map(([button, [part, value]]) => ({
      codes: [`Mouse${button}`],
      part,
      value,
    })),
  ];
  const used = new Set(uses.flatMap(({ codes }) => codes));
  const hint = /** @type {HTMLElement | null} */ (settings.querySelector(".mouse-hint"));
  const slider = sensitivity(settings, Boolean(mouse), signal, () =>
    canvas.focus({ preventScroll: true }),
  );
  let count = 0;
  let last_ms = -Infinity;
  let sampled_ms = now();
  let state = "";

  const locked = () => document.pointerLockElement === canvas;

  /** @param {string} code */
  function press(code) {
    count += 1;
    down.set(code, count);
    tapped.set(code, count);
    last_ms = now();
    act();
  }

  /** @param {string} code */
  function lift(code) {
    if (!down.delete(code)) return;
    last_ms = now();
    act();
  }

  function release() {
    down.clear();
    tapped.clear();
    moved.fill(0);
  }

  function lock() {
    if (!mouse || locked()) return;
    // Some browsers have no promise here, some refuse for a moment after Esc: the hint says that a click tries again.
    void Promise.resolve(canvas.requestPointerLock?.()).catch(() => {});
  }

  function free() {
    if (locked() && state !== "run" && state !== "count") document.exitPointerLock();
  }

  function hintNow() {
    if (hint) hint.hidden = !mouse || locked() || state !== "run";
  }

  document.addEventListener(
    "keydown",
    (event) => {
      const { code, repeat, target, ctrlKey, metaKey, altKey } = event;
      const elsewhere =
        target instanceof Element && target.closest("input, textarea, select, dialog, button, a");
      if (!used.has(code) || !active() || elsewhere || ctrlKey || metaKey || altKey) return;
      event.preventDefault();
      if (!repeat) press(code);
    },
    { signal },
  );
  document.addEventListener("keyup", ({ code }) => lift(code), { signal });
  addEventListener("blur", release, { signal });
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      if (!active()) return;
      event.preventDefault();
      canvas.focus({ preventScroll: true });
      if (mouse && !locked())
        lock(); // this click asks for the mouse; it does nothing else
      else if (used.has(`Mouse${event.button}`)) press(`Mouse${event.button}`);
    },
    { signal },
  );
  addEventListener("pointerup", ({ button }) => lift(`Mouse${button}`), { signal });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });
  document.addEventListener(
    "mousemove",
    ({ movementX, movementY }) => {
      if (!mouse || !locked() || !active()) return;
      const [sideways, upwards, per_px] = mouse;
      moved[sideways] += movementX * per_px * slider.value;
      moved[upwards] -= movementY * per_px * slider.value;
    },
    { signal },
  );
  // A click may ask for the mouse just before the round ends, and get it afterwards.
  document.addEventListener(
    "pointerlockchange",
    () => {
      free();
      hintNow();
    },
    { signal },
  );

  /** When the last of these went down; null where one of them is not. @param {string[]} codes */
  function since(codes) {
    const when = codes.map((code) => down.get(code) ?? tapped.get(code));
    return when.includes(undefined) ? null : Math.max(.../** @type {number[]} */ (when));
  }

  /** @param {number} part @param {number} elapsed_ms */
  function valueOf(part, elapsed_ms) {
    const [kind, low, high] = parts[part];
    const pressed = uses.flatMap((use) => {
      const when = use.part === part ? since(use.codes) : null;
      return when === null ? [] : [{ value: use.value, codes: use.codes.length, when }];
    });
    if (kind === "moved") {
      moved[part] += pressed.reduce((sum, { value }) => sum + (value * elapsed_ms) / 1000, 0);
      const whole = Math.min(Math.max(Math.trunc(moved[part]), low), high);
      moved[part] -= whole;
      return whole;
    }
    if (low < 0)
      return Math.min(
        Math.max(
          pressed.reduce((sum, { value }) => sum + value, 0),
          low,
        ),
        high,
      );
    // More keys together mean more than one of them; otherwise what was pressed last counts.
    const last = pressed.sort((a, b) => a.codes - b.codes || a.when - b.when).at(-1);
    if (!last || kind !== "pressed") return last?.value ?? 0;
    return last.value + (high / (SERIALS + 1)) * (1 + ((last.when - 1) % SERIALS));
  }

  return {
    /** The input now. */
    sample() {
      const elapsed_ms = Math.min(now() - sampled_ms, LONGEST_MS);
      sampled_ms = now();
      const input = parts.map((_, part) => valueOf(part, elapsed_ms));
      tapped.clear();
      return input;
    },
    /** Whether it counts again when it repeats. @param {number[]} input */
    moves: (input) => input.some((value, part) => parts[part][0] === "moved" && value !== 0),
    /** @param {string} entered */
    enter(entered) {
      state = entered;
      free();
      hintNow();
    },
    lock,
    release,
    /** How long ago the last of them went down or up; none at all while one is held. */
    get quiet_ms() {
      return down.size ? 0 : now() - last_ms;
    },
    destroy() {
      leaving.abort();
      if (locked()) document.exitPointerLock();
    },
  };
}

/**
 * How fast the mouse is: the page's slider, kept in this browser.
 * @param {HTMLElement} settings @param {boolean} shown @param {AbortSignal} signal @param {() => void} done
 */
function sensitivity(settings, shown, signal, done) {
  const label = /** @type {HTMLElement | null} */ (settings.querySelector(".sensitivity"));
  const slider = /** @type {HTMLInputElement | null} */ (label?.querySelector("input") ?? null);
  if (label) label.hidden = !shown;
  const kept = Number(stored()?.getItem(REMEMBERED));
  if (slider && kept >= Number(slider.min) && kept <= Number(slider.max))
    slider.value = String(kept);
  slider?.addEventListener(
    "change",
    () => {
      try {
        stored()?.setItem(REMEMBERED, slider.value);
      } catch {
        /* it holds for this page */
      }
      done();
    },
    { signal },
  );
  return {
    get value() {
      return slider ? Number(slider.value) : 1;
    },
  };
}

/** Some browsers forbid it. @returns {Storage | null} */
function stored() {
  try {
    return localStorage;
  } catch {
    return null;
  }
}
