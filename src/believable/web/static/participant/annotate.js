// @ts-check
/**
 * Puts an annotating instrument below its player or beside it.
 *
 * @typedef {{kind: string, params: any, practice: string | null, tries: number}} Annotate
 * @typedef {[seq: number, kind: string, data: any]} SavedEvent
 * @typedef {import("./trial.js").TrialData} TrialData
 * @typedef {import("./trial.js").Outside} Outside
 */

import { load } from "./scripts.js";

/** A stimulus of this ratio or less is as high as wide, more or less: in a wide window a trace has its place beside it. */
const UPRIGHT = 1.2;

/** Width over height of what the player shows. @param {HTMLElement} form */
function ratio(form) {
  const shown = /** @type {HTMLElement | null} */ (
    form.querySelector(".player video, .player canvas")
  );
  if (shown instanceof HTMLVideoElement) return shown.videoWidth / shown.videoHeight;
  return Number(shown?.style.getPropertyValue("--ratio") || Infinity);
}

/** @param {TrialData} trial @returns {[kind: string, data: any][]} */
export const saved = (trial) => trial.saved.map(([, kind, data]) => [kind, data]);

/**
 * Loads the instrument. What it gives puts the instrument to a player that is ready, at once: nobody plays without it.
 * @param {HTMLElement} form @param {TrialData} trial @param {Outside} outside
 * @returns {Promise<(player: any) => {destroy: () => void}>}
 */
export async function annotator(form, trial, { texts, record }) {
  const { kind, params } = /** @type {Annotate} */ (trial.annotate);
  const { mount } = await load(trial.modules[kind]);
  const { signal } = trial;
  // For a test with a known signal no study has words of its own about what gets more and less.
  const directions = signal && {
    high: texts[`qa.high.${signal.test}`],
    low: texts[`qa.low.${signal.test}`],
  };
  return (player) => {
    const root = /** @type {HTMLElement} */ (form.querySelector(".annotate"));
    form.classList.toggle("upright", ratio(form) <= UPRIGHT);
    root.hidden = false;
    return mount(root, {
      player,
      params: { ...params, ...directions },
      texts,
      record,
      saved: saved(trial),
    });
  };
}
