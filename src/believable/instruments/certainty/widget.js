// @ts-check
/** @param {HTMLElement} root @returns {number | null} */
export function read(root) {
  const chosen = /** @type {HTMLInputElement | null} */ (root.querySelector("input:checked"));
  return chosen ? Number(chosen.value) : null;
}

/** @param {HTMLElement} root @param {number | null} value */
export function write(root, value) {
  for (const input of root.querySelectorAll("input")) input.checked = Number(input.value) === value;
}
