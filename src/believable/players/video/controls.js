// @ts-check
/** The player's own controls: only what the policy allows is there at all. */
import { element, left, minutes, percent, speedChoice } from "./parts.js";

/**
 * @param {any} player
 * @param {import("./policy.js").Policy} policy
 * @param {Record<string, string>} texts
 * @returns {HTMLElement}
 */
export function buildControls(player, policy, texts) {
  /** @type {HTMLVideoElement} */
  const video = player.video;
  const bar = element("div", { className: "controls" });
  const main = /** @type {HTMLButtonElement} */ (
    element("button", { className: "button play", type: "button" })
  );
  const clock = element("span", { className: "clock" });
  const note = element("p", { className: "views" });
  note.setAttribute("role", "status");
  bar.append(main);
  if (policy.seek) bar.append(seekLine(player, policy, texts));
  else bar.append(progressLine(player, texts));
  if (policy.clock !== false) bar.append(clock);
  if (policy.speeds.length > 1) bar.append(speedChoice(player, policy, texts));
  if (policy.volume) bar.append(volume(video, texts));

  main.addEventListener("click", () => {
    if (video.paused) void player.play();
    else if (policy.pause) player.pause();
  });

  function refresh() {
    const over =
      player.views > 0 &&
      video.paused &&
      (video.ended || video.currentTime === 0 || video.currentTime >= video.duration);
    main.textContent = over
      ? texts["media.replay"]
      : video.paused
        ? texts["media.play"]
        : texts["media.pause"];
    main.hidden = (over && player.viewsLeft < 1) || (!video.paused && !policy.pause);
    clock.textContent = `${minutes(video.currentTime * 1000)} / ${minutes(video.duration * 1000)}`;
    note.textContent = player.views > 0 ? left(player.viewsLeft, texts) : "";
  }
  for (const name of ["play", "pause", "ended", "timeupdate", "loadedmetadata", "seeked"])
    video.addEventListener(name, refresh);
  refresh();

  const box = element("div", { className: "player-controls" });
  box.append(bar, note);
  return box;
}

/** @param {any} player @param {import("./policy.js").Policy} policy @param {Record<string, string>} texts */
function seekLine(player, policy, texts) {
  const line = /** @type {HTMLInputElement} */ (
    element("input", { className: "seek", type: "range", min: "0", max: "1000", value: "0" })
  );
  line.setAttribute("aria-label", texts["media.seek"]);
  line.addEventListener("input", () =>
    player.seek((Number(line.value) / 1000) * player.duration_ms),
  );
  player.video.addEventListener("timeupdate", () => {
    line.value = String(Math.round((1000 * player.video.currentTime) / player.video.duration));
    line.setAttribute(
      "aria-valuetext",
      policy.clock === false
        ? percent(Number(line.value) / 1000)
        : minutes(player.video.currentTime * 1000),
    );
  });
  return line;
}

/** @param {any} player @param {Record<string, string>} texts */
function progressLine(player, texts) {
  const line = /** @type {HTMLProgressElement} */ (
    element("progress", { className: "seek", max: 1, value: 0 })
  );
  line.setAttribute("aria-label", texts["media.seek"]);
  player.video.addEventListener("timeupdate", () => {
    line.value = player.video.duration ? player.video.currentTime / player.video.duration : 0;
  });
  return line;
}

/** @param {HTMLVideoElement} video @param {Record<string, string>} texts */
function volume(video, texts) {
  const mute = element("button", { className: "button quiet mute", type: "button" });
  const level = /** @type {HTMLInputElement} */ (
    element("input", {
      className: "volume",
      type: "range",
      min: "0",
      max: "1",
      step: "0.05",
      value: "1",
    })
  );
  level.setAttribute("aria-label", texts["media.volume"]);
  const refresh = () => {
    mute.textContent = video.muted ? texts["media.unmute"] : texts["media.mute"];
    level.value = String(video.muted ? 0 : video.volume);
  };
  mute.addEventListener("click", () => {
    video.muted = !video.muted;
  });
  level.addEventListener("input", () => {
    video.muted = false;
    video.volume = Number(level.value);
  });
  video.addEventListener("volumechange", refresh);
  refresh();
  const both = element("span", { className: "sound" });
  both.append(mute, level);
  return both;
}
