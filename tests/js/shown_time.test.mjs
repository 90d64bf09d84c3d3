import assert from "node:assert/strict";
import { test } from "node:test";

import { dayNumber, shownTime } from "../../src/believable/players/replay/controls.js";

// Two days in steps of ten seconds from 06:44 on; after a minute the clock is put forward by a night that ends at 06:44.
const DAYS = {
  frameMs: 10_000,
  frames: 12,
  durationMs: 120_000,
  simulatedMs: 10_000,
  start: "2026-01-01T06:44:00",
  jumps: [[6, 86_340_000]],
};

test("what ends where a night is left out ends before it, and what begins there begins after it", () => {
  assert.equal(shownTime(DAYS, 60_000), "06:44");
  assert.equal(shownTime(DAYS, 60_000, true), "06:45");
});

test("what ends where the middle of something is left out has gone on until then", () => {
  const short = { ...DAYS, jumps: [[6, 3_600_000]] };
  assert.equal(shownTime(short, 60_000), "07:45");
  assert.equal(shownTime(short, 60_000, true), "07:45");
});

test("the end of the last day is not called the day after it", () => {
  const evening = { ...DAYS, start: "2026-01-01T23:58:00", jumps: [] };
  assert.equal(shownTime(evening, 120_000), "23:59");
  assert.equal(
    dayNumber({ ...DAYS, start: "2026-01-01T23:58:00", jumps: [[6, 86_340_000]] }, 120_000),
    2,
  );
});
