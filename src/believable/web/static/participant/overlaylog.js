// @ts-check
/**
 * The log, line by line, under the step of the plan that the lines serve; what is going on is marked and kept in view until the
 * person scrolls; a line leads to its moment.
 */

/**
 * @param {HTMLElement} panel
 * @param {{player: any, log: import("./actionlog.js").ActionLog, seekable: boolean, texts: Record<string, string>}} outside
 */
export function showLog(panel, { player, log, seekable, texts }) {
  const list = Object.assign(document.createElement("ol"), {
    className: "log-lines",
    tabIndex: -1,
  });
  const back = Object.assign(document.createElement("button"), {
    className: "button quiet log-now",
    type: "button",
    textContent: texts["overlay.now"],
    hidden: true,
  });
  let follows = true;
  let period = -1;
  /** The one line that the Tab key reaches. */
  let reached = 0;
  const rows = log.lines.map((action) => row(action));
  const steps = new Map(log.plans.map((step) => [step.id, step]));
  rows.forEach(({ action, item }, number) => {
    const step = steps.get(action.serves ?? "");
    if (step && (number === 0 || rows[number - 1].action.serves !== action.serves))
      list.append(heading(step));
    list.append(item);
  });
  if (!rows.length) list.textContent = texts["overlay.empty"];
  panel.append(list, back);

  /** @param {import("./actionlog.js").Step} step */
  function heading(step) {
    const above = steps.get(step.parent ?? "");
    const item = Object.assign(document.createElement("li"), { className: "log-task" });
    item.append(span("log-step", step.text));
    if (above && above.level > 0) item.append(span("log-aim", above.text));
    return item;
  }

  /** @param {import("./actionlog.js").Action} action */
  function row(action) {
    const item = document.createElement("li");
    const line = /** @type {HTMLElement} */ (document.createElement(seekable ? "button" : "div"));
    line.className = "log-line";
    line.tabIndex = -1;
    line.append(span("log-time", player.clock(action.t0_ms)));
    if (log.several) line.append(span("log-who", log.name(action.actor)));
    line.append(span("log-what", log.words(action)));
    const where = [action.object, action.place].filter(Boolean).join(", ");
    if (where) line.append(span("log-where", where));
    if (seekable) {
      Object.assign(line, { type: "button" });
      line.addEventListener("click", () => player.seek(action.t0_ms));
    }
    const thumb = Object.assign(document.createElement("button"), {
      className: "thumb",
      type: "button",
      hidden: true,
      tabIndex: -1,
    });
    thumb.addEventListener("click", (event) => log.marks?.toggle(action, event.timeStamp));
    item.append(line, thumb);
    return { action, item, line, thumb };
  }

  function marks() {
    for (const { action, item, thumb } of rows) {
      const on = log.marks?.flagged(action) ?? false;
      thumb.hidden = !log.marks;
      item.classList.toggle("flagged", on);
      thumb.setAttribute("aria-pressed", String(on));
      thumb.setAttribute("aria-label", `${texts["flags.flag"]}: ${log.words(action)}`);
    }
  }

  function refresh() {
    const now = player.time_ms;
    const next = log.period(now);
    if (next === period) return;
    period = next;
    const going = new Set(log.current(now));
    let latest = -1;
    rows.forEach(({ action, item, line }, number) => {
      const on = going.has(action);
      if (on) latest = number;
      item.classList.toggle("current", on);
      if (on) line.setAttribute("aria-current", "true");
      else line.removeAttribute("aria-current");
    });
    if (latest >= 0 && follows) {
      reach(latest);
      show(rows[latest].item);
    }
  }

  /** Only the list scrolls, never the page. @param {HTMLElement} item */
  function show(item) {
    list.scrollTop = item.offsetTop - list.offsetTop - (list.clientHeight - item.offsetHeight) / 2;
  }

  /** @param {number} number */
  function reach(number) {
    for (const part of [rows[reached], rows[number]]) {
      const on = part === rows[number];
      part.line.tabIndex = part.thumb.tabIndex = on ? 0 : -1;
    }
    reached = number;
  }

  /** @param {boolean} on */
  function follow(on) {
    follows = on;
    back.hidden = on;
    if (on) {
      period = -1;
      refresh();
    }
  }

  for (const name of ["wheel", "touchmove"])
    list.addEventListener(name, () => follow(false), { passive: true });
  list.addEventListener("pointerdown", (event) => {
    if (event.target === list) follow(false);
  });
  list.addEventListener("keydown", (event) => {
    const inList = /** @type {HTMLElement} */ (event.target).closest("li");
    const at = rows.findIndex(({ item }) => item === inList);
    const to = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      Home: 0,
      End: rows.length - 1,
      PageDown: at + 10,
      PageUp: at - 10,
    }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    follow(false);
    reach(Math.min(Math.max(to, 0), rows.length - 1));
    rows[reached].line.focus();
  });
  back.addEventListener("click", () => follow(true));
  log.onMarks(marks);
  marks();
  if (rows.length) reach(0);
  return { refresh };
}

/** @param {string} className @param {string} textContent */
function span(className, textContent) {
  return Object.assign(document.createElement("span"), { className, textContent });
}
