// @ts-check
/**
 * Thumbs down on what is on screen, or on a line of the log.
 *
 * @typedef {{id: string, media_ms: number, action: string | null, reason: string}} Flag
 * @typedef {import("/static/participant/actionlog.js").Action} Action
 */

/**
 * Flags as they stand after these events.
 * @param {[string, any][]} saved @returns {{flags: Map<string, Flag>, count: number}} `count` of all that were ever set
 */
export function standing(saved) {
  /** @type {Map<string, Flag>} */
  const flags = new Map();
  let count = 0;
  for (const [kind, { flag: id, ...data }] of saved) {
    const flag = flags.get(id);
    if (kind === "flag.add") { flags.set(id, { id, ...data }); count += 1; }
    else if (kind === "flag.edit" && flag) flag.reason = data.reason;
    else if (kind === "flag.remove") flags.delete(id);
  }
  return { flags, count };
}

/**
 * @param {HTMLElement} root
 * @param {{player: any, params: {reason: boolean, pause: boolean}, texts: Record<string, string>,
 *   record: (kind: string, data: any, options?: any) => any, saved: [string, any][]}} context
 */
export function mount(root, { player, params, texts, record, saved }) {
  const { flags, count } = standing(saved);
  let last = count;
  let period = -2;
  /** @type {import("/static/participant/actionlog.js").ActionLog | null} */
  const log = player.actions ?? null;

  const box = element("div", "flags");
  const now = element("div", "flags-now");
  const mine = element("div", "flags-mine");
  const list = element("ol", "flags-list");
  const said = element("p", "visually-hidden");
  said.setAttribute("role", "status");
  mine.append(element("h2", "flags-heading", texts["flags.mine"]), list);
  box.append(now, mine, said);
  root.append(box);

  /** @param {Action | null} action */
  const words = (action) => (action && log ? (log.several ? `${log.name(action.actor)}: ` : "") + log.words(action) : texts["flags.moment"]);
  /** @param {Flag} flag */
  const actionOf = (flag) => (flag.action && log ? log.action(flag.action) : null);
  /** @param {Action} action */
  const flagOn = (action) => [...flags.values()].find((flag) => flag.action === action.id) ?? null;

  /** @param {Action | null} action @param {number} mono_ms when the person did it */
  function add(action, mono_ms) {
    const { media_ms } = player.moment(mono_ms);
    last += 1;
    const flag = { id: `f${last}`, media_ms, action: action?.id ?? null, reason: "" };
    flags.set(flag.id, flag);
    record("flag.add", { flag: flag.id, media_ms, action: flag.action, reason: "" }, { mono_ms });
    say("flags.added", action);
    changed();
  }

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

  /** What the key means: of whom the picture follows, else what began last. @param {Action[]} going @returns {Action | null} */
  const meant = (going) => going.filter((action) => action.actor === player.view?.followed).at(-1) ?? going.at(-1) ?? null;

  /** What is on screen, each with a thumb; the one the key means is marked. */
  function showNow() {
    const going = log ? log.current(player.time_ms) : [];
    const aimed = meant(going);
    const rows = going.map((action) => {
      const row = element("div", `flags-row${action === aimed ? " aimed" : ""}`);
      const flag = flagOn(action);
      const thumb = button("flags-thumb", "", `${texts["flags.flag"]}: ${words(action)}`);
      thumb.setAttribute("aria-pressed", String(Boolean(flag)));
      onPress(thumb, (mono_ms) => (flag ? remove(flag) : add(action, mono_ms)));
      row.append(thumb, element("span", "flags-what", words(action)));
      if (action === aimed) row.append(element("kbd", "flags-key", "F"));
      return row;
    });
    if (!rows.length) {
      const row = element("div", "flags-row aimed");
      const thumb = button("flags-thumb", "", `${texts["flags.flag"]}: ${texts["flags.moment"]}`);
      onPress(thumb, (mono_ms) => add(null, mono_ms));
      row.append(thumb, element("span", "flags-what", texts[log ? "flags.nothing" : "flags.moment"]), element("kbd", "flags-key", "F"));
      rows.push(row);
    }
    const focused = now.contains(document.activeElement);
    now.replaceChildren(element("h2", "flags-heading", texts["flags.now"]), ...rows);
    if (focused) /** @type {HTMLElement | null} */ (now.querySelector("button"))?.focus();
  }

  function showList() {
    const open = list.querySelector("input:focus");
    const editing = open ? { id: /** @type {HTMLElement} */ (open).dataset.flag, value: /** @type {HTMLInputElement} */ (open).value } : null;
    const rows = [...flags.values()].reverse().map((flag) => entry(flag));
    list.replaceChildren(...rows);
    if (!rows.length) list.append(element("li", "flags-none", texts["flags.none"]));
    if (!editing) return;
    const field = /** @type {HTMLInputElement | null} */ (list.querySelector(`input[data-flag="${editing.id}"]`));
    if (field) { field.value = editing.value; field.focus(); }
  }

  /** @param {Flag} flag */
  function entry(flag) {
    const item = element("li", "flags-entry");
    const head = element("div", "flags-head");
    const undo = button("tool", texts["flags.undo"], `${texts["flags.undo"]}: ${words(actionOf(flag))}`);
    undo.addEventListener("click", () => { remove(flag); /** @type {HTMLElement | null} */ (list.querySelector("button"))?.focus(); });
    head.append(element("span", "flags-time", player.clock(flag.media_ms)), element("span", "flags-what", words(actionOf(flag))), undo);
    item.append(head);
    if (params.reason) item.append(reasonField(flag));
    return item;
  }

  /** @param {Flag} flag */
  function reasonField(flag) {
    const field = /** @type {HTMLInputElement} */ (element("input", "field flags-reason"));
    Object.assign(field, { type: "text", maxLength: 2000, value: flag.reason, placeholder: texts["flags.reason"] });
    field.dataset.flag = flag.id;
    field.setAttribute("aria-label", `${texts["flags.reason"]} ${words(actionOf(flag))}`);
    let stopped = false;
    field.addEventListener("focus", () => { if (params.pause && !player.paused) { stopped = true; player.pause(); } });
    field.addEventListener("blur", () => { if (stopped) { stopped = false; void player.play(); } });
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
    if (event.key.toLowerCase() !== "f" || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("input, textarea, select, dialog")) return;
    event.preventDefault();
    tick();
    add(log ? meant(log.current(player.moment(event.timeStamp).media_ms)) : null, event.timeStamp);
  }

  log?.setMarks({
    flagged: (action) => Boolean(flagOn(action)),
    toggle: (action, mono_ms) => { const flag = flagOn(action); if (flag) remove(flag); else add(action, mono_ms); },
  });
  for (const name of ["time", "seek"]) player.on(name, tick);
  player.on("view", showNow);
  document.addEventListener("keydown", onKey);
  showList();
  tick();
  return { destroy: () => { document.removeEventListener("keydown", onKey); log?.setMarks(null); } };
}

/**
 * The press counts, not the release: until then what is on screen may be something else.
 * @param {HTMLElement} thumb @param {(mono_ms: number) => void} work
 */
function onPress(thumb, work) {
  thumb.addEventListener("pointerdown", (event) => { if (event.button === 0) work(event.timeStamp); });
  thumb.addEventListener("click", (event) => { if (event.detail === 0) work(event.timeStamp); }); // by a key
}

/** @param {string} name @param {string} className @param {string} [textContent] @returns {HTMLElement} */
function element(name, className, textContent = "") {
  return Object.assign(document.createElement(name), { className, textContent });
}

/** @param {string} className @param {string} words @param {string} label @returns {HTMLButtonElement} */
function button(className, words, label) {
  const button = /** @type {HTMLButtonElement} */ (element("button", className, words));
  button.type = "button";
  button.setAttribute("aria-label", label);
  return button;
}
