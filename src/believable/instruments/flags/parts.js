// @ts-check
/** Elements of the marking page and of its practice. */

/**
 * The press counts, not the release: until then what is on screen may be something else.
 * @param {HTMLElement} thumb @param {(mono_ms: number) => void} work
 */
export function onPress(thumb, work) {
  thumb.addEventListener("pointerdown", (event) => {
    if (event.button === 0) work(event.timeStamp);
  });
  thumb.addEventListener("click", (event) => {
    if (event.detail === 0) work(event.timeStamp);
  }); // by a key
}

/** @param {string} name @param {string} className @param {string} [textContent] @returns {HTMLElement} */
export function element(name, className, textContent = "") {
  return Object.assign(document.createElement(name), { className, textContent });
}

/** @param {string} className @param {string} words @param {string} [label] if the words do not say it @returns {HTMLButtonElement} */
export function button(className, words, label = "") {
  const button = /** @type {HTMLButtonElement} */ (element("button", className, words));
  button.type = "button";
  if (label) button.setAttribute("aria-label", label);
  return button;
}
