// @ts-check
/** Tells the server whether this is a desktop or laptop computer. */
import { isDesktop } from "./desktop.js";

const field = /** @type {HTMLInputElement | null} */ (
  document.querySelector("input[name=desktop]")
);
if (field) {
  const fits = isDesktop({
    userAgent: navigator.userAgent,
    mobile: /** @type {any} */ (navigator).userAgentData?.mobile,
    touchPoints: navigator.maxTouchPoints,
    touchFirst: matchMedia("(pointer: coarse)").matches,
    fine: matchMedia("(any-pointer: fine)").matches,
  });
  field.value = fits ? "yes" : "no";
  const warning = document.getElementById("desktop-only");
  if (warning) {
    warning.hidden = fits;
    const start = /** @type {HTMLButtonElement | null} */ (
      document.querySelector("form button[type=submit]")
    );
    if (start) start.disabled = !fits; // nothing is offered that ends at once
  }
}
const language = /** @type {HTMLSelectElement | null} */ (
  document.querySelector("select[name=language]")
);
language?.addEventListener("change", () => {
  const address = new URL(location.href);
  address.searchParams.set("lang", language.value);
  location.replace(address);
});
