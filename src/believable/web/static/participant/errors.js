// @ts-check
/** Shows what is to be looked at again: a summary on top with links, and a line at each question. */

/**
 * @param {HTMLElement} form
 * @param {Record<string, string>} errors question id (`""` is the whole page) → words; empty clears
 */
export function showErrors(form, errors) {
  const summary = /** @type {HTMLElement} */ (form.querySelector(".error-summary"));
  const list = /** @type {HTMLElement} */ (summary.querySelector("ul"));
  list.replaceChildren();
  for (const root of /** @type {NodeListOf<HTMLElement>} */ (
    form.querySelectorAll("[data-question]")
  )) {
    const words = errors[root.dataset.question ?? ""] ?? "";
    mark(root, words);
    if (!words) continue;
    list.append(entry(root, words));
    root.addEventListener("input", () => mark(root, ""), { once: true });
  }
  if (errors[""])
    list.prepend(Object.assign(document.createElement("li"), { textContent: errors[""] }));
  summary.hidden = !list.childElementCount;
  if (list.childElementCount) summary.focus();
}

/** Says at a question what is wrong with it; nothing, once it is being mended. @param {HTMLElement} root @param {string} words */
function mark(root, words) {
  const line = /** @type {HTMLElement} */ (root.querySelector(".error"));
  line.textContent = words;
  line.hidden = !words;
  for (const input of root.querySelectorAll("input, textarea")) {
    if (words) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
}

/** @param {HTMLElement} root @param {string} words */
function entry(root, words) {
  const item = document.createElement("li");
  const link = document.createElement("a");
  link.href = `#${root.id}`;
  const prompt = root.querySelector(".prompt")?.textContent?.trim();
  link.textContent = prompt || words;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    root.scrollIntoView({ block: "center" });
    /** @type {HTMLElement | null} */ (root.querySelector("input, textarea"))?.focus();
  });
  item.append(link, prompt ? ` ${words}` : "");
  return item;
}
