import assert from "node:assert/strict";
import { test } from "node:test";
import { colour, course, levelAt } from "../../src/believable/players/signal/course.js";

const SIGNAL = {
  test: "visual",
  duration_ms: 10_000,
  corners: [
    [0, 0.5],
    [2500, 0.5],
    [4500, 1],
    [10_000, 0],
  ],
};

test("the level is straight between the corners and stays at the end", () => {
  assert.deepEqual(
    [0, 2500, 3500, 4500, 7250, 10_000, 20_000].map((ms) => levelAt(SIGNAL, ms)),
    [0.5, 0.5, 0.75, 1, 0.5, 0, 0],
  );
});

test("green goes from 25 to 255", () => {
  assert.deepEqual([0, 0.5, 1].map(colour), [
    "rgb(20, 25, 12)",
    "rgb(20, 140, 12)",
    "rgb(20, 255, 12)",
  ]);
});

test("time runs with the page's clock, and stands while it is stopped", () => {
  const time = course(10_000, 0);
  assert.equal(time.at(700), 0);
  time.start(1000);
  assert.equal(time.at(3500), 2500);
  assert.equal(time.stop(4000), 3000);
  assert.equal(time.running, false);
  assert.equal(time.at(9000), 3000);
  time.start(9000);
  assert.equal(time.at(9250), 3250);
  assert.equal(time.at(8000), 3000, "nothing was shown before it began");
});

test("it ends at its end, goes on where a reload found it, and follows jumps and speeds", () => {
  const time = course(10_000, 6000);
  time.start(0);
  assert.equal(time.at(99_000), 10_000);
  time.seek(2000, 1000);
  assert.equal(time.at(1500), 2500);
  time.setRate(2, 1500);
  assert.equal(time.at(2000), 3500);
  time.seek(-5, 2000);
  assert.equal(time.at(2000), 0);
});
