// @ts-check
/** Keeps the results fresh: asks whether there are newer ones while the page is looked at, and puts them into the page. */
export const EVERY_MS = 3000;

const live = document.getElementById("live");

/** What somebody is doing about blinding is left alone, unless it was decided meanwhile. @param {Document} from the page as the server makes it now */
function replaced(from) {
  const [decided, asked] = [from, document].map((page) => page.getElementById("blinding"));
  if (decided && decided.dataset.opened !== asked?.dataset.opened) asked?.replaceWith(decided);
  for (const id of ["results", "live-words"]) {
    const fresh = from.getElementById(id);
    const place = document.getElementById(id);
    if (fresh && place) place.replaceChildren(...fresh.childNodes);
  }
  if (live) live.dataset.key = from.getElementById("live")?.dataset.key ?? "";
}

/** The drawing library comes with the first results, perhaps after this page. */
async function library() {
  if (!("vegaEmbed" in window)) await import("/console/results/library.js");
}

async function look() {
  if (!live || document.hidden) return;
  const answer = await fetch(live.dataset.address ?? "", {
    headers: { accept: "application/json" },
  });
  if (!answer.ok) return;
  const state = await answer.json();
  live.classList.toggle("busy", state.busy);
  if (!state.key || state.key === live.dataset.key) return;
  const page = await fetch(location.href);
  if (!page.ok) return;
  const fresh = new DOMParser().parseFromString(await page.text(), "text/html");
  const y = scrollY;
  replaced(fresh);
  scrollTo({ top: y, behavior: "instant" });
  if (document.querySelector("[data-figure]")) await library();
  document.dispatchEvent(new Event("report:replaced"));
}

if (live && !live.dataset.still) setInterval(() => look().catch(() => undefined), EVERY_MS);
