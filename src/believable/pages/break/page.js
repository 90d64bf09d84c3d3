// @ts-check
/** A pause: the button waits. */

/**
 * @param {HTMLFormElement} form @param {{wait_s: number}} trial @param {{texts: Record<string, string>}} outside
 * @returns {{waits: () => boolean, stop: () => void}}
 */
export function show(form, { wait_s }, { texts }) {
  const until = performance.now() + wait_s * 1000;
  const line = /** @type {HTMLElement} */ (form.querySelector(".wait"));
  const next = /** @type {HTMLButtonElement} */ (form.querySelector("button.next"));
  const tick = () => {
    const left = Math.ceil((until - performance.now()) / 1000);
    line.textContent = left > 0 ? texts["break.wait"].replace("{seconds}", String(left)) : "";
    next.disabled = left > 0;
    if (left <= 0) clearInterval(timer);
  };
  const timer = setInterval(tick, 250);
  tick();
  return { waits: () => next.disabled, stop: () => clearInterval(timer) };
}
