// @ts-check
import assert from "node:assert/strict";
import test from "node:test";

import { displayList, recording } from "../../src/believable/players/replay/scene.js";

/** Two who sleep in one bed. */
const REPLAY = recording({
  timing: { frame_ms: 100, frames: 1, simulated_start: null, simulated_ms_per_frame: null },
  actors: [
    { id: "ada", name: "Ada" },
    { id: "ben", name: "Ben" },
  ],
  tracks: ["ada", "ben"].map((actor) => ({
    actor,
    x: [3000],
    y: [3000],
    heading: [],
    first_frame: 0,
    states: [],
  })),
  actions: {},
  plans: {},
});
const SCENE = {
  width: 9,
  height: 9,
  left: 0,
  top: 0,
  background: "",
  ground: [],
  above: [],
  sprites: ["ada", "ben"].map((actor) => ({
    actor,
    shapes: [{ kind: "circle", fill: actor, r: 1 }],
    label: actor,
    bubbles: [],
    shown_when: "",
  })),
};

/** @param {string | null} followed */
const figures = (followed) =>
  displayList(SCENE, REPLAY, 0, false, followed)
    .filter(({ kind }) => kind === "circle")
    .map(({ fill }) => fill);
/** @param {string | null} followed */
const heights = (followed) =>
  Object.fromEntries(
    displayList(SCENE, REPLAY, 0, false, followed)
      .filter(({ kind }) => kind === "text")
      .map(({ text, y }) => [text, y]),
  );

test("nobody covers whom the picture follows, and the name keeps its place", () => {
  assert.deepEqual(figures(null), ["ada", "ben"]);
  assert.deepEqual(figures("ada"), ["ben", "ada"]);
  assert.ok(heights("ada").ada < heights("ada").ben);
  assert.ok(heights("ben").ben < heights("ben").ada);
});
