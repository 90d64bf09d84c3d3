import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Poll,
  duration,
  merged,
  number,
  points,
} from "../../src/believable/web/static/console/monitor.js";
import { meaning } from "../../src/believable/web/static/console/review.js";
import { stretch, words } from "../../src/believable/web/static/console/sessions.js";

const beat = (at_ms, n_events) => ({ at_ms, n_events, n_media_stalls: 0 });

test("beats of a minute are kept in order, and newer counts replace older ones", () => {
  const known = new Map([
    [0, beat(0, 1)],
    [60_000, beat(60_000, 2)],
  ]);
  const found = merged(known, [beat(62_000, 5), beat(60_000, 3)], 64_000);
  assert.deepEqual(
    found.map((one) => [one.at_ms, one.n_events]),
    [
      [60_000, 3],
      [62_000, 5],
    ],
  );
});

test("the line ends at the right edge and survives silence", () => {
  assert.equal(points([0, 5, 10]).line, "0.0,47.0 150.0,24.0 300.0,1.0");
  assert.equal(points([0, 0]).line, "0.0,47.0 300.0,47.0");
  assert.equal(points([]).top, 0);
});

test("numbers and times are written as the server writes them", () => {
  assert.equal(number(1234567), "1,234,567");
  assert.deepEqual([null, 850, 42_000, 725_000, 11_400_000, 353_000_000].map(duration), [
    "–",
    "850 ms",
    "42 s",
    "12 min 05 s",
    "3 h 10 min",
    "4 d 2 h",
  ]);
});

test("keys mean something while reading, not while typing", () => {
  const reading = { typing: false, modified: false };
  assert.deepEqual(meaning("3", reading), { choose: 3 });
  assert.deepEqual(meaning("j", reading), { go: "next" });
  assert.deepEqual(meaning("k", reading), { go: "prev" });
  assert.deepEqual(meaning("Enter", reading), { decide: true });
  assert.equal(meaning("ArrowDown", reading), null);
  assert.equal(meaning("3", { typing: true, modified: false }), null);
  assert.equal(meaning("Enter", { typing: true, modified: false }), null);
  assert.equal(meaning("j", { typing: false, modified: true }), null);
});

/** A poll with a server and a clock that do what the test says. */
function bench(replies) {
  const log = { asked: 0, got: [], said: [], waits: [], hidden: false };
  const poll = new Poll({
    ask: async () => {
      log.asked += 1;
      const reply = replies.shift();
      if (reply === "offline") throw new TypeError("network");
      return {
        status: reply.status ?? 200,
        ok: (reply.status ?? 200) === 200,
        json: async () => reply,
      };
    },
    got: (shown) => log.got.push(shown),
    say: (state) => log.said.push(state),
    hidden: () => log.hidden,
    wait: (fn, ms) => {
      log.waits.push(ms);
      log.next = fn;
    },
  });
  return { poll, log };
}

test("it asks every two seconds and slower while the server is away", async () => {
  const { poll, log } = bench([{ n: 1 }, "offline", "offline", { n: 2 }]);
  for (let i = 0; i < 4; i += 1) {
    await poll.beat();
    poll.waiting = false;
  }
  assert.deepEqual(log.waits, [2000, 4000, 6000, 2000]);
  assert.deepEqual(log.said, ["on", "lost", "lost", "on"]);
  assert.equal(log.got.length, 2);
});

test("it rests while hidden and stops when logged out", async () => {
  const { poll, log } = bench([{ status: 401 }]);
  log.hidden = true;
  await poll.beat();
  assert.equal(log.asked, 0);
  log.hidden = false;
  await poll.beat();
  assert.deepEqual(log.said, ["paused", "lost"]);
  assert.deepEqual(log.waits, []);
});

test("never two requests at a time, never two timers", async () => {
  const { poll, log } = bench([{ n: 1 }, { n: 2 }]);
  await Promise.all([poll.beat(), poll.beat()]);
  assert.equal(log.asked, 1);
  await poll.beat();
  assert.equal(log.waits.length, 1);
});

test("with Shift a whole stretch of boxes is ticked, in either direction", () => {
  assert.deepEqual(stretch(["a", "b", "c", "d"], "b", "d"), ["b", "c", "d"]);
  assert.deepEqual(stretch(["a", "b", "c", "d"], "d", "b"), ["b", "c", "d"]);
  assert.deepEqual(stretch(["a", "b"], null, "b"), ["b"]);
});

test("the list says what a decision would be about", () => {
  assert.equal(words(0, false), "Tick sessions to decide about them");
  assert.equal(words(1, false), "1 session");
  assert.equal(words(4, false), "4 sessions");
  assert.equal(words(0, true), "All that match");
});
