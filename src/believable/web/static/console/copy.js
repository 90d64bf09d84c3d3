// @ts-check
/** Addresses in fields: a click selects the whole, a button copies it. Without script they can be selected by hand. */

for (const field of document.querySelectorAll("input.copy")) {
  if (!(field instanceof HTMLInputElement)) continue;
  field.addEventListener("focus", () => field.select());
  if (!navigator.clipboard) continue;
  const button = document.createElement("button");
  button.type = "button";
  button.className = "small";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  });
  field.after(button);
}
