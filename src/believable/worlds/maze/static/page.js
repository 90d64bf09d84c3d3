// @ts-check
/**
 * The maze on the page: keys and mouse, the own figure moved at once, the opponent a little in the past, health and bombs.
 * @typedef {import("/static/play/game.js").Client} Client
 * @typedef {import("./prediction.js").Picture} Picture
 * @typedef {import("./rules.js").Keys} Keys
 */
import { createDrawing } from "./drawing.js";
import { createKeys } from "./keys.js";
import { createOthers } from "./others.js";
import { createPrediction } from "./prediction.js";
import { TICK_MS, gridOf } from "./rules.js";
import { createSounds } from "./sounds.js";

const SHOUT_MS = 1400;
/** @type {Record<string, string>} */
const SHOUTS = {
  caught: "play.caught",
  opponent_killed: "play.defeated",
  player_killed: "play.killed",
};

/** @param {import("/static/play/game.js").Surroundings} outside @returns {Client} */
export function begin({ canvas, form, texts, welcome, active }) {
  const grid = gridOf(welcome.walls);
  const prediction = createPrediction(grid, welcome.rules);
  const drawing = createDrawing(canvas, welcome.scene, grid.width);
  const others = createOthers();
  const status = createStatus(form, texts);
  const sounds = createSounds(form);
  const keys = createKeys(canvas, { keys: document, active, toTiles: drawing.toTiles });

  return {
    own: {
      get tick() {
        return prediction.tick;
      },
      restart: (picture) => prediction.restart(/** @type {Picture} */ (picture)),
      correct: (picture) => prediction.correct(/** @type {Picture} */ (picture)),
      advance: ([dx, dy, aim, shoot, bomb]) => prediction.advance({ dx, dy, aim, shoot, bomb }),
      skip: () => prediction.advance(prediction.keysAt(prediction.tick - 1)),
    },
    sample() {
      if (!prediction.own) return null;
      const { dx, dy, aim, shoot, bomb } = keys.sample(prediction.own);
      return [dx, dy, aim, shoot, bomb];
    },
    hear(picture, now_ms) {
      others.add(/** @type {Picture} */ (picture));
      status.show(/** @type {Picture} */ (picture), now_ms);
      if (picture.st === "run") sounds.hear(/** @type {Picture} */ (picture));
    },
    enter(state, picture) {
      if (state === "ready") keys.look(/** @type {Picture} */ (picture).p[2]);
    },
    draw({ running, share, others_tick, now_ms, picture }) {
      const shown = prediction.shown(share, now_ms);
      const opponent = others.opponent(running ? others_tick : picture.t);
      if (shown) drawing.draw(shown, opponent, /** @type {Picture} */ (picture));
    },
    release: keys.release,
    get quiet_ms() {
      return keys.quiet_ms;
    },
    destroy: () => {
      keys.destroy();
      sounds.destroy();
    },
  };
}

/** Health, bombs, and what just happened. @param {HTMLElement} form @param {Record<string, string>} texts */
function createStatus(form, texts) {
  const find = (/** @type {string} */ name) =>
    /** @type {HTMLElement} */ (form.querySelector(name));
  const bomb = find(".hud-bomb");
  const shout = find(".shout");
  let shouted_ms = 0;

  /** @param {HTMLElement} element @param {string} words */
  const say = (element, words) => {
    if (element.textContent !== words) element.textContent = words;
  };

  return {
    /** @param {Picture} picture @param {number} now_ms */
    show(picture, now_ms) {
      /** @type {HTMLMeterElement} */ (find("meter.you")).value = picture.p[3];
      if (picture.o) /** @type {HTMLMeterElement} */ (find("meter.opponent")).value = picture.o[3];
      const wait_s = Math.ceil(((picture.r[1] - picture.t) * TICK_MS) / 1000);
      say(
        bomb,
        wait_s > 0
          ? texts["play.bomb_waiting"].replace("{seconds}", String(wait_s))
          : texts["play.bomb_ready"],
      );
      bomb.classList.toggle("waiting", wait_s > 0);
      const happened = picture.e.find((kind) => kind in SHOUTS);
      if (happened) {
        shouted_ms = now_ms;
        say(shout, texts[SHOUTS[happened]]);
        shout.dataset.kind = happened;
      } else if (shout.textContent && now_ms - shouted_ms > SHOUT_MS) say(shout, "");
    },
  };
}
