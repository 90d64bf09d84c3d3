// @ts-check
/**
 * A game whose pictures the server makes: shown as they come; keys and mouse as the world's controls say. Knows no world.
 *
 * In the world's `hud.html`, an element with `data-picture="v.0"` shows that value of each picture's words, and one with the class
 * `shouts` has what is written large over the picture when something happens (`data-goal="…"` for the event `goal`). In its
 * `help.html`, an element with `data-controls` is filled with the keys.
 * @typedef {import("./game.js").Client} Client
 */
import { createFullScreen } from "../participant/full_screen.js";
import { createControls } from "./controls.js";
import { unpredicted } from "./game.js";
import { createMiniMap } from "./mini_map.js";
import { createPictures } from "./pictures.js";
import { createSpeaker } from "./sounds.js";

export { coding } from "./pictures.js";

const SHOUT_MS = 1400;
/** Sounds of what the one who plays sees and hears, by the names of the events. @type {Record<string, import("./sounds.js").Voice[]>} */
export const SOUNDS = {
  shot: [
    { noise: [5200, 400], gain: 0.6, lasts_s: 0.2 },
    { tone: [240, 60], type: "square", gain: 0.16, lasts_s: 0.12 },
  ],
  hit: [{ tone: [760, 300], type: "square", gain: 0.16, lasts_s: 0.1 }],
  hurt: [{ tone: [240, 150], type: "sawtooth", gain: 0.2, lasts_s: 0.14 }],
  pickup: [{ tone: [620, 1240], type: "triangle", gain: 0.25, lasts_s: 0.16 }],
  frag: [{ tone: [440, 880], type: "triangle", gain: 0.35, lasts_s: 0.45 }],
  goal: [{ tone: [440, 880], type: "triangle", gain: 0.35, lasts_s: 0.45 }],
  died: [{ tone: [420, 90], type: "sawtooth", gain: 0.3, lasts_s: 0.7 }],
  jumped: [{ noise: [900, 300], gain: 0.3, lasts_s: 0.12 }],
};

/** @param {import("./game.js").Surroundings} outside @returns {Client} */
export function begin({ canvas, form, texts, welcome, active, act, coding = "jpeg" }) {
  const [width, height] = [welcome.width_px, welcome.height_px];
  // The last picture stays until the first of a new connection.
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const pictures = createPictures(canvas, welcome, coding);
  const controls = createControls(canvas, welcome.controls, {
    active,
    act,
    settings: form,
    now: () => performance.now(),
  });
  const status = createWords(form);
  const map = createMiniMap(form, welcome.mini_map);
  const speaker = createSpeaker(form, SOUNDS);
  const fullScreen = createFullScreen(
    /** @type {HTMLElement} */ (form.querySelector(".game")),
    form.querySelector(".full-screen"),
    () => canvas.focus({ preventScroll: true }),
  );
  form.querySelector("[data-controls]")?.replaceChildren(...listKeys(welcome.controls, texts));

  return {
    own: unpredicted(),
    at_once: true,
    sample: controls.sample,
    moves: controls.moves,
    beside: pictures.report,
    image: pictures.show,
    hear: (picture, now_ms) => {
      status.show(picture, now_ms);
      map.show(picture);
      for (const name of new Set(picture.e)) speaker.say(name);
    },
    enter: (state) => {
      controls.enter(state);
      if (state === "over") fullScreen.leave(); // the button that goes on is outside
    },
    begun: controls.lock,
    draw: () => {}, // pictures are drawn when they come
    release: controls.release,
    get quiet_ms() {
      return controls.quiet_ms;
    },
    destroy: () => {
      controls.destroy();
      pictures.destroy();
      speaker.destroy();
      fullScreen.destroy();
    },
  };
}

const SIGNS = /** @type {Record<string, string>} */ ({
  ArrowUp: "↑",
  ArrowDown: "↓",
  ArrowLeft: "←",
  ArrowRight: "→",
  Comma: ",",
  Period: ".",
});

/** A key as people call it. @param {string} code @param {Record<string, string>} texts */
export function keyName(code, texts) {
  return SIGNS[code] ?? texts[`play.key.${code}`] ?? code.replace(/^(Key|Digit)/, "");
}

/**
 * The keys with what they do, where the world says it. What is pressed together follows from the keys, unless there is nothing else.
 * @param {{keys: Record<string, unknown>, words: Record<string, string>}} controls @param {Record<string, string>} texts
 */
function listKeys({ keys, words }, texts) {
  const all = [...Object.keys(words), ...Object.keys(keys).filter((codes) => !(codes in words))];
  const single = all.filter((codes) => !codes.includes("+"));
  return (single.length ? single : all).map((codes) => {
    const line = document.createElement("div");
    const name = codes
      .split("+")
      .map((code) => keyName(code, texts))
      .join(" + ");
    line.append(Object.assign(document.createElement("dt"), { textContent: name }));
    line.append(Object.assign(document.createElement("dd"), { textContent: words[codes] ?? "" }));
    return line;
  });
}

/** What stands around the picture, and what just happened. @param {HTMLElement} form */
function createWords(form) {
  const shown = /** @type {HTMLElement[]} */ ([...form.querySelectorAll("[data-picture]")]);
  const shouts = /** @type {HTMLElement | null} */ (form.querySelector(".shouts"))?.dataset ?? {};
  const shout = /** @type {HTMLElement} */ (form.querySelector(".shout"));
  let shouted_ms = 0;

  /** @param {HTMLElement} element @param {string} words */
  const say = (element, words) => {
    if (element.textContent !== words) element.textContent = words;
  };

  return {
    /** @param {import("./game.js").Picture} picture @param {number} now_ms */
    show(picture, now_ms) {
      for (const element of shown) {
        const path = /** @type {string} */ (element.dataset.picture).split(".");
        say(
          element,
          String(path.reduce((/** @type {any} */ value, part) => value?.[part], picture) ?? ""),
        );
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
