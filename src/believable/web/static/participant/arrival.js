// @ts-check
/**
 * Loads the page anew when one of its scripts did not arrive: a line that breaks for a moment leaves a page that nobody can use.
 *
 * It stands in the page itself, since it has to be there when others are not. Only scripts that the page names count: without
 * them nothing has begun that a new page could lose. What is asked for later is asked for again (`scripts.js`).
 */
(() => {
  /** How often this page was loaded anew in a row: pauses grow, so that a server that lacks a file is not asked without end. */
  const KEY = "believable-anew";
  const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [500, 30_000];
  let waiting = false;
  /** Ends the pause. */
  let hurry = () => {};

  function times() {
    try {
      return Number(sessionStorage.getItem(KEY));
    } catch {
      return 0; // browsers that forbid storage throw when it is only named
    }
  }

  /** @param {number} number */
  function keepTimes(number) {
    try {
      sessionStorage.setItem(KEY, String(number));
    } catch {
      // The pauses do not grow then.
    }
  }

  function say() {
    const banner = document.getElementById("missing");
    if (!banner || !banner.hidden) return;
    banner.hidden = false;
    banner.querySelector("button")?.addEventListener("click", () => hurry());
  }

  const answered = () =>
    fetch("/health", { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    );

  async function loadAnew() {
    if (waiting) return;
    waiting = true;
    say();
    document.addEventListener("DOMContentLoaded", say); // it may not have been read yet
    for (let number = times(); ; number += 1) {
      await new Promise((resolve) => {
        hurry = () => resolve(undefined);
        setTimeout(hurry, Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** number));
      });
      if (!(await answered())) continue;
      keepTimes(number + 1);
      location.reload();
      return;
    }
  }

  addEventListener(
    "error",
    ({ target }) => {
      if (target instanceof HTMLScriptElement) void loadAnew();
    },
    true,
  );
  addEventListener("online", () => hurry());
  addEventListener("arrived", () => keepTimes(0));
})();
