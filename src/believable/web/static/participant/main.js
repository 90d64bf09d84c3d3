// @ts-check
/** Starts the session of this page with the browser's own clock, storage and network. */
import { createApi } from "./api.js";
import { announce } from "./focus.js";
import { createChannel } from "./channel.js";
import { installCopy, installDialogs } from "./dialogs.js";
import { createQueue } from "./queue.js";
import { createRecorder } from "./recorder.js";
import { createSession } from "./session.js";
import { createStatus } from "./status.js";
import { memoryStorage, openStorage } from "./storage.js";
import { announceTab, askToSettle } from "./tab.js";
import { showTrial } from "./trial.js";
import { createTyping } from "./typing.js";

/** Private windows of some browsers never answer at all. */
const STORAGE_PATIENCE_MS = 4000;

const state = JSON.parse(
  /** @type {HTMLElement} */ (document.getElementById("state")).textContent ?? "{}",
);
/** @type {Record<string, string>} */
const texts = state.texts;
const main = /** @type {HTMLElement} */ (document.getElementById("trial"));
const session = String(state.base);

/** @param {number} ms @returns {Promise<void>} */
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Pauses between tries, which a person may cut short. @type {Set<() => void>} */
const pauses = new Set();
/** @param {number} ms @returns {Promise<void>} */
const pause = (ms) =>
  new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      pauses.delete(over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    pauses.add(over);
  });

async function bestStorage() {
  try {
    const opening = openStorage(indexedDB); // first: where it throws at once, nothing is left behind that fails later
    const patience = sleep(STORAGE_PATIENCE_MS).then(() => Promise.reject(new Error("no answer")));
    return await Promise.race([opening, patience]);
  } catch {
    return memoryStorage();
  }
}

/** Browsers that forbid storage throw when it is only named. */
function tabStorage() {
  try {
    return sessionStorage;
  } catch {
    return { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  }
}

/** @type {import("./tab.js").OpenRoom} */
const openRoom = (name) => ("BroadcastChannel" in globalThis ? new BroadcastChannel(name) : null);

/** @param {string} title @param {string} text @param {HTMLElement[]} more */
function message(title, text, ...more) {
  const heading = Object.assign(document.createElement("h1"), { textContent: title, tabIndex: -1 });
  const words = Object.assign(document.createElement("p"), { textContent: text });
  const panel = Object.assign(document.createElement("div"), { className: "panel" });
  panel.append(heading, words, ...more);
  main.replaceChildren(panel);
  delete main.dataset.position;
  heading.focus();
}

/** @param {string} words @param {() => void} work */
function actionButton(words, work) {
  const button = Object.assign(document.createElement("button"), {
    className: "button",
    type: "button",
    textContent: words,
  });
  button.addEventListener("click", work);
  return button;
}

function hideSessionTools() {
  /** @type {HTMLElement} */ (document.getElementById("tools")).hidden = true;
  /** @type {HTMLElement} */ (document.getElementById("status")).hidden = true;
}

/** @param {number} position @param {number} total @param {number} minutes */
function showProgress(position, total, minutes) {
  const bar = /** @type {HTMLProgressElement} */ (document.getElementById("progress"));
  bar.max = total;
  bar.value = position;
  const step = texts["progress.value"]
    .replace("{n}", String(position + 1))
    .replace("{total}", String(total));
  const words = `${step} · ${texts["progress.left"].replace("{n}", String(minutes))}`;
  bar.setAttribute("aria-valuetext", words);
  /** @type {HTMLElement} */ (document.getElementById("progress-words")).textContent = words;
}

async function run() {
  const api = createApi(state.base, (...request) => fetch(...request));
  const [storage] = await Promise.all([bestStorage(), askToSettle(session, openRoom, sleep)]);
  const queue = createQueue(storage, session);
  const status = createStatus(
    /** @type {HTMLElement} */ (document.getElementById("status")),
    texts,
  );
  /** @type {import("./recorder.js").Recorder | null} */
  let recorder = null;
  /** @type {import("./channel.js").Channel | null} */
  let channel = null;
  let epoch = 0;
  let connection = "saved";
  /** @type {Awaited<ReturnType<typeof showTrial>> | null} */
  let current = null;
  /** @param {string} state */
  function saving(state) {
    connection = state;
    status.show(state);
    current?.connection(state);
  }
  function retry() {
    channel?.retry();
    [...pauses].forEach((over) => over());
  }
  main.addEventListener("trouble", (event) =>
    status.trouble(/** @type {CustomEvent<boolean>} */ (event).detail),
  );

  /** @type {import("./session.js").Screen} */
  const screen = {
    trial: async (trial) => {
      const first = main.dataset.position === String(trial.position);
      current = null;
      announce("");
      status.trouble(false);
      const shown = await showTrial(main, trial, {
        texts,
        record: async (kind, data, options) => recorder?.record(kind, data, options),
        keep: async (kind, data) => Boolean(await recorder?.keep(kind, data)),
        submit: (answers) => void course.submit(answers),
        decline: () => void course.decline(),
        typing: createTyping(tabStorage(), session, trial.position),
        line: () => ({ address: `${state.base}/play`, epoch }),
        connection: () => connection,
        retry,
      });
      current = shown;
      dispatchEvent(new Event("arrived"));
      showProgress(trial.position, trial.total, trial.minutes_left);
      if (!first) {
        scrollTo(0, 0);
        /** @type {HTMLElement | null} */ (main.querySelector("h1"))?.focus();
      }
      return shown;
    },
    finished: (html) => {
      announce("");
      hideSessionTools();
      main.innerHTML = html;
      installCopy(main, texts);
      const bar = /** @type {HTMLProgressElement} */ (document.getElementById("progress"));
      bar.value = bar.max;
      /** @type {HTMLElement} */ (document.getElementById("progress-words")).textContent = "";
      /** @type {HTMLElement | null} */ (main.querySelector("h1"))?.focus();
    },
    taken: () => {
      hideSessionTools();
      message(
        texts["taken.title"],
        texts["taken.text"],
        actionButton(texts["taken.button"], () => location.reload()),
      );
    },
    withdrawn: async () => {
      hideSessionTools();
      // It is said when it is true: nothing more comes into the queue, and what was in it is gone.
      const forgotten = Promise.resolve(recorder?.close())
        .then(() => queue.clear())
        .catch(() => undefined);
      await Promise.race([forgotten, sleep(STORAGE_PATIENCE_MS)]);
      message(texts["withdraw.done.title"], texts["withdraw.done.text"]);
    },
    refused: (code) => {
      hideSessionTools();
      const words = `refused.${code}.title` in texts ? `refused.${code}` : "page.error";
      message(
        texts[`${words}.title`],
        texts[`${words}.text`],
        actionButton(texts["button.reload"], () => location.reload()),
      );
    },
    waiting: (on) => {
      if (on) saving("offline");
      else saving(recorder?.unsent ? "saving" : "saved");
    },
    sending: (slow) => message(texts["finish.sending"], slow ? texts["finish.waiting"] : ""),
  };

  const course = createSession({
    api,
    queue,
    screen,
    sleep: pause,
    connect: (head, unsent) => {
      epoch = head.epoch;
      channel = createChannel(queue, head.epoch, unsent, {
        post: api.post,
        later: (work, ms) => setTimeout(work, ms),
        cancel: (timer) => clearTimeout(timer),
        random: () => Math.random(),
        onSaving: saving,
        onEnd: (why) => {
          if (why === "conflict" || why === "refused") status.end(why);
          course.ended(why);
        },
      });
      recorder = createRecorder({
        queue,
        head,
        channel,
        epoch: head.epoch,
        fallback: () => createQueue(memoryStorage(), session),
        clock: { wall: () => Date.now(), mono: () => performance.now() },
        onTaken: () => course.taken(),
        onMemory: () => status.memoryOnly(),
      });
      announceTab(
        session,
        head.epoch,
        { onTaken: () => course.taken(), onHello: () => course.settle() },
        openRoom,
      );
      if (!storage.durable) status.memoryOnly();
      void recorder.record("page.open", {
        storage: storage.durable ? "indexeddb" : "memory",
        width: innerWidth,
        height: innerHeight,
        pixel_ratio: devicePixelRatio,
        frame_clock: "requestVideoFrameCallback" in HTMLVideoElement.prototype,
        hidden: document.hidden,
      });
      return { recorder, channel };
    },
  });

  const tell = (/** @type {string} */ kind) => {
    if (!course.over) void recorder?.record(kind);
  };
  addEventListener("blur", () => tell("page.blur"));
  addEventListener("focus", () => tell("page.focus"));
  document.addEventListener("visibilitychange", () =>
    tell(document.hidden ? "page.hidden" : "page.visible"),
  );
  addEventListener("blur", () => void course.settle());
  addEventListener("pagehide", () => {
    void course.settle();
    channel?.leave();
  });
  addEventListener("online", retry);
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
  addEventListener("beforeunload", (event) => {
    if (!course.over && recorder?.unsent) event.preventDefault();
  });
  installCopy(document, texts);
  installDialogs({
    api,
    texts,
    recorder: () => recorder,
    onWithdrawn: () => {
      for (const open of document.querySelectorAll("dialog[open]"))
        /** @type {HTMLDialogElement} */ (open).close();
      course.withdrawn();
    },
  });
  await course.start();
}

if (state.active) void run();
else if (state.base) installCopy(document, texts); // the gallery imports this file for its widgets
