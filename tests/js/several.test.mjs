// Players that run together: what is ahead waits, each rests at its own end.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LEAD_MS, inStep } from "../../src/believable/pages/compare/together.js";

/** A player as the contract describes it, whose time is moved by hand. */
function fake({ duration_ms = 1000, views = 0, max_views = 1 } = {}) {
  const log = [];
  const player = {
    time_ms: 0,
    duration_ms,
    views,
    paused: true,
    log,
    get ended() {
      return player.time_ms >= duration_ms;
    },
    get viewsLeft() {
      return Math.max(0, max_views - player.views);
    },
    play: () => {
      if (player.ended) {
        if (player.viewsLeft < 1) return;
        player.time_ms = 0;
      }
      player.paused = false;
      log.push("play");
    },
    pause: (reason = "person") => {
      player.paused = true;
      log.push(reason);
    },
    seek: (ms) => {
      player.time_ms = ms;
    },
    run: (ms) => {
      if (player.paused) return;
      player.time_ms = Math.min(duration_ms, player.time_ms + ms);
      if (player.ended) {
        player.paused = true;
        player.views += 1;
      }
    },
  };
  return player;
}

test("the one ahead waits for the one that stalls, and goes on when it has caught up", () => {
  const [a, b] = [fake(), fake()];
  const all = inStep([a, b]);
  all.play();
  a.run(LEAD_MS + 10);
  all.tick();
  assert.deepEqual(a.log, ["play", "together"]);
  b.run(LEAD_MS);
  all.tick();
  assert.deepEqual(a.log, ["play", "together", "play"]);
  assert.deepEqual(b.log, ["play"]);
});

test("a shorter one rests at its end while the other goes on; then all is over", () => {
  const [a, b] = [fake({ duration_ms: 300 }), fake({ duration_ms: 900 })];
  const all = inStep([a, b]);
  all.play();
  for (let n = 0; n < 3; n += 1) {
    a.run(100);
    b.run(100);
    all.tick();
  }
  assert.equal(all.playing, true);
  assert.equal(all.over, false);
  for (let n = 0; n < 6; n += 1) {
    a.run(100);
    b.run(100);
    all.tick();
  }
  assert.equal(all.playing, false);
  assert.equal(all.over, true);
  assert.deepEqual(a.log, ["play"]);
  assert.deepEqual([a.views, b.views], [1, 1]);
});

test("pausing pauses all, also those that wait, and nothing starts by itself", () => {
  const [a, b] = [fake(), fake()];
  const all = inStep([a, b]);
  all.play();
  a.run(200);
  all.tick();
  all.pause();
  b.run(500);
  all.tick();
  assert.equal(a.paused && b.paused, true);
  assert.equal(all.playing, false);
  all.play();
  assert.equal(a.paused || b.paused, false);
});

test("another view begins with all that have one left", () => {
  const [a, b] = [
    fake({ duration_ms: 100, max_views: 2 }),
    fake({ duration_ms: 100, max_views: 2 }),
  ];
  const all = inStep([a, b]);
  for (const view of [1, 2]) {
    all.play();
    a.run(100);
    b.run(100);
    all.tick();
    assert.deepEqual([a.views, b.views, all.over], [view, view, true]);
  }
  assert.equal(all.viewsLeft, 0);
  all.play();
  assert.equal(all.playing, false);
});

test("a jump goes to the same moment in all, or to the end of a shorter one", () => {
  const [a, b] = [fake({ duration_ms: 300 }), fake({ duration_ms: 900 })];
  inStep([a, b]).seek(500);
  assert.deepEqual([a.time_ms, b.time_ms], [300, 500]);
});
