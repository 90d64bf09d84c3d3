// @ts-check
/** Agreement as it stands: asks every few seconds whether something changed, and shows it in place. */

const EVERY_MS = 3000;

const line = /** @type {HTMLElement} */ (document.getElementById("live"));
const measures = /** @type {HTMLElement} */ (document.getElementById("measures"));

async function look() {
  try {
    const reply = await fetch(`${line.dataset.src}?stamp=${line.dataset.stamp}`, {
      headers: { Accept: "application/json" },
    });
    if (!reply.ok) throw new Error(String(reply.status));
    const { stamp, html } = await reply.json();
    line.className = "live on";
    if (html) {
      const opened = [...measures.querySelectorAll("details")].map((details) => details.open);
      measures.innerHTML = html;
      measures.querySelectorAll("details").forEach((details, i) => {
        details.open = opened[i] ?? false;
      });
      line.dataset.stamp = stamp;
    }
  } catch {
    line.className = "live lost";
  }
}

setInterval(() => {
  if (!document.hidden) void look();
}, EVERY_MS);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) void look();
});
void look();
