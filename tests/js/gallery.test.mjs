import assert from "node:assert/strict";
import { test } from "node:test";
import { fits } from "../../src/believable/web/static/gallery/events.js";

const declared = { "trace.sample": ["value", "media_ms"], "media.play": ["media_ms"] };

test("a declared event fits with exactly its data", () => {
  assert.ok(fits(declared, "trace.sample", { media_ms: 1, value: 2 }));
  assert.ok(!fits(declared, "trace.sample", { value: 2 }));
  assert.ok(!fits(declared, "trace.sample", { media_ms: 1, value: 2, more: 3 }));
  assert.ok(!fits(declared, "media.play", {}));
});

test("the page's own events fit, others do not", () => {
  assert.ok(fits(declared, "answer.change", { question: "q", value: 1 }));
  assert.ok(!fits(declared, "secret.thing", {}));
});

test("a player of several says which it is", () => {
  assert.ok(fits(declared, "media.play", { media_ms: 0, player: 1 }));
});
