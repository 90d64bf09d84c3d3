import assert from "node:assert/strict";
import { test } from "node:test";

import { createControls } from "../../src/believable/web/static/play/controls.js";

class Key extends Event {
  constructor(kind, code, more = {}) {
    super(kind, { cancelable: true });
    Object.assign(this, { code, ...more });
  }
}

/** A page with a canvas that can have the mouse to itself. */
function page(controls) {
  const document = Object.assign(new EventTarget(), {
    pointerLockElement: null,
    exitPointerLock: () => {},
  });
  const window = new EventTarget();
  Object.assign(globalThis, {
    document,
    Element: class {},
    addEventListener: window.addEventListener.bind(window),
  });
  const canvas = Object.assign(new EventTarget(), {
    focus: () => {},
    requestPointerLock: () => {},
  });
  const settings = { querySelector: () => null };
  let now_ms = 0;
  let acts = 0;
  const made = createControls(canvas, controls, {
    active: () => true,
    act: () => {
      acts += 1;
    },
    settings,
    now: () => now_ms,
  });
  return {
    controls: made,
    document,
    canvas,
    down: (code, more) => document.dispatchEvent(new Key("keydown", code, more)),
    up: (code) => document.dispatchEvent(new Key("keyup", code)),
    later: (ms) => {
      now_ms += ms;
    },
    get acts() {
      return acts;
    },
  };
}

const CONTROLS = {
  parts: [
    ["held", -1, 1],
    ["tapped", 0, 7],
    ["moved", -1800, 1800],
    ["moved", -900, 900],
    ["trigger", 0, 1],
  ],
  keys: {
    KeyW: [0, 1],
    ArrowUp: [0, 1],
    KeyS: [0, -1],
    Digit2: [1, 2],
    Digit3: [1, 3],
    "KeyA+KeyW": [1, 5],
    KeyA: [1, 4],
    KeyR: [3, 600],
    Space: [4, 1],
  },
  buttons: { 0: [4, 1] },
  mouse: [2, 3, 1.5],
};

test("opposite keys add up within the bounds; of others the last one counts, of several together all", () => {
  const { controls, down, up } = page(CONTROLS);
  down("KeyW");
  down("ArrowUp");
  assert.deepEqual(controls.sample(), [1, 0, 0, 0, 0]);
  down("KeyS");
  up("ArrowUp");
  assert.deepEqual(controls.sample(), [0, 0, 0, 0, 0]);
  up("KeyS");
  down("Digit2");
  down("Digit3");
  assert.equal(controls.sample()[1], 3);
  down("KeyA");
  assert.equal(controls.sample()[1], 5, "two keys together mean more than the last one");
});

test("in a part that is pressed each press takes the next number, also one between two looks", () => {
  const { controls, down, up } = page({
    parts: [["pressed", 0, 512]],
    keys: { ArrowUp: [0, 2], ArrowLeft: [0, 1] },
    buttons: {},
    mouse: null,
  });
  const seen = [];
  for (let press = 0; press < 8; press += 1) {
    down("ArrowUp");
    if (press % 2) up("ArrowUp");
    seen.push(...controls.sample());
    up("ArrowUp");
  }
  assert.deepEqual(seen, [66, 130, 194, 258, 322, 386, 450, 66], "64 choices, numbers from 1 to 7");
  assert.deepEqual(controls.sample(), [0]);
  down("ArrowUp");
  const held = controls.sample();
  down("ArrowLeft");
  assert.notDeepEqual(controls.sample(), held);
  up("ArrowLeft");
  assert.deepEqual(controls.sample(), held, "a key that is still down keeps its number");
});

test("a key that went down and up in between counts once, and is told at once", () => {
  const held = page(CONTROLS);
  held.down("Space");
  held.up("Space");
  assert.equal(held.acts, 2);
  assert.deepEqual(held.controls.sample(), [0, 0, 0, 0, 1]);
  assert.deepEqual(held.controls.sample(), [0, 0, 0, 0, 0]);
  held.down("KeyW", { repeat: true });
  held.down("KeyW", { ctrlKey: true });
  assert.deepEqual(held.controls.sample(), [0, 0, 0, 0, 0], "the browser's own");
});

test("the mouse counts while the picture has it, nothing of it is lost, and a key may move the same", () => {
  const { controls, document, canvas, down, later } = page(CONTROLS);
  const move = (x, y) =>
    document.dispatchEvent(Object.assign(new Event("mousemove"), { movementX: x, movementY: y }));
  move(10, 0);
  assert.deepEqual(controls.sample(), [0, 0, 0, 0, 0]);
  document.pointerLockElement = canvas;
  move(3, -1);
  assert.deepEqual(controls.sample(), [0, 0, 4, 1, 0], "half a step is left of each");
  move(1, -1);
  const input = controls.sample();
  assert.deepEqual(input, [0, 0, 2, 2, 0]);
  assert.ok(controls.moves(input));
  assert.ok(!controls.moves([1, 2, 0, 0, 1]));
  down("KeyR");
  later(50);
  assert.equal(controls.sample()[3], 30, "600 in a second");
  move(5000, 0);
  assert.equal(controls.sample()[2], 1800, "more than an input can say comes with the next one");
  assert.equal(controls.sample()[2], 1800);
});
