// @ts-check
/** One example: shows it with the parameters of the form, as a participant's page would, and tells what it records. */
import { createEvents } from "./events.js";
import { showTrial } from "/static/participant/trial.js";

const state = JSON.parse(
  /** @type {HTMLElement} */ (document.getElementById("state")).textContent ?? "{}",
);
const main = /** @type {HTMLElement} */ (document.getElementById("trial"));
const params = /** @type {HTMLTextAreaElement} */ (document.getElementById("params"));
const problems = /** @type {HTMLElement} */ (document.getElementById("problems"));
const kept = /** @type {HTMLElement} */ (document.getElementById("kept"));
const events = createEvents(
  /** @type {HTMLElement} */ (document.getElementById("events")),
  state.declared,
);
/** @param {string} id */
const choice = (id) => /** @type {HTMLSelectElement | null} */ (document.getElementById(id));

/** @type {Awaited<ReturnType<typeof showTrial>> | null} */
let shown = null;
let seed = 0;
/** Only the latest request is shown. */
let turn = 0;

const request = () => ({
  params: params.value,
  language: choice("language")?.value ?? "en",
  player: choice("player")?.value ?? "replay",
  practice:
    /** @type {HTMLInputElement | null} */ (document.getElementById("practice"))?.checked ?? false,
});

const SILENT = {
  ok: false,
  reply: {
    error: {
      message: "the gallery does not answer.",
      cure: "Start it again and reload this page.",
    },
  },
};

/** @param {string} what @param {any} body @returns {Promise<any>} */
async function ask(what, body) {
  const { ok, reply } = await fetch(`${state.path}/${what}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...request(), ...body }),
  })
    .then(async (response) => ({ ok: response.ok, reply: await response.json() }))
    .catch(() => SILENT);
  tellProblems(
    reply.problems ?? (reply.error?.message ? [{ line: 0, path: "", ...reply.error }] : []),
  );
  return ok ? reply : null;
}

/** @param {{line: number, path: string, message: string, cure: string}[]} list */
function tellProblems(list) {
  problems.hidden = !list.length;
  if (list.length) params.setAttribute("aria-invalid", "true");
  else params.removeAttribute("aria-invalid");
  problems.replaceChildren(
    ...list.map(({ line, path, message, cure }) =>
      Object.assign(document.createElement("li"), {
        textContent: `${line ? `line ${line}` : ""} ${path}`.trim() + `: ${message} ${cure}`,
      }),
    ),
  );
}

/** Makes everything anew from what was recorded. */
async function mount() {
  const own = ++turn;
  delete main.dataset.ready;
  shown?.destroy();
  shown = null;
  // The first video is rendered when it is first asked for, which takes some seconds.
  main.replaceChildren(
    Object.assign(document.createElement("p"), {
      className: "hint",
      textContent: "Preparing the example …",
    }),
  );
  const trial = await ask("mount", { events: events.all });
  if (own !== turn) return;
  main.replaceChildren();
  if (!trial) return;
  delete main.dataset.position;
  kept.textContent = "";
  shown = await showTrial(main, trial, {
    texts: state.texts[request().language],
    record: async (kind, data = {}) => {
      if (own === turn) events.add(kind, data);
    },
    connection: () => "saved",
    retry: () => undefined,
    keep: async () => false,
    line: () => {
      throw new Error("no rounds are played in the gallery");
    },
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
  const reply = await ask("answer", { value: answers[state.question] });
  if (!reply) return;
  shown?.showErrors(reply.error ? { [state.question]: reply.error } : {});
  kept.textContent = reply.error ? "" : `Kept: ${JSON.stringify(reply.kept)}`;
  kept.dataset.told = JSON.stringify(reply);
}

async function simulate() {
  const answer = await ask("simulate", { seed: seed++ });
  if (!answer) return;
  if (answer.events) events.replace([...events.all, ...answer.events]);
  else events.add("answer.change", { question: state.question, value: answer.value });
  await mount();
}

function startOver() {
  events.replace([]);
  return mount();
}

/** @param {string} id @param {string} event @param {() => unknown} work */
const on = (id, event, work) =>
  document.getElementById(id)?.addEventListener(event, () => void work());
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
