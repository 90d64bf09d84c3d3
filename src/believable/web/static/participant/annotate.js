// @ts-check
/**
 * Puts an annotating instrument below its player, and shows the practice page.
 *
 * @typedef {{kind: string, params: any, practice: string | null, tries: number}} Annotate
 * @typedef {[seq: number, kind: string, data: any]} SavedEvent
 * @typedef {import("./trial.js").TrialData} TrialData
 * @typedef {import("./trial.js").Outside} Outside
 */

/** @param {TrialData} trial @returns {[kind: string, data: any][]} */
const saved = (trial) => trial.saved.map(([, kind, data]) => [kind, data]);

/**
 * @param {HTMLElement} form @param {TrialData} trial @param {any} player that is ready @param {Outside} outside
 * @returns {Promise<{destroy: () => void}>}
 */
export async function annotate(form, trial, player, { texts, record }) {
  const { kind, params } = /** @type {Annotate} */ (trial.annotate);
  const { mount } = await import(trial.modules[kind]);
  const root = /** @type {HTMLElement} */ (form.querySelector(".annotate"));
  root.hidden = false;
  return mount(root, { player, params, texts, record, saved: saved(trial) });
}

/**
 * @param {HTMLElement} form @param {HTMLButtonElement} next @param {TrialData} trial @param {Outside} outside
 * @returns {Promise<() => void>} undoes it
 */
export async function practice(form, next, trial, { texts, record }) {
  const { kind, params, practice: module, tries } = /** @type {Annotate} */ (trial.annotate);
  const [{ mount }, { practise }] = await Promise.all([import(trial.modules[kind]), import(/** @type {string} */ (module))]);
  const root = /** @type {HTMLElement} */ (form.querySelector(".practice"));
  const actions = /** @type {HTMLElement} */ (form.querySelector(".actions"));
  actions.hidden = true;
  const page = practise(root, { mount, kind, params, texts, record, saved: saved(trial), tries,
    onDone: () => { actions.hidden = false; next.focus(); } });
  return page.destroy;
}
