import assert from "node:assert/strict";
import { test } from "node:test";
import { standing } from "../../src/believable/instruments/flags/widget.js";
import { actionLog } from "../../src/believable/web/static/participant/actionlog.js";

const line = (id, actor, t0_ms, t1_ms, text = "") => ({ id, actor, t0_ms, t1_ms, verb: "walk", object: "dog", place: null, text });
const log = () => actionLog({
  actors: [{ id: "w1", name: "Ada" }, { id: "w2", name: "Bo" }],
  actions: [line("a3", "w1", 500, 900), line("a1", "w1", 0, 500, "walking the dog"), line("a2", "w2", 200, 900)],
  plans: [{ id: "p1", actor: "w1", parent: null, level: 0, t0_ms: 0, t1_ms: 700, text: "day" }],
});

test("what is going on, in the order it began", () => {
  const ids = (ms) => log().current(ms).map(({ id }) => id);
  assert.deepEqual(ids(0), ["a1"]);
  assert.deepEqual(ids(499), ["a1", "a2"]);
  assert.deepEqual(ids(500), ["a2", "a3"]);
  assert.deepEqual(ids(900), []);
});

test("a period ends exactly where something changes", () => {
  const { period } = log();
  const changes = [];
  for (let ms = 1; ms <= 1000; ms += 1) if (period(ms) !== period(ms - 1)) changes.push(ms);
  assert.deepEqual(changes, [200, 500, 700, 900]);
});

test("an action without words is told by verb and object", () => {
  const { lines, words } = log();
  assert.deepEqual(lines.map(words), ["walking the dog", "walk dog", "walk dog"]);
});

test("flags stand as the events left them, and numbers are not used again", () => {
  const { flags, count } = standing([
    ["flag.add", { flag: "f1", media_ms: 10, action: "a1", reason: "" }],
    ["flag.add", { flag: "f2", media_ms: 20, action: null, reason: "" }],
    ["flag.edit", { flag: "f1", reason: "odd" }],
    ["flag.remove", { flag: "f2" }],
    ["flag.edit", { flag: "f2", reason: "late" }],
  ]);
  assert.deepEqual([...flags.values()], [{ id: "f1", media_ms: 10, action: "a1", reason: "odd" }]);
  assert.equal(count, 2);
});
