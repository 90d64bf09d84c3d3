// @ts-check
/** What the controls of all players are made of. */

/** @param {any} player @param {import("./policy.js").Policy} policy @param {Record<string, string>} texts @returns {HTMLElement} */
export function speedChoice(player, policy, texts) {
  const choice = /** @type {HTMLSelectElement} */ (element("select", { className: "speed" }));
  choice.setAttribute("aria-label", texts["media.speed"]);
  for (const speed of policy.speeds) choice.append(new Option(`${speed}×`, String(speed)));
  const allow = () => {
    for (const option of choice.options)
      option.disabled = !player.speeds.includes(Number(option.value));
  };
  allow();
  choice.value = String(player.rate);
  choice.addEventListener("change", () => {
    player.rate = Number(choice.value);
  });
  for (const name of ["ended", "pause", "play"]) player.on(name, allow);
  player.on("rate", () => {
    choice.value = String(player.rate);
  });
  return choice;
}

/** @param {number} n @param {Record<string, string>} texts */
export function left(n, texts) {
  if (n < 1) return texts["media.ended"];
  if (n === Infinity) return "";
  return n === 1 ? texts["media.view_left"] : texts["media.views_left"].replace("{n}", String(n));
}

/** @param {number} ms @returns {string} minutes and seconds; nothing known yet is 0:00 */
export function minutes(ms) {
  const whole = Number.isFinite(ms) ? Math.round(ms / 1000) : 0;
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** @param {number} share from 0 to 1 @returns {string} */
export const percent = (share) => `${Math.round(100 * share)} %`;

/** @param {string} name @param {Record<string, any>} properties @returns {HTMLElement} */
export function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}
