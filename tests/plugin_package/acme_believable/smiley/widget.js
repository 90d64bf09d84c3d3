// @ts-check
/** @param {HTMLElement} root @returns {string | null} */
export const read = (root) =>
  /** @type {HTMLInputElement | null} */ (root.querySelector("input:checked"))?.value ?? null;

/** @param {HTMLElement} root @param {string | null} value */
export function write(root, value) {
  for (const input of root.querySelectorAll("input")) input.checked = input.value === value;
}
