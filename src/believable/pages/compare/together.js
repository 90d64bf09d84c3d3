// @ts-check
/** Several players that run at the same time, with common controls. */

/** The one ahead waits when it leads by more than this. */
export const LEAD_MS = 120;
const TICK_MS = 100;

/**
 * Keeps players together: what is ahead waits for what stalls, each is at rest at its own end. Pure: `tick` is called often.
 * @param {any[]} players
 */
export function inStep(players) {
  let playing = false;
  /** @type {Set<any>} players that wait for the others */
  const waiting = new Set();
  /** @param {any} player */
  const over = (player) =>
    player.ended || (player.views > 0 && player.paused && player.time_ms === 0);

  return {
    get playing() {
      return playing;
    },
    /** Whether there is nothing left to play: at the end, and no view left. */
    get over() {
      return players.every(over);
    },
    get viewsLeft() {
      return Math.min(...players.map((player) => player.viewsLeft));
    },
    play: () => {
      const going = players.filter((player) => !over(player));
      const again = going.length ? going : players.filter((player) => player.viewsLeft > 0);
      again.forEach((player) => void player.play());
      playing = again.length > 0;
    },
    pause: () => {
      waiting.clear();
      playing = false;
      players.forEach((player) => {
        if (!player.paused) player.pause();
      });
    },
    /** @param {number} ms */
    seek: (ms) => {
      waiting.clear();
      players.forEach((player) => player.seek(Math.min(ms, player.duration_ms)));
    },
    tick: () => {
      if (!playing) return;
      const going = players.filter((player) => !over(player));
      if (!going.length) {
        playing = false;
        return;
      }
      const slowest = Math.min(...going.map((player) => player.time_ms));
      for (const player of going) {
        const lead = player.time_ms - slowest;
        if (waiting.has(player) && lead <= LEAD_MS / 4) {
          waiting.delete(player);
          void player.play();
        } else if (!waiting.has(player) && lead > LEAD_MS && !player.paused) {
          waiting.add(player);
          player.pause("together");
        }
      }
    },
  };
}

/**
 * @param {HTMLElement} root @param {any[]} players that are ready
 * @param {import("/static/players/video/policy.js").Policy} policy @param {Record<string, string>} texts
 * @returns {() => undefined} undoes it
 */
export function commonControls(root, players, policy, texts) {
  const all = inStep(players);
  const length = Math.max(...players.map((player) => player.duration_ms));
  const button = Object.assign(document.createElement("button"), {
    className: "button play",
    type: "button",
  });
  const line = policy.seek
    ? Object.assign(document.createElement("input"), {
        type: "range",
        min: "0",
        max: String(Math.round(length)),
        value: "0",
        step: "100",
        className: "seek",
      })
    : Object.assign(document.createElement("progress"), {
        max: Math.round(length),
        value: 0,
        className: "seek",
      });
  line.setAttribute("aria-label", texts["media.seek"]);
  const bar = Object.assign(document.createElement("div"), { className: "controls" });
  bar.append(button, line);
  if (policy.speeds.length > 1) bar.append(speedChoice());
  root.replaceChildren(bar);
  root.hidden = false;

  function speedChoice() {
    const choice = Object.assign(document.createElement("select"), { className: "speed" });
    choice.setAttribute("aria-label", texts["media.speed"]);
    for (const speed of policy.speeds) choice.append(new Option(`${speed}×`, String(speed)));
    choice.value = String(policy.speed);
    const allow = () => {
      for (const option of choice.options)
        option.disabled = !players.every((player) => player.speeds.includes(Number(option.value)));
    };
    allow();
    for (const player of players)
      for (const name of ["ended", "pause", "play"]) player.on(name, allow);
    choice.addEventListener("change", () =>
      players.forEach((player) => {
        player.rate = Number(choice.value);
      }),
    );
    return choice;
  }

  function refresh() {
    all.tick();
    button.textContent =
      texts[all.playing ? "compare.pause" : all.over ? "compare.replay" : "compare.play"];
    button.hidden = all.playing ? !policy.pause : all.over && all.viewsLeft < 1;
    if (document.activeElement !== line)
      line.value = /** @type {never} */ (Math.max(...players.map((player) => player.time_ms)));
  }

  function toggle() {
    if (!all.playing) all.play();
    else if (policy.pause) all.pause();
    refresh();
  }

  /** @param {KeyboardEvent} event */
  function onKey(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      target.closest("input, textarea, select, dialog")
    )
      return;
    if (event.key !== "k" && (event.key !== " " || target.closest("button, a, summary"))) return;
    event.preventDefault();
    toggle();
  }

  button.addEventListener("click", toggle);
  if (line instanceof HTMLInputElement)
    line.addEventListener("input", () => all.seek(Number(line.value)));
  document.addEventListener("keydown", onKey);
  const timer = setInterval(refresh, TICK_MS);
  refresh();
  return () => {
    clearInterval(timer);
    document.removeEventListener("keydown", onKey);
  };
}
