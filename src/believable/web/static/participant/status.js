// @ts-check
/** The line that says whether everything is saved. Ordinary saving is shown quietly; trouble is announced. */

/**
 * @param {HTMLElement} line
 * @param {Record<string, string>} texts
 */
export function createStatus(line, texts) {
  let memory = false;
  let final = false;
  let stuck = false;
  let latest = "saved";
  /** @param {string} state */
  function show(state) {
    if (final) return;
    latest = state;
    const ordinary = state === "saving" || state === "saved";
    const said = stuck && ordinary ? "loading" : state; // "Saved" never stands beside trouble
    line.dataset.state = said;
    const words = texts[memory && ordinary && !stuck ? "status.memory" : `status.${said}`];
    if (line.textContent !== words) line.textContent = words;
    line.setAttribute("aria-live", ordinary && !stuck ? "off" : "polite");
  }
  return {
    show,
    /** What the page shows does not come, or comes again. @param {boolean} on */
    trouble: (on) => {
      if (on !== stuck) {
        stuck = on;
        show(latest);
      }
    },
    /** Says for good that sending has stopped. @param {string} state */
    end: (state) => {
      show(state);
      final = true;
    },
    /** The browser keeps nothing: say so as long as this page is open. */
    memoryOnly: () => {
      memory = true;
      show("saved");
    },
  };
}
