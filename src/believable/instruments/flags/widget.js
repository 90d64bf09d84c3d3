// @ts-check
/**
 * Thumbs down on one of the last actions, or on a line of the log.
 *
 * People press late, so a press while the stimulus runs says nothing about which action it means. The press stops the stimulus,
 * steps back, and offers the last actions; the person chooses one of them.
 *
 * @typedef {"choice" | "line" | "moment"} How
 * @typedef {{id: string, media_ms: number, action: string | null, reason: string, how?: How}} Flag
 * @typedef {{number: number, mono_ms: number, media_ms: number, actions: Action[], ran: boolean, rate: number}} Press
 * @typedef {import("/static/participant/actionlog.js").Action} Action
 */
import { button, element, onPress } from "./parts.js";

/** So many actions are offered after a press, and the stimulus goes back by this wall time (see `__init__.py`). */
const OFFERED = 3;
const STEP_BACK_MS = 1000;

/**
 * The last actions that had begun by then, oldest first: of the followed figure if there are any, else of all.
 * @param {Action[]} lines in the order they began @param {number} media_ms @param {string | null | undefined} followed @returns {Action[]}
 */
export function lastActions(lines, media_ms, followed) {
  const begun = lines.filter(({ t0_ms }) => t0_ms <= media_ms);
  const own = begun.filter(({ actor }) => actor === followed);
  return (own.length ? own : begun).slice(-OFFERED);
}

/** How long the action had been on screen at the press, in wall time. @param {Press} press @param {Action} action */
export const delayOf = (press, action) =>
  press.ran ? Math.round((press.media_ms - action.t0_ms) / press.rate) : null;

/**
 * Flags after these events.
 * @param {[string, any][]} saved
 * @returns {{flags: Map<string, Flag>, count: number, presses: number}} `count` of all that were ever set, `presses` of the key
 */
export function standing(saved) {
  /** @type {Map<string, Flag>} */
  const flags = new Map();
  let count = 0;
  let presses = 0;
  for (const [kind, { flag: id, ...data }] of saved) {
    if (kind === "flag.press") presses += 1;
    const flag = flags.get(id);
    if (kind === "flag.add") {
      flags.set(id, { id, ...data });
      count += 1;
    } else if (kind === "flag.edit" && flag) flag.reason = data.reason;
    else if (kind === "flag.remove") flags.delete(id);
  }
  return { flags, count, presses };
}

/**
 * @param {HTMLElement} root
 * @param {{player: any, params: {reason: boolean, pause: boolean}, texts: Record<string, string>,
 *   record: (kind: string, data: any, options?: any) => any, saved: [string, any][]}} context
 */
export function mount(root, { player, params, texts, record, saved }) {
  const { flags, count, presses } = standing(saved);
  let last = count;
  let pressed = presses;
  /** @type {Press | null} */
  let open = null;
  let stepsBack = false;
  let period = -2;
  /** @type {import("/static/participant/actionlog.js").ActionLog | null} */
  const log = player.actions ?? null;

  const box = element("div", "flags");
  const now = element("div", "flags-now");
  now.tabIndex = -1;
  const mine = element("div", "flags-mine");
  const list = element("ol", "flags-list");
  const said = element("p", "visually-hidden");
  said.setAttribute("role", "status");
  mine.append(element("h2", "flags-heading", texts["flags.mine"]), list);
  box.append(now, mine, said);
  root.append(box);

  /** @param {Action | null} action */
  const words = (action) =>
    action && log
      ? (log.several ? `${log.name(action.actor)}: ` : "") + log.words(action)
      : texts["flags.moment"];
  /** @param {Flag} flag */
  const actionOf = (flag) => (flag.action && log ? log.action(flag.action) : null);
  /** @param {Action} action */
  const flagOn = (action) => [...flags.values()].find((flag) => flag.action === action.id) ?? null;

  /** @param {Action | null} action @param {How} how @param {number} media_ms @param {number} mono_ms when the person did it */
  function add(action, how, media_ms, mono_ms) {
    last += 1;
    const flag = { id: `f${last}`, media_ms, action: action?.id ?? null, reason: "", how };
    flags.set(flag.id, flag);
    record(
      "flag.add",
      { flag: flag.id, media_ms, action: flag.action, reason: "", how },
      { mono_ms },
    );
    say("flags.added", action);
    changed();
  }

  /** @param {Action} action @param {number} mono_ms */
  const addOnLine = (action, mono_ms) =>
    add(action, "line", player.moment(mono_ms).media_ms, mono_ms);

  /** Stop, step back and offer the last actions; without any, the moment is marked. @param {number} mono_ms when the key was pressed */
  function ask(mono_ms) {
    if (open) return;
    const { media_ms } = player.moment(mono_ms);
    const actions = log ? lastActions(log.lines, media_ms, player.view?.followed) : [];
    if (!actions.length) return add(null, "moment", media_ms, mono_ms);
    pressed += 1;
    open = { number: pressed, mono_ms, media_ms, actions, ran: !player.paused, rate: player.rate };
    if (open.ran) {
      stepsBack = true;
      player.pause("flag");
    }
    record(
      "flag.press",
      { press: pressed, media_ms, offered: actions.map(({ id }) => id) },
      { mono_ms },
    );
    showNow();
    offer?.focus({ preventScroll: true });
    offer?.scrollIntoView({ block: "nearest" });
  }

  /** @param {Action | null} action null: none of them @param {number} mono_ms */
  function answer(action, mono_ms) {
    if (!open) return;
    const press = open;
    const held = box.contains(document.activeElement);
    open = null;
    stepsBack = false;
    record(
      "flag.choice",
      {
        press: press.number,
        action: action?.id ?? null,
        delay_ms: action && delayOf(press, action),
        choice_ms: Math.round(mono_ms - press.mono_ms),
      },
      { mono_ms },
    );
    if (action && !flagOn(action)) add(action, "choice", press.media_ms, mono_ms);
    else showNow();
    if (held) now.focus({ preventScroll: true });
    if (press.ran && player.paused) void player.play();
  }

  player.on("pause", () => {
    if (!stepsBack || !open) return;
    stepsBack = false;
    player.seek(Math.max(0, open.media_ms - STEP_BACK_MS * open.rate));
  });
  // Going on without a choice means none of them.
  player.on("play", () => {
    if (open) answer(null, performance.now());
  });

  /** @param {Flag} flag */
  function remove(flag) {
    flags.delete(flag.id);
    record("flag.remove", { flag: flag.id });
    say("flags.removed", actionOf(flag));
    changed();
  }

  /** @param {Flag} flag @param {string} reason */
  function edit(flag, reason) {
    if (reason === flag.reason) return;
    flag.reason = reason;
    record("flag.edit", { flag: flag.id, reason });
  }

  /** @param {string} key @param {Action | null} action */
  function say(key, action) {
    said.textContent = texts[key].replace("{what}", words(action));
  }

  function changed() {
    showList();
    showNow();
    log?.marksChanged();
  }

  /** @type {HTMLElement | null} */
  let offer = null;

  /** The last actions, each a button with the number of its key. @param {Press} press */
  function showOffer(press) {
    offer = element("div", "flags-offer");
    offer.tabIndex = -1;
    offer.setAttribute("role", "group");
    offer.setAttribute("aria-label", texts["flags.which"]);
    const rows = press.actions.map((action, index) =>
      offerRow(String(index + 1), words(action), Boolean(flagOn(action)), (mono_ms) =>
        answer(action, mono_ms),
      ),
    );
    offer.append(
      element("h2", "flags-heading", texts["flags.which"]),
      ...rows,
      offerRow("Esc", texts["flags.none_of_these"], false, (mono_ms) => answer(null, mono_ms)),
    );
    now.replaceChildren(offer);
  }

  /** What is on screen, with one thumb for it; while the stimulus stops, each line has its own. */
  function showNow() {
    box.classList.toggle("asking", Boolean(open));
    if (open) return offer ? undefined : showOffer(open);
    offer = null;
    const going = log ? log.current(player.time_ms) : [];
    const rows = going.map((action) => {
      const row = element("div", "flags-row");
      const flag = flagOn(action);
      const thumb = button("flags-thumb", "", `${texts["flags.flag"]}: ${words(action)}`);
      thumb.setAttribute("aria-pressed", String(Boolean(flag)));
      onPress(thumb, (mono_ms) =>
        !player.paused ? ask(mono_ms) : flag ? remove(flag) : addOnLine(action, mono_ms),
      );
      row.append(thumb, element("span", "flags-what", words(action)));
      return row;
    });
    if (!rows.length) {
      const row = element("div", "flags-row");
      const thumb = button("flags-thumb", "", `${texts["flags.flag"]}: ${texts["flags.moment"]}`);
      onPress(thumb, ask);
      row.append(
        thumb,
        element("span", "flags-what", texts[log ? "flags.nothing" : "flags.moment"]),
      );
      rows.push(row);
    }
    rows.at(-1)?.append(element("kbd", "flags-key", "F"));
    const focused = now.contains(document.activeElement) && document.activeElement !== now;
    now.replaceChildren(element("h2", "flags-heading", texts["flags.now"]), ...rows);
    if (focused)
      /** @type {HTMLElement | null} */ (now.querySelector("button"))?.focus({
        preventScroll: true,
      });
  }

  function showList() {
    const open = list.querySelector("input:focus");
    const editing = open
      ? {
          id: /** @type {HTMLElement} */ (open).dataset.flag,
          value: /** @type {HTMLInputElement} */ (open).value,
        }
      : null;
    const rows = [...flags.values()].reverse().map((flag) => entry(flag));
    list.replaceChildren(...rows);
    if (!rows.length) list.append(element("li", "flags-none", texts["flags.none"]));
    if (!editing) return;
    const field = /** @type {HTMLInputElement | null} */ (
      list.querySelector(`input[data-flag="${editing.id}"]`)
    );
    if (field) {
      field.value = editing.value;
      field.focus();
    }
  }

  /** @param {Flag} flag */
  function entry(flag) {
    const item = element("li", "flags-entry");
    const head = element("div", "flags-head");
    const undo = button(
      "tool",
      texts["flags.undo"],
      `${texts["flags.undo"]}: ${words(actionOf(flag))}`,
    );
    undo.addEventListener("click", () => {
      remove(flag);
      /** @type {HTMLElement | null} */ (list.querySelector("button"))?.focus();
    });
    head.append(
      element("span", "flags-time", player.clock(flag.media_ms)),
      element("span", "flags-what", words(actionOf(flag))),
      undo,
    );
    item.append(head);
    if (params.reason) item.append(reasonField(flag));
    return item;
  }

  /** @param {Flag} flag */
  function reasonField(flag) {
    const field = /** @type {HTMLInputElement} */ (element("input", "field flags-reason"));
    Object.assign(field, {
      type: "text",
      maxLength: 2000,
      value: flag.reason,
      placeholder: texts["flags.reason"],
    });
    field.dataset.flag = flag.id;
    field.setAttribute("aria-label", `${texts["flags.reason"]} ${words(actionOf(flag))}`);
    let stopped = false;
    field.addEventListener("focus", () => {
      if (params.pause && !player.paused) {
        stopped = true;
        player.pause();
      }
    });
    field.addEventListener("blur", () => {
      if (stopped) {
        stopped = false;
        void player.play();
      }
    });
    field.addEventListener("change", () => edit(flag, field.value.trim()));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      edit(flag, field.value.trim());
      field.blur();
    });
    return field;
  }

  function tick() {
    const next = log ? log.period(player.time_ms) : -1;
    if (next === period) return;
    period = next;
    showNow();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (
      event.repeat ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.closest("input:not([type=range]), textarea, select, dialog")
    )
      return;
    const number = open ? Number(event.key) : NaN;
    if (event.key.toLowerCase() === "f") ask(event.timeStamp);
    else if (open && event.key === "Escape") answer(null, event.timeStamp);
    else if (open && open.actions[number - 1]) answer(open.actions[number - 1], event.timeStamp);
    else return;
    event.preventDefault();
  }

  log?.setMarks({
    flagged: (action) => Boolean(flagOn(action)),
    toggle: (action, mono_ms) => {
      const flag = flagOn(action);
      if (flag) remove(flag);
      else addOnLine(action, mono_ms);
    },
  });
  for (const name of ["time", "seek"]) player.on(name, tick);
  for (const name of ["view", "pause"]) player.on(name, showNow);
  document.addEventListener("keydown", onKey);
  showList();
  tick();
  return {
    destroy: () => {
      document.removeEventListener("keydown", onKey);
      log?.setMarks(null);
    },
  };
}

/** @param {string} key @param {string} text @param {boolean} marked @param {(mono_ms: number) => void} work */
function offerRow(key, text, marked, work) {
  const row = button("flags-choice", "", text);
  row.append(element("kbd", "flags-key", key), element("span", "flags-what", text));
  if (marked) row.append(element("span", "flags-marked", "✓"));
  row.addEventListener("click", (event) => work(event.timeStamp));
  return row;
}
