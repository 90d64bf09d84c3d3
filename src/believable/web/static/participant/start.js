// @ts-check
/** Keeps the list of studies fresh while some are still being made; the rest of the page, and the focus, stay as they are. */
const PAUSE_MS = 1500;

async function refresh() {
  const list = document.getElementById("studies");
  if (!list) return;
  try {
    const response = await fetch("/", { headers: { accept: "text/html" } });
    const fresh = response.ok
      ? new DOMParser()
          .parseFromString(await response.text(), "text/html")
          .getElementById("studies")
      : null;
    if (fresh && fresh.innerHTML !== list.innerHTML) replaceEntries(list, fresh);
    if (fresh && !("coming" in fresh.dataset)) return;
  } catch {
    // The server is restarting: the list stands as it was.
  }
  setTimeout(refresh, PAUSE_MS);
}

/**
 * Entry by entry, so that what has not changed keeps the focus.
 * @param {HTMLElement} list
 * @param {HTMLElement} fresh
 */
function replaceEntries(list, fresh) {
  const entries = [...fresh.children];
  for (const [index, entry] of entries.entries()) {
    const shown = list.children[index];
    if (!shown) list.append(entry);
    else if (shown.outerHTML !== entry.outerHTML) shown.replaceWith(entry);
  }
  while (list.children.length > entries.length) list.lastElementChild?.remove();
}

setTimeout(refresh, PAUSE_MS);
