// @ts-check
/** The list of sessions: a box that ticks the page, Shift for a stretch, how many are ticked, and "/" for the search. */

/**
 * The boxes between two, both ends included, in the order of the page.
 * @template T
 * @param {T[]} boxes
 * @param {T | null} from
 * @param {T} to
 * @returns {T[]}
 */
export function stretch(boxes, from, to) {
  const start = from === null ? -1 : boxes.indexOf(from);
  const end = boxes.indexOf(to);
  if (start < 0 || end < 0) return [to];
  return boxes.slice(Math.min(start, end), Math.max(start, end) + 1);
}

/**
 * @param {number} n_marked
 * @param {boolean} everything
 */
export function words(n_marked, everything) {
  if (everything) return "All that match";
  if (!n_marked) return "Tick sessions to decide about them";
  return n_marked === 1 ? "1 session" : `${n_marked} sessions`;
}

/** @param {Document} page */
export function start(page) {
  const search = page.querySelector("input[name=q]");
  page.addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const typing = target instanceof HTMLInputElement && target.type !== "checkbox";
    if (
      event.key === "/" &&
      !typing &&
      !event.ctrlKey &&
      !event.metaKey &&
      search instanceof HTMLInputElement
    ) {
      event.preventDefault();
      search.focus();
      search.select();
    }
  });
  const form = page.querySelector("#bulk");
  const all = page.querySelector("#mark-all");
  const count = page.querySelector("#n-marked");
  if (!(form instanceof HTMLFormElement) || !(all instanceof HTMLInputElement) || !count) return;
  const boxes = /** @type {HTMLInputElement[]} */ ([
    ...form.querySelectorAll("input[name^=session-]"),
  ]);
  const everything = /** @type {HTMLInputElement | null} */ (
    form.querySelector("input[name=everything]")
  );
  /** @type {HTMLInputElement | null} */
  let last = null;
  const tell = () => {
    const n_marked = boxes.filter((box) => box.checked).length;
    count.textContent = words(n_marked, Boolean(everything?.checked));
    all.checked = n_marked === boxes.length;
    all.indeterminate = n_marked > 0 && n_marked < boxes.length;
    for (const button of form.querySelectorAll("button[name=deed]")) {
      /** @type {HTMLButtonElement} */ (button).disabled = !n_marked && !everything?.checked;
    }
  };
  all.hidden = false;
  all.addEventListener("change", () => {
    for (const box of boxes) box.checked = all.checked;
    tell();
  });
  everything?.addEventListener("change", tell);
  for (const box of boxes) {
    box.addEventListener("click", (event) => {
      if (event.shiftKey)
        for (const other of stretch(boxes, last, box)) other.checked = box.checked;
      last = box;
      tell();
    });
  }
  tell();
}

if (typeof document !== "undefined") start(document);
