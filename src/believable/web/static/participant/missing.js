// @ts-check
/** What of a medium is still to be watched, said at its player. Loaded only where people may jump and have to see enough. */

/** Shorter gaps (as a share of the whole) are not worth a line. */
const SMALL = 0.005;
/** So many are listed. */
const LISTED = 4;

/** While it plays, the numbers are written anew no more often than this. */
const EVERY_MS = 1000;

/**
 * What of the gaps lies behind, because it was jumped over. What is ahead of a moment is none of it, nor is the rounding between the
 * end of what was recorded and the moment itself.
 * @param {import("./coverage.js").Part[]} gaps @param {number} time_ms @param {number} duration_ms
 */
export function behind(gaps, time_ms, duration_ms) {
  return gaps.filter(([from, to]) => Math.min(to, time_ms) - from > SMALL * duration_ms);
}

/**
 * Says at a player what is still to be watched, and leads there, as soon as something was jumped over.
 * @param {HTMLElement} line where it stands
 * @param {any} player that is ready @param {ReturnType<typeof import("./coverage.js").coverage>} seen
 * @param {import("./trial.js").TrialData} trial @param {Record<string, string>} texts
 */
export function showMissing(line, player, seen, trial, texts) {
  const words = document.createElement("span");
  words.setAttribute("role", "status");
  const button = Object.assign(document.createElement("button"), {
    className: "button quiet",
    type: "button",
    textContent: texts["watch.show_unseen"],
  });
  line.replaceChildren(words, button);
  const worth = (until_ms = player.duration_ms) => behind(seen.gaps, until_ms, player.duration_ms);
  let written_ms = 0;

  function refresh() {
    // While nothing was jumped over, there is nothing to say: who watches on sees everything.
    const missing =
      !seen.enough && (seen.views > 0 || worth(player.time_ms).length > 0) && worth().length > 0;
    line.hidden = !missing;
    if (missing) write();
  }

  function write() {
    written_ms = performance.now();
    const gaps = worth();
    const listed = gaps
      .slice(0, LISTED)
      .map(([from, to]) => `${player.clock(from)}–${player.clock(to)}`)
      .join(", ");
    words.textContent = texts[trial.questions.length ? "watch.unseen" : "watch.unseen_unasked"]
      .replace("{share}", String(Math.floor(100 * seen.share)))
      .replace(
        "{needed}",
        String(
          Math.round(
            100 *
              /** @type {import("/static/players/video/policy.js").Policy} */ (trial.controls)
                .watched_share,
          ),
        ),
      )
      .replace("{parts}", gaps.length > LISTED ? `${listed} …` : listed);
  }

  button.addEventListener("click", () => {
    const [gap] = worth();
    if (!gap) return;
    player.seek(gap[0]);
    void player.play();
  });
  for (const name of ["pause", "ended", "seek", "play"]) player.on(name, refresh);
  player.on("time", () => {
    if (!line.hidden && performance.now() - written_ms > EVERY_MS) write();
  });
  refresh();
  return refresh;
}
