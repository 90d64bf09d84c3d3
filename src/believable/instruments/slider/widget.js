// @ts-check
/** A range input always has a value; until it is touched, that value is nobody's answer. */

/** @param {HTMLElement} root @returns {number | null} */
export const read = (root) => ("untouched" in box(root).dataset ? null : Number(field(root).value));

/** @param {HTMLElement} root @param {number | null} value */
export function write(root, value) {
  if (value === null) {
    box(root).dataset.untouched = "";
    field(root).value = "";
    field(root).setAttribute(
      "aria-valuetext",
      root.querySelector(".slider-hint")?.textContent ?? "",
    );
  } else {
    field(root).value = String(value);
    touch(root);
  }
}

/** @param {HTMLElement} root */
export function mount(root) {
  const input = field(root);
  const touched = () => {
    if (!("untouched" in box(root).dataset)) return touch(root);
    touch(root);
    // A click on the very middle of a fresh line, or Enter on it, changes no value and so tells nobody.
    input.dispatchEvent(new Event("change", { bubbles: true }));
  };
  input.addEventListener("input", () => touch(root), { capture: true });
  input.addEventListener("pointerup", touched);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      touched();
    }
  });
}

/** @param {HTMLElement} root */
function touch(root) {
  delete box(root).dataset.untouched;
  field(root).removeAttribute("aria-valuetext");
  const shown = root.querySelector("output");
  if (shown) shown.textContent = field(root).value;
}

/** @param {HTMLElement} root */
const box = (root) => /** @type {HTMLElement} */ (root.querySelector(".slider"));
/** @param {HTMLElement} root */
const field = (root) => /** @type {HTMLInputElement} */ (root.querySelector("input"));
