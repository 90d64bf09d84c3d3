// @ts-check
/** What stands around every game: time, score, and the veil over the field while nothing moves. */

/** @typedef {ReturnType<typeof createHud>} Hud */

/** @param {HTMLElement} form */
export function createHud(form) {
  const find = (/** @type {string} */ name) =>
    /** @type {HTMLElement} */ (form.querySelector(name));
  const game = find(".game");
  const go = /** @type {HTMLButtonElement} */ (find(".go"));

  /** @param {HTMLElement} element @param {string} words */
  const say = (element, words) => {
    if (element.textContent !== words) element.textContent = words;
  };

  return {
    /**
     * @param {{t: number, s: number}} picture @param {{ticks: number, tick_hz: number}} round how long it is @param {boolean} practice
     */
    show(picture, { ticks, tick_hz }, practice) {
      const shown_s = Math.ceil((practice ? picture.t : ticks - picture.t) / tick_hz);
      say(find(".time"), `${Math.floor(shown_s / 60)}:${String(shown_s % 60).padStart(2, "0")}`);
      say(find(".score"), String(picture.s));
    },

    /**
     * Lay the veil over the field. @param {string} state @param {string} title @param {string} [text] @param {string} [button]
     */
    veil(state, title, text = "", button = "") {
      if (game.dataset.state !== state) game.dataset.state = state;
      say(find(".veil-title"), title);
      say(find(".veil-text"), text);
      if (button) say(go, button);
      const appears = go.hidden && Boolean(button);
      go.hidden = !button;
      if (appears) go.focus({ preventScroll: true });
    },

    /** Take it away. */
    unveil() {
      game.dataset.state = "run";
    },
    go,
    get state() {
      return game.dataset.state;
    },
  };
}
