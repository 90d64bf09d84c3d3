// @ts-check
/** Tells the server whether this is a desktop: a mouse or trackpad, and enough room. */
const field = /** @type {HTMLInputElement | null} */ (document.querySelector("input[name=desktop]"));
if (field) {
  const fits = matchMedia("(any-pointer: fine)").matches && Math.max(screen.width, innerWidth) >= 1000;
  field.value = fits ? "yes" : "no";
  const warning = document.getElementById("desktop-only");
  if (warning) {
    warning.hidden = fits;
    const start = /** @type {HTMLButtonElement | null} */ (document.querySelector("form button[type=submit]"));
    if (start) start.disabled = !fits; // nothing is offered that ends at once
  }
}
const language = /** @type {HTMLSelectElement | null} */ (document.querySelector("select[name=language]"));
language?.addEventListener("change", () => {
  const address = new URL(location.href);
  address.searchParams.set("lang", language.value);
  location.replace(address);
});
