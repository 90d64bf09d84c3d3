// What counts as watched: parts that were on screen, not the end alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { coverage } from "../../src/believable/web/static/participant/coverage.js";

const policy = { must_finish: true, watched_share: 0.9, seek: true };
const nothing = { views: 0, watched: [] };

test("the end after a jump is not enough, and what was jumped over is known", () => {
  const seen = coverage(nothing, policy);
  seen.note("media.ready", { duration_ms: 1000 });
  seen.note("media.interval", { from_ms: 0, to_ms: 100 });
  seen.note("media.interval", { from_ms: 950, to_ms: 1000 });
  seen.note("media.ended", { media_ms: 1000 });
  assert.equal(seen.enough, false);
  assert.equal(seen.share, 0.15);
  assert.deepEqual(seen.gaps, [[100, 950]]);
  seen.note("media.interval", { from_ms: 50, to_ms: 900 });
  assert.deepEqual(seen.gaps, [[900, 950]]);
  assert.equal(seen.enough, true);
});

test("without jumping the end is enough, and without the duty nothing is needed", () => {
  const straight = coverage(nothing, { ...policy, seek: false });
  assert.equal(straight.enough, false);
  straight.note("media.ended", { media_ms: 1000 });
  assert.equal(straight.enough, true);
  assert.equal(coverage(nothing, { ...policy, must_finish: false }).enough, true);
});

test("a reload goes on from what the server knows", () => {
  const seen = coverage({ views: 1, watched: [[0, 600]] }, policy);
  assert.equal(seen.enough, false, "the length is not known yet");
  seen.note("media.ready", { duration_ms: 1000 });
  assert.deepEqual(seen.gaps, [[600, 1000]]);
  seen.note("media.interval", { from_ms: 600, to_ms: 1000 });
  assert.deepEqual([seen.share, seen.enough, seen.gaps], [1, true, []]);
});
