// @ts-check
/**
 * The course of a session in this tab: claim, send what is left over, show the trial the server names, submit, go on,
 * and finish only when the server has everything.
 *
 * @typedef {object} Screen what the session shows
 * @property {(trial: import("./trial.js").TrialData) => Promise<ShownTrial>} trial
 * @property {(html: string) => void} finished
 * @property {() => void} taken
 * @property {() => void} withdrawn
 * @property {(code: string) => void} refused the server does not let this session go on, and why
 * @property {(waiting: boolean) => void} waiting the server does not answer, or answers again
 * @property {(waiting: boolean) => void} sending the last answers are on their way
 * @typedef {{setBusy: (on: boolean) => void, showErrors: (errors: Record<string, string>) => void, settle: () => void, destroy: () => void}} ShownTrial
 *
 * @typedef {object} Parts
 * @property {ReturnType<typeof import("./api.js").createApi>} api
 * @property {import("./queue.js").Queue} queue
 * @property {Screen} screen
 * @property {(ms: number) => Promise<void>} sleep
 * @property {(head: import("./queue.js").Head, unsent: import("./queue.js").Entry[]) =>
 *   {recorder: import("./recorder.js").Recorder, channel: import("./channel.js").Channel}} connect
 */
import { untilAnswered } from "./api.js";

/** @param {Parts} parts */
export function createSession({ api, queue, screen, sleep, connect }) {
  /** @type {import("./recorder.js").Recorder} */
  let recorder;
  /** @type {import("./channel.js").Channel} */
  let channel;
  let epoch = 0;
  let position = 0;
  /** @type {ShownTrial | null} */
  let shown = null;
  let over = false;

  /** @param {() => Promise<import("./channel.js").Reply>} attempt */
  const ask = (attempt) => untilAnswered(attempt, sleep, screen.waiting);

  /** @param {import("./channel.js").Reply} reply @returns {boolean} whether it was answered with 200 */
  function accepted(reply) {
    if (reply.status === 200) return true;
    if (reply.status === 410) end(screen.withdrawn);
    else if (reply.data?.error?.code === "taken_over") end(screen.taken);
    else if (reply.data?.error) end(() => screen.refused(reply.data.error.code));
    return false;
  }

  /** @param {() => void} show */
  function end(show) {
    if (over) return;
    over = true;
    channel?.stop();
    shown?.destroy();
    shown = null;
    show();
  }

  /** Events of this browser that another device overtook: kept by the server beside the chain. */
  async function sendStrays() {
    const strays = await queue.strays();
    for (const { seq, body, epoch: old } of strays) {
      await ask(() => api.post("events", { epoch: old, events: [[seq, body]] }));
    }
    if (strays.length) await queue.dropStrays();
  }

  async function next() {
    // Looked at first: what arrives at the server while the trial is on its way would be in neither.
    const unsent = channel.entries;
    const reply = await ask(() => api.get("trial"));
    if (accepted(reply)) await show(reply.data, unsent);
  }

  /** @param {import("./trial.js").TrialData} trial @param {import("./queue.js").Entry[]} unsent what the server may not have known when it told the trial */
  async function show(trial, unsent) {
    recorder.at(trial.position);
    if (trial.kind === "finish") return finish();
    trial.drafts = { ...trial.drafts, ...localDrafts(unsent, trial.position) };
    trial.opened = [...trial.opened, ...localOpened(unsent, trial.position)];
    if (trial.streams?.length)
      trial.saved = withUnsent(trial.saved, unsent, trial.position, trial.streams);
    shown?.destroy();
    shown = await screen.trial(trial);
    position = trial.position;
  }

  /** @param {string} kind @param {any} data */
  async function close(kind, data) {
    if (!shown || over) return;
    shown.setBusy(true);
    const entry = await recorder.record(kind, data);
    if (!entry) return;
    const closing = { epoch, position, seq: entry.seq };
    const carried = await channel.carry(entry.seq, (events) =>
      api.post("advance", { ...closing, events }),
    );
    if (!carried) await channel.flushed(entry.seq);
    const unsent = channel.entries;
    const reply = carried ?? (await ask(() => api.post("advance", closing)));
    if (!accepted(reply)) return;
    if (reply.data.status === "again") {
      shown.setBusy(false);
      shown.showErrors(reply.data.errors);
    } else if (reply.data.status === "finished") {
      await finish();
    } else {
      await show(reply.data.trial, unsent);
    }
  }

  /** The code exists only after the server has every event: so first everything is sent, then it is asked for. */
  async function finish() {
    shown?.destroy();
    shown = null;
    screen.sending(false);
    const head = await recorder.close();
    const slow = sleep(3000).then(() => {
      if (!over) screen.sending(true);
    });
    channel.retry();
    await channel.flushed(head.seq);
    const reply = await ask(() => api.post("finish", { epoch, seq: head.seq, head: head.hash }));
    if (!accepted(reply)) return;
    const page = await ask(() => api.get("trial"));
    over = true;
    channel.stop();
    await queue.clear().catch(() => undefined);
    screen.finished(page.data.html);
    await slow;
  }

  return {
    async start() {
      const claim = await ask(() => api.post("claim", {}));
      if (!accepted(claim)) return;
      epoch = claim.data.epoch;
      const head = await queue.adopt(claim.data);
      const unsent = await queue.unsent();
      ({ recorder, channel } = connect(head, unsent));
      if (unsent.length) channel.retry();
      recorder.at(claim.data.position);
      await sendStrays();
      // What this browser had not sent yet is in no trial that was told before it arrives.
      await (unsent.length ? next() : show(claim.data.trial, unsent));
    },
    /** @param {Record<string, any>} answers */
    submit: (answers) => close("trial.submit", { answers }),
    decline: () => close("consent.decline", {}),
    /** Records what is being typed. @returns {Promise<void>} resolves when it is in the queue */
    settle: async () => {
      shown?.settle();
      await recorder?.idle();
    },
    taken: () => end(screen.taken),
    withdrawn: () => end(screen.withdrawn),
    /** Sending has stopped for good. @param {import("./channel.js").End} why */
    ended: (why) => {
      if (why === "taken_over") end(screen.taken);
      else if (why === "withdrawn") end(screen.withdrawn);
    },
    get over() {
      return over;
    },
  };
}

/**
 * Answers of this trial that are still on their way.
 * @param {import("./queue.js").Entry[]} unsent @param {number} position
 */
export function localDrafts(unsent, position) {
  /** @type {Record<string, any>} */
  const drafts = {};
  for (const { body } of unsent) {
    const { kind, trial, data } = JSON.parse(body);
    if (kind === "answer.change" && trial === position) drafts[data.question] = data.value;
  }
  return drafts;
}

/**
 * What was opened beside the player of this trial, where that is still on its way.
 * @param {import("./queue.js").Entry[]} unsent @param {number} position @returns {string[]}
 */
export function localOpened(unsent, position) {
  const events = unsent.map(({ body }) => JSON.parse(body));
  return events
    .filter(({ kind, trial }) => kind === "overlay.open" && trial === position)
    .map(({ data }) => data.which);
}

/**
 * What was annotated on this page, also what is still on its way; some may have arrived meanwhile.
 * @param {[seq: number, kind: string, data: any][]} saved @param {import("./queue.js").Entry[]} unsent
 * @param {number} position @param {string[]} kinds
 */
export function withUnsent(saved, unsent, position, kinds) {
  const known = new Set(saved.map(([seq]) => seq));
  const waiting = unsent
    .map(({ seq, body }) => ({ seq, ...JSON.parse(body) }))
    .filter(({ seq, kind, trial }) => !known.has(seq) && trial === position && kinds.includes(kind))
    .map(({ seq, kind, data }) => /** @type {[number, string, any]} */ ([seq, kind, data]));
  return [...saved, ...waiting];
}
