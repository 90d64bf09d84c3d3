// The tones of the headphone check: what each ear gets of the samples that the server sends.
import assert from "node:assert/strict";
import { test } from "node:test";
import { sides } from "../../src/believable/pages/device/page.js";

test("left and right samples come in turn, as little-endian 16-bit numbers", () => {
  const samples = Int16Array.from([32767, -32767, 0, 0, -16384, 16384, 257, -257]);
  const wave = Buffer.from(samples.buffer).toString("base64");
  const [left, right] = sides(wave);
  assert.deepEqual([...left], [1, 0, -16384 / 32767, 257 / 32767].map(Math.fround));
  assert.deepEqual([...right], [-1, 0, 16384 / 32767, -257 / 32767].map(Math.fround));
});
