// @ts-check
/** The button that shows a game or a stimulus on the whole screen. It appears only if the browser can do that. */

/**
 * @param {HTMLElement} box what is shown
 * @param {HTMLButtonElement | null} button
 * @param {() => void} [changed] after each change
 */
export function createFullScreen(box, button, changed) {
  const leaving = new AbortController();
  const { signal } = leaving;
  const shown = () => document.fullscreenElement === box;
  if (button && document.fullscreenEnabled) {
    button.hidden = false;
    button.addEventListener("click", () => {
      // A browser may refuse; then everything stays as it is.
      void (shown() ? document.exitFullscreen() : box.requestFullscreen()).catch(() => {});
    }, { signal });
    document.addEventListener("fullscreenchange", () => {
      button.textContent = (shown() ? button.dataset.leave : button.dataset.enter) ?? "";
      changed?.();
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

/**
 * For players: the button is the last of their controls. At the end the page comes back, because it goes on there.
 * @param {HTMLElement} box @param {Element | null} controls nothing happens without any @param {any[]} players @param {Record<string, string>} texts
 * @returns {{destroy: () => void}}
 */
export function offerFullScreen(box, controls, players, texts) {
  const [enter, leave] = [texts["media.full_screen"], texts["media.full_screen_leave"]];
  const button = Object.assign(document.createElement("button"), { className: "button quiet full-screen", type: "button", hidden: true, textContent: enter });
  Object.assign(button.dataset, { enter, leave });
  controls?.append(button);
  const screen = createFullScreen(box, controls && button, () => {
    if (!document.fullscreenElement) document.activeElement?.scrollIntoView({ block: "nearest" });
  });
  for (const player of players) player.on("ended", () => { if (players.every(({ paused }) => paused)) screen.leave(); });
  return screen;
}
