// @ts-check
/** The replay player's controls: only what the policy allows is there at all. */
import { element, left, minutes, percent, speedChoice } from "../video/parts.js";
import { ZOOM_STEP } from "./view.js";

/** What is left out at once is a night, if it is longer. */
const NIGHT_MS = 10_800_000;
const DAY_MS = 86_400_000;

/** @param {any} player @param {import("./player.js").Policy} policy @param {Record<string, string>} texts @returns {HTMLElement} */
export function buildControls(player, policy, texts) {
  const bar = element("div", { className: "controls" });
  const main = button("play", "");
  const line = seekLine(player, policy, texts);
  const clock = element("span", { className: "clock" });
  const note = element("p", { className: "views" });
  note.setAttribute("role", "status");
  bar.append(main, line);
  // A simulated day has its own time, which belongs to what is seen.
  const timed = policy.clock !== false || Boolean(player.recording.start);
  if (timed) bar.append(clock);
  // It says how fast the day goes, not how long one has to watch. Lengths that are hidden stay so.
  const rest = element("span", { className: "rest" });
  const counted = Boolean(player.recording.start) && policy.clock !== false;
  if (counted) bar.append(rest);
  if (policy.speeds.length > 1) bar.append(speedChoice(player, policy, texts));
  if (policy.zoom) bar.append(...cameraChoice(player, texts));

  main.addEventListener("click", () => {
    if (player.paused) void player.play();
    else if (policy.pause) player.pause();
  });

  function refresh() {
    const over = player.ended;
    main.textContent = over
      ? texts["media.replay"]
      : player.paused
        ? texts["media.play"]
        : texts["media.pause"];
    main.hidden = (over && player.viewsLeft < 1) || (!player.paused && !policy.pause);
    note.textContent = player.views > 0 ? left(player.viewsLeft, texts) : "";
    tick();
  }
  function tick() {
    const whole = player.recording.start
      ? ""
      : ` / ${shownTime(player.recording, player.duration_ms)}`;
    const day = dayNumber(player.recording, player.time_ms);
    const dated = day === null ? "" : `${texts["replay.day"].replace("{number}", String(day))}, `;
    clock.textContent = dated + shownTime(player.recording, player.time_ms) + whole;
    if (counted)
      rest.textContent = texts["replay.left"].replace(
        "{time}",
        minutes((player.duration_ms - player.time_ms) / player.rate),
      );
    const share = player.time_ms / player.duration_ms;
    if (line instanceof HTMLProgressElement) line.value = share;
    else {
      line.value = String(Math.round(share * 10000));
      line.setAttribute("aria-valuetext", timed ? clock.textContent : percent(share));
    }
  }
  for (const name of ["play", "pause", "ended", "seek", "rate"]) player.on(name, refresh);
  player.on("time", tick);
  refresh();

  const box = element("div", { className: "player-controls" });
  box.append(bar, note);
  return box;
}

/**
 * How a moment is written: the day clock where the recording has one, else minutes and seconds.
 * @param {import("./scene.js").Recording} replay @param {number} ms @param {boolean} [ends] what ends where a night is left out ends before it
 */
export function shownTime(replay, ms, ends) {
  return replay.start && replay.simulatedMs
    ? moment(replay, ms, ends).toISOString().slice(11, 16)
    : minutes(ms);
}

/** @param {import("./scene.js").Recording} replay @param {number} ms @param {boolean} [ends] @returns {Date} what the clock of a simulated day shows; never the day after the last */
function moment(replay, ms, ends) {
  ms = Math.min(ms, replay.durationMs - 1);
  const leftOutMs = (replay.jumps ?? [])
    .filter(([frame, jump]) => frame * replay.frameMs <= (ends && jump > NIGHT_MS ? ms - 1 : ms))
    .reduce((sum, [, jump]) => sum + jump, 0);
  return new Date(
    Date.parse(`${replay.start}Z`) + (ms / replay.frameMs) * Number(replay.simulatedMs) + leftOutMs,
  );
}

/**
 * Which day it is, counted from 1; null where all of a recording is one day.
 * @param {import("./scene.js").Recording} replay @param {number} ms
 */
export function dayNumber(replay, ms) {
  if (!replay.start || !replay.simulatedMs) return null;
  const midnight = Date.parse(`${replay.start.slice(0, 10)}T00:00:00Z`);
  const number = (/** @type {number} */ at) =>
    Math.floor((moment(replay, at).getTime() - midnight) / DAY_MS) + 1;
  return number(Math.max(replay.durationMs - replay.frameMs, 0)) > 1 ? number(ms) : null;
}

/** @param {any} player @param {import("./player.js").Policy} policy @param {Record<string, string>} texts */
function seekLine(player, policy, texts) {
  const line = /** @type {HTMLInputElement | HTMLProgressElement} */ (
    policy.seek
      ? element("input", { className: "seek", type: "range", min: "0", max: "10000", value: "0" })
      : element("progress", { className: "seek", max: 1, value: 0 })
  );
  line.setAttribute("aria-label", texts["media.seek"]);
  if (policy.seek)
    line.addEventListener("input", () =>
      player.seek((Number(line.value) / 10000) * player.duration_ms),
    );
  return line;
}

/** @param {any} player @param {Record<string, string>} texts @returns {HTMLElement[]} */
function cameraChoice(player, texts) {
  const out = button("quiet zoom", "−");
  const near = button("quiet zoom", "+");
  out.setAttribute("aria-label", texts["replay.zoom_out"]);
  near.setAttribute("aria-label", texts["replay.zoom_in"]);
  out.addEventListener("click", () => player.view.zoomBy(1 / ZOOM_STEP));
  near.addEventListener("click", () => player.view.zoomBy(ZOOM_STEP));
  return [...followChoice(player, texts), out, near];
}

/** @param {any} player @param {Record<string, string>} texts @returns {HTMLElement[]} */
function followChoice(player, texts) {
  const choice = /** @type {HTMLSelectElement} */ (element("select", { className: "follow" }));
  choice.setAttribute("aria-label", texts["replay.follow"]);
  choice.append(new Option(texts["replay.everything"], ""));
  for (const { id, name } of player.recording.actors) choice.append(new Option(name, id));
  choice.addEventListener("change", () => player.view.follow(choice.value || null));
  player.on("view", () => {
    choice.value = player.view.followed ?? "";
  });
  return [choice];
}

/** @param {string} className @param {string} label @returns {HTMLButtonElement} */
function button(className, label) {
  return /** @type {HTMLButtonElement} */ (
    element("button", { className: `button ${className}`, type: "button", textContent: label })
  );
}
