// @ts-check
import assert from "node:assert/strict";
import test from "node:test";

import { behind } from "../../src/believable/web/static/participant/missing.js";

const DAY_MS = 100_000;

test("who pauses has jumped over nothing, although what was recorded ends a rounding earlier", () => {
  assert.deepEqual(behind([[41_999, DAY_MS]], 41_999.6, DAY_MS), []);
});

test("what was jumped over lies behind, also where it begins at the start or reaches beyond the moment", () => {
  assert.deepEqual(
    behind(
      [
        [0, 20_000],
        [60_000, DAY_MS],
      ],
      40_000,
      DAY_MS,
    ),
    [[0, 20_000]],
  );
  assert.deepEqual(behind([[10_000, DAY_MS]], 50_000, DAY_MS), [[10_000, DAY_MS]]);
});
