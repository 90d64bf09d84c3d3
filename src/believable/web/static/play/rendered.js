// @ts-check
/**
 * A game whose pictures the server makes: shown as they come; keys and mouse as the world's controls say. Knows no world.
 *
 * In the world's `hud.html`, an element with `data-picture="v.0"` shows that value of each picture's words, and one with the class
 * `shouts` has what is written large over the picture when something happens (`data-goal="…"` for the event `goal`).
 * @typedef {import("./game.js").Client} Client
 */
import { createControls } from "./controls.js";
import { unpredicted } from "./game.js";
import { createPictures } from "./pictures.js";

export { coding } from "./pictures.js";

const SHOUT_MS = 1400;

/** @param {import("./game.js").Surroundings} outside @returns {Client} */
export function begin({ canvas, form, welcome, active, act, coding = "jpeg" }) {
  canvas.width = welcome.width_px;
  canvas.height = welcome.height_px;
  const pictures = createPictures(canvas, welcome, coding);
  const controls = createControls(canvas, welcome.controls, { active, act, settings: form, now: () => performance.now() });
  const status = createWords(form);

  return {
    own: unpredicted(),
    at_once: true,
    sample: controls.sample,
    moves: controls.moves,
    beside: pictures.report,
    image: pictures.show,
    hear: status.show,
    enter: (state) => controls.enter(state),
    begun: controls.lock,
    draw: () => {}, // pictures are drawn when they come
    release: controls.release,
    get quiet_ms() { return controls.quiet_ms; },
    destroy: () => { controls.destroy(); pictures.destroy(); },
  };
}

/** What stands around the picture, and what just happened. @param {HTMLElement} form */
function createWords(form) {
  const shown = /** @type {HTMLElement[]} */ ([...form.querySelectorAll("[data-picture]")]);
  const shouts = /** @type {HTMLElement | null} */ (form.querySelector(".shouts"))?.dataset ?? {};
  const shout = /** @type {HTMLElement} */ (form.querySelector(".shout"));
  let shouted_ms = 0;

  /** @param {HTMLElement} element @param {string} words */
  const say = (element, words) => { if (element.textContent !== words) element.textContent = words; };

  return {
    /** @param {import("./game.js").Picture} picture @param {number} now_ms */
    show(picture, now_ms) {
      for (const element of shown) {
        const path = /** @type {string} */ (element.dataset.picture).split(".");
        say(element, String(path.reduce((/** @type {any} */ value, part) => value?.[part], picture) ?? ""));
      }
      const happened = picture.e.find((kind) => shouts[kind]);
      if (happened) {
        shouted_ms = now_ms;
        say(shout, /** @type {string} */ (shouts[happened]));
        shout.dataset.kind = happened;
      } else if (shout.textContent && now_ms - shouted_ms > SHOUT_MS) say(shout, "");
    },
  };
}
