// @ts-check
/** Deciding by keyboard: numbers choose, Enter decides, D discussed, N note, J and K go forth and back. */
import { createStage } from "./stage.js";

/**
 * @param {string} key @param {{typing: boolean, modified: boolean}} state
 * @returns {{go: "next" | "prev"} | {choose: number} | {decide: true} | {leave: true} | {note: true} | {discussed: true} | null}
 */
export function meaning(key, { typing, modified }) {
  if (modified) return null;
  if (typing) return key === "Escape" ? { leave: true } : null;
  if (key === "j") return { go: "next" };
  if (key === "k") return { go: "prev" };
  if (key === "n") return { note: true };
  if (key === "d") return { discussed: true };
  if (/^[1-9]$/.test(key)) return { choose: Number(key) };
  return key === "Enter" ? { decide: true } : null;
}

/** @param {Document} page */
export function start(page) {
  const form = page.querySelector("#decision");
  if (!(form instanceof HTMLFormElement)) return;
  const takes = /** @type {HTMLInputElement[]} */ ([...form.querySelectorAll("input[name=take]")]);
  const own = /** @type {HTMLElement} */ (form.querySelector("#own"));
  const note = /** @type {HTMLInputElement} */ (form.elements.namedItem("note"));
  const show = () => {
    own.hidden = form.querySelector("input[name=take]:checked")?.getAttribute("value") !== "own";
  };
  takes.forEach((take) => take.addEventListener("change", show));
  page.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target.matches("input:not([type=radio]):not([type=checkbox]), textarea, select");
    if (target.matches("button, a, summary") && event.key === "Enter") return;
    const command = meaning(event.key, {
      typing,
      modified: event.ctrlKey || event.metaKey || event.altKey,
    });
    if (!command) return;
    event.preventDefault();
    if ("leave" in command) target.blur();
    else if ("decide" in command) form.requestSubmit();
    else if ("note" in command) note.focus();
    else if ("discussed" in command) {
      const how = form.querySelectorAll("input[name=how]");
      const other = /** @type {HTMLInputElement} */ (how[1]);
      other.checked = true;
    } else if ("go" in command) {
      const link = page.querySelector(`a[rel=${command.go}]`);
      if (link instanceof HTMLAnchorElement) location.assign(link.href);
    } else if (takes[command.choose - 1]) {
      takes[command.choose - 1].checked = true;
      show();
    }
  });
  const media = page.getElementById("media");
  if (media) {
    const { media: source, number, moment_ms } = JSON.parse(media.textContent ?? "{}");
    void createStage(/** @type {HTMLElement} */ (page.getElementById("stage")), source).show(
      number,
      moment_ms,
    );
  }
}

if (typeof document !== "undefined") start(document);
