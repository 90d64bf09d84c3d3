import assert from "node:assert/strict";
import test from "node:test";
import { start } from "../../src/believable/web/static/participant/chain.js";
import { createQueue } from "../../src/believable/web/static/participant/queue.js";
import { createRecorder } from "../../src/believable/web/static/participant/recorder.js";
import { memoryStorage } from "../../src/believable/web/static/participant/storage.js";
import { createClock } from "../../src/believable/web/static/play/clock.js";
import { createKeys } from "../../src/believable/worlds/maze/static/keys.js";
import { createOthers } from "../../src/believable/worlds/maze/static/others.js";
import { createPrediction } from "../../src/believable/worlds/maze/static/prediction.js";
import { TICK_MS, gridOf } from "../../src/believable/worlds/maze/static/rules.js";
import { createLog } from "../../src/believable/web/static/play/log.js";
import { createWire } from "../../src/believable/web/static/play/wire.js";

const WALLS = ["#######", "#.....#", "#.....#", "#.....#", "#######"];
const RULES = {
  player_speed: 100,
  body_radius: 300,
  bullet_speed: 450,
  bullet_pause: 8,
  bullet_life: 60,
  bomb_speed: 160,
  bomb_pause: 60,
  bomb_fuse: 24,
};
const picture = (t, x = 1500, more = {}) => ({
  t,
  p: [x, 2500, 0, 100],
  o: [4500, 2500, 180, 100],
  m: [],
  f: [],
  s: 0,
  n: 0,
  r: [0, 0, 0],
  e: [],
  st: "run",
  ...more,
});
const keys = (dx) => ({ dx, dy: 0, aim: 0, shoot: 0, bomb: 0 });

test("the own figure moves at once and is not moved back by a picture from before", () => {
  const own = createPrediction(gridOf(WALLS), RULES);
  own.restart(picture(0));
  for (let i = 0; i < 6; i += 1) own.advance(keys(1));
  assert.equal(own.own.x, 2100);
  own.correct(picture(3, 1800));
  assert.equal(own.own.x, 2100);
  assert.equal(own.tick, 6);
});

test("a correction is exact in the rules and fades on screen", () => {
  const own = createPrediction(gridOf(WALLS), RULES);
  own.restart(picture(0));
  for (let i = 0; i < 4; i += 1) own.advance(keys(1));
  own.correct(picture(2, 1500));
  assert.equal(own.own.x, 1700);
  const first = own.shown(1, 0);
  assert.ok(Math.abs(first.x - 1900) < 1 || first.x < 1900);
  assert.ok(Math.abs(own.shown(1, 2000).x - 1700) < 1);
});

test("a jump is not smoothed", () => {
  const own = createPrediction(gridOf(WALLS), RULES);
  own.restart(picture(0, 1500));
  own.correct(picture(1, 5500));
  assert.equal(own.shown(1, 10).x, 5500);
});

test("the clock leads by the time a message needs, and shows others a little late", () => {
  const clock = createClock(TICK_MS);
  for (let t = 0; t < 60; t += 1) {
    const now = 1000 + t * TICK_MS + 75;
    clock.heard(t, now);
    clock.echoed(150);
  }
  const now = 1000 + 59 * TICK_MS + 75;
  const server = 59 + 75 / TICK_MS;
  assert.ok(clock.own(now) >= server + 75 / TICK_MS + 1 - 1e-6);
  assert.ok(clock.own(now) < server + 75 / TICK_MS + 2);
  assert.ok(Math.abs(clock.others(now) - 57) < 1e-6);
});

test("the opponent moves evenly between pictures and does not slide through a reset", () => {
  const others = createOthers();
  others.add(picture(1, 0, { o: [1000, 1000, 350, 100] }));
  others.add(picture(2, 0, { o: [1100, 1000, 10, 100] }));
  assert.deepEqual(others.opponent(1.5), { x: 1050, y: 1000, heading: 360 });
  others.add(picture(3, 0, { o: [5000, 1000, 0, 100] }));
  assert.equal(others.opponent(2.5).x, 1100);
  assert.equal(others.opponent(9).x, 5000);
  others.add(picture(1, 0, { o: [10, 10, 0, 100] }));
  assert.equal(others.opponent(1).x, 10);
});

test("what is kept before it is sent counts for the lead as well", () => {
  const quick = createClock(TICK_MS);
  const slow = createClock(TICK_MS);
  for (const clock of [quick, slow]) {
    clock.heard(0, 0);
    clock.echoed(20);
  }
  for (let n = 0; n < 40; n += 1) slow.kept(50);
  assert.ok(Math.abs((slow.own(0) - quick.own(0)) * TICK_MS - 50) < 1);
});

test("inputs are gathered into events, each is sent once it is durable, and none is left behind", async (t) => {
  const told = [];
  const sent = [];
  const kept = [];
  const writing = {
    record: (kind, data, options) => {
      told.push([kind, structuredClone(data), options]);
      return Promise.resolve({});
    },
    keep: (_, { inputs }) =>
      new Promise((resolve) =>
        kept.push({ numbers: inputs.map(([number]) => number), done: () => resolve(true) }),
      ),
  };
  const log = createLog(writing, {
    now: () => 0,
    durable: (inputs) => sent.push(...inputs.map(([number]) => number)),
  });
  t.after(log.stop);
  const rest = () => new Promise((resolve) => setImmediate(resolve));
  for (const number of [1, 2, 3]) log.input(1, [number, 5, 1, 0, 0, 0, 0]);
  await rest();
  assert.deepEqual(
    [kept.map(({ numbers }) => numbers), sent],
    [[[1]], []],
    "one write at a time, and nothing is sent before",
  );
  kept[0].done();
  await rest();
  assert.deepEqual(
    [kept.map(({ numbers }) => numbers), sent],
    [[[1], [1, 2, 3]], [1]],
    "what came meanwhile is joined",
  );
  log.input(1, [4, 6, 0, 0, 0, 0, 0]);
  log.note("play.lost", {});
  await rest();
  assert.deepEqual(sent, [1], "their order is kept, whichever way they were written");
  kept[1].done();
  await rest();
  assert.deepEqual(sent, [1, 2, 3, 4]);
  assert.deepEqual(
    told.map(([kind, data, options]) => [kind, data.inputs?.map(([number]) => number), options]),
    [
      ["play.input", [1, 2, 3, 4], { grown: true }],
      ["play.lost", undefined, undefined],
    ],
  );
});

/** A browser's storage that stops for good at its n-th transaction: before it is carried out, or after, but before anybody is told. */
function mortal(storage, { at, after }) {
  let runs = 0;
  return {
    durable: true,
    run: async (work) => {
      runs += 1;
      if (runs < at) return storage.run(work);
      if (runs === at && after) await storage.run(work);
      return new Promise(() => undefined);
    },
  };
}

test("wherever a page dies, each input that was sent is in exactly one event", async () => {
  const origin = start("session");
  const rest = () => new Promise((resolve) => setImmediate(resolve));
  const results = [];
  for (let at = 1; at <= 70; at += 1)
    for (const after of [false, true])
      for (const acknowledged of [0, 3]) {
        const storage = memoryStorage();
        await createQueue(storage, "s").adopt({ epoch: 1, ack: 0, head: origin });
        const entries = [];
        const recorder = createRecorder({
          queue: createQueue(mortal(storage, { at, after }), "s"),
          head: { seq: 0, hash: origin, epoch: 1 },
          epoch: 1,
          channel: { expect: () => undefined, push: (entry) => entries.push(entry) },
          clock: { wall: () => 0, mono: () => 0 },
          fallback: () => assert.fail("the storage did not fail"),
          onTaken: () => assert.fail("nobody took over"),
          onMemory: () => undefined,
        });
        const sent = [];
        const log = createLog(recorder, {
          now: () => 0,
          durable: (inputs) => sent.push(...inputs.map(([number]) => number)),
        });
        for (let number = 1; number <= 60; number += 1) {
          log.input(number < 50 ? 1 : 2, [number, number, 0, 0, 0, 0, 0]);
          if (number % 3 === 0) await rest();
          if (number % 11 === 0) void recorder.record("page.blur");
          if (number % 17 === 0) log.flush();
          if (number % 23 === 0) log.note("play.state", {});
        }
        await rest();
        log.stop();
        const ack = Math.min(acknowledged, entries.length);
        const next = createQueue(storage, "s");
        await next.adopt({ epoch: 2, ack, head: ack ? entries[ack - 1].hash : origin });
        assert.deepEqual(await next.strays(), []);
        const bodies = [...entries.slice(0, ack), ...(await next.unsent())].map(({ body }) =>
          JSON.parse(body),
        );
        const logged = bodies
          .filter(({ kind }) => kind === "play.input")
          .flatMap(({ data }) => data.inputs.map(([number]) => number));
        assert.deepEqual(logged, [...new Set(logged)], "an input is in two events");
        assert.deepEqual(
          sent.filter((number) => !logged.includes(number)),
          [],
          `lost when the storage stopped at ${at}`,
        );
        assert.deepEqual((await next.head()).growing, undefined);
        results.push(sent.length);
      }
  assert.equal(Math.min(...results), 0);
  assert.equal(Math.max(...results), 60, "no run came to its end");
});

function fakeWire() {
  const world = { now: 0, sockets: [], heard: [], ticking: () => undefined, waiting: [] };
  const listener = Object.fromEntries(
    ["welcome", "picture", "over", "lost", "refused"].map((name) => [
      name,
      (data) => world.heard.push([name, data]),
    ]),
  );
  world.wire = createWire("ws://x", { epoch: 1, position: 2 }, listener, {
    open: () => {
      const socket = {
        readyState: 1,
        sent: [],
        send: (text) => socket.sent.push(JSON.parse(text)),
        close: () => {
          socket.readyState = 3;
        },
      };
      world.sockets.push(socket);
      return socket;
    },
    now: () => world.now,
    every: (work) => {
      world.ticking = work;
      return 1;
    },
    stop: () => undefined,
    later: (work, ms) => world.waiting.push([work, ms]),
  });
  world.until = (ms) => {
    while (world.now < ms) {
      world.now += 50;
      world.ticking();
    }
  };
  return world;
}

test("a page that was held up reads what waits before it thinks the connection lost", () => {
  const world = fakeWire();
  world.sockets[0].onmessage({ data: JSON.stringify({ welcome: {} }) });
  world.until(500);
  world.now = 4000;
  world.ticking();
  world.sockets[0].onmessage({ data: JSON.stringify({ t: 1 }) });
  world.until(5000);
  assert.deepEqual(
    world.heard.map(([name]) => name),
    ["welcome", "picture"],
  );
  world.until(5400);
  assert.deepEqual(
    world.heard.map(([name]) => name),
    ["welcome", "picture", "lost"],
  );
});

test("a connection that falls silent is lost and comes back by itself", () => {
  const world = fakeWire();
  world.sockets[0].onopen();
  assert.deepEqual(world.sockets[0].sent, [{ hello: { epoch: 1, position: 2 } }]);
  world.sockets[0].onmessage({ data: JSON.stringify({ welcome: { a: 1 } }) });
  world.until(500);
  assert.deepEqual(world.sockets[0].sent.at(-1), { q: 500 });
  world.until(1150);
  assert.deepEqual(
    world.heard.map(([name]) => name),
    ["welcome"],
  );
  world.until(1300);
  assert.deepEqual(
    world.heard.map(([name]) => name),
    ["welcome", "lost"],
  );
  world.sockets[0].onclose({ code: 1006 });
  assert.equal(world.waiting.length, 1, "the old connection counts once");
  world.waiting[0][0]();
  assert.equal(world.sockets.length, 2);
});

test("a refusal is final, and so is the end of the round", () => {
  const refused = fakeWire();
  refused.sockets[0].onclose({ code: 4409 });
  assert.deepEqual(refused.heard, [["refused", 4409]]);
  assert.equal(refused.waiting.length, 0);
  const over = fakeWire();
  over.sockets[0].onmessage({ data: JSON.stringify({ over: { score: 3 } }) });
  over.sockets[0].onclose({ code: 1000 });
  assert.deepEqual(over.heard, [["over", { score: 3 }]]);
});

test("keys rest from when the last of them was let go", (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const whole = { addEventListener: globalThis.addEventListener, Element: globalThis.Element };
  t.after(() => Object.assign(globalThis, whole));
  Object.assign(globalThis, { addEventListener: () => undefined, Element: class {} });
  const board = new EventTarget();
  const held = createKeys(new EventTarget(), {
    keys: board,
    active: () => true,
    toTiles: () => [0, 0],
  });
  const press = (type) =>
    board.dispatchEvent(Object.assign(new Event(type), { code: "KeyW", repeat: false }));
  press("keydown");
  now = 5000;
  assert.equal(held.quiet_ms, 0);
  press("keyup");
  now = 5200;
  assert.equal(held.quiet_ms, 200);
});
