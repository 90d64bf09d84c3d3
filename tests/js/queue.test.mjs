import assert from "node:assert/strict";
import { test } from "node:test";
import { extend, start } from "../../src/believable/web/static/participant/chain.js";
import { createQueue } from "../../src/believable/web/static/participant/queue.js";
import { memoryStorage } from "../../src/believable/web/static/participant/storage.js";

const ORIGIN = start("session");

async function claimed(storage = memoryStorage(), claim = { epoch: 1, ack: 0, head: ORIGIN }) {
  const queue = createQueue(storage, "s");
  await queue.adopt(claim);
  return { queue, storage };
}

test("events are numbered from one and chained", async () => {
  const { queue } = await claimed();
  const first = await queue.append(1, "a");
  const second = await queue.append(1, "b");
  assert.deepEqual([first.seq, second.seq], [1, 2]);
  assert.equal(second.hash, extend(extend(ORIGIN, "a"), "b"));
  assert.deepEqual(await queue.head(), { seq: 2, hash: second.hash, epoch: 1 });
});

test("two tabs that write at the same time never share a number", async () => {
  const { storage } = await claimed();
  const tabs = [createQueue(storage, "s"), createQueue(storage, "s")];
  const entries = await Promise.all(
    Array.from({ length: 40 }, (_, i) => tabs[i % 2].append(1, `event ${i}`)),
  );
  assert.deepEqual(
    entries.map(({ seq }) => seq).sort((a, b) => a - b),
    Array.from({ length: 40 }, (_, i) => i + 1),
  );
});

test("a tab that was taken over writes nothing", async () => {
  const { queue, storage } = await claimed();
  await queue.append(1, "a");
  await createQueue(storage, "s").adopt({ epoch: 2, ack: 1, head: extend(ORIGIN, "a") });
  assert.equal(await queue.append(1, "late"), null);
});

test("acknowledged events go, the others stay in order", async () => {
  const { queue } = await claimed();
  for (let i = 1; i <= 12; i++) await queue.append(1, `event ${i}`);
  await queue.drop(9);
  assert.deepEqual(
    (await queue.unsent()).map(({ seq }) => seq),
    [10, 11, 12],
  );
  assert.deepEqual(
    (await queue.unsent(2)).map(({ seq }) => seq),
    [10, 11],
  );
});

test("after a reload the unsent events go on in the chain, with the new epoch", async () => {
  const { queue, storage } = await claimed();
  for (const body of ["a", "b", "c"]) await queue.append(1, body);
  const after = createQueue(storage, "s");
  const head = await after.adopt({ epoch: 2, ack: 1, head: extend(ORIGIN, "a") });
  assert.deepEqual(
    (await after.unsent()).map(({ seq, epoch }) => [seq, epoch]),
    [
      [2, 2],
      [3, 2],
    ],
  );
  assert.equal(head.seq, 3);
  assert.deepEqual(await after.strays(), []);
  assert.equal((await after.append(2, "d")).seq, 4);
});

test("what the server has although its answer was lost is not kept as a stray", async () => {
  const { queue, storage } = await claimed();
  for (const body of ["a", "b"]) await queue.append(1, body);
  const after = createQueue(storage, "s");
  await after.adopt({ epoch: 2, ack: 2, head: extend(extend(ORIGIN, "a"), "b") });
  assert.deepEqual(await after.unsent(), []);
  assert.deepEqual(await after.strays(), []);
});

test("events that grew beside another device's are set aside, none is dropped", async () => {
  const { queue, storage } = await claimed();
  for (const body of ["mine 1", "mine 2", "mine 3"]) await queue.append(1, body);
  const theirs = extend(extend(ORIGIN, "theirs 1"), "theirs 2");
  const after = createQueue(storage, "s");
  const head = await after.adopt({ epoch: 3, ack: 2, head: theirs });
  assert.deepEqual(await after.unsent(), []);
  assert.deepEqual(
    (await after.strays()).map(({ seq, body, epoch }) => [seq, body, epoch]),
    [
      [1, "mine 1", 1],
      [2, "mine 2", 1],
      [3, "mine 3", 1],
    ],
  );
  assert.deepEqual(head, { seq: 2, hash: theirs, epoch: 3 });
  await after.dropStrays();
  assert.deepEqual(await after.strays(), []);
});

test("an event that still grew when its page went away is the last one of it", async () => {
  const { queue, storage } = await claimed();
  const first = await queue.append(1, "a");
  assert.equal(await queue.keep(1, "grow"), true);
  assert.equal(await queue.keep(1, "growing"), true);
  const second = await queue.append(1, "b");
  assert.equal((await queue.unsent()).length, 2);
  const after = createQueue(storage, "s");
  const head = await after.adopt({ epoch: 2, ack: 1, head: first.hash });
  assert.deepEqual(
    (await after.unsent()).map(({ seq, body, epoch }) => [seq, body, epoch]),
    [
      [2, "b", 2],
      [3, "growing", 2],
    ],
  );
  assert.equal(head.hash, extend(second.hash, "growing"));
  assert.equal(await queue.keep(1, "late"), false);
});

test("an event that is whole is no longer kept as growing", async () => {
  const { queue, storage } = await claimed();
  await queue.keep(1, "grow");
  await queue.append(1, "grown", true);
  const after = createQueue(storage, "s");
  await after.adopt({ epoch: 2, ack: 0, head: ORIGIN });
  assert.deepEqual(
    (await after.unsent()).map(({ body }) => body),
    ["grown"],
  );
});

test("an event that grew beside another device's is set aside with the others", async () => {
  const { queue, storage } = await claimed();
  await queue.append(1, "mine");
  await queue.keep(1, "growing");
  const theirs = extend(ORIGIN, "theirs");
  const after = createQueue(storage, "s");
  assert.deepEqual(await after.adopt({ epoch: 3, ack: 1, head: theirs }), {
    seq: 1,
    hash: theirs,
    epoch: 3,
  });
  assert.deepEqual(
    (await after.strays()).map(({ seq, body }) => [seq, body]),
    [
      [1, "mine"],
      [2, "growing"],
    ],
  );
});

test("a queue goes on where another one stood", async () => {
  const { queue } = await claimed();
  const { seq, hash } = await queue.append(1, "a");
  const other = createQueue(memoryStorage(), "s");
  await other.goOnFrom({ seq, hash, epoch: 1 });
  assert.deepEqual(await other.unsent(), []);
  assert.deepEqual((await other.append(1, "b")).hash, extend(hash, "b"));
});

test("clearing forgets this session and no other", async () => {
  const { queue, storage } = await claimed();
  await queue.append(1, "a");
  const neighbour = createQueue(storage, "t");
  await neighbour.adopt({ epoch: 1, ack: 0, head: ORIGIN });
  await neighbour.append(1, "b");
  await queue.clear();
  assert.deepEqual(await queue.unsent(), []);
  assert.equal(await queue.head(), undefined);
  assert.equal((await neighbour.unsent()).length, 1);
});
