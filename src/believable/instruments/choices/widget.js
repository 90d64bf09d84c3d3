// @ts-check
/** @param {HTMLElement} root @returns {string[] | null} */
export function read(root) {
  const ticked = /** @type {NodeListOf<HTMLInputElement>} */ (
    root.querySelectorAll("input:checked")
  );
  return ticked.length ? Array.from(ticked, ({ value }) => value) : null;
}

/** @param {HTMLElement} root @param {string[] | null} value */
export function write(root, value) {
  for (const input of root.querySelectorAll("input"))
    input.checked = value?.includes(input.value) ?? false;
}
