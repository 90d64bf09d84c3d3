// @ts-check
/** Plan and log beside a player, each opened and closed by the person; every opening and closing is recorded. */
import { showLog } from "./overlaylog.js";
import { showPlan } from "./overlayplan.js";

/**
 * @param {HTMLElement} root
 * @param {object} outside
 * @param {any} outside.player
 * @param {import("./actionlog.js").ActionLog} outside.log
 * @param {{plan: boolean, log: boolean}} outside.overlay
 * @param {boolean} outside.seekable
 * @param {Record<string, string>} outside.texts
 * @param {(kind: string, data: any) => void} outside.record
 */
export function showOverlay(root, { player, log, overlay, seekable, texts, record }) {
  const bar = element("div", "overlay-bar");
  const panels = element("div", "overlay-panels");
  const shown = { plan: showPlan, log: showLog };
  for (const which of /** @type {("plan" | "log")[]} */ (["plan", "log"]))
    if (overlay[which]) add(which);
  root.append(bar, panels);
  root.hidden = false;

  /** @param {"plan" | "log"} which */
  function add(which) {
    const toggle = /** @type {HTMLButtonElement} */ (
      element("button", "button quiet overlay-toggle")
    );
    const panel = element("section", `overlay-panel overlay-${which}`);
    Object.assign(toggle, { type: "button", textContent: texts[`overlay.${which}`] });
    Object.assign(panel, { id: `overlay-${which}`, hidden: true });
    panel.setAttribute("aria-label", texts[`overlay.${which}`]);
    toggle.setAttribute("aria-controls", panel.id);
    toggle.setAttribute("aria-expanded", "false");
    /** @type {{refresh: () => void} | null} made when it is first opened */
    let content = null;
    const refresh = () => {
      if (!panel.hidden) content?.refresh();
    };
    toggle.addEventListener("click", () => {
      player.split();
      panel.hidden = !panel.hidden;
      record(panel.hidden ? "overlay.close" : "overlay.open", {
        which,
        media_ms: Math.round(player.time_ms),
      });
      toggle.setAttribute("aria-expanded", String(!panel.hidden));
      if (!content && !panel.hidden)
        content = shown[which](panel, { player, log, seekable, texts });
      refresh();
    });
    for (const name of ["time", "seek"]) player.on(name, refresh);
    bar.append(toggle);
    panels.append(panel);
  }
}

/** @param {string} name @param {string} className @returns {HTMLElement} */
function element(name, className) {
  return Object.assign(document.createElement(name), { className });
}
