import assert from "node:assert/strict";
import { test } from "node:test";
import { frames } from "../../src/believable/players/video/frames.js";

/** Pictures at 25 a second from 1000 ms on the page's clock, at this speed. */
function shown(count, rate = 1) {
  const pictures = frames();
  for (let n = 0; n < count; n += 1)
    pictures.add({ shown_ms: 1000 + n * 40, media_ms: n * 40 * rate, frame: n + 1 });
  return pictures;
}

test("before the first picture nothing is known", () => {
  assert.equal(frames().at(1000, 1, 0), null);
});

test("between two pictures time runs evenly, and the frame is the one on screen", () => {
  assert.deepEqual(shown(10).at(1110, 1, 400), { media_ms: 110, frame: 3 });
  assert.deepEqual(shown(10, 0.5).at(1110, 0.5, 400), { media_ms: 55, frame: 3 });
});

test("after the last picture time runs on, never past the video's own clock", () => {
  const pictures = shown(10);
  assert.deepEqual(pictures.at(1380, 1, 390), { media_ms: 380, frame: 10 });
  assert.deepEqual(pictures.at(1450, 1, 470), { media_ms: 450, frame: 10 });
  assert.deepEqual(pictures.at(9000, 1, 410), { media_ms: 410, frame: 10 });
  assert.deepEqual(pictures.at(9000, 1, 300), { media_ms: 360, frame: 10 });
});

test("the picture on screen is the last one that had appeared", () => {
  assert.equal(frames().on(1000), null);
  assert.deepEqual(shown(10).on(900), { shown_ms: 1000, media_ms: 0, frame: 1 });
  assert.deepEqual(shown(10).on(1079), { shown_ms: 1040, media_ms: 40, frame: 2 });
  assert.deepEqual(shown(10).on(1080), { shown_ms: 1080, media_ms: 80, frame: 3 });
});

test("a jump forgets what was shown before", () => {
  const pictures = shown(10);
  pictures.clear();
  assert.equal(pictures.at(1400, 1, 8000), null);
  pictures.add({ shown_ms: 1500, media_ms: 8000, frame: 11 });
  assert.deepEqual(pictures.at(1490, 1, 8100), { media_ms: 8000, frame: 11 });
  assert.deepEqual(pictures.at(1520, 1, 8100), { media_ms: 8020, frame: 11 });
});

test("memory stays small and recent pictures stay exact", () => {
  assert.deepEqual(shown(10_000).at(1000 + 9_990 * 40 + 10, 1, 1e9), {
    media_ms: 9_990 * 40 + 10,
    frame: 9_991,
  });
});
