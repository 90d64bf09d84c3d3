// @ts-check
/** The plans as trees that fold; the branch that is going on is marked, and open unless the person folded it. */

/**
 * @param {HTMLElement} panel
 * @param {{player: any, log: import("./actionlog.js").ActionLog, texts: Record<string, string>}} outside
 */
export function showPlan(panel, { player, log, texts }) {
  /** @type {Map<string | null, import("./actionlog.js").Step[]>} */
  const below = new Map();
  for (const step of log.plans) below.set(step.parent, [...(below.get(step.parent) ?? []), step]);
  /** @type {{step: import("./actionlog.js").Step, item: HTMLElement, fold: HTMLDetailsElement | null}[]} */
  const parts = [];
  /** Folded or unfolded by the person, who knows better. @type {WeakSet<HTMLElement>} */
  const touched = new WeakSet();
  let period = -1;

  for (const { id, name } of log.actors) {
    const roots = (below.get(null) ?? []).filter((step) => step.actor === id);
    if (!roots.length) continue;
    if (log.several)
      panel.append(
        Object.assign(document.createElement("h2"), { className: "plan-who", textContent: name }),
      );
    panel.append(branch(roots));
  }
  if (!parts.length) panel.textContent = texts["overlay.empty"];

  /** @param {import("./actionlog.js").Step[]} steps @returns {HTMLElement} */
  function branch(steps) {
    const list = Object.assign(document.createElement("ul"), { className: "plan" });
    list.append(...steps.map(leaf));
    return list;
  }

  /** @param {import("./actionlog.js").Step} step @returns {HTMLElement} */
  function leaf(step) {
    const item = Object.assign(document.createElement("li"), { className: "plan-step" });
    const inner = below.get(step.id) ?? [];
    const always = step.t0_ms <= 0 && step.t1_ms >= player.duration_ms;
    const words = [
      Object.assign(document.createElement("span"), {
        className: "plan-time",
        textContent: always ? "" : `${player.clock(step.t0_ms)}–${player.clock(step.t1_ms, true)}`,
      }),
      Object.assign(document.createElement("span"), {
        className: "plan-text",
        textContent: step.text,
      }),
    ];
    let fold = null;
    if (inner.length) {
      fold = document.createElement("details");
      fold.open = step.parent === null;
      const summary = document.createElement("summary");
      summary.addEventListener("click", () => touched.add(item));
      summary.append(...words);
      fold.append(summary, branch(inner));
      item.append(fold);
    } else item.append(...words);
    parts.push({ step, item, fold });
    return item;
  }

  /** Only the panel scrolls, never the page, and not while somebody reads in it. @param {HTMLElement | null} step */
  function show(step) {
    if (!step) return;
    const above = step.getBoundingClientRect().top - panel.getBoundingClientRect().top;
    panel.scrollTop +=
      above - (panel.clientHeight - Math.min(step.offsetHeight, panel.clientHeight)) / 2;
  }

  return {
    refresh: () => {
      const now = player.time_ms;
      const next = log.period(now);
      if (next === period) return;
      period = next;
      for (const { step, item, fold } of parts) {
        const on = step.t0_ms <= now && now < step.t1_ms;
        item.classList.toggle("current", on);
        if (on) item.setAttribute("aria-current", "step");
        else item.removeAttribute("aria-current");
        if (fold && !touched.has(item)) fold.open = on || step.parent === null;
      }
      if (!panel.matches(":hover, :focus-within"))
        show(panel.querySelector(".current:not(:has(.current))"));
    },
  };
}
