import assert from "node:assert/strict";
import { test } from "node:test";
import { createChannel } from "../../src/believable/web/static/participant/channel.js";

/** A channel with a clock, a server and a queue that do what the test says. */
function bench(replies, unsent = []) {
  const log = { requests: [], saving: [], ended: [], dropped: [], delays: [], options: [] };
  const timers = [];
  let concurrent = 0;
  const outside = {
    post: async (path, payload, options) => {
      concurrent += 1;
      assert.equal(path, "events");
      assert.ok(options?.keepalive || concurrent === 1, "one request at a time");
      log.requests.push(payload.events.map(([seq]) => seq));
      log.options.push(options);
      await Promise.resolve();
      const reply = replies.shift() ?? { status: 200, data: { ack: payload.events.at(-1)[0] } };
      concurrent -= 1;
      if (reply === "offline") throw new TypeError("network");
      return reply;
    },
    later: (work, ms) => {
      timers.push(work);
      log.delays.push(ms);
      return work;
    },
    cancel: (timer) => {
      const at = timers.indexOf(timer);
      if (at >= 0) timers.splice(at, 1);
    },
    random: () => 1,
    onSaving: (saving) => {
      if (log.saving.at(-1) !== saving) log.saving.push(saving);
    },
    onEnd: (end) => log.ended.push(end),
  };
  const queue = { drop: async (ack) => void log.dropped.push(ack) };
  const channel = createChannel(queue, 1, unsent, outside);
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
  const tick = async () => {
    timers.shift()?.();
    await settle();
  };
  const give = (one, now) => {
    channel.expect();
    channel.push(one, now);
  };
  return { channel, give, log, tick, settle, timers };
}
const entry = (seq, body = "x") => ({ seq, body, prev: "", hash: "", epoch: 1 });

test("events are gathered for half a second and sent in one batch", async () => {
  const { channel, log, tick } = bench([]);
  channel.expect();
  assert.deepEqual(log.saving, ["saving"]);
  channel.expect();
  channel.expect();
  [1, 2, 3].forEach((seq) => channel.push(entry(seq), false));
  assert.deepEqual(log.requests, []);
  assert.deepEqual(log.delays, [500]);
  await tick();
  assert.deepEqual(log.requests, [[1, 2, 3]]);
  assert.deepEqual(log.dropped, [3]);
  assert.deepEqual(log.saving, ["saving", "saved"]);
  assert.equal(channel.unsent, 0);
});

test("nothing is called saved while an event is on its way into the queue", async () => {
  const { channel, log, tick } = bench([]);
  channel.expect();
  channel.push(entry(1), false);
  channel.expect();
  await tick();
  assert.deepEqual(log.requests, [[1]]);
  assert.deepEqual(log.saving, ["saving"]);
  assert.equal(channel.unsent, 1);
  channel.push(entry(2), false);
  assert.deepEqual(log.saving, ["saving"]);
  await tick();
  assert.deepEqual(log.saving, ["saving", "saved"]);
  assert.equal(channel.unsent, 0);
});

test("an urgent event goes at once, with what waits before it", async () => {
  const { give, log, settle } = bench([]);
  give(entry(1), false);
  give(entry(2), true);
  await settle();
  assert.deepEqual(log.requests, [[1, 2]]);
});

test("offline: tries again for ever, waiting longer each time, and says so", async () => {
  const { give, channel, log, tick, settle } = bench(Array(9).fill("offline"));
  give(entry(1), true);
  await settle();
  for (let i = 0; i < 8; i++) await tick();
  assert.equal(log.requests.length, 9);
  assert.deepEqual(log.delays, [400, 800, 1600, 3200, 6400, 8000, 8000, 8000, 8000]);
  assert.deepEqual(log.saving, ["saving", "offline"]);
  assert.equal(channel.unsent, 1);
  await tick();
  assert.deepEqual(log.saving, ["saving", "offline", "saved"]);
});

test("when the network is back it does not sit out the pause", async () => {
  const { give, channel, log, settle, timers } = bench(["offline"]);
  give(entry(1), true);
  await settle();
  channel.retry();
  await settle();
  assert.deepEqual(log.requests, [[1], [1]]);
  assert.equal(timers.length, 0);
});

test("waiting for an event ends with its acknowledgement, not before", async () => {
  const { give, channel, settle, tick } = bench(["offline", { status: 200, data: { ack: 1 } }]);
  let done = false;
  give(entry(1), true);
  give(entry(2), true);
  channel.flushed(2).then(() => {
    done = true;
  });
  await settle();
  assert.equal(done, false);
  await tick();
  assert.equal(done, true);
  await channel.flushed(1);
});

test("an acknowledgement below what was sent keeps the rest", async () => {
  const { channel, log, settle } = bench([{ status: 200, data: { ack: 1 } }], [entry(1), entry(2)]);
  channel.retry();
  await settle();
  assert.deepEqual(log.requests, [[1, 2], [2]]);
});

for (const [status, code, end] of [
  [409, "taken_over", "taken_over"],
  [409, "conflict", "conflict"],
  [410, "withdrawn", "withdrawn"],
  [422, "invalid", "refused"],
  [404, "unknown", "refused"],
]) {
  test(`${status} ${code} ends the sending and drops nothing`, async () => {
    const { give, channel, log, settle } = bench([{ status, data: { error: { code } } }]);
    give(entry(1), true);
    await settle();
    assert.deepEqual(log.ended, [end]);
    assert.deepEqual(log.dropped, []);
    assert.equal(channel.unsent, 1);
    give(entry(2), true);
    await settle();
    assert.equal(log.requests.length, 1);
  });
}

for (const [status, saving] of [
  [507, "full"],
  [429, "full"],
  [503, "offline"],
  [500, "offline"],
]) {
  test(`${status} keeps everything and tries again`, async () => {
    const { give, log, tick, settle } = bench([{ status, data: { error: { code: "x" } } }]);
    give(entry(1), true);
    await settle();
    assert.equal(log.saving.at(-1), saving);
    await tick();
    assert.equal(log.saving.at(-1), "saved");
    assert.deepEqual(log.requests, [[1], [1]]);
  });
}

test("413 halves the batch until it fits; one event that is too large is the end", async () => {
  const large = { status: 413, data: { error: { code: "too_large" } } };
  const { channel, log, settle } = bench(
    [large, large, undefined],
    [1, 2, 3, 4].map((seq) => entry(seq)),
  );
  channel.retry();
  await settle();
  assert.deepEqual(log.requests.slice(0, 3), [[1, 2, 3, 4], [1, 2], [1]]);
  assert.equal(channel.unsent, 0);
  const alone = bench([large], [entry(1)]);
  alone.channel.retry();
  await alone.settle();
  assert.deepEqual(alone.log.ended, ["refused"]);
});

test("a batch stays small, but one large event still goes", async () => {
  const { channel, log, settle } = bench(
    [],
    [entry(1, "a".repeat(300_000)), entry(2, "b".repeat(300_000)), entry(3)],
  );
  channel.retry();
  await settle();
  assert.deepEqual(log.requests, [[1], [2, 3]]);
});

test("a page that goes away sends what fits in a request that outlives it", async () => {
  const { channel, log } = bench([], [entry(1), entry(2, "b".repeat(60_000)), entry(3)]);
  channel.leave();
  assert.deepEqual(log.requests, [[1]]);
  assert.deepEqual(log.options[0], { keepalive: true });
});
