// @ts-check
import assert from "node:assert/strict";
import test from "node:test";

import { bubblePlace } from "../../src/believable/players/replay/painter.js";

const ROOM = { width: 400, height: 300 };
const WANTED = { x: 200, y: 150, w: 80, h: 20 };

test("a bubble stands above its figure where nothing is in the way", () => {
  assert.deepEqual(bubblePlace(WANTED, 20, [], ROOM), { x: 160, y: 130, w: 80, h: 20 });
});

test("a bubble covers no name: it goes below, then beside", () => {
  const above = { x: 150, y: 125, w: 100, h: 16 };
  const below = { x: 150, y: 195, w: 100, h: 30 };
  assert.deepEqual(bubblePlace(WANTED, 20, [above], ROOM), { x: 160, y: 198, w: 80, h: 20 });
  assert.deepEqual(bubblePlace(WANTED, 20, [above, below], ROOM), { x: 220, y: 156, w: 80, h: 20 });
});

test("a bubble stays in the picture", () => {
  assert.deepEqual(bubblePlace({ ...WANTED, x: 5, y: 4 }, 20, [], ROOM), {
    x: 0,
    y: 0,
    w: 80,
    h: 20,
  });
});
