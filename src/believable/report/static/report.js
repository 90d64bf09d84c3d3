// @ts-check
/** Brings a report to life: figures answer the pointer, tables and figures can be saved, light or dark can be chosen. Without it, nothing is missing. */

const root = document.documentElement;

/** @param {string} id */
function island(id) {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent || "{}") : {};
}

let figures = island("figures");
let files = island("files");

// ------------------------------------------------------------------------------------------------ figures

/** @param {HTMLElement} place */
async function enliven(place) {
  const embed = /** @type {any} */ (window).vegaEmbed;
  const spec = figures[place.dataset.figure || ""];
  if (!embed || !spec) return;
  const stage = document.createElement("div");
  // The interpreter needs no eval, so the strictest content policy holds.
  const options = {
    actions: false,
    renderer: "svg",
    ast: true,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
    logLevel: 1,
  };
  await embed(stage, spec, options);
  place.replaceChildren(stage);
  place.dataset.live = "yes";
}

const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      seen.unobserve(entry.target);
      // A figure that cannot be drawn here stays as the picture it is.
      enliven(/** @type {HTMLElement} */ (entry.target)).catch((error) => console.warn(error));
    }
  },
  { rootMargin: "300px" },
);
function watch() {
  for (const place of document.querySelectorAll("[data-figure]:not([data-live])"))
    seen.observe(place);
}
watch();
// The console puts newer results into the same page.
document.addEventListener("report:replaced", () => {
  figures = island("figures");
  files = island("files");
  watch();
});

// ------------------------------------------------------------------------------------------------ saving

/** @param {string} name @param {string} text @param {string} type */
function save(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A drawing with its colours written out, so that it stands alone. @param {SVGElement} drawing */
function standalone(drawing) {
  const style = getComputedStyle(root);
  const text = new XMLSerializer().serializeToString(drawing);
  return text.replace(/var\((--[\w-]+)\)/g, (_, name) => style.getPropertyValue(name).trim());
}

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("[data-save]") : null;
  if (!(button instanceof HTMLElement)) return;
  const { save: kind = "", name = "" } = button.dataset;
  if (kind === "svg") {
    const drawing = document.querySelector(`[data-figure="${CSS.escape(name)}"] svg`);
    if (drawing instanceof SVGElement) save(`${name}.svg`, standalone(drawing), "image/svg+xml");
  } else {
    save(`${name}.${kind}`, files[name][kind], kind === "csv" ? "text/csv" : "application/x-tex");
  }
});

// ------------------------------------------------------------------------------------------------ light and dark

const KEY = "believable-report-scheme";

/** Pages opened from a file may have no storage. */
function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** @param {string} scheme */
function choose(scheme) {
  root.dataset.scheme = scheme;
  try {
    localStorage.setItem(KEY, scheme);
  } catch {
    /* the choice holds until the page is closed */
  }
}

const chosen = stored();
if (chosen === "light" || chosen === "dark") root.dataset.scheme = chosen;
document.getElementById("scheme")?.addEventListener("click", () => {
  const dark = root.dataset.scheme
    ? root.dataset.scheme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  choose(dark ? "light" : "dark");
});
document.getElementById("print")?.addEventListener("click", () => print());
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details")) details.open = true;
});

// ------------------------------------------------------------------------------------------------ contents

const entries = new Map(
  [...document.querySelectorAll(".contents a")].map((link) => [
    (link.getAttribute("href") || "").slice(1),
    link,
  ]),
);
const parts = [...entries.keys()].map((id) => document.getElementById(id));
function mark() {
  const passed = parts.filter((part) => part && part.getBoundingClientRect().top < 160);
  const current = (passed.at(-1) || parts[0])?.id;
  for (const [id, link] of entries) link.classList.toggle("here", id === current);
}
addEventListener("scroll", mark, { passive: true });
mark();
