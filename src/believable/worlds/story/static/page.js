// @ts-check
/**
 * A story: its lines as a log, and a field for the next command.
 *
 * @typedef {{lines: [string, string][], n_lines: number}} StoryPicture
 */
import { unpredicted } from "/static/play/game.js";

/** Who writes the player's own lines. */
const PLAYER = "player";

/** @param {import("/static/play/game.js").Surroundings} surroundings */
export function begin({ canvas, texts, welcome, active }) {
  const leaving = new AbortController();
  /** @type {string[]} */
  const waiting = [];
  let shown = 0;
  let last_ms = -Infinity;
  canvas.hidden = true;
  const story = document.createElement("div");
  story.className = "story";
  const lines = document.createElement("div");
  lines.className = "story-lines";
  lines.setAttribute("role", "log");
  lines.setAttribute("aria-live", "polite");
  lines.tabIndex = 0;
  lines.setAttribute("aria-label", texts["play.story.label"]);
  const field = document.createElement("input");
  field.type = "text";
  field.maxLength = welcome.longest;
  field.autocomplete = "off";
  field.spellcheck = false;
  field.setAttribute("aria-label", texts["play.story.command"]);
  field.placeholder = texts["play.story.command"];
  story.append(lines, field);
  canvas.after(story);
  field.addEventListener(
    "keydown",
    (event) => {
      last_ms = performance.now();
      if (event.key !== "Enter") return;
      event.preventDefault();
      const command = field.value.trim();
      if (!command || !active()) return;
      waiting.push(command);
      field.value = "";
    },
    { signal: leaving.signal },
  );

  return {
    own: unpredicted(),
    sample: () => [waiting.shift() ?? ""],
    hear: () => {},
    /** @param {string} state */
    enter(state) {
      field.disabled = state !== "run" && state !== "count";
      if (state === "run") field.focus({ preventScroll: true });
    },
    /** @param {{picture: any}} view */
    draw({ picture }) {
      const { lines: written, n_lines } = /** @type {StoryPicture} */ (picture);
      const fresh = written.slice(Math.max(0, written.length - (n_lines - shown)));
      if (!fresh.length) return;
      for (const [who, text] of fresh) {
        const line = document.createElement("p");
        line.className = who === PLAYER ? "own" : "";
        line.textContent = who === PLAYER ? `> ${text}` : text;
        lines.append(line);
      }
      shown = n_lines;
      lines.scrollTop = lines.scrollHeight;
    },
    release: () => {},
    get quiet_ms() {
      return performance.now() - last_ms;
    },
    destroy: () => {
      leaving.abort();
      story.remove();
      canvas.hidden = false;
    },
  };
}
