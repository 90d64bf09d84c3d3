// @ts-check
/** Plays a stimulus for a researcher, from the moment that the address names. Nothing is recorded. */
const state = JSON.parse(
  /** @type {HTMLElement} */ (document.getElementById("state")).textContent ?? "{}",
);
const root = /** @type {HTMLElement} */ (document.getElementById("player"));
const loading = /** @type {HTMLElement} */ (document.getElementById("loading"));

const { create } = await import(state.module);
const medium = await fetch(state.medium)
  .then((reply) => (reply.ok ? reply.blob() : null))
  .catch(() => null);
if (medium) {
  const player = create(root, {
    src: state.replay ? medium : URL.createObjectURL(medium),
    policy: state.policy,
    texts: state.texts,
    record: () => undefined,
    seen: { views: 0, position_ms: state.at_ms },
  });
  player.on("ready", () => {
    loading.hidden = true;
    root.hidden = false;
    player.seek(state.at_ms);
    root.dataset.ready = String(Math.round(player.time_ms));
  });
  player.on("trouble", () => {
    loading.textContent = state.texts["media.unplayable"] ?? "It cannot be played here.";
  });
} else {
  loading.textContent = "It cannot be loaded. Open the results again.";
}
