// @ts-check
/**
 * Keeps the monitor fresh: asks for the numbers every two seconds while the page is looked at, and writes them into the
 * page that the server made.
 */

import { showEvidence } from "./evidence.js";

export const EVERY_MS = 2000;
const WINDOW_MS = 60_000;
const WIDTH = 300;
const HEIGHT = 48;

/** @typedef {{at_ms: number, n_events: number, n_media_stalls: number}} Beat */

/**
 * The beats of the last minute: new ones replace what is known of the same moment.
 * @param {Map<number, Beat>} known
 * @param {Beat[]} fresh
 * @param {number} nowMs
 * @returns {Beat[]}
 */
export function merged(known, fresh, nowMs) {
  for (const beat of fresh) known.set(beat.at_ms, beat);
  for (const at of known.keys()) if (at < nowMs - WINDOW_MS - 2000) known.delete(at);
  return [...known.values()].sort((a, b) => a.at_ms - b.at_ms);
}

/**
 * Values as points of the line, the newest at the right edge.
 * @param {number[]} values
 */
export function points(values) {
  const top = Math.max(0, ...values);
  const step = WIDTH / Math.max(values.length - 1, 1);
  const rise = top ? (HEIGHT - 2) / top : 0;
  const line = values
    .map((value, i) => `${(i * step).toFixed(1)},${(HEIGHT - 1 - value * rise).toFixed(1)}`)
    .join(" ");
  return { line, area: `0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`, top };
}

/** @param {number} value */
export function number(value) {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

/** @param {number | null} ms */
export function duration(ms) {
  if (ms === null) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = Math.round(ms / 1000);
  const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${two(s % 60)} s`;
  if (s < 86_400) return `${Math.floor(s / 3600)} h ${two(Math.floor((s % 3600) / 60))} min`;
  return `${Math.floor(s / 86_400)} d ${Math.floor((s % 86_400) / 3600)} h`;
}

/** @param {ParentNode | null} row @param {number} done @param {number} held @param {number} most */
function setBar(row, done, held, most) {
  const first = row?.querySelector("svg.bar .done");
  const second = row?.querySelector("svg.bar .held");
  if (!first || !second) return;
  const share = (/** @type {number} */ n) => (most ? (100 * n) / most : 0).toFixed(2);
  first.setAttribute("width", share(done));
  second.setAttribute("x", share(done));
  second.setAttribute("width", share(held));
}

/** @param {ParentNode | null} place @param {string} selector @param {string} words */
function write(place, selector, words) {
  const target = place?.querySelector(selector);
  if (target && target.textContent !== words) target.textContent = words;
}

/** @param {Element} row @param {{complete: number, reserved: number} | undefined} filling @param {number} most */
function fill(row, filling, most) {
  if (!filling) return;
  setBar(row, filling.complete, filling.reserved, most);
  write(row, "[data-part=places]", `${filling.complete} + ${filling.reserved}`);
}

/** @param {string} tag @param {string} words @param {string} [className] */
function piece(tag, words, className = "") {
  const element = document.createElement(tag);
  element.textContent = words;
  element.className = className;
  return element;
}

/** Writes one answer of the server into the page. */
export class Board {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.study = root.dataset.study ?? "";
    /** @type {Beat[]} */
    const past = JSON.parse(root.dataset.beats ?? "[]");
    this.beats = new Map(past.map((beat) => [beat.at_ms, beat]));
    /** @type {string | null} the alarms on the page */
    this.alarmed = null;
  }

  /**
   * Whether the page still has the shape of the numbers: another state or definition needs another page.
   * @param {any} shown
   */
  fits(shown) {
    const cells = this.root.querySelectorAll("#cells tbody tr").length;
    return (
      shown.state === this.root.dataset.state &&
      shown.funnel.length === this.root.querySelectorAll("#funnel tbody tr").length &&
      (cells === 0 || cells === shown.balance.cells.length)
    );
  }

  /** @param {any} shown */
  show(shown) {
    showEvidence(this.root, shown.evidence);
    this.counts(shown);
    this.funnel(shown.funnel);
    this.balance(shown.balance);
    this.pulse(shown);
    this.silent(shown);
    this.alarms(shown.alarms);
  }

  /** @param {any} shown */
  counts(shown) {
    for (const output of this.root.querySelectorAll("[data-count]")) {
      const value = shown.counts[/** @type {HTMLElement} */ (output).dataset.count ?? ""];
      output.textContent = number(value);
      output.closest(".tile")?.classList.toggle("zero", value === 0);
    }
    write(this.root, "#median", duration(shown.median_ms));
    for (const [name, n] of Object.entries(shown.other_pools))
      write(document, `[data-pool="${name}"]`, number(/** @type {number} */ (n)));
  }

  /** @param {any[]} steps */
  funnel(steps) {
    const most = steps.length ? steps[0].reached : 0;
    for (const step of steps) {
      const row = this.root.querySelector(`#funnel tr[data-position="${step.position}"]`);
      setBar(row, step.reached - step.present, step.present, most);
      write(row, "[data-part=reached]", number(step.reached));
      write(row, "[data-part=present]", step.present ? number(step.present) : "");
      write(row, "[data-part=left]", step.left ? number(step.left) : "");
    }
  }

  /** @param {any} balance */
  balance(balance) {
    const levels = balance.margins.flatMap((/** @type {any} */ margin) => margin.levels);
    const rows = [...this.root.querySelectorAll("#balance tr[data-margin]")];
    const cells = [...this.root.querySelectorAll("#cells tbody tr")];
    rows.forEach((row, i) => fill(row, levels[i], balance.most));
    cells.forEach((row, i) => fill(row, balance.cells[i], balance.most_in_cell));
  }

  /** @param {any} shown */
  pulse(shown) {
    const beats = merged(this.beats, shown.pulse.beats, shown.now_ms);
    const perS = beats.map((beat) => (1000 * beat.n_events) / shown.pulse.bucket_ms);
    const { line, area, top } = points(perS);
    this.root.querySelector("#spark polyline")?.setAttribute("points", line);
    this.root.querySelector("#spark polygon")?.setAttribute("points", area);
    write(this.root, "#per-s", (perS.at(-1) ?? 0).toFixed(1));
    write(this.root, "#peak", top.toFixed(1));
    write(this.root, "#pulse-note", shown.pulse.exact ? "" : "estimated from a sample");
    write(
      this.root,
      "#stalls",
      Math.round(beats.reduce((sum, beat) => sum + beat.n_media_stalls, 0)).toString(),
    );
  }

  /** @param {any} shown */
  silent(shown) {
    write(this.root, "#n-silent", String(shown.n_silent));
    write(
      this.root,
      "#silent-words",
      `session${shown.n_silent === 1 ? "" : "s"} quiet or with a gap`,
    );
    const table = /** @type {HTMLElement | null} */ (this.root.querySelector("#silent"));
    const body = table?.querySelector("tbody");
    if (!table || !body) return;
    table.hidden = shown.silent.length === 0;
    body.replaceChildren(
      ...shown.silent.map((/** @type {any} */ session) => {
        const row = document.createElement("tr");
        const link = /** @type {HTMLAnchorElement} */ (piece("a", String(session.number)));
        link.href = `/console/studies/${this.study}/sessions/${shown.pool}/${session.number}`;
        const first = piece("td", "", "num");
        first.append(link);
        row.append(
          first,
          piece("td", String(session.position + 1), "num"),
          piece("td", duration(session.silent_ms), "num"),
          piece("td", session.missing ? "events missing" : ""),
        );
        return row;
      }),
    );
  }

  /** @param {any[]} alarms */
  alarms(alarms) {
    const place = document.querySelector("#alarms");
    const names = JSON.stringify(alarms.map((alarm) => [alarm.id, alarm.kind, alarm.message]));
    if (!place || this.alarmed === names) return;
    this.alarmed = names;
    place.replaceChildren(...alarms.map((alarm) => this.alarm(alarm)));
  }

  /** @param {any} alarm */
  alarm(alarm) {
    const box = piece("div", "", "alarm");
    box.setAttribute("role", "alert");
    const words = document.createElement("p");
    const since = new Date(alarm.raised_ms).toISOString().slice(0, 19).replace("T", " ");
    words.append(
      piece("strong", alarm.kind.replaceAll("_", " ")),
      " ",
      piece("bdi", alarm.message),
      " ",
      piece("span", `since ${since} UTC`, "soft"),
    );
    box.append(words);
    if (alarm.id === null) {
      box.append(piece("p", "Ends by itself when its cause does.", "soft"));
      return box;
    }
    const form = /** @type {HTMLFormElement} */ (piece("form", "", "inline"));
    form.method = "post";
    form.action = `/console/studies/${this.study}/alarms`;
    for (const [name, value] of [
      ["csrf", this.root.dataset.csrf ?? ""],
      ["alarm", String(alarm.id)],
    ]) {
      const field = document.createElement("input");
      field.type = "hidden";
      field.name = name;
      field.value = value;
      form.append(field);
    }
    form.append(piece("button", "Acknowledge", "small"));
    box.append(form);
    return box;
  }
}

/** Asks again and again, but only while the page is visible, and never twice at a time. */
export class Poll {
  /**
   * @param {{ask: () => Promise<Response>, got: (shown: any) => void, say: (state: string, words: string) => void,
   *   hidden: () => boolean, wait: (fn: () => void, ms: number) => void}} parts
   */
  constructor(parts) {
    this.parts = parts;
    this.failed = 0;
    this.asking = false;
    this.waiting = false;
  }

  async beat() {
    if (this.asking) return;
    if (this.parts.hidden()) {
      this.parts.say("paused", "paused while the page is hidden");
      return;
    }
    this.asking = true;
    try {
      const response = await this.parts.ask();
      if (response.status === 401) {
        this.parts.say("lost", "you were logged out; reload to log in");
        return;
      }
      if (!response.ok) throw new Error(String(response.status));
      this.parts.got(await response.json());
      this.failed = 0;
      this.parts.say("on", "live");
    } catch {
      this.failed += 1;
      this.parts.say("lost", `no connection, trying again (${this.failed})`);
    } finally {
      this.asking = false;
    }
    this.later();
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    this.parts.wait(
      () => {
        this.waiting = false;
        void this.beat();
      },
      EVERY_MS * Math.min(1 + this.failed, 10),
    );
  }
}

function start() {
  const root = document.querySelector("#monitor");
  const live = document.querySelector("#live");
  if (!(root instanceof HTMLElement) || !live) return;
  const board = new Board(root);
  const poll = new Poll({
    ask: () =>
      fetch(root.dataset.address ?? "", {
        headers: { accept: "application/json" },
        cache: "no-store",
      }),
    got: (shown) => (board.fits(shown) ? board.show(shown) : location.reload()),
    say: (state, words) => {
      live.className = `live ${state}`;
      write(live, "#live-words", words);
    },
    hidden: () => document.hidden,
    wait: (fn, ms) => setTimeout(fn, ms),
  });
  document.addEventListener("visibilitychange", () => void poll.beat());
  void poll.beat();
}

if (typeof document !== "undefined") start();
