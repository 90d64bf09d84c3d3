import assert from "node:assert/strict";
import { test } from "node:test";
import { delayOf, lastActions, standing } from "../../src/believable/instruments/flags/widget.js";
import { drawTrials, TRIALS } from "../../src/believable/instruments/flags/practice.js";
import { actionLog } from "../../src/believable/web/static/participant/actionlog.js";

const line = (id, actor, t0_ms, t1_ms, text = "") => ({
  id,
  actor,
  t0_ms,
  t1_ms,
  verb: "walk",
  object: "dog",
  place: null,
  text,
});
const log = () =>
  actionLog({
    actors: [
      { id: "w1", name: "Ada" },
      { id: "w2", name: "Bo" },
    ],
    actions: [
      line("a3", "w1", 500, 900),
      line("a1", "w1", 0, 500, "walking the dog"),
      line("a2", "w2", 200, 900),
    ],
    plans: [{ id: "p1", actor: "w1", parent: null, level: 0, t0_ms: 0, t1_ms: 700, text: "day" }],
  });

test("what is going on, in the order it began", () => {
  const ids = (ms) =>
    log()
      .current(ms)
      .map(({ id }) => id);
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

test("a press offers the last three actions that had begun, of the followed figure if it has any", () => {
  const lines = [
    line("a1", "w1", 0, 9),
    line("b1", "w2", 5, 9),
    line("a2", "w1", 10, 19),
    line("a3", "w1", 20, 29),
    line("a4", "w1", 30, 39),
  ];
  const ids = (ms, followed) => lastActions(lines, ms, followed).map(({ id }) => id);
  assert.deepEqual(ids(30, null), ["a2", "a3", "a4"]);
  assert.deepEqual(ids(29, null), ["b1", "a2", "a3"]);
  assert.deepEqual(ids(29, "w1"), ["a1", "a2", "a3"]);
  assert.deepEqual(ids(29, "w9"), ["b1", "a2", "a3"]);
  assert.deepEqual(ids(-1, null), []);
});

test("the delay is wall time at the speed of the press, and unknown while the stimulus stops", () => {
  const press = { number: 1, mono_ms: 0, media_ms: 60_000, actions: [], ran: true, rate: 50 };
  assert.equal(delayOf(press, line("a1", "w1", 20_000, 50_000)), 800);
  assert.equal(delayOf({ ...press, ran: false }, line("a1", "w1", 20_000, 50_000)), null);
});

test("practice draws six odd lines, each after one to three ordinary ones, and none twice in a row", () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 16807) % 2147483647;
    return seed / 2147483647;
  };
  const usual = ["u1", "u2", "u3", "u4", "u5", "u6", "u7"];
  const odd = ["o1", "o2", "o3", "o4", "o5", "o6"];
  const trials = drawTrials(usual, odd, random);
  assert.equal(trials.length, TRIALS);
  assert.deepEqual(trials.map((lines) => lines.at(-1)).sort(), odd);
  for (const lines of trials) {
    assert.ok(lines.length >= 2 && lines.length <= 4);
    assert.ok(lines.slice(0, -1).every((shown) => usual.includes(shown)));
  }
});

test("flags stand as the events left them, and numbers are not used again", () => {
  const { flags, count, presses } = standing([
    ["flag.press", { press: 1, media_ms: 10, offered: ["a1"] }],
    ["flag.add", { flag: "f1", media_ms: 10, action: "a1", reason: "" }],
    ["flag.add", { flag: "f2", media_ms: 20, action: null, reason: "" }],
    ["flag.edit", { flag: "f1", reason: "odd" }],
    ["flag.remove", { flag: "f2" }],
    ["flag.edit", { flag: "f2", reason: "late" }],
  ]);
  assert.deepEqual([...flags.values()], [{ id: "f1", media_ms: 10, action: "a1", reason: "odd" }]);
  assert.equal(count, 2);
  assert.equal(presses, 1);
});
