// @ts-check
/** @param {HTMLElement} root @returns {string | null} */
export function read(root) {
  const { value } = field(root);
  return value.trim() ? value : null;
}

/** @param {HTMLElement} root @param {string | null} value */
export function write(root, value) {
  field(root).value = value ?? "";
}

/** @param {HTMLElement} root */
const field = (root) => /** @type {HTMLInputElement} */ (root.querySelector("input"));
