// @ts-check
/** The button that shows a game on the whole screen. It appears only if the browser can do that. */

/** @param {HTMLElement} form @param {() => void} changed the keys belong to the game again */
export function createFullScreen(form, changed) {
  const leaving = new AbortController();
  const { signal } = leaving;
  const game = /** @type {HTMLElement} */ (form.querySelector(".game"));
  const button = /** @type {HTMLButtonElement | null} */ (form.querySelector(".full-screen"));
  const shown = () => document.fullscreenElement === game;
  if (button && document.fullscreenEnabled) {
    button.hidden = false;
    button.addEventListener("click", () => {
      // A browser may refuse; then the game stays as it is.
      void (shown() ? document.exitFullscreen() : game.requestFullscreen()).catch(() => {});
    }, { signal });
    document.addEventListener("fullscreenchange", () => {
      button.textContent = (shown() ? button.dataset.leave : button.dataset.enter) ?? "";
      changed();
    }, { signal });
  }
  const leave = () => { if (shown()) void document.exitFullscreen().catch(() => {}); };
  return {
    leave,
    destroy() {
      leaving.abort();
      leave();
    },
  };
}
