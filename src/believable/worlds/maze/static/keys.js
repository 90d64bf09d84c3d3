// @ts-check
/**
 * What keys and mouse say, asked for once per tick. A key that went down and up between two ticks still counts once.
 * @typedef {import("./rules.js").Keys} Keys
 */

/** By place on the keyboard, so that they lie well on every layout. @type {Record<string, string>} */
const ACTIONS = {
  KeyW: "up",
  ArrowUp: "up",
  KeyS: "down",
  ArrowDown: "down",
  KeyA: "left",
  ArrowLeft: "left",
  KeyD: "right",
  ArrowRight: "right",
  Space: "shoot",
  KeyB: "bomb",
  ShiftLeft: "bomb",
  ShiftRight: "bomb",
};
const BUTTONS = ["shoot", "", "bomb"];

/**
 * @param {HTMLCanvasElement} canvas
 * @param {object} outside
 * @param {EventTarget} outside.keys where keys are listened to
 * @param {() => boolean} outside.active whether the game wants them
 * @param {(x: number, y: number) => [number, number]} outside.toTiles where in the world a point of the window is, in thousandths
 */
export function createKeys(canvas, { keys, active, toTiles }) {
  const leaving = new AbortController();
  const { signal } = leaving;
  /** @type {Set<string>} */ const down = new Set();
  /** @type {Set<string>} */ const tapped = new Set();
  /** @type {{x: number, y: number} | null} */ let pointer = null;
  let heading = 0;
  let last_ms = -Infinity;

  /** @param {string} action */
  const press = (action) => {
    down.add(action);
    tapped.add(action);
    last_ms = performance.now();
  };
  /** @param {string | undefined} action */
  const lift = (action) => {
    if (action && down.delete(action)) last_ms = performance.now();
  };
  const release = () => {
    down.clear();
    tapped.clear();
  };

  keys.addEventListener(
    "keydown",
    (event) => {
      const { code, repeat, target, ctrlKey, metaKey, altKey } = /** @type {KeyboardEvent} */ (
        event
      );
      const action = ACTIONS[code];
      const elsewhere =
        target instanceof Element && target.closest("input, textarea, select, dialog, button, a");
      if (!action || !active() || elsewhere || ctrlKey || metaKey || altKey) return;
      event.preventDefault();
      if (!repeat) press(action);
    },
    { signal },
  );
  keys.addEventListener(
    "keyup",
    (event) => lift(ACTIONS[/** @type {KeyboardEvent} */ (event).code]),
    { signal },
  );
  addEventListener("blur", release, { signal });
  canvas.addEventListener(
    "pointermove",
    (event) => {
      pointer = { x: event.clientX, y: event.clientY };
    },
    { signal },
  );
  canvas.addEventListener(
    "pointerleave",
    () => {
      pointer = null;
    },
    { signal },
  );
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      pointer = { x: event.clientX, y: event.clientY };
      const action = BUTTONS[event.button];
      if (action && active()) {
        press(action);
        event.preventDefault();
        canvas.focus({ preventScroll: true });
      }
    },
    { signal },
  );
  addEventListener("pointerup", (event) => lift(BUTTONS[event.button]), { signal });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault(), { signal });

  /** @param {string} action */
  const pressed = (action) => Number(down.has(action) || tapped.has(action));

  return {
    /** The keys of this tick. @param {{x: number, y: number}} figure where the player's figure is @returns {Keys} */
    sample(figure) {
      const dx = pressed("right") - pressed("left");
      const dy = pressed("down") - pressed("up");
      if (pointer) {
        const [x, y] = toTiles(pointer.x, pointer.y);
        if (Math.hypot(x - figure.x, y - figure.y) > 100)
          heading = degrees(x - figure.x, y - figure.y);
      } else if (dx || dy) heading = degrees(dx, dy);
      const keys = { dx, dy, aim: heading, shoot: pressed("shoot"), bomb: pressed("bomb") };
      tapped.clear();
      return keys;
    },
    /** Which way the figure looks at the beginning. @param {number} aim */
    look: (aim) => {
      heading = aim;
    },
    release,
    /** How long ago the last of them went down or up; none at all while one is held. */
    get quiet_ms() {
      return down.size ? 0 : performance.now() - last_ms;
    },
    destroy: () => leaving.abort(),
  };
}

/** @param {number} dx @param {number} dy */
function degrees(dx, dy) {
  return ((Math.round((Math.atan2(dy, dx) * 180) / Math.PI) % 360) + 360) % 360;
}
