// @ts-check
/**
 * Pages with several players: a comparison side by side, or a group of clips with questions at each.
 *
 * @typedef {import("./trial.js").TrialData} TrialData
 * @typedef {import("./trial.js").Outside} Outside
 * @typedef {{together: boolean, watch: "all" | "any", each: {views: number, position_ms: number}[]}} Several
 */
import { offerFocus } from "./focus.js";
import { createLoading } from "./loading.js";

/**
 * @param {HTMLFormElement} form @param {TrialData} trial @param {Outside} outside @param {AbortSignal} signal
 * @returns {Promise<() => void>} undoes it
 */
export async function several(form, trial, { texts, record }, signal) {
  const layout = /** @type {Several} */ (trial.several);
  const asked = /** @type {import("/static/players/video/policy.js").Policy} */ (trial.controls);
  const policy = { ...asked, must_finish: true }; // never the browser's own controls: there are several
  const panes = /** @type {HTMLElement[]} */ (Array.from(form.querySelectorAll(".pane")));
  const creators = await Promise.all(trial.media.map(async ({ player }) => (await import(trial.modules[player])).create));
  const views = layout.each.map((one) => one.views);
  /** @type {any[]} */
  let players = [];
  let stop = () => undefined;

  /** Shows the questions that may be answered by now. */
  function open() {
    panes.forEach((pane, number) => reveal(pane, ".about", ".clip-first", !asked.must_finish || views[number] > 0));
    const ended = views.map((n) => n > 0);
    reveal(form, ".after", ".page-first", !asked.must_finish || (layout.watch === "any" ? ended.some(Boolean) : ended.every(Boolean)));
  }
  open();

  const loading = createLoading(form, trial.media, texts, signal);
  void loading.media().then(async (sources) => {
    const box = /** @type {HTMLElement} */ (form.querySelector(".panes"));
    players = panes.map((pane, number) => creators[number](pane.querySelector(".player"), {
      src: sources[number], policy, seen: layout.each[number],
      texts: { ...texts, "media.label": `${texts["media.label"]} ${pane.querySelector(".pane-label")?.textContent}` },
      record: (/** @type {string} */ kind, /** @type {any} */ data) => record(kind, { ...data, player: number }),
      keys: layout.together ? new EventTarget() : pane,
    }));
    const settled = players.map((player, number) => new Promise((resolve) => {
      player.on("ready", () => resolve(true));
      player.on("ended", () => { views[number] = player.views; open(); });
      player.on("trouble", (/** @type {any} */ error) => {
        if (!error || error.name) return;
        loading.failed();
        resolve(false);
      });
      if (!layout.together) player.on("play", () => players.forEach((other) => { if (other !== player && !other.paused) other.pause("other"); }));
    }));
    if (form.querySelector("canvas[data-still]")) void import("./stills.js").then(({ drawStills }) =>
      drawStills(form, trial.media.map(({ player }, number) => ({ player, src: sources[number] })), trial.modules)).catch(() => undefined);
    const [common, ...ready] = await Promise.all([layout.together ? import("./together.js") : null, ...settled]);
    if (signal.aborted) return;
    // All at once: controls that still move are missed.
    loading.over();
    box.hidden = false;
    if (!common) offerFocus(form.querySelector(".pane button"));
    else if (ready.every(Boolean)) stop = common.commonControls(/** @type {HTMLElement} */ (form.querySelector(".common")), players, policy, texts);
  }, loading.failed);
  return () => { stop(); players.forEach((player) => player.destroy()); };
}

/** @param {HTMLElement} root @param {string} what @param {string} instead @param {boolean} now */
function reveal(root, what, instead, now) {
  for (const [selector, hidden] of /** @type {[string, boolean][]} */ ([[what, !now], [instead, now]])) {
    const found = /** @type {HTMLElement | null} */ (root.querySelector(selector));
    if (found) found.hidden = hidden;
  }
}
