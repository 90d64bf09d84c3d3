// @ts-check
/** The routes of one session. */

/** A request that takes longer is given up and tried again. */
const TIMEOUT_MS = 20_000;

/**
 * @param {string} base e.g. `/s/TOKEN`
 * @param {typeof fetch} fetch
 */
export function createApi(base, fetch) {
  /** @param {string} path @param {RequestInit} init @returns {Promise<import("./channel.js").Reply>} */
  async function call(path, init) {
    const response = await fetch(`${base}/${path}`, {
      ...init,
      headers: { Accept: "application/json", ...init.headers },
    });
    const json = (response.headers.get("Content-Type") ?? "").includes("json");
    return { status: response.status, data: json ? await response.json() : null };
  }
  return {
    /** @type {import("./channel.js").Post} */
    post: (path, payload, { keepalive = false } = {}) =>
      call(path, {
        method: "POST",
        body: JSON.stringify(payload),
        headers: { "Content-Type": "application/json" },
        keepalive,
        signal: keepalive ? undefined : AbortSignal.timeout(TIMEOUT_MS),
      }),
    /** @param {string} path */
    get: (path) => call(path, { method: "GET", signal: AbortSignal.timeout(TIMEOUT_MS) }),
  };
}

/**
 * Repeats a call until the server answers it with something other than trouble of its own.
 * @param {() => Promise<import("./channel.js").Reply>} attempt
 * @param {(ms: number) => Promise<void>} sleep
 * @param {(waiting: boolean) => void} [onWaiting]
 * @returns {Promise<import("./channel.js").Reply>}
 */
export async function untilAnswered(attempt, sleep, onWaiting = () => undefined) {
  for (let failures = 0; ; failures++) {
    try {
      const reply = await attempt();
      if (reply.status < 500 && reply.status !== 429) {
        if (failures) onWaiting(false);
        return reply;
      }
    } catch {
      // No connection: the same as a server in trouble.
    }
    onWaiting(true);
    await sleep(Math.min(5000, 400 * 2 ** failures) * (0.5 + Math.random() / 2));
  }
}
