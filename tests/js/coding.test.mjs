// The coder's desk without a page: keys, rules, words, the model and its undo.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const folder = new URL("../../src/believable/web/static/console/coding/", import.meta.url);
const { meaning, HELP } = await import(new URL("keys.js", folder));
const { added } = await import(new URL("rules.js", folder));
const { createModel, keyOf } = await import(new URL("model.js", folder));
const { fromCharacters, merged, pieces, toCharacters, wholeWords, words } = await import(
  new URL("spans.js", folder)
);

const shared = JSON.parse(readFileSync(new URL("../coding/rules.json", import.meta.url)));
const plain = {
  label: "",
  short: "",
  definition: "",
  keywords: [],
  examples: [],
  direction: false,
  side: false,
  parent: null,
  excludes: [],
  wins_over: [],
  other: false,
};
const ruled = {
  id: "b",
  title: "",
  pick: "many",
  discards: [],
  codes: shared.codes.map((code) => ({ ...plain, ...code })),
};
const label = ([code, direction, side, spans]) => ({ code, direction, side, spans });

for (const { name, labels, new: latest, after, why } of shared.cases) {
  test(`rules: ${name}`, () => {
    const found = added(ruled, labels.map(label), label(latest));
    assert.deepEqual(
      found.labels.map(({ code }) => code),
      after,
    );
    assert.deepEqual(
      found.conflicts.map((one) => one.why),
      why,
    );
  });
}

const book = {
  id: "hntt",
  title: "",
  pick: "many",
  codes: [
    { ...plain, id: "smooth", label: "Smooth", direction: true, side: true },
    { ...plain, id: "goal", label: "Goal", direction: true, side: true },
    { ...plain, id: "feel", label: "Feel", side: true },
  ],
  discards: [{ id: "unsure", label: "Unsure", definition: "" }],
};
const tasks = () =>
  [1, 2, 3].map((number) => ({ round: 1, number, text: `text ${number} of three` }));
const desk = (marks = {}) => createModel(book, tasks(), marks);
const keys = (model) =>
  model.mark.labels.map(({ code, direction, side }) =>
    [code, direction, side].filter(Boolean).join(" "),
  );

test("a code is put on with + and turned by −, before or after", () => {
  const model = desk();
  model.toggle("smooth", []);
  assert.deepEqual(keys(model), ["smooth + more"]);
  model.direct("-");
  assert.deepEqual(keys(model), ["smooth - more"]);
  model.switchSide();
  model.direct("-");
  assert.equal(model.pending, "-");
  model.toggle("goal", []);
  assert.deepEqual(keys(model), ["smooth - more", "goal - less"]);
  assert.equal(model.pending, null);
});

test("the same number again takes the code off, on its side only", () => {
  const model = desk();
  model.toggle("feel", []);
  model.switchSide();
  model.toggle("feel", []);
  assert.deepEqual(keys(model), ["feel more", "feel less"]);
  model.toggle("feel", []);
  assert.deepEqual(keys(model), ["feel more"]);
});

test("with words chosen, the same number adds the words", () => {
  const model = desk();
  model.toggle("smooth", [[0, 4]]);
  model.toggle("smooth", [[5, 6]]);
  assert.deepEqual(model.mark.labels[0].spans, [
    [0, 4],
    [5, 6],
  ]);
  assert.ok(model.give([[3, 6]]));
  assert.deepEqual(model.mark.labels[0].spans, [[0, 6]]);
});

test("discarding takes codes off, and a code takes discarding off", () => {
  const model = desk();
  model.toggle("feel", []);
  assert.ok(model.discard(1));
  assert.deepEqual([model.mark.discard, model.mark.labels.length], ["unsure", 0]);
  model.toggle("feel", []);
  assert.equal(model.mark.discard, null);
  assert.ok(!model.discard(2));
});

test("undo goes back step by step, to the text it happened in", () => {
  const model = desk();
  model.toggle("feel", []);
  model.done();
  model.toggle("goal", []);
  assert.equal(model.task.number, 2);
  model.undo();
  assert.deepEqual(keys(model), []);
  model.undo();
  assert.equal(model.task.number, 1);
  assert.equal(model.mark.done, false);
  assert.deepEqual(keys(model), ["feel more"]);
  model.undo();
  assert.deepEqual(keys(model), []);
  assert.ok(!model.undo());
});

test("it begins at the first text that is left, and done goes round", () => {
  const done = { labels: [], discard: null, uncertain: false, memo: "", done: true };
  const model = desk({ "1-1": done, "1-2": { ...done, done: false } });
  assert.equal(model.task.number, 2);
  model.narrow("todo", "");
  model.done();
  assert.equal(model.task.number, 3);
  assert.ok(!model.done());
  assert.equal(model.doneCount, 3);
});

test("at the end it goes to what is left, and stays when nothing is", () => {
  const model = desk();
  model.next();
  for (const number of [3, 1, 2, 3]) {
    assert.ok(model.done());
    assert.equal(model.task.number, number);
  }
  assert.ok(!model.done());
  assert.equal(model.task.number, 3);
});

test("a text that is up for review is through with when it is confirmed", () => {
  const model = desk({
    "1-1": { labels: [], discard: null, uncertain: false, memo: "", done: true, review: true },
  });
  model.narrow("review", "");
  assert.ok(!model.done());
  assert.equal(model.mark.review, false);
});

test("search and filter narrow what is gone through", () => {
  const model = desk();
  model.narrow("all", "Text 3");
  assert.equal(model.task.number, 3);
  assert.ok(!model.next());
  model.narrow("all", "");
  model.go(0);
  model.toggleUncertain();
  model.setMemo("a rare word");
  model.narrow("uncertain", "rare");
  assert.deepEqual(tasks().filter(model.passes).map(keyOf), ["1-1"]);
});

test("every key of the help means something", () => {
  const pressed = {
    "1 … 9, 0": "1",
    "+  −": "-",
    "→ J, ← K": "j",
    "D, then 1 …": "d",
    Enter: "Enter",
    "/": "/",
    "?": "?",
  };
  for (const [shown] of HELP)
    assert.ok(meaning({ key: pressed[shown] ?? shown.toLowerCase() }, "coding"), shown);
});

test("keys while typing, discarding and choosing words", () => {
  assert.equal(meaning({ key: "1" }, "typing"), null);
  assert.deepEqual(meaning({ key: "Escape" }, "typing"), { do: "leave" });
  assert.deepEqual(meaning({ key: "2" }, "discarding"), { do: "discard", n: 2 });
  assert.deepEqual(meaning({ key: "ArrowRight", shiftKey: true }, "words"), {
    do: "word",
    step: 1,
    extend: true,
  });
  assert.deepEqual(meaning({ key: "ArrowRight" }, "coding"), { do: "next" });
  assert.deepEqual(meaning({ key: "0" }, "coding"), { do: "code", n: 10 });
  assert.deepEqual(meaning({ key: "z", ctrlKey: true }, "coding"), { do: "undo" });
  assert.equal(meaning({ key: "r", ctrlKey: true }, "coding"), null);
});

test("positions are counted in characters on the way to the server", () => {
  const text = "🙂 smooth 🙂 walk";
  const [, second] = words(text);
  assert.equal(text.slice(...second), "walk");
  const sent = toCharacters(text, [second]);
  assert.deepEqual(sent, [[11, 15]]);
  assert.deepEqual(fromCharacters(text, sent), [second]);
});

test("a selection grows to whole words; stretches are cut and named", () => {
  assert.deepEqual(wholeWords("it glides, then halts", [5, 12]), [3, 15]);
  assert.equal(wholeWords("a . . b", [2, 3]), null);
  assert.deepEqual(
    merged([
      [4, 9],
      [0, 2],
      [7, 12],
    ]),
    [
      [0, 2],
      [4, 12],
    ],
  );
  assert.deepEqual(
    pieces("abcdef", [
      { name: "x", spans: [[0, 3]] },
      { name: "y", spans: [[2, 5]] },
    ]),
    [
      { text: "ab", names: ["x"] },
      { text: "c", names: ["x", "y"] },
      { text: "de", names: ["y"] },
      { text: "f", names: [] },
    ],
  );
});
