// @ts-check
/**
 * One trial on the page: puts its HTML in, mounts questions and player, and calls `submit` when the person goes on.
 *
 * @typedef {object} TrialData
 * @property {number} position
 * @property {number} total
 * @property {string} kind
 * @property {string} html
 * @property {string[]} styles
 * @property {Record<string, string>} modules instrument or player → address of its module
 * @property {{url: string, bytes: number, player: string, log: string | null}[]} media
 * @property {{url: string, bytes: number, player: string}[]} stills what the page reminds of with small pictures
 * @property {import("./several.js").Several | null} several
 * @property {import("./widgets.js").Question[]} questions
 * @property {Record<string, any>} drafts
 * @property {Record<string, string[]>} orders question → the order its options are shown in
 * @property {import("/static/players/video/policy.js").Policy | null} controls
 * @property {{plan: boolean, log: boolean} | null} overlay
 * @property {string[]} opened what was opened beside the player so far
 * @property {{views: number, position_ms: number}} seen
 * @property {number} wait_s
 * @property {{tones: number | null, later: number[], wheel: boolean} | null} device
 * @property {import("/static/players/signal/course.js").Signal | null} signal what a quality test shows
 * @property {import("/static/play/game.js").PlayData | null} play a round to be played
 * @property {import("./annotate.js").Annotate | null} annotate
 * @property {import("./annotate.js").SavedEvent[]} saved events of the annotation so far
 *
 * @typedef {object} Outside
 * @property {(kind: string, data?: any, options?: {mono_ms?: number, grown?: boolean}) => Promise<any>} record resolves when it is in the queue
 * @property {(kind: string, data: any) => Promise<boolean>} keep makes an event durable that still grows; false: it cannot be
 * @property {Record<string, string>} texts
 * @property {(answers: Record<string, any>) => void} submit
 * @property {() => void} decline
 * @property {import("./typing.js").Typing} typing
 * @property {() => {address: string, epoch: number}} line where a round is played, and as which tab
 */
import { showErrors } from "./errors.js";
import { moveFocus, offerFocus } from "./focus.js";
import { createLoading } from "./loading.js";
import { mountQuestions } from "./widgets.js";

/** @param {HTMLElement} main @param {TrialData} trial @param {Outside} outside */
export async function showTrial(main, trial, outside) {
  const { texts, record } = outside;
  const leaving = new AbortController();
  await Promise.all(trial.styles.map(ensureStyle));
  if (main.dataset.position !== String(trial.position)) main.innerHTML = trial.html;
  main.dataset.position = String(trial.position);
  const form = /** @type {HTMLFormElement} */ (main.querySelector("form.trial"));
  const next = /** @type {HTMLButtonElement} */ (form.querySelector("button.next"));
  const questions = await mountQuestions(form, trial.questions, {
    load: (kind) => import(trial.modules[kind]), texts, record, typing: outside.typing });
  questions.opened(...trial.opened);
  questions.restore(trial.drafts);
  /** @type {Outside} */
  const inside = { ...outside, record: (kind, data, options) => {
    if (kind === "overlay.open") questions.opened(data.which);
    return record(kind, data, options);
  } };
  const checked = trial.device ? (await import("./device.js")).device(form, trial.device, trial.drafts, outside) : null;
  const stop = await special(form, next, trial, inside, leaving.signal);
  let busy = false;
  next.disabled = trial.kind === "break" && next.disabled && trial.wait_s > 0;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (busy || next.disabled) return;
    questions.settle();
    outside.submit({ ...questions.answers(), ...boxes(form), ...checked?.answers() });
  });
  form.querySelector("button.decline")?.addEventListener("click", () => { if (!busy) outside.decline(); });
  void record("trial.shown", { kind: trial.kind, ...(Object.keys(trial.orders).length ? { orders: trial.orders } : {}) });

  return {
    /** @param {boolean} on */
    setBusy: (on) => {
      busy = on;
      next.toggleAttribute("aria-disabled", on);
      next.setAttribute("aria-busy", String(on));
    },
    /** @param {Record<string, string>} errors */
    showErrors: (errors) => { showErrors(form, errors); checked?.again(); },
    /** Records what was typed and not told yet. */
    settle: () => questions.settle(),
    destroy: () => { leaving.abort(); questions.settle(); checked?.stop(); stop(); },
  };
}

/** Ticked consent boxes by id; the server knows which are needed. @param {HTMLElement} form */
function boxes(form) {
  const found = /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("input[data-consent]"));
  return Object.fromEntries(Array.from(found, (box) => [box.dataset.consent, box.checked]));
}

/**
 * What only some kinds of trial have.
 * @param {HTMLFormElement} form @param {HTMLButtonElement} next @param {TrialData} trial @param {Outside} outside
 * @param {AbortSignal} signal @returns {Promise<() => void>} undoes it
 */
async function special(form, next, trial, outside, signal) {
  if (trial.stills.length) void import("./stills.js").then(({ remind }) => remind(form, trial, signal)).catch(() => undefined);
  if (trial.several) return (await import("./several.js")).several(form, trial, outside, signal);
  if (trial.kind === "watch" || trial.signal) return watch(form, next, trial, outside, signal);
  if (trial.play) return (await import("/static/play/game.js")).play(form, trial, outside);
  if (trial.kind === "practice") return (await import("./annotate.js")).practice(form, next, trial, outside);
  if (trial.kind === "break" && trial.wait_s > 0) return pause(form, next, trial.wait_s, outside.texts);
  return () => undefined;
}

/** @param {HTMLFormElement} form @param {HTMLButtonElement} next @param {number} seconds @param {Record<string, string>} texts */
function pause(form, next, seconds, texts) {
  const until = performance.now() + seconds * 1000;
  const line = /** @type {HTMLElement} */ (form.querySelector(".wait"));
  next.disabled = true;
  const tick = () => {
    const left = Math.ceil((until - performance.now()) / 1000);
    line.textContent = left > 0 ? texts["break.wait"].replace("{seconds}", String(left)) : "";
    next.disabled = left > 0;
    if (left <= 0) clearInterval(timer);
  };
  const timer = setInterval(tick, 250);
  tick();
  return () => clearInterval(timer);
}

/**
 * @param {HTMLFormElement} form @param {HTMLButtonElement} next @param {TrialData} trial
 * @param {Outside} outside @param {AbortSignal} signal
 */
async function watch(form, next, trial, outside, signal) {
  const { texts, record } = outside;
  const policy = /** @type {import("/static/players/video/policy.js").Policy} */ (trial.controls);
  const after = /** @type {HTMLElement} */ (form.querySelector(".after"));
  const first = /** @type {HTMLElement} */ (form.querySelector(".first"));
  const open = () => { after.hidden = false; first.hidden = true; };
  if (!policy.must_finish || trial.seen.views > 0) open();
  const medium = trial.signal ? null : trial.media[0];
  const [{ create }, annotate, beside] = await Promise.all([
    import(trial.modules[medium?.player ?? "signal"]),
    trial.annotate ? import("./annotate.js").then(({ annotator }) => annotator(form, trial, outside)) : null,
    trial.overlay?.plan || trial.overlay?.log ? import("./beside.js") : null,
  ]);
  const loading = createLoading(form, medium ? [medium] : [], texts, signal);
  /** @type {any} */
  let player = null;
  /** @type {{destroy: () => void} | undefined} */
  let annotation;
  void Promise.all([
    loading.media(),
    beside && medium?.log ? loading.get(medium.log).then(beside.unpack) : null,
  ]).then(([[src], log]) => {
    const root = /** @type {HTMLElement} */ (form.querySelector(".player"));
    player = create(root, { src: src ?? trial.signal, policy, texts, record, seen: trial.seen });
    const shown = once(() => { loading.over(); root.hidden = false; });
    player.on("ready", () => {
      shown();
      beside?.showBeside(/** @type {HTMLElement} */ (form.querySelector(".beside")), {
        player, given: log ?? player.log, overlay: /** @type {{plan: boolean, log: boolean}} */ (trial.overlay),
        seekable: policy.seek, texts, record });
      annotation = annotate?.(player);
      offerFocus(root.querySelector("button"));
    });
    player.on("ended", () => { open(); if (!player.viewsLeft) moveFocus(after.querySelector("input, textarea, button")); });
    player.on("trouble", (/** @type {any} */ error) => {
      if (!error || error.name) return;
      shown();
      loading.failed();
    });
  }, loading.failed);
  return () => { annotation?.destroy(); player?.destroy(); };
}

/** @param {string} href */
function ensureStyle(href) {
  if (document.querySelector(`link[href="${href}"]`)) return Promise.resolve();
  return new Promise((resolve) => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
    link.onload = link.onerror = () => resolve(undefined);
    document.head.append(link);
  });
}

/** @param {() => void} work @returns {() => void} */
function once(work) {
  let done = false;
  return () => { if (!done) { done = true; work(); } };
}
