// The tones of the headphone check: what each ear gets, and what a room makes of both.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sides } from "../../src/believable/pages/device/page.js";

const quietest = (levels) => levels.indexOf(Math.min(...levels));

test("in either ear the quieter tone is the quietest, over loudspeakers the one whose sides are against each other", () => {
  for (const row of [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]) {
    const [quiet, against] = row;
    const tones = sides(row);
    assert.equal(quietest(tones.map(({ left }) => Math.abs(left))), quiet);
    assert.equal(quietest(tones.map(({ right }) => Math.abs(right))), quiet);
    assert.equal(quietest(tones.map(({ left, right }) => Math.abs(left + right))), against);
  }
});
