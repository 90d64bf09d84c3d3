// @ts-check
/** @param {HTMLElement} root @returns {Record<string, number> | null} row → point, for the rows answered so far */
export function read(root) {
  /** @type {Record<string, number>} */
  const points = {};
  for (const row of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-row]"))) {
    const chosen = /** @type {HTMLInputElement | null} */ (row.querySelector("input:checked"));
    if (chosen && row.dataset.row) points[row.dataset.row] = Number(chosen.value);
  }
  return Object.keys(points).length ? points : null;
}

/** @param {HTMLElement} root @param {Record<string, number> | null} value */
export function write(root, value) {
  for (const row of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-row]"))) {
    const point = value?.[row.dataset.row ?? ""];
    for (const input of row.querySelectorAll("input"))
      input.checked = Number(input.value) === point;
  }
}
