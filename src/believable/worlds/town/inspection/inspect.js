// @ts-check
/** The page on the minds of a run: everything is in the page's data. */

/** @typedef {{step: number, person: string, kind: string, [key: string]: any}} Note */

const source = /** @type {HTMLScriptElement} */ (document.getElementById("data"));
/** @type {{run: any, people: any[], notes: Note[], usage: any, counts: any}} */
const data = JSON.parse(source.textContent ?? "{}");
const DAY = 8640;
const MOST_ROWS = 1500;
let person = data.people[0]?.id ?? "";
let tab = "calls";

/** @param {string} id */
function part(id) {
  return /** @type {HTMLElement} */ (document.getElementById(id));
}

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 */
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** @param {number} step */
function clock(step) {
  const minute = Math.floor((step % DAY) / 6);
  const pad = (/** @type {number} */ value) => String(value).padStart(2, "0");
  return `day ${Math.floor(step / DAY) + 1} ${pad(Math.floor(minute / 60))}:${pad(minute % 60)}`;
}

function ownNotes() {
  return data.notes.filter((note) => note.person === person);
}

/** The last state of each plan entry. */
function planEntries() {
  const entries = new Map();
  for (const note of ownNotes()) if (note.kind === "plan") entries.set(note.id, note);
  return [...entries.values()];
}

function showFacts() {
  const { run, counts, usage } = data;
  const options = Object.entries(run.options).map(([name, value]) => `${name} ${value}`);
  const words = [
    `Mind ${run.mind}`,
    ...options,
    `seed ${run.seed}`,
    `${run.days} days`,
    `${counts.calls} calls`,
    `${counts.failed} failed answer${counts.failed === 1 ? "" : "s"}`,
    `${counts.unanswered} left unanswered`,
    `${counts.memories} memories`,
  ];
  if (usage)
    words.push(
      usage.model,
      `${usage.tokens_in} + ${usage.tokens_out} tokens`,
      `cost ${usage.cost.toFixed(4)}`,
    );
  part("facts").textContent = words.join(" · ");
}

function showPeople() {
  part("people").replaceChildren(
    ...data.people.map((member) => {
      const pressed = String(member.id === person);
      const button = element(
        "button",
        { "aria-pressed": pressed, title: member.about },
        `${member.name}, ${member.role}`,
      );
      button.addEventListener("click", () => {
        person = member.id;
        part("detail").replaceChildren();
        show();
      });
      return button;
    }),
  );
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 */
function shape(tag, attributes, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.textContent = text;
  return node;
}

function showTimeline() {
  const days = Math.floor(Math.max(0, data.run.steps - 1) / DAY) + 1;
  const entries = planEntries();
  const notes = ownNotes();
  part("timeline").replaceChildren(
    ...Array.from({ length: days }, (_, day) => dayStrip(day, entries, notes)),
  );
}

/**
 * @param {number} day
 * @param {Note[]} entries
 * @param {Note[]} notes
 */
function dayStrip(day, entries, notes) {
  const svg = shape("svg", { viewBox: "0 0 1440 74", role: "img" });
  const minute = (/** @type {number} */ step) =>
    Math.min(1440, Math.max(0, (step - day * DAY) / 6));
  for (let hour = 0; hour < 24; hour += 1) {
    svg.append(
      shape("line", {
        x1: hour * 60,
        x2: hour * 60,
        y1: 14,
        y2: 74,
        stroke: "#8886",
        "stroke-width": 0.5,
      }),
    );
    svg.append(shape("text", { x: hour * 60 + 3, y: 10 }, `${hour}`));
  }
  for (const entry of entries) {
    const from = minute(entry.from_step);
    const width = minute(entry.to_step) - from;
    if (width <= 0 || entry.level === 0) continue;
    const fill = entry.level === 1 ? "#9bb8cf" : entry.status === "dropped" ? "#c9a227" : "#5b8c5a";
    const box = shape("rect", {
      x: from,
      y: entry.level === 1 ? 15 : 32,
      width: Math.max(0.8, width - 0.8),
      height: 15,
      fill,
    });
    box.append(
      shape(
        "title",
        {},
        `${clock(entry.from_step)} ${entry.text}${entry.reason ? ` (${entry.status}: ${entry.reason})` : ""}`,
      ),
    );
    svg.append(box);
    if (entry.level === 1 && width > 40) {
      svg.append(
        shape(
          "text",
          { x: from + 3, y: 26, "pointer-events": "none" },
          entry.text.slice(0, Math.floor(width / 6)),
        ),
      );
    }
  }
  for (const note of notes) {
    if (note.kind !== "call" || Math.floor(note.step / DAY) !== day) continue;
    const fill = note.failed ? "#b3362b" : note.prompt.startsWith("talk") ? "#8f5aa8" : "#2f6690";
    svg.append(
      shape("rect", {
        x: minute(note.step),
        y: note.failed ? 50 : 52,
        width: 1,
        height: note.failed ? 20 : 14,
        fill,
      }),
    );
  }
  svg.addEventListener("click", (event) => {
    const place = /** @type {SVGSVGElement} */ (svg).getBoundingClientRect();
    const at = day * DAY + ((event.clientX - place.left) / place.width) * DAY;
    goTo(at);
  });
  return svg;
}

/** @param {number} step */
function goTo(step) {
  const rows = [...part("list").querySelectorAll("[data-step]")];
  const row =
    rows.find((candidate) => Number(candidate.getAttribute("data-step")) >= step) ?? rows.at(-1);
  row?.scrollIntoView({ block: "start" });
  if (row instanceof HTMLElement) row.click();
}

function showList() {
  part("filters").style.display = tab === "plan" ? "none" : "";
  part("prompt").parentElement?.toggleAttribute("hidden", tab !== "calls");
  part("failed-only").parentElement?.toggleAttribute("hidden", tab !== "calls");
  if (tab === "plan") part("list").replaceChildren(...planTree(null));
  else if (tab === "memories") listMemories();
  else listCalls();
}

function searched() {
  return /** @type {HTMLInputElement} */ (part("search")).value.toLowerCase();
}

/**
 * @param {Note[]} notes
 * @param {(note: Note) => HTMLElement} row
 */
function fill(notes, row) {
  part("list").replaceChildren(...notes.slice(0, MOST_ROWS).map(row));
  const left = notes.length > MOST_ROWS ? `, the first ${MOST_ROWS} shown: narrow the search` : "";
  part("shown").textContent = `${notes.length}${left}`;
}

function listCalls() {
  const prompt = /** @type {HTMLSelectElement} */ (part("prompt")).value;
  const failed = /** @type {HTMLInputElement} */ (part("failed-only")).checked;
  const words = searched();
  const kinds = [
    "call",
    "unanswered",
    "reflection",
    "replanned",
    "undivided",
    "objection",
    "refused",
    "failed",
    "speech",
  ];
  const notes = ownNotes().filter(
    (note) =>
      kinds.includes(note.kind) &&
      (!prompt || note.prompt === prompt) &&
      (!failed || note.failed || note.kind === "unanswered") &&
      (!words || JSON.stringify(note).toLowerCase().includes(words)),
  );
  fill(notes, (note) => {
    const what =
      note.kind === "call" ? (note.failed ?? note.answer) : JSON.stringify(summary(note));
    const bad = note.failed || note.kind === "unanswered" ? " bad" : "";
    const row = element(
      "button",
      { class: `row${bad}`, "data-step": String(note.step) },
      element("span", {}, clock(note.step)),
      element("span", {}, note.prompt ?? note.kind),
      element("span", { class: "what" }, what),
    );
    row.addEventListener("click", () => open(row, callDetail(note)));
    return row;
  });
}

/** @param {Note} note */
function summary(note) {
  const { step, person, kind, ...rest } = note;
  return rest;
}

function memories() {
  return ownNotes().filter((note) => note.kind === "memory");
}

function listMemories() {
  const words = searched();
  fill(
    memories().filter((note) => !words || note.text.toLowerCase().includes(words)),
    (note) => {
      const row = element(
        "button",
        { class: "row memory", "data-step": String(note.step), "data-number": String(note.number) },
        element("span", {}, `#${note.number}`),
        element("span", {}, clock(note.step)),
        element("span", {}, note.type),
        element("span", { title: "importance" }, String(note.importance ?? "?")),
        element("span", { class: "what" }, note.text),
      );
      row.addEventListener("click", () => open(row, memoryDetail(note)));
      return row;
    },
  );
}

/**
 * @param {HTMLElement} row
 * @param {HTMLElement[]} content
 */
function open(row, content) {
  for (const other of part("list").querySelectorAll("[aria-current]"))
    other.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  part("detail").replaceChildren(...content);
  part("detail").scrollTop = 0;
}

/** @param {Note} note */
function callDetail(note) {
  if (note.kind !== "call")
    return [
      element("h2", {}, note.kind),
      element("pre", {}, JSON.stringify(summary(note), null, 2)),
    ];
  const parts = [
    element(
      "h2",
      {},
      `${note.prompt}, ${clock(note.step)}${note.attempt > 1 ? `, attempt ${note.attempt}` : ""}`,
    ),
    element("h3", {}, "Prompt"),
    element("pre", {}, note.text),
    element("h3", {}, "Answer"),
    element("pre", {}, note.answer),
  ];
  if (note.failed)
    parts.push(element("p", { class: "failure" }, `Could not be read: ${note.failed}`));
  if (note.retrieved)
    parts.push(element("h3", {}, "What came to mind"), scoreTable(note.retrieved));
  return parts;
}

/** @param {any[]} retrieved */
function scoreTable(retrieved) {
  const known = new Map(memories().map((note) => [note.number, note]));
  const most = Math.max(...retrieved.map((entry) => entry.score), 1e-9);
  const rows = retrieved.map((entry) =>
    element(
      "tr",
      {},
      element("td", {}, memoryLink(entry.memory)),
      element(
        "td",
        {},
        entry.score.toFixed(2),
        element("br"),
        element("span", { class: "bar", style: `width:${(60 * entry.score) / most}px` }),
      ),
      ...["recency", "relevance", "importance"].map((name) =>
        element("td", {}, entry[name].toFixed(2)),
      ),
      element("td", {}, known.get(entry.memory)?.text ?? ""),
    ),
  );
  const heads = ["memory", "score", "recency", "relevance", "importance", "text"].map((name) =>
    element("th", {}, name),
  );
  return element(
    "table",
    {},
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows),
  );
}

/** @param {number} number */
function memoryLink(number) {
  const link = element("a", { class: "memory-link", tabindex: "0" }, `#${number}`);
  link.addEventListener("click", () => {
    const note = memories().find((candidate) => candidate.number === number);
    if (note) part("detail").replaceChildren(...memoryDetail(note));
  });
  return link;
}

/** @param {Note} note */
function memoryDetail(note) {
  const parts = [
    element("h2", {}, `Memory #${note.number}, ${note.type}, ${clock(note.step)}`),
    element("p", {}, `Importance ${note.importance ?? "not known: the answer could not be read"}`),
    element("pre", {}, note.text),
  ];
  if (note.evidence?.length) {
    const known = new Map(memories().map((other) => [other.number, other]));
    const items = note.evidence.map((/** @type {number} */ cited) =>
      element("li", {}, memoryLink(cited), ` ${known.get(cited)?.text ?? ""}`),
    );
    parts.push(element("h3", {}, "Follows from"), element("ul", {}, ...items));
  }
  const citing = memories().filter((other) => other.evidence?.includes(note.number));
  if (citing.length) {
    parts.push(
      element("h3", {}, "Cited by"),
      element(
        "ul",
        {},
        ...citing.map((other) => element("li", {}, memoryLink(other.number), ` ${other.text}`)),
      ),
    );
  }
  const used = ownNotes().filter(
    (other) =>
      other.kind === "call" &&
      other.retrieved?.some((/** @type {any} */ entry) => entry.memory === note.number),
  );
  parts.push(element("p", {}, `Came to mind ${used.length} times.`));
  return parts;
}

/** @param {string | null} parent */
function planTree(parent) {
  const entries = planEntries();
  /** @type {Map<string | null, Note[]>} */
  const children = new Map();
  for (const entry of entries)
    children.set(entry.parent, [...(children.get(entry.parent) ?? []), entry]);
  /** @type {(key: string | null) => HTMLElement[]} */
  const branch = (key) =>
    (children.get(key) ?? [])
      .sort((a, b) => a.from_step - b.from_step)
      .map((entry) => {
        const status =
          entry.status === "open"
            ? ""
            : ` · ${entry.status}${entry.reason ? `: ${entry.reason}` : ""}`;
        const words = [
          `${clock(entry.from_step)} ${entry.text}`,
          element("span", { class: `${entry.status}-words` }, status),
        ];
        const below = branch(entry.id);
        if (!below.length)
          return element("div", { class: "leaf", "data-step": String(entry.from_step) }, ...words);
        const node = element(
          "details",
          { "data-step": String(entry.from_step) },
          element("summary", {}, ...words),
          ...below,
        );
        if (entry.level === 0) node.setAttribute("open", "");
        return node;
      });
  return branch(parent);
}

function show() {
  showPeople();
  showTimeline();
  showList();
}

for (const name of ["", ...Object.keys(data.counts.by_prompt)]) {
  part("prompt").append(
    element("option", { value: name }, name ? `${name} (${data.counts.by_prompt[name]})` : "all"),
  );
}
for (const id of ["prompt", "failed-only", "search"]) part(id).addEventListener("input", showList);
for (const button of part("tabs").querySelectorAll("button")) {
  button.addEventListener("click", () => {
    tab = button.dataset.tab ?? "calls";
    for (const other of part("tabs").querySelectorAll("button"))
      other.setAttribute("aria-selected", String(other === button));
    showList();
  });
}
showFacts();
show();
