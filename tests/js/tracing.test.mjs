import assert from "node:assert/strict";
import { test } from "node:test";
import { DURATION_MS, MOVES, size } from "../../src/believable/instruments/tracing/disc.js";
import { changes, judge } from "../../src/believable/instruments/tracing/judge.js";
import { reach, ticks } from "../../src/believable/instruments/tracing/scale.js";
import { createMarks, createTrace, line } from "../../src/believable/instruments/tracing/trace.js";
import { wheel } from "../../src/believable/instruments/tracing/wheel.js";

// ------------------------------------------------------------------------------------------ wheel

const spin = (turns) => {
  const read = wheel();
  let timeStamp = 0;
  return turns.map(([deltaY, more = {}]) => {
    timeStamp += more.after ?? 16;
    return read({ deltaY, deltaMode: 0, timeStamp, ...more });
  });
};
const sum = (found) => found.reduce((total, { notches }) => total + notches, 0);
const inputs = (found) => [...new Set(found.map(({ input }) => input))];

test("a mouse wheel: one notch per click, whatever distance it is set to scroll", () => {
  for (const pixels of [33, 100, 120, 166.66666412353516]) {
    const found = spin([
      [-pixels, { wheelDeltaY: 120 }],
      [pixels, { wheelDeltaY: -120 }],
      [pixels, { wheelDeltaY: -120 }],
    ]);
    assert.deepEqual(
      found.map(({ notches }) => notches),
      [1, -1, -1],
      `${pixels} px`,
    );
    assert.deepEqual(inputs(found), ["wheel"]);
  }
});

test("several clicks that arrive as one count as several", () => {
  assert.equal(sum(spin([[-300, { wheelDeltaY: 360 }]])), 3);
  assert.equal(sum(spin([[-300]])), 3);
});

test("lines and pages, as Firefox reports them", () => {
  assert.deepEqual(
    spin([
      [-3, { deltaMode: 1 }],
      [6, { deltaMode: 1 }],
      [1, { deltaMode: 2 }],
      [-1, { deltaMode: 1 }],
    ]).map(({ notches }) => notches),
    [1, -2, -1, 1],
  );
});

test("a trackpad's small distances are added up to notches", () => {
  const found = spin(Array.from({ length: 30 }, () => [-10, { wheelDeltaY: 30 }]));
  assert.equal(sum(found), 3);
  assert.equal(found.findIndex(({ notches }) => notches) + 1, 10);
  assert.deepEqual(inputs(found), ["trackpad"]);
});

test("fractions add up exactly", () => {
  assert.equal(sum(spin(Array.from({ length: 1000 }, () => [-0.1]))), 1);
  assert.equal(sum(spin(Array.from({ length: 300 }, () => [3.3333333333333335]))), -10);
});

test("the rest is forgotten when the fingers turn round", () => {
  assert.equal(sum(spin([[-5], [-90], [15], [-15]])), 0);
});

test("a fast swipe is still a trackpad; a mouse used later is a mouse", () => {
  const swipe = [[-4], [-38.5], [-160], [-240], [-90]];
  const found = spin([...swipe, [-100, { wheelDeltaY: 120, after: 1000 }]]);
  assert.deepEqual(
    found.map(({ input }) => input),
    [...Array(5).fill("trackpad"), "wheel"],
  );
  assert.equal(sum(found), 6);
});

test("sideways movement is nothing", () => {
  assert.equal(sum(spin([[0], [0], [-0]])), 0);
});

// ------------------------------------------------------------------------------------------ samples

/** A player that stands where the test says. */
function bench(saved = []) {
  const player = {
    running: true,
    playing: true,
    moment: (mono) => ({ media_ms: Math.round(mono * player.rate), frame: Math.floor(mono / 40) }),
    rate: 1,
  };
  const events = [];
  const record = (kind, data, { mono_ms }) => events.push({ kind, ...data, mono_ms });
  return {
    player,
    events,
    trace: createTrace({ player, record, saved }),
    marks: createMarks({ player, record, saved }),
  };
}

test("a change is recorded at once, at the input's own time", () => {
  const { trace, events } = bench();
  trace.tick(0);
  assert.equal(trace.change(1, "wheel", 412.5), true);
  assert.deepEqual(events, [
    { kind: "trace.sample", value: 0, media_ms: 0, frame: 0, input: "heartbeat", mono_ms: 0 },
    { kind: "trace.sample", value: 1, media_ms: 413, frame: 10, input: "wheel", mono_ms: 412.5 },
  ]);
});

test("no change, no sample", () => {
  const { trace, events } = bench();
  trace.tick(0);
  assert.equal(trace.change(0, "key", 10), false);
  assert.equal(events.length, 1);
});

test("the heart beats once a second after the last sample, also at 60 pictures a second", () => {
  const { trace, events } = bench();
  for (let frame = 0; frame <= 300; frame += 1) {
    trace.tick((frame * 1000) / 60);
    if (frame === 150) trace.change(5, "wheel", 2500);
  }
  assert.deepEqual(
    events.map(({ mono_ms }) => Math.round(mono_ms)),
    [0, 1000, 2000, 2500, 3500, 4500],
  );
  assert.deepEqual(
    events.map(({ value }) => value),
    [0, 0, 0, 5, 5, 5],
  );
});

test("while the stimulus stands nothing is recorded and the value stays", () => {
  const { trace, player, events, marks } = bench();
  trace.tick(0);
  Object.assign(player, { running: false, playing: false });
  for (let ms = 16; ms < 5000; ms += 16) trace.tick(ms);
  assert.equal(trace.change(3, "wheel", 3000), false);
  assert.equal(marks.add(1, "key", 3000), false);
  assert.equal(trace.value, 0);
  assert.equal(events.length, 1);
  Object.assign(player, { running: true, playing: true });
  trace.tick(6000);
  assert.deepEqual([events[1].input, events[1].mono_ms], ["heartbeat", 6000]);
});

test("the line is drawn up to where the stimulus stopped, and nothing more is recorded", () => {
  const { trace, player, events } = bench();
  trace.tick(0);
  trace.change(2, "wheel", 500);
  for (let ms = 510; ms <= 1450; ms += 10) trace.tick(ms);
  Object.assign(player, {
    running: false,
    playing: false,
    moment: () => ({ media_ms: 1460, frame: 36 }),
  });
  trace.tick(1466);
  trace.tick(1480);
  assert.deepEqual(trace.points.at(-1), { t: 1460, v: 2 });
  assert.deepEqual(
    events.map(({ mono_ms }) => mono_ms),
    [0, 500],
  );
});

test("a stop in what is watched again leaves the line behind it", () => {
  const { trace, player } = bench([
    ["trace.sample", { media_ms: 5000, value: 4 }],
    ["trace.sample", { media_ms: 6000, value: 5 }],
  ]);
  trace.tick(0);
  Object.assign(player, { running: false, playing: false });
  trace.tick(300);
  assert.deepEqual(trace.points.slice(-2), [
    { t: 5000, v: 4 },
    { t: 6000, v: 5 },
  ]);
});

test("after a jump the line ends where it ended", () => {
  const { trace, player } = bench();
  trace.tick(0);
  trace.change(2, "wheel", 500);
  trace.cut();
  Object.assign(player, {
    running: false,
    playing: false,
    moment: () => ({ media_ms: 9000, frame: 225 }),
  });
  trace.tick(600);
  assert.deepEqual(trace.points.at(-1), { t: 500, v: 2 });
});

test("while the stimulus halts by itself the heart rests and inputs count", () => {
  const { trace, player, events, marks } = bench();
  trace.tick(0);
  player.running = false;
  for (let ms = 16; ms < 5000; ms += 16) trace.tick(ms);
  assert.equal(trace.change(3, "wheel", 3000), true);
  assert.equal(marks.add(1, "key", 3100), true);
  player.running = true;
  trace.tick(6000);
  assert.deepEqual(
    events.map(({ input, mono_ms }) => [input, mono_ms]),
    [
      ["heartbeat", 0],
      ["wheel", 3000],
      ["key", 3100],
      ["heartbeat", 6000],
    ],
  );
  assert.equal(trace.value, 3);
});

test("an input right after playing began comes after the first sample", () => {
  const { trace, events } = bench();
  trace.change(1, "key", 20);
  assert.deepEqual(
    events.map(({ value, input }) => [value, input]),
    [
      [0, "heartbeat"],
      [1, "key"],
    ],
  );
});

test("an input that waited for its turn never goes back behind what is recorded", () => {
  const { trace, events } = bench();
  trace.tick(1016);
  trace.change(1, "wheel", 1010);
  assert.deepEqual(
    events.map(({ mono_ms }) => mono_ms),
    [1016, 1016],
  );
});

test("an input that a heartbeat overtook keeps its own time", () => {
  const { trace, events } = bench();
  for (let ms = 0; ms <= 1200; ms += 16) trace.tick(ms);
  trace.change(1, "wheel", 1170);
  assert.deepEqual(
    events.map(({ input, mono_ms }) => [input, mono_ms]),
    [
      ["heartbeat", 0],
      ["heartbeat", 1004],
      ["wheel", 1170],
    ],
  );
});

test("marks", () => {
  const { marks, events } = bench();
  marks.add(1, "key", 1000);
  marks.add(-1, "pointer", 1500);
  assert.deepEqual(
    events.map(({ kind, sign, media_ms, input }) => [kind, sign, media_ms, input]),
    [
      ["trace.mark", 1, 1000, "key"],
      ["trace.mark", -1, 1500, "pointer"],
    ],
  );
  assert.deepEqual(
    marks.points.map(({ t, v }) => [t, v]),
    [
      [1000, 1],
      [1500, -1],
    ],
  );
});

/** What a key held from one moment to another leaves. */
function heldKey(from, to, { rate = 1, standing = () => null } = {}) {
  const { marks, events, player } = bench();
  player.rate = rate;
  const { moment } = player;
  player.moment = (mono) =>
    standing(mono) === null ? moment(mono) : { media_ms: standing(mono), frame: 1 };
  marks.add(1, "key", from);
  for (let ms = from; ms < to; ms += 16) marks.tick(ms);
  marks.release(to);
  return { marks, events, player };
}

test("a key held for 3 s is one press and one hold on the wire, and 31 marks", () => {
  const { marks, events } = heldKey(1000, 4000);
  assert.deepEqual(
    events.map(({ kind, sign, media_ms, input }) => [kind, sign, media_ms, input]),
    [
      ["trace.mark", 1, 1000, "key"],
      ["trace.hold", 1, 4000, "key"],
    ],
  );
  assert.deepEqual([events[1].from_ms, events[1].repeat_ms], [1000, 100]);
  assert.deepEqual([marks.count(1), marks.count(-1)], [31, 0]);
  assert.deepEqual(marks.points, [{ t: 1000, v: 1, until: 4000 }]);
  assert.equal(changes(events.map(({ kind, ...data }) => ({ kind, data }))).length, 31);
});

test("what is held counts in the time of the medium", () => {
  assert.equal(heldKey(1000, 4000, { rate: 2 }).marks.count(1), 61);
  const stalled = (mono) => (mono > 2000 && mono < 3500 ? 2000 : null);
  assert.equal(heldKey(1000, 2600, { standing: stalled }).marks.count(1), 11);
});

test("a short press leaves one mark and no hold, and so does any press where nothing is repeated", () => {
  assert.deepEqual(
    heldKey(1000, 1099).events.map(({ kind }) => kind),
    ["trace.mark"],
  );
  const { player, events } = bench();
  const single = createMarks({ player, record: (kind) => events.push({ kind }), repeat_ms: 0 });
  single.add(-1, "key", 0);
  single.tick(2000);
  single.release(3000);
  assert.deepEqual([events.length, single.count(-1)], [1, 1]);
});

test("a pause, a jump and the other key let go of what is held", () => {
  const paused = bench();
  paused.marks.add(1, "key", 0);
  paused.marks.tick(1000);
  Object.assign(paused.player, { running: false, playing: false });
  paused.marks.tick(1016);
  Object.assign(paused.player, { running: true, playing: true });
  paused.marks.tick(5000);
  paused.marks.release(6000);
  assert.deepEqual(
    paused.events.slice(1).map(({ kind, media_ms }) => [kind, media_ms]),
    [["trace.hold", 1000]],
  );
  const jumped = bench();
  jumped.marks.add(1, "key", 0);
  jumped.marks.tick(500);
  jumped.marks.cut(510);
  jumped.marks.release(9000);
  assert.deepEqual(
    jumped.events.slice(1).map(({ media_ms }) => media_ms),
    [500],
  );
  const turned = bench();
  turned.marks.add(1, "key", 0);
  turned.marks.tick(700);
  turned.marks.add(-1, "key", 716);
  assert.deepEqual(
    turned.events.map(({ kind, sign }) => [kind, sign]),
    [
      ["trace.mark", 1],
      ["trace.hold", 1],
      ["trace.mark", -1],
    ],
  );
});

test("after a reload the trace goes on where it was", () => {
  const first = bench();
  first.trace.tick(0);
  for (const [value, ms] of [
    [1, 500],
    [2, 700],
    [1, 900],
  ])
    first.trace.change(value, "wheel", ms);
  first.marks.add(-1, "key", 950);
  first.marks.tick(1490);
  first.marks.release(1500);
  const saved = first.events.map(({ kind, mono_ms, ...data }) => [kind, data]);
  const second = bench(saved);
  assert.equal(second.trace.value, 1);
  assert.deepEqual(second.trace.points, first.trace.points);
  assert.deepEqual(second.marks.points, first.marks.points);
  assert.deepEqual(second.events, []);
});

// ------------------------------------------------------------------------------------------ the line

const drawn = (steps) => {
  const made = line();
  for (const step of steps) step === "cut" ? made.cut() : made.add(...step);
  return made.points.map(({ t, v }) => [t, v]);
};

test("a level stretch is two points, however long", () => {
  assert.deepEqual(
    drawn([
      [0, 0],
      [1000, 0],
      [2000, 0],
      [3000, 0],
      [3500, 1],
    ]),
    [
      [0, 0],
      [3000, 0],
      [3500, 1],
    ],
  );
});

test("what is watched again replaces what was drawn there, and nothing else", () => {
  const once = [
    [0, 0],
    [1000, 1],
    [2000, 2],
    [3000, 3],
    [4000, 4],
  ];
  assert.deepEqual(drawn([...once, "cut", [900, 9], [2500, 8]]), [
    [0, 0],
    [900, 9],
    [2500, 8],
    [3000, 3],
    [4000, 4],
  ]);
  assert.deepEqual(drawn([...once, [900, 9], [2500, 8]]), [
    [0, 0],
    [900, 9],
    [2500, 8],
    [3000, 3],
    [4000, 4],
  ]);
});

test("a jump ahead leaves what lies between alone", () => {
  assert.deepEqual(drawn([[0, 0], [5000, 5], "cut", [1000, 1], "cut", [4000, 4]]), [
    [0, 0],
    [1000, 1],
    [4000, 4],
    [5000, 5],
  ]);
});

test("the axis holds every value and never less than a few steps around zero", () => {
  const [low, high] = reach([], 0);
  assert.ok(low < -4 && high > 4);
  const wide = reach([{ v: -20 }, { v: 3 }], 7);
  assert.ok(wide[0] < -20 && wide[1] > 7);
});

test("time labels are round and never crowded", () => {
  for (const seconds of [3, 12, 60, 61.5, 600, 3600, 86_400]) {
    const found = ticks(seconds * 1000, 640);
    assert.ok(found.length >= 2 && found.length <= 11, `${seconds} s: ${found.length}`);
    assert.equal(found[0].words, "0:00");
  }
  assert.equal(ticks(7_200_000, 640).at(-1).words, "2:00:00");
});

// ------------------------------------------------------------------------------------------ practice

const follow = (signs) =>
  MOVES.flatMap(({ from_ms }, index) =>
    [600, 900].map((after) => ({ media_ms: from_ms + after, change: signs[index] })),
  );

test("the disc does what the moves say", () => {
  for (const { from_ms, to_ms, direction } of MOVES)
    assert.equal(Math.sign(size(to_ms) - size(from_ms)), direction);
  assert.equal(size(0), size(MOVES[0].from_ms));
  for (let ms = 0; ms <= DURATION_MS; ms += 50) assert.ok(size(ms) > 0.2 && size(ms) <= 1);
});

test("who follows the disc passes; who turns the wrong way, or does nothing, is told so", () => {
  assert.equal(judge(MOVES, follow([1, -1, 1, -1])).passed, true);
  const wrong = judge(MOVES, follow([1, -1, -1, -1]));
  assert.deepEqual(
    wrong.moves.map(({ right }) => right),
    [true, true, false, true],
  );
  assert.equal(wrong.passed, false);
  assert.deepEqual(
    judge(MOVES, []).moves.map(({ change }) => change),
    [0, 0, 0, 0],
  );
});

test("steps of a trace and marks are judged alike", () => {
  const sample = (media_ms, value) => ({ kind: "trace.sample", data: { media_ms, value } });
  assert.deepEqual(changes([sample(0, 0), sample(500, 2), sample(900, 2), sample(1000, 1)]), [
    { media_ms: 500, change: 2 },
    { media_ms: 1000, change: -1 },
  ]);
  assert.deepEqual(changes([{ kind: "trace.mark", data: { media_ms: 5, sign: -1 } }]), [
    { media_ms: 5, change: -1 },
  ]);
});
