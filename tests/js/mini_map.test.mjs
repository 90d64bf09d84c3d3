// The mini map beside a picture: places and headings in pixels, north up.
import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowAt, createMiniMap, toPixels } from "../../src/believable/web/static/play/mini_map.js";

const PLAN = { walls: ["..#", "..."], left: -64, top: 128, tile: 64, goal: null };

test("rows begin in the north and columns in the west", () => {
  assert.deepEqual(toPixels(PLAN, -64, 128), [0, 0]);
  assert.deepEqual(toPixels(PLAN, 0, 0), [3, 6]);
});

test("the arrow points where the figure looks: east at 0, north at 90 degrees", () => {
  const [[east, level]] = arrowAt([10, 10], 0);
  assert.ok(east > 10 && Math.abs(level - 10) < 1e-9);
  const [[middle, north]] = arrowAt([10, 10], 900);
  assert.ok(north < 10 && Math.abs(middle - 10) < 1e-9);
});

test("without a map of the world nothing is shown", () => {
  const canvas = { hidden: false };
  const map = createMiniMap(/** @type {any} */ ({ querySelector: () => canvas }), undefined);
  map.show({});
  assert.equal(canvas.hidden, true);
});
