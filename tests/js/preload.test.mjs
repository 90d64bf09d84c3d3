import assert from "node:assert/strict";
import { test } from "node:test";
import { mediaType, preload } from "../../src/believable/web/static/participant/preload.js";

const FILE = Uint8Array.from({ length: 1000 }, (_, i) => i % 251);

/** A server that knows ranges and breaks the line after `cuts` bytes of each answer in turn. */
function server(cuts, { ranges = true, statuses = [] } = {}) {
  const asked = [];
  const fetch = async (_url, { headers } = {}) => {
    const range = headers?.Range;
    asked.push(range ?? null);
    const status = statuses.shift();
    if (status) return new Response(null, { status });
    const from = ranges && range ? Number(/\d+/.exec(range)[0]) : 0;
    const rest = FILE.slice(from);
    const cut = cuts.shift();
    let given = 0;
    const stream = new ReadableStream(
      {
        pull(controller) {
          if (cut !== undefined && given >= cut) return controller.error(new TypeError("cut"));
          if (given >= rest.length) return controller.close();
          const next = rest.slice(given, Math.min(given + 100, cut ?? Infinity));
          given += next.length;
          controller.enqueue(next);
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(stream, {
      status: from ? 206 : 200,
      headers: { "Content-Length": String(rest.length) },
    });
  };
  return { fetch, asked };
}

async function run(given, more = {}) {
  const progress = [];
  const trouble = [];
  const pieces = await preload("/medium", {
    fetch: given.fetch,
    sleep: async () => undefined,
    onProgress: (received, total) => progress.push([received, total]),
    onTrouble: (on) => {
      if (trouble.at(-1) !== on) trouble.push(on);
    },
    ...more,
  });
  return { bytes: Buffer.concat(pieces), progress, trouble };
}

test("the whole file arrives and the bar moves", async () => {
  const { bytes, progress } = await run(server([]));
  assert.deepEqual([...bytes], [...FILE]);
  assert.deepEqual(progress[0], [100, 1000]);
  assert.deepEqual(progress.at(-1), [1000, 1000]);
});

test("a broken line is taken up where it broke", async () => {
  const given = server([250, 400]);
  const { bytes, trouble } = await run(given);
  assert.deepEqual([...bytes], [...FILE]);
  assert.deepEqual(given.asked, [null, "bytes=250-", "bytes=650-"]);
  assert.deepEqual(trouble, [false, true, false, true, false]);
});

test("a server without ranges starts again", async () => {
  const { bytes } = await run(server([250], { ranges: false }));
  assert.deepEqual([...bytes], [...FILE]);
});

test("a server in trouble is asked again", async () => {
  const { bytes } = await run(server([], { statuses: [503, 500] }));
  assert.equal(bytes.length, 1000);
});

test("leaving the trial stops the loading", async () => {
  const leaving = new AbortController();
  leaving.abort();
  const fetch = async () => {
    throw new DOMException("aborted", "AbortError");
  };
  await assert.rejects(run({ fetch }, { signal: leaving.signal }), { name: "AbortError" });
});

test("the kind of file is told from its first bytes", () => {
  assert.equal(mediaType([Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3)]), "video/webm");
  assert.equal(mediaType([Uint8Array.of(0, 0, 0, 24)]), "video/mp4");
});

test("a download that falls silent is given up, said, and taken up where it was", async () => {
  const given = server([]);
  let first = true;
  const fetch = async (url, init) => {
    if (!first) return given.fetch(url, init);
    first = false;
    const stream = new ReadableStream({
      start(controller) {
        controller.enqueue(FILE.slice(0, 300));
        init.signal.addEventListener("abort", () => controller.error(init.signal.reason));
      },
    });
    return new Response(stream, { status: 200, headers: { "Content-Length": "1000" } });
  };
  const { bytes, trouble } = await run({ fetch }, { patienceMs: 30 });
  assert.deepEqual([...bytes], [...FILE]);
  assert.deepEqual(given.asked, ["bytes=300-"]);
  assert.deepEqual(trouble, [false, true, false]);
});

test("a server that never answers is asked again", async () => {
  const given = server([]);
  let calls = 0;
  const fetch = (url, init) => {
    calls += 1;
    if (calls > 2) return given.fetch(url, init);
    return new Promise((_resolve, reject) =>
      init.signal.addEventListener("abort", () => reject(init.signal.reason)),
    );
  };
  const { bytes } = await run({ fetch }, { patienceMs: 20 });
  assert.deepEqual([[...bytes], calls], [[...FILE], 3]);
});
