// @ts-check
/** What stands around the game: time, score, health, what just happened, and the veil over the field while nothing moves. */
import { TICK_MS } from "./rules.js";

const SHOUT_MS = 1400;
/** @type {Record<string, string>} */
const SHOUTS = { caught: "play.caught", opponent_killed: "play.defeated", player_killed: "play.killed" };

/** @typedef {ReturnType<typeof createHud>} Hud */

/** @param {HTMLElement} form @param {Record<string, string>} texts */
export function createHud(form, texts) {
  const find = (/** @type {string} */ name) => /** @type {HTMLElement} */ (form.querySelector(name));
  const game = find(".game");
  const go = /** @type {HTMLButtonElement} */ (find(".go"));
  const bomb = find(".hud-bomb");
  const shout = find(".shout");
  let shouted_ms = 0;

  /** @param {HTMLElement} element @param {string} words */
  const say = (element, words) => { if (element.textContent !== words) element.textContent = words; };

  return {
    /**
     * @param {import("./prediction.js").Picture} picture @param {number} ticks how long a round is @param {boolean} practice
     * @param {number} now_ms
     */
    show(picture, ticks, practice, now_ms) {
      const shown_s = Math.ceil(((practice ? picture.t : ticks - picture.t) * TICK_MS) / 1000);
      say(find(".time"), `${Math.floor(shown_s / 60)}:${String(shown_s % 60).padStart(2, "0")}`);
      say(find(".score"), String(picture.s));
      /** @type {HTMLMeterElement} */ (find("meter.you")).value = picture.p[3];
      /** @type {HTMLMeterElement} */ (find("meter.opponent")).value = picture.o[3];
      const wait_s = Math.ceil(((picture.r[1] - picture.t) * TICK_MS) / 1000);
      say(bomb, wait_s > 0 ? texts["play.bomb_waiting"].replace("{seconds}", String(wait_s)) : texts["play.bomb_ready"]);
      bomb.classList.toggle("waiting", wait_s > 0);
      const happened = picture.e.find((kind) => kind in SHOUTS);
      if (happened) {
        shouted_ms = now_ms;
        say(shout, texts[SHOUTS[happened]]);
        shout.dataset.kind = happened;
      } else if (shout.textContent && now_ms - shouted_ms > SHOUT_MS) say(shout, "");
    },

    /**
     * Lay the veil over the field. @param {string} state @param {string} title @param {string} [text] @param {string} [button]
     */
    veil(state, title, text = "", button = "") {
      if (game.dataset.state !== state) game.dataset.state = state;
      say(find(".veil-title"), title);
      say(find(".veil-text"), text);
      if (button) say(go, button);
      const appears = go.hidden && Boolean(button);
      go.hidden = !button;
      if (appears) go.focus({ preventScroll: true });
    },

    /** Take it away. */
    unveil() { game.dataset.state = "run"; },
    go,
    get state() { return game.dataset.state; },
  };
}
