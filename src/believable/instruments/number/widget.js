// @ts-check
/**
 * A text box, because number boxes hide what was typed when it is not a number and change when the wheel turns.
 * What is not a number goes to the server as it was typed, which then says what is expected.
 * @param {HTMLElement} root @returns {number | string | null}
 */
export function read(root) {
  const typed = field(root).value.trim();
  if (!typed) return null;
  const number = Number(typed.replace(",", "."));
  return Number.isFinite(number) ? number : typed;
}

/** @param {HTMLElement} root @param {number | string | null} value */
export function write(root, value) {
  field(root).value = value === null ? "" : String(value);
}

/** @param {HTMLElement} root */
const field = (root) => /** @type {HTMLInputElement} */ (root.querySelector("input"));
