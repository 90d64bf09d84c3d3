import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "../../src/believable/web/static/participant/scripts.js";

/** A line on which the first `broken` tries fail, and what was waited and said meanwhile. */
function surroundings(
  broken,
  error = new TypeError("Failed to fetch dynamically imported module: /x.js"),
) {
  const heard = { asked: [], pauses: [], trouble: [] };
  return {
    heard,
    bring: async (address) => {
      heard.asked.push(address);
      if (heard.asked.length <= broken) throw error;
      return { value: 7 };
    },
    sleep: async (ms) => {
      heard.pauses.push(ms);
    },
    onTrouble: (trying) => heard.trouble.push(trying),
  };
}

test("a script that arrives at once is no trouble", async () => {
  const line = surroundings(0);
  assert.deepEqual(await load("/x.js", line), { value: 7 });
  assert.deepEqual(line.heard, { asked: ["/x.js"], pauses: [], trouble: [] });
});

test("a script that does not arrive is asked for again, after pauses that grow to a limit, and trouble is said until it is there", async () => {
  const line = surroundings(6);
  assert.deepEqual(await load("/x.js", line), { value: 7 });
  assert.equal(line.heard.asked.length, 7);
  assert.deepEqual(line.heard.pauses, [500, 1000, 2000, 4000, 8000, 8000]);
  assert.deepEqual(line.heard.trouble, [true, false]);
});

test("it is known in the words of each browser", async () => {
  for (const words of [
    "Failed to fetch dynamically imported module: /x.js",
    "error loading dynamically imported module: /x.js",
    "Importing a module script failed.",
  ]) {
    assert.deepEqual(await load("/x.js", surroundings(1, new TypeError(words))), { value: 7 });
  }
});

test("a script that came and does not run is not asked for again", async () => {
  for (const error of [
    new SyntaxError("Unexpected token in module"),
    new TypeError("x is not a function"),
  ]) {
    const line = surroundings(1, error);
    await assert.rejects(load("/x.js", line), error);
    assert.deepEqual(line.heard, { asked: ["/x.js"], pauses: [], trouble: [] });
  }
});
