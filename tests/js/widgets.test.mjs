import assert from "node:assert/strict";
import { test } from "node:test";
import { localDrafts, localOpened } from "../../src/believable/web/static/participant/session.js";
import { holds } from "../../src/believable/web/static/participant/widgets.js";

for (const [test_, value, answer, expected, item] of [
  ["is", "a", "a", true],
  ["is", "a", "b", false],
  ["is", "a", null, false],
  ["is", "a", ["b", "a"], true],
  ["is", 5, "5", true],
  ["is", 5, 5, true],
  ["is_not", "a", null, true],
  ["is_not", "a", "a", false],
  ["in", ["a", "b"], "b", true],
  ["in", ["a"], null, false],
  ["in", [1, 2], 2, true],
  ["at_least", 3, 3, true],
  ["at_least", 3, 2, false],
  ["at_least", 3, null, false],
  ["at_most", 3, 4, false],
  ["at_most", 3, "2", false],
  ["answered", true, 0, true],
  ["answered", true, null, false],
  ["answered", false, null, true],
  ["at_least", 2, { calm: 4 }, true, "calm"],
  ["answered", true, { calm: 4 }, false, "bored"],
]) {
  test(`${test_} ${JSON.stringify(value)} of ${JSON.stringify(answer)}`, () => {
    assert.equal(
      holds({ question: "q", test: test_, value, ...(item ? { item } : {}) }, answer),
      expected,
    );
  });
}

test("drafts on their way belong to their trial, and the latest counts", () => {
  const body = (kind, trial, question, value) => ({
    body: JSON.stringify({ kind, trial, data: { question, value } }),
  });
  const unsent = [
    body("answer.change", 3, "age", 1),
    body("answer.change", 4, "age", 30),
    body("answer.change", 4, "age", 31),
    body("text.paste", 4, "why", 5),
    body("answer.change", 4, "why", null),
  ];
  assert.deepEqual(localDrafts(unsent, 4), { age: 31, why: null });
});

test("what was opened and is still on its way belongs to its trial", () => {
  const body = (kind, trial, which) => ({ body: JSON.stringify({ kind, trial, data: { which } }) });
  const unsent = [
    body("overlay.open", 3, "log"),
    body("overlay.open", 4, "plan"),
    body("overlay.close", 4, "log"),
  ];
  assert.deepEqual(localOpened(unsent, 4), ["plan"]);
});
