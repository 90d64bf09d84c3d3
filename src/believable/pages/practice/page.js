// @ts-check
/** The practice page of an annotating instrument. */
import { saved } from "/static/participant/annotate.js";
import { load } from "/static/participant/scripts.js";

/**
 * @param {HTMLElement} form @param {import("/static/participant/trial.js").TrialData} trial
 * @param {import("/static/participant/trial.js").Outside} outside
 */
export async function show(form, trial, { texts, record }) {
  const {
    kind,
    params,
    practice: module,
    tries,
  } = /** @type {NonNullable<typeof trial.annotate>} */ (trial.annotate);
  const [{ mount }, { practise }] = await Promise.all([
    load(trial.modules[kind]),
    load(/** @type {string} */ (module)),
  ]);
  const root = /** @type {HTMLElement} */ (form.querySelector(".practice"));
  const actions = /** @type {HTMLElement} */ (form.querySelector(".actions"));
  actions.hidden = true;
  const page = practise(root, {
    mount,
    kind,
    params,
    texts,
    record,
    saved: saved(trial),
    tries,
    onDone: () => {
      actions.hidden = false;
      /** @type {HTMLElement} */ (form.querySelector("button.next")).focus();
    },
  });
  return { stop: page.destroy };
}
