// @ts-check
/**
 * One trial on the page: puts its HTML in, mounts questions and player, and calls `submit` when the person goes on.
 *
 * @typedef {import("./trial-message").TrialMessage} TrialMessage
 * @typedef {object} Refined where the scripts know more than the message says
 * @property {import("./widgets.js").Question[]} questions
 * @property {import("/static/players/video/policy.js").Policy | null} controls
 * @typedef {Omit<TrialMessage, keyof Refined> & Refined} TrialData
 *
 * @typedef {object} Outside
 * @property {(kind: string, data?: any, options?: {mono_ms?: number, grown?: boolean}) => Promise<any>} record resolves when it is in the queue
 * @property {(kind: string, data: any) => Promise<boolean>} keep makes an event durable that still grows; false: it cannot be
 * @property {Record<string, string>} texts
 * @property {(answers: Record<string, any>) => void} submit
 * @property {() => void} decline
 * @property {import("./typing.js").Typing} typing
 * @property {() => {address: string, epoch: number}} line where a round is played, and as which tab
 * @property {() => string} connection how sending goes on: `saved`, `saving`, `offline` or `full`
 * @property {() => void} retry do not sit out the pause before the next try
 *
 * @typedef {object} Special what the script of a kind of page does
 * @property {() => Record<string, any>} [answers] what no question asks for
 * @property {() => void} [again] the answers were not accepted
 * @property {() => boolean} [waits] whether people cannot go on yet; the script enables the button itself
 * @property {() => void} [stop] undoes it
 */
import { showErrors } from "./errors.js";
import { load } from "./scripts.js";
import { mountQuestions } from "./widgets.js";

/** After this time without an answer the page says that it takes longer. */
const SLOW_MS = 4000;
/** States of the connection that are said at the button. */
const IN_TROUBLE = ["offline", "full"];

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
    load: (kind) => load(trial.modules[kind]),
    texts,
    record,
    typing: outside.typing,
  });
  questions.opened(...trial.opened);
  questions.restore(trial.drafts);
  /** @type {Outside} */
  const inside = {
    ...outside,
    record: (kind, data, options) => {
      if (kind === "overlay.open") questions.opened(data.which);
      return record(kind, data, options);
    },
  };
  const page = await special(form, trial, inside, leaving.signal);
  let busy = false;
  next.disabled = Boolean(page.waits?.());

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (busy || next.disabled) return;
    questions.settle();
    outside.submit({ ...questions.answers(), ...boxes(form), ...page.answers?.() });
  });
  const decline = /** @type {HTMLButtonElement | null} */ (form.querySelector("button.decline"));
  decline?.addEventListener("click", () => {
    if (!busy) outside.decline();
  });
  if (decline) decline.disabled = false; // a press before it listens would be lost
  const trouble = /** @type {HTMLElement} */ (form.querySelector(".send-trouble"));
  trouble.querySelector("button")?.addEventListener("click", () => outside.retry());
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let slow;
  /** Says at the button why nothing happens. @param {string | null} state */
  function sayTrouble(state) {
    trouble.hidden = !busy || state === null;
    if (trouble.hidden || !state) return;
    const words = texts[`send.${state}`];
    const line = /** @type {HTMLElement} */ (trouble.querySelector("span"));
    if (line.textContent !== words) line.textContent = words;
  }
  void record("trial.shown", {
    kind: trial.kind,
    ...(Object.keys(trial.orders).length ? { orders: trial.orders } : {}),
  });

  return {
    /** @param {boolean} on */
    setBusy: (on) => {
      busy = on;
      clearTimeout(slow);
      if (on)
        slow = setTimeout(() => {
          if (busy && trouble.hidden) sayTrouble("slow");
        }, SLOW_MS);
      sayTrouble(on && IN_TROUBLE.includes(outside.connection()) ? outside.connection() : null);
      next.toggleAttribute("aria-disabled", on);
      next.setAttribute("aria-busy", String(on));
    },
    /** How sending goes on. @param {string} state */
    connection: (state) => {
      if (state !== "saving") sayTrouble(IN_TROUBLE.includes(state) ? state : null);
    },
    /** @param {Record<string, string>} errors */
    showErrors: (errors) => {
      form.querySelector("details.reminder")?.removeAttribute("hidden"); // what was asked about is at hand from now on
      showErrors(form, errors);
      page.again?.();
    },
    /** Records what was typed and not told yet. */
    settle: () => questions.settle(),
    destroy: () => {
      clearTimeout(slow);
      leaving.abort();
      questions.settle();
      page.stop?.();
    },
  };
}

/** Ticked consent boxes by id; the server knows which are needed. @param {HTMLElement} form */
function boxes(form) {
  const boxes = /** @type {NodeListOf<HTMLInputElement>} */ (
    form.querySelectorAll("input[data-consent]")
  );
  return Object.fromEntries(Array.from(boxes, (box) => [box.dataset.consent, box.checked]));
}

/**
 * What only this kind of page has: the script that its form names.
 * @param {HTMLFormElement} form @param {TrialData} trial @param {Outside} outside @param {AbortSignal} signal
 * @returns {Promise<Special>}
 */
async function special(form, trial, outside, signal) {
  if (trial.stills.length)
    void import("./stills.js")
      .then(({ remind }) => remind(form, trial, signal))
      .catch(() => undefined);
  const { script } = form.dataset;
  return (script && (await (await load(script)).show(form, trial, outside, signal))) || {};
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
