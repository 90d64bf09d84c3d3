// @ts-check
/** What of a medium is still to be watched, said at its player. Loaded only where people may jump and have to see enough. */

/** Shorter gaps (as a share of the whole) are not worth a line. */
const SMALL = 0.005;
/** So many are listed. */
const LISTED = 4;

/**
 * Says at a player what is still to be watched, and leads there, as soon as something was jumped over.
 * @param {HTMLElement} line where it stands
 * @param {any} player that is ready @param {ReturnType<typeof import("./coverage.js").coverage>} seen
 * @param {{watched_share: number}} policy @param {Record<string, string>} texts
 */
export function showMissing(line, player, seen, policy, texts) {
  const words = document.createElement("span");
  words.setAttribute("role", "status");
  const button = Object.assign(document.createElement("button"), { className: "button quiet", type: "button", textContent: texts["watch.show_unseen"] });
  line.replaceChildren(words, button);
  const worth = () => seen.gaps.filter(([from, to]) => to - from > SMALL * player.duration_ms);
  const behind = () => worth().filter(([from]) => from < player.time_ms);

  function refresh() {
    // While nothing was jumped over, there is nothing to say: who watches on sees everything.
    const missing = !seen.enough && (seen.views > 0 || behind().length > 0) && worth().length > 0;
    line.hidden = !missing;
    if (!missing) return;
    const gaps = worth();
    const listed = gaps.slice(0, LISTED).map(([from, to]) => `${player.clock(from)}–${player.clock(to)}`).join(", ");
    words.textContent = texts["watch.unseen"]
      .replace("{share}", String(Math.floor(100 * seen.share)))
      .replace("{needed}", String(Math.round(100 * policy.watched_share)))
      .replace("{parts}", gaps.length > LISTED ? `${listed} …` : listed);
  }

  button.addEventListener("click", () => {
    const [gap] = worth();
    if (!gap) return;
    player.seek(gap[0]);
    void player.play();
  });
  for (const name of ["pause", "ended", "seek", "play"]) player.on(name, refresh);
  refresh();
  return refresh;
}
