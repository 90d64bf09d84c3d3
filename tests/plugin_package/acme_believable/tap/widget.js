// @ts-check

/** @type {import("believable").Mount<{strength: number}>} */
export const mount = (root, { player, params, texts, record }) => {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button tap";
  button.textContent = texts["tap.moved"];
  button.addEventListener("click", (event) => {
    const { media_ms } = player.moment(event.timeStamp);
    record("tap.press", { media_ms, strength: params.strength }, { mono_ms: event.timeStamp });
  });
  root.append(button);
  return { destroy: () => button.remove() };
};
