import assert from "node:assert/strict";
import { test } from "node:test";
import { start as origin } from "../../src/believable/web/static/participant/chain.js";
import { createChannel } from "../../src/believable/web/static/participant/channel.js";
import { createQueue } from "../../src/believable/web/static/participant/queue.js";
import { createRecorder } from "../../src/believable/web/static/participant/recorder.js";
import { createSession, withUnsent } from "../../src/believable/web/static/participant/session.js";
import { memoryStorage } from "../../src/believable/web/static/participant/storage.js";
import { announceTab, askToSettle } from "../../src/believable/web/static/participant/tab.js";
import { createTyping } from "../../src/believable/web/static/participant/typing.js";

/** A whole page against a server of two trials that keeps what it gets. */
function world({ storage = memoryStorage(), server = newServer() } = {}) {
  const shown = [];
  const log = { waiting: [], ends: [], errors: [], sending: 0, finished: null };
  const call = async (path, payload) => {
    server.calls.push(path);
    if (server.down.has(path)) throw new TypeError("network");
    return server.answer(path, payload);
  };
  const api = { post: call, get: (path) => call(path, null) };
  const queue = createQueue(storage, "s");
  const screen = {
    trial: async (trial) => {
      shown.push(trial);
      return {
        setBusy: () => undefined,
        showErrors: (errors) => log.errors.push(errors),
        settle: () => undefined,
        destroy: () => undefined,
      };
    },
    finished: (html) => {
      log.finished = html;
    },
    taken: () => log.ends.push("taken"),
    withdrawn: () => log.ends.push("withdrawn"),
    refused: (code) => log.ends.push(code),
    sending: () => {
      log.sending += 1;
    },
    waiting: (on) => log.waiting.push(on),
  };
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 5)));
  const parts = {};
  const session = createSession({
    api,
    queue,
    screen,
    sleep,
    connect: (head, unsent) => {
      const channel = createChannel(queue, head.epoch, unsent, {
        post: api.post,
        later: (work, ms) => setTimeout(work, ms / 50),
        cancel: (timer) => clearTimeout(timer),
        random: () => 0,
        onSaving: () => undefined,
        onEnd: (why) => session.ended(why),
      });
      const recorder = createRecorder({
        queue,
        head,
        channel,
        epoch: head.epoch,
        clock: { wall: () => 1000, mono: () => 1 },
        fallback: () => createQueue(memoryStorage(), "s"),
        onTaken: () => session.taken(),
        onMemory: () => undefined,
      });
      return Object.assign(parts, { channel, recorder });
    },
  });
  return { session, server, shown, log, parts, queue, storage };
}

function newServer() {
  const server = {
    epoch: 0,
    events: new Map(),
    strays: [],
    position: 0,
    calls: [],
    down: new Set(),
    done: null,
    head: origin("session"),
    drafts() {
      const changes = [...server.events.values()]
        .map((body) => JSON.parse(body))
        .filter(({ kind }) => kind === "answer.change");
      return Object.fromEntries(changes.map(({ data }) => [data.question, data.value]));
    },
    get ack() {
      let n = 0;
      while (server.events.has(n + 1)) n += 1;
      return n;
    },
    answer(path, payload) {
      const ok = (data) => ({ status: 200, data });
      if (path === "claim")
        return ok({
          epoch: ++server.epoch,
          ack: server.ack,
          head: server.head,
          position: server.position,
          trial: server.answer("trial").data,
        });
      if (path === "trial") {
        if (server.done)
          return ok({ kind: "finished", html: "code", position: 2, drafts: {}, opened: [] });
        return ok({
          kind: server.position > 1 ? "finish" : "form",
          position: server.position,
          drafts: server.drafts(),
          opened: [],
        });
      }
      if (path === "events") {
        if (payload.epoch < server.epoch) {
          server.strays.push(...payload.events);
          return { status: 409, data: { error: { code: "taken_over" } } };
        }
        for (const [seq, body] of payload.events) server.events.set(seq, body);
        return ok({ ack: server.ack });
      }
      if (path === "advance") {
        if (payload.events) {
          const stored = server.answer("events", payload);
          if (stored.status !== 200) return stored;
        }
        assert.ok(server.ack >= payload.seq, "closed only with everything before it");
        const reply = { ack: server.ack, errors: {} };
        if (server.events.get(payload.seq).includes("wrong"))
          return ok({ ...reply, status: "again", errors: { q: "look again" } });
        if (payload.position === server.position) server.position += 1; // asked again after a lost answer, it stays
        return ok({ ...reply, status: "next", trial: server.answer("trial").data });
      }
      assert.equal(path, "finish");
      assert.equal(payload.seq, server.ack);
      server.done = payload;
      return ok({ outcome: "complete" });
    },
  };
  return server;
}
const until = async (condition) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 2));
};

test("a session runs through and finishes with the head of its chain", async () => {
  const { session, server, shown, log, queue } = world();
  await session.start();
  await session.submit({ q: "wrong" });
  assert.deepEqual(log.errors, [{ q: "look again" }]);
  await session.submit({ q: 1 });
  await session.submit({ q: 2 });
  assert.deepEqual(
    shown.map(({ position }) => position),
    [0, 1],
  );
  assert.equal(log.finished, "code");
  assert.equal(server.done.seq, 3);
  assert.match(server.done.head, /^[0-9a-f]{64}$/);
  assert.deepEqual(await queue.unsent(), []);
  assert.ok(server.calls.indexOf("finish") > server.calls.lastIndexOf("advance"));
  assert.equal(
    server.calls.includes("events"),
    false,
    "what is left to send goes along with leaving the page",
  );
  assert.equal(
    server.calls.filter((path) => path === "trial").length,
    1,
    "trials come with claim and advance; only the last page is asked for",
  );
});

test("what was not sent before a reload is waited for by asking for the trial again", async () => {
  const server = newServer();
  const first = world({ server });
  await first.session.start();
  server.down.add("events");
  await first.parts.recorder.record("answer.change", { question: "q", value: 5 });
  const second = world({ server, storage: first.storage });
  await second.session.start();
  assert.equal(server.calls.filter((path) => path === "trial").length, 1);
  assert.equal(second.shown[0].drafts.q, 5);
  server.down.clear();
  await until(() => server.events.size === 1);
});

test("while events do not arrive nothing advances; when they do, it goes on", async () => {
  const { session, server, shown } = world();
  await session.start();
  server.down.add("events").add("advance");
  const submitted = session.submit({ q: 1 });
  await new Promise((resolve) => setTimeout(resolve, 40));
  assert.equal(
    server.calls.filter((path) => path === "advance").length,
    1,
    "then events by themselves, until they arrive",
  );
  assert.ok(server.calls.filter((path) => path === "events").length > 0);
  assert.equal(server.position, 0);
  server.down.clear();
  await submitted;
  assert.equal(shown.at(-1).position, 1);
});

test("a page whose closing was stored but not answered is closed once, and the next one is shown", async () => {
  const { session, server, shown, queue } = world();
  await session.start();
  const answer = server.answer;
  server.answer = (path, payload) => {
    const reply = answer(path, payload);
    if (path !== "advance") return reply;
    server.answer = answer;
    throw new TypeError("network");
  };
  await session.submit({ q: 1 });
  assert.deepEqual(server.calls.slice(1), ["advance", "events", "advance"]);
  assert.equal(server.position, 1);
  assert.equal(server.events.size, 1);
  assert.equal(shown.at(-1).position, 1);
  assert.deepEqual(await queue.unsent(), []);
});

test("a reload sends what was left over, in order, before anything new", async () => {
  const first = world();
  await first.session.start();
  first.server.down.add("events");
  await first.parts.recorder.record("answer.change", { question: "q", value: 7 });
  first.parts.channel.stop();
  first.server.down.clear();
  const second = world({ storage: first.storage, server: first.server });
  await second.session.start();
  assert.deepEqual(second.shown[0].drafts, { q: 7 });
  await until(() => first.server.ack === 1);
  assert.match(first.server.events.get(1), /"value":7/);
});

test("a tab that is overtaken says so and stops", async () => {
  const first = world();
  await first.session.start();
  const second = world({ storage: first.storage, server: first.server });
  await second.session.start();
  await first.session.submit({ q: 1 });
  assert.deepEqual(first.log.ends, ["taken"]);
  await second.session.submit({ q: 1 });
  assert.equal(second.shown.at(-1).position, 1);
});

test("events that another device overtook reach the server as strays", async () => {
  const here = world();
  await here.session.start();
  here.server.down.add("events");
  await here.parts.recorder.record("answer.change", { question: "q", value: "mine" });
  here.parts.channel.stop();
  here.server.down.clear();
  const elsewhere = world({ server: here.server });
  await elsewhere.session.start();
  await elsewhere.session.submit({ q: 1 });
  here.server.head = (await elsewhere.queue.head()).hash;
  const back = world({ storage: here.storage, server: here.server });
  await back.session.start();
  assert.equal(here.server.strays.length, 1);
  assert.match(here.server.strays[0][1], /"mine"/);
});

test("a withdrawn session ends wherever it is noticed", async () => {
  const { session, server, log } = world();
  await session.start();
  server.answer = () => ({ status: 410, data: { error: { code: "withdrawn" } } });
  await Promise.race([session.submit({ q: 1 }), until(() => log.ends.length)]);
  assert.deepEqual(log.ends, ["withdrawn"]);
});

test("a refusal is shown with its reason", async () => {
  const { session, server, log } = world();
  server.answer = () => ({ status: 403, data: { error: { code: "resume" } } });
  await session.start();
  assert.deepEqual(log.ends, ["resume"]);
});

test("storage that fails in the middle is replaced by memory, and nothing is lost", async () => {
  const storage = memoryStorage();
  const { session, parts, server, log } = world({ storage });
  await session.start();
  await parts.recorder.record("answer.change", { question: "q", value: 1 });
  storage.run = () => Promise.reject(new Error("QuotaExceededError"));
  await parts.recorder.record("answer.change", { question: "q", value: 2 });
  await session.submit({ q: 1 });
  await session.submit({ q: 2 });
  assert.equal(log.finished, "code");
  assert.equal(server.done.seq, 4);
  assert.equal(server.ack, 4);
});

test("while the server does not answer the page says so, and goes on by itself", async () => {
  const { session, server, shown, log } = world();
  await session.start();
  server.down.add("advance");
  const submitted = session.submit({ q: 1 });
  await until(() => log.waiting.length > 1);
  assert.deepEqual([...new Set(log.waiting)], [true]);
  server.down.delete("advance");
  await submitted;
  assert.equal(log.waiting.at(-1), false);
  assert.equal(shown.at(-1).position, 1);
});

function rooms() {
  const members = {};
  return (name) => {
    const channel = {
      onmessage: null,
      close: () => {
        members[name] = members[name].filter((one) => one !== channel);
      },
      postMessage: (data) =>
        members[name].filter((one) => one !== channel).forEach((one) => one.onmessage?.({ data })),
    };
    (members[name] ??= []).push(channel);
    return channel;
  };
}

test("tabs hear only of later claims", () => {
  const open = rooms();
  const taken = [];
  const listener = (name) => ({ onTaken: () => taken.push(name), onHello: async () => undefined });
  announceTab("s", 1, listener("first"), open);
  announceTab("s", 2, listener("second"), open);
  announceTab("other", 9, listener("other"), open);
  assert.deepEqual(taken, ["first"]);
  announceTab("s", 3, listener("nowhere"), () => null);
});

test("a new tab waits until the old one has put everything down", async () => {
  const open = rooms();
  const order = [];
  const onHello = async () => {
    await Promise.resolve();
    order.push("settled");
  };
  announceTab("s", 1, { onTaken: () => undefined, onHello }, open);
  await askToSettle("s", open, () => new Promise(() => undefined));
  order.push("goes on");
  assert.deepEqual(order, ["settled", "goes on"]);
  await askToSettle("alone", open, async () => undefined);
  await askToSettle(
    "nowhere",
    () => null,
    () => new Promise(() => undefined),
  );
});

test("what is being typed is kept until it is an event, apart for each trial", () => {
  const held = new Map();
  const storage = {
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => held.set(key, value),
    removeItem: (key) => held.delete(key),
  };
  const typing = createTyping(storage, "s", 2);
  typing.save("why", "half");
  typing.save("job", "a");
  typing.save("why", "half a");
  assert.deepEqual(createTyping(storage, "s", 2).all(), { why: "half a", job: "a" });
  assert.deepEqual(createTyping(storage, "s", 3).all(), {});
  typing.forget("why");
  typing.forget("job");
  typing.forget("job");
  assert.equal(held.size, 0);
  const broken = {
    getItem: () => {
      throw new Error("no");
    },
    setItem: () => {
      throw new Error("no");
    },
    removeItem: () => undefined,
  };
  createTyping(broken, "s", 1).save("why", "x");
  assert.deepEqual(createTyping(broken, "s", 1).all(), {});
});

const stroke = (seq, trial, value, kind = "trace.sample") => ({
  seq,
  body: JSON.stringify({ kind, trial, data: { value } }),
});

test("what was annotated and is still on its way is shown after a reload, once and in order", () => {
  const saved = [
    [4, "trace.sample", { value: 1 }],
    [5, "trace.sample", { value: 2 }],
  ];
  const unsent = [
    stroke(5, 3, 2), // arrived meanwhile
    stroke(6, 3, 3),
    stroke(7, 3, 0, "media.play"),
    stroke(8, 2, 9), // another kind, another page
    stroke(9, 3, 4),
  ];
  assert.deepEqual(withUnsent(saved, unsent, 3, ["trace.sample"]), [
    ...saved,
    [6, "trace.sample", { value: 3 }],
    [9, "trace.sample", { value: 4 }],
  ]);
  assert.deepEqual(withUnsent([], [], 3, ["trace.sample"]), []);
});

test("after a reload a page gets its annotation with what the server does not hold yet", async () => {
  const server = newServer();
  const first = world({ server });
  await first.session.start();
  server.down.add("events");
  await first.parts.recorder.record("trace.sample", { value: 7 });
  const answer = server.answer;
  server.answer = (path, payload) => {
    const reply = answer(path, payload);
    if (path === "trial") Object.assign(reply.data, { streams: ["trace.sample"], saved: [] });
    return reply;
  };
  const second = world({ server, storage: first.storage });
  await second.session.start();
  assert.deepEqual(second.shown[0].saved, [[1, "trace.sample", { value: 7 }]]);
  server.down.clear();
  await until(() => server.events.size === 1);
});
