// @ts-check
/** The review queue by keyboard: numbers choose, Enter decides, J and K go forth and back. */

/**
 * What a key means while reading; null when it is for the page's own controls.
 * @param {string} key
 * @param {{typing: boolean, modified: boolean}} state
 * @returns {{go: "next" | "prev"} | {choose: number} | {decide: true} | {leave: true} | null}
 */
export function meaning(key, { typing, modified }) {
  if (modified) return null;
  if (typing) return key === "Escape" ? { leave: true } : null;
  if (key === "j") return { go: "next" };
  if (key === "k") return { go: "prev" };
  if (/^[1-9]$/.test(key)) return { choose: Number(key) };
  return key === "Enter" ? { decide: true } : null;
}

/** @param {Document} page */
export function start(page) {
  const form = page.querySelector("#decision");
  if (!(form instanceof HTMLFormElement)) return;
  const note = /** @type {HTMLInputElement} */ (form.elements.namedItem("note"));
  const choices = /** @type {HTMLInputElement[]} */ ([
    ...form.querySelectorAll("input[name=preset]"),
  ]);
  page.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target instanceof HTMLInputElement && target.type === "text";
    const onControl =
      target instanceof HTMLButtonElement ||
      target instanceof HTMLAnchorElement ||
      target instanceof HTMLSelectElement;
    if (onControl && event.key === "Enter") return;
    const command = meaning(event.key, {
      typing,
      modified: event.ctrlKey || event.metaKey || event.altKey,
    });
    if (!command) return;
    event.preventDefault();
    if ("leave" in command) note.blur();
    else if ("decide" in command) form.requestSubmit();
    else if ("go" in command) {
      const link = page.querySelector(`a[rel=${command.go}]`);
      if (link instanceof HTMLAnchorElement) location.assign(link.href);
    } else {
      const choice = choices[command.choose - 1];
      if (!choice) return;
      choice.checked = true;
      if (choice.value.endsWith("_other")) note.focus();
      else choice.focus();
    }
  });
  for (const choice of choices) {
    choice.addEventListener("change", () => {
      note.required = choice.value.endsWith("_other");
    });
  }
  form.addEventListener("submit", () => {
    const chosen = choices.find((choice) => choice.checked);
    note.required = Boolean(chosen && chosen.value.endsWith("_other"));
  });
}

if (typeof document !== "undefined") start(document);
