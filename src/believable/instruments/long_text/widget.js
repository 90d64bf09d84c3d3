// @ts-check
/** From this share of the longest text on, its length is shown. */
const SHOWN_FROM = 0.8;

/** @param {HTMLElement} root @returns {string | null} */
export function read(root) {
  const { value } = field(root);
  return value.trim() ? value : null;
}

/** @param {HTMLElement} root @param {string | null} value */
export function write(root, value) {
  field(root).value = value ?? "";
}

/** @param {HTMLElement} root @param {{texts: Record<string, string>}} context */
export function mount(root, { texts }) {
  const count = /** @type {HTMLElement} */ (root.querySelector(".count"));
  const max = Number(count.dataset.max);
  field(root).addEventListener("input", () => {
    const n = field(root).value.length;
    count.textContent =
      n < SHOWN_FROM * max
        ? ""
        : texts["question.characters"].replace("{n}", String(n)).replace("{max}", String(max));
  });
}

/** @param {HTMLElement} root */
const field = (root) => /** @type {HTMLTextAreaElement} */ (root.querySelector("textarea"));
