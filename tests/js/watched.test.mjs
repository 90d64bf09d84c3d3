import assert from "node:assert/strict";
import { test } from "node:test";
import { nativeControls, viewsLeft } from "../../src/believable/players/video/policy.js";
import { watched } from "../../src/believable/players/video/watched.js";

function log() {
  const intervals = [];
  return {
    intervals,
    part: watched(({ from_ms, to_ms, rate }) => intervals.push([from_ms, to_ms, rate])),
  };
}

test("an interval runs from the first frame shown to the last", () => {
  const { intervals, part } = log();
  part.start(0, 1);
  for (const ms of [41.7, 83.3, 125]) part.frame(ms);
  part.stop(125);
  assert.deepEqual(intervals, [[0, 125, 1]]);
});

test("a long view is reported in pieces without a gap", () => {
  const { intervals, part } = log();
  part.start(0, 1);
  for (let ms = 0; ms <= 12_000; ms += 40) part.frame(ms);
  part.stop(12_000);
  assert.deepEqual(intervals, [
    [0, 5000, 1],
    [5000, 10_000, 1],
    [10_000, 12_000, 1],
  ]);
});

test("a fast view is reported as often as a slow one", () => {
  const { intervals, part } = log();
  part.start(0, 60);
  for (let ms = 0; ms <= 600_000; ms += 1000) part.frame(ms);
  part.stop(600_000);
  assert.deepEqual(intervals, [
    [0, 300_000, 60],
    [300_000, 600_000, 60],
  ]);
});

test("pauses, jumps and speeds make intervals of their own", () => {
  const { intervals, part } = log();
  part.start(0, 1);
  part.stop(1000);
  part.stop(1000);
  part.start(4000, 2);
  part.start(4500, 1);
  part.stop(5000);
  part.start(700, 1);
  part.stop(700);
  assert.deepEqual(intervals, [
    [0, 1000, 1],
    [4000, 5000, 2],
  ]);
});

test("it says where it ended, so that what goes on starts exactly there", () => {
  const { intervals, part } = log();
  assert.equal(part.stop(10), null);
  part.start(1000.4, 8);
  assert.equal(part.stop(1333.6), 1333.6);
  part.start(1333.6, 8);
  assert.equal(part.stop(1320), 1333.6, "a picture that is a little older changes nothing");
  part.start(1333.6, 8);
  assert.equal(part.stop(2000), 2000);
  assert.deepEqual(intervals, [
    [1000, 1334, 8],
    [1334, 2000, 8],
  ]);
});

const all = {
  pause: true,
  seek: true,
  replay: true,
  volume: true,
  max_views: null,
  must_finish: false,
  speeds: [1],
  speed: 1,
  zoom: false,
};

test("the browser's own controls appear only where everything is allowed", () => {
  assert.equal(nativeControls(all), true);
  for (const less of [
    { pause: false },
    { seek: false },
    { replay: false },
    { volume: false },
    { max_views: 3 },
    { must_finish: true },
    { speeds: [1, 2] },
  ]) {
    assert.equal(nativeControls({ ...all, ...less }), false);
  }
});

test("views that are left", () => {
  assert.equal(viewsLeft({ ...all, replay: false }, 0), 1);
  assert.equal(viewsLeft({ ...all, replay: false }, 1), 0);
  assert.equal(viewsLeft(all, 7), Infinity);
  assert.equal(viewsLeft({ ...all, max_views: 3 }, 2), 1);
  assert.equal(viewsLeft({ ...all, max_views: 3 }, 5), 0);
});
