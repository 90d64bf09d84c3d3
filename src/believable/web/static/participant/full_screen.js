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
    button.addEventListener("click", () => (shown() ? leave() : enter()), { signal });
    document.addEventListener(
      "fullscreenchange",
      () => {
        button.textContent = (shown() ? button.dataset.leave : button.dataset.enter) ?? "";
        changed?.();
      },
      { signal },
    );
  }
  // A browser may refuse; then everything stays as it is.
  const enter = () => void box.requestFullscreen().catch(() => {});
  const leave = () => {
    if (shown()) void document.exitFullscreen().catch(() => {});
  };
  return {
    enter,
    leave,
    destroy() {
      leaving.abort();
      leave();
    },
  };
}

/**
 * For players: the button is the last of their controls, unless the page has it there already and was asked for the full screen
 * with it. At the end the page comes back, because it goes on there.
 * @param {HTMLElement} box @param {Element | null} controls nothing happens without any @param {any[]} players @param {Record<string, string>} texts
 */
export function offerFullScreen(box, controls, players, texts) {
  const [enter, leave] = [texts["media.full_screen"], texts["media.full_screen_leave"]];
  const there = /** @type {HTMLButtonElement | null | undefined} */ (
    controls?.querySelector(".full-screen")
  );
  const button =
    there ??
    Object.assign(document.createElement("button"), {
      className: "button quiet full-screen",
      type: "button",
      hidden: true,
      textContent: enter,
    });
  button.onclick = null;
  Object.assign(button.dataset, { enter, leave });
  controls?.append(button);
  const screen = createFullScreen(box, controls && button, () => {
    if (!button.isConnected || document.fullscreenElement) return;
    keepNextInSight(box);
  });
  for (const player of players)
    player.on("ended", () => {
      if (players.every(({ paused }) => paused)) screen.leave();
    });
  if (there) screen.enter();
  return screen;
}

/**
 * The page leads on while it leaves the full screen, and windows get their old size some time later: what comes next stays in sight
 * until the person does something. @param {HTMLElement} box what was shown
 */
function keepNextInSight(box) {
  const scroll = () => {
    const focused = document.activeElement;
    const next = focused?.closest(".after") ?? document.querySelector(".after:not([hidden])");
    (next ?? focused)?.scrollIntoView({ block: "nearest" });
  };
  const sizes = new ResizeObserver(scroll);
  for (const element of [box, document.documentElement]) sizes.observe(element);
  const acted = new AbortController();
  const { signal } = acted;
  addEventListener("resize", scroll, { signal });
  document.addEventListener("focusin", () => requestAnimationFrame(scroll), { signal });
  for (const deed of ["wheel", "touchmove", "pointerdown", "keydown", "fullscreenchange"])
    addEventListener(
      deed,
      () => {
        sizes.disconnect();
        acted.abort();
      },
      { signal, capture: true, passive: true },
    );
}
