// @ts-check
/**
 * The zero-loss way to the server, as participants' answers go: an operation is numbered and in the browser's storage before it
 * is sent, and stays there until the server has stored it durably.
 */
import { createChannel } from "/static/participant/channel.js";
import { createQueue } from "/static/participant/queue.js";
import { memoryStorage, openStorage } from "/static/participant/storage.js";
import { announceTab, askToSettle } from "/static/participant/tab.js";

const STORAGE_PATIENCE_MS = 4000;
const TIMEOUT_MS = 20_000;

/** @param {number} ms @returns {Promise<void>} */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function bestStorage() {
  try {
    return await Promise.race([
      openStorage(indexedDB),
      sleep(STORAGE_PATIENCE_MS).then(() => Promise.reject(new Error("no answer"))),
    ]);
  } catch {
    return memoryStorage();
  }
}

/** @type {import("/static/participant/tab.js").OpenRoom} */
const openRoom = (name) => ("BroadcastChannel" in globalThis ? new BroadcastChannel(name) : null);

/** @param {string} base @param {string} csrf @param {(needed: boolean) => void} onLogin */
function createPost(base, csrf, onLogin) {
  /** @type {import("/static/participant/channel.js").Post} */
  return async (path, payload, { keepalive = false } = {}) => {
    const response = await fetch(`${base}/${path}`, {
      method: "POST",
      body: new URLSearchParams({ csrf, batch: JSON.stringify(payload) }),
      keepalive,
      headers: { Accept: "application/json" },
      signal: keepalive ? undefined : AbortSignal.timeout(TIMEOUT_MS),
    });
    onLogin(response.status === 401 || response.status === 403);
    const json = (response.headers.get("Content-Type") ?? "").includes("json");
    const data = json ? await response.json() : null;
    // A log-in that ended is trouble that passes: keep everything and go on trying.
    return {
      status: response.status === 401 || response.status === 403 ? 503 : response.status,
      data,
    };
  };
}

/**
 * @param {{base: string, log: string, csrf: string}} where
 * @param {{onSaving: (saving: string) => void, onTaken: () => void, onEnd: (end: string) => void, onLogin: (needed: boolean) => void}} listener
 */
export async function openOutbox({ base, log, csrf }, { onSaving, onTaken, onEnd, onLogin }) {
  const post = createPost(base, csrf, onLogin);
  const [storage] = await Promise.all([bestStorage(), askToSettle(log, openRoom, sleep)]);
  /** Operations that are on their way into the storage, in order. */
  let turn = Promise.resolve();
  const claim = await untilClaimed(post, onSaving);
  const queue = createQueue(storage, claim.log);
  await queue.adopt(claim);
  const unsent = await queue.unsent();
  const channel = createChannel(queue, claim.epoch, unsent, {
    post,
    later: (work, ms) => setTimeout(work, ms),
    cancel: (timer) => clearTimeout(timer),
    random: Math.random,
    onSaving,
    onEnd: (end) => (end === "taken_over" ? onTaken() : onEnd(end)),
  });
  announceTab(
    log,
    claim.epoch,
    {
      onTaken: () => {
        channel.stop();
        onTaken();
      },
      onHello: () => turn,
    },
    openRoom,
  );
  addEventListener("online", () => channel.retry());
  addEventListener("pagehide", () => channel.leave());
  if (unsent.length) channel.retry();
  return {
    durable: storage.durable,
    /** What an earlier page of this browser could not send yet: it holds already. */
    waiting: unsent.map(({ body }) => JSON.parse(body)),
    /** @param {Record<string, any>} operation @returns {Promise<void>} resolves when the browser holds it */
    put: (operation) => {
      channel.expect();
      const body = JSON.stringify(operation);
      turn = turn.then(async () => {
        const entry = await queue.append(claim.epoch, body);
        if (entry) channel.push(entry, true);
        else onTaken();
      });
      return turn;
    },
  };
}

/** @param {import("/static/participant/channel.js").Post} post @param {(saving: string) => void} onSaving */
async function untilClaimed(post, onSaving) {
  for (let failures = 0; ; failures++) {
    try {
      const { status, data } = await post("claim", {});
      if (status === 200) return data;
    } catch {
      // No connection: the same as a server in trouble.
    }
    onSaving("offline");
    await sleep(Math.min(5000, 400 * 2 ** failures));
  }
}
