// @ts-check
/** The line that says whether everything is saved. Ordinary saving is shown quietly; trouble is announced. */

/**
 * @param {HTMLElement} line
 * @param {Record<string, string>} texts
 */
export function createStatus(line, texts) {
  let memory = false;
  let final = false;
  /** @param {string} state */
  function show(state) {
    if (final) return;
    line.dataset.state = state;
    const ordinary = state === "saving" || state === "saved";
    const words = texts[memory && ordinary ? "status.memory" : `status.${state}`];
    if (line.textContent !== words) line.textContent = words;
    line.setAttribute("aria-live", ordinary ? "off" : "polite");
  }
  return {
    show,
    /** Says for good that sending has stopped. @param {string} state */
    end: (state) => { show(state); final = true; },
    /** The browser keeps nothing: say so as long as this page is open. */
    memoryOnly: () => { memory = true; show("saved"); },
  };
}
