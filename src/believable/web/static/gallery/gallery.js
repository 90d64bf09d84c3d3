// @ts-check
/** One exhibit: shows it with the parameters of the form, as a participant's page would, and tells what it records. */
import { createEvents } from "./events.js";
import { showTrial } from "/static/participant/trial.js";

const state = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("state")).textContent ?? "{}");
const main = /** @type {HTMLElement} */ (document.getElementById("trial"));
const params = /** @type {HTMLTextAreaElement} */ (document.getElementById("params"));
const problems = /** @type {HTMLElement} */ (document.getElementById("problems"));
const kept = /** @type {HTMLElement} */ (document.getElementById("kept"));
const events = createEvents(/** @type {HTMLElement} */ (document.getElementById("events")), state.declared);
/** @param {string} id */
const choice = (id) => /** @type {HTMLSelectElement | null} */ (document.getElementById(id));

/** @type {Awaited<ReturnType<typeof showTrial>> | null} */
let shown = null;
let seed = 0;
/** Only the latest wish is shown. */
let turn = 0;

const wish = () => ({
  params: params.value,
  language: choice("language")?.value ?? "en",
  player: choice("player")?.value ?? "replay",
  practice: /** @type {HTMLInputElement | null} */ (document.getElementById("practice"))?.checked ?? false,
});

const SILENT = { ok: false, told: { error: { message: "the gallery does not answer.", cure: "Start it again and reload this page." } } };

/** @param {string} what @param {any} body @returns {Promise<any>} */
async function ask(what, body) {
  const { ok, told } = await fetch(`${state.path}/${what}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ ...wish(), ...body }),
  }).then(async (response) => ({ ok: response.ok, told: await response.json() })).catch(() => SILENT);
  tellProblems(told.problems ?? (told.error?.message ? [{ line: 0, path: "", ...told.error }] : []));
  return ok ? told : null;
}

/** @param {{line: number, path: string, message: string, cure: string}[]} found */
function tellProblems(found) {
  problems.hidden = !found.length;
  if (found.length) params.setAttribute("aria-invalid", "true");
  else params.removeAttribute("aria-invalid");
  problems.replaceChildren(...found.map(({ line, path, message, cure }) =>
    Object.assign(document.createElement("li"), { textContent: `${line ? `line ${line}` : ""} ${path}`.trim() + `: ${message} ${cure}` })));
}

/** Makes everything anew from what was recorded. */
async function mount() {
  const own = ++turn;
  delete main.dataset.ready;
  shown?.destroy();
  shown = null;
  const trial = await ask("mount", { events: events.all });
  if (!trial || own !== turn) return;
  delete main.dataset.position;
  kept.textContent = "";
  shown = await showTrial(main, trial, {
    texts: state.texts[wish().language],
    record: async (kind, data = {}) => { if (own === turn) events.add(kind, data); },
    submit: (answers) => void submit(answers),
    decline: () => undefined,
    typing: { all: () => ({}), save: () => undefined, forget: () => undefined },
  });
  main.dataset.ready = String(own);
}

/** @param {Record<string, any>} answers */
async function submit(answers) {
  kept.textContent = "";
  events.add("trial.submit", { answers });
  if (!(state.question in answers)) return;
  const told = await ask("answer", { value: answers[state.question] });
  if (!told) return;
  shown?.showErrors(told.error ? { [state.question]: told.error } : {});
  kept.textContent = told.error ? "" : `Kept: ${JSON.stringify(told.kept)}`;
  kept.dataset.told = JSON.stringify(told);
}

async function simulate() {
  const made = await ask("simulate", { seed: seed++ });
  if (!made) return;
  if (made.events) events.replace([...events.all, ...made.events]);
  else events.add("answer.change", { question: state.question, value: made.value });
  await mount();
}

function startOver() {
  events.replace([]);
  return mount();
}

/** @param {string} id @param {string} event @param {() => unknown} work */
const on = (id, event, work) => document.getElementById(id)?.addEventListener(event, () => void work());
on("apply", "click", startOver);
on("clear", "click", startOver);
on("again", "click", mount);
on("simulate", "click", simulate);
for (const id of ["language", "player", "practice"]) on(id, "change", startOver);
on("example", "change", () => {
  params.value = state.examples[Number(choice("example")?.value)];
  return startOver();
});
await mount();
