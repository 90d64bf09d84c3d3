import assert from "node:assert/strict";
import test from "node:test";
import { createHud } from "../../src/believable/web/static/play/hud.js";

/** A page of nothing but named places to write to. */
function page() {
  const places = new Map();
  const querySelector = (name) => {
    if (!places.has(name)) places.set(name, { textContent: "", dataset: {}, hidden: true });
    return places.get(name);
  };
  return { querySelector, time: () => querySelector(".time").textContent };
}

test("a round of a minute begins at 1:00 and ends at 0:00", () => {
  const form = page();
  const hud = createHud(form);
  const round = { ticks: 1800, tick_hz: 30 };
  for (const [tick, time] of [
    [0, "1:00"],
    [1, "1:00"],
    [30, "0:59"],
    [1799, "0:01"],
    [1800, "0:00"],
  ]) {
    hud.show({ t: tick, s: 7 }, round, false);
    assert.equal(form.time(), time);
  }
  assert.equal(form.querySelector(".score").textContent, "7");
});

test("a practice counts up", () => {
  const form = page();
  createHud(form).show({ t: 90, s: 0 }, { ticks: 108000, tick_hz: 30 }, true);
  assert.equal(form.time(), "0:03");
});
