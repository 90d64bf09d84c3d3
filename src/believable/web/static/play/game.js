// @ts-check
/**
 * A round on the page: decided by the server, drawn here sixty times a second, the own figure moved at once.
 *
 * @typedef {{practice: boolean, on_loss: string, duration_s: number}} PlayData
 * @typedef {import("./prediction.js").Picture} Picture
 */
import { createClock } from "./clock.js";
import { createHud } from "./hud.js";
import { createKeys } from "./keys.js";
import { createLog } from "./log.js";
import { createOthers } from "./others.js";
import { createPrediction } from "./prediction.js";
import { gridOf } from "./rules.js";
import { createStage } from "./stage.js";
import { createWire } from "./wire.js";

/** Whoever still plays when a round ends would press the button that comes next: it waits until the keys have rested this long. */
const REST_MS = 600;
/** Each page has numbers of its own for its inputs: those of one that went away may never have arrived, but are in its log. */
const NUMBERS = 2 ** 16;
/** The page never runs ahead by more than this in one go; after a longer stop it jumps. */
const MOST_TICKS = 12;

/**
 * @param {HTMLFormElement} form @param {{position: number, play: PlayData | null}} trial
 * @param {import("./log.js").Writing & {texts: Record<string, string>, line: () => {address: string, epoch: number}}} outside
 * @returns {() => void} undoes it
 */
export function play(form, trial, { texts, record, keep, line }) {
  const { practice, on_loss } = /** @type {PlayData} */ (trial.play);
  const canvas = /** @type {HTMLCanvasElement} */ (form.querySelector(".field canvas"));
  const actions = /** @type {HTMLElement} */ (form.querySelector(".actions"));
  const hud = createHud(form, texts);
  const clock = createClock();
  const others = createOthers();
  const log = createLog({ record, keep }, { now: () => performance.now(), durable: sendInputs });
  const leaving = new AbortController();
  /** @type {ReturnType<typeof createStage> | null} */ let stage = null;
  /** @type {ReturnType<typeof createPrediction> | null} */ let prediction = null;
  /** @type {any} */ let welcome = null;
  let state = "connecting";
  let begun = false;
  /** Whether this page wished the pause. */
  let asked = false;
  let offered = false;
  let number = 0;
  let told = "";
  let handle = 0;
  /** Inputs that become durable before they are sent: when they were made, and in which connection. @type {Map<number, {at_ms: number, of: any}>} */
  const made = new Map();
  actions.hidden = !practice;

  const keys = createKeys(canvas, {
    keys: document,
    active: () => state === "run" || state === "count" || (state === "over" && !offered),
    toTiles: (x, y) => stage?.toTiles(x, y) ?? [0, 0],
  });

  const { address, epoch } = line();
  const wire = createWire(address.replace(/^\//, `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/`),
    { epoch, position: trial.position }, { welcome: greeted, picture: arrived, over: ended, lost, refused },
    {
      open: (to) => new WebSocket(to),
      now: () => performance.now(),
      every: (work, ms) => setInterval(work, ms),
      stop: (timer) => clearInterval(timer),
      later: (work, ms) => setTimeout(work, ms),
    });

  /** @param {any} given */
  function greeted(given) {
    welcome = given;
    number = Math.max(number, given.received, epoch * NUMBERS);
    told = "";
    const grid = gridOf(given.walls);
    prediction = createPrediction(grid, given.rules);
    stage ??= createStage(canvas, given.scene, grid.width);
    clock.restart();
    state = "connected";
    void record("play.connected", { attempt: given.attempt, received: given.received });
  }

  /** @param {Picture} picture */
  function arrived(picture) {
    const now = performance.now();
    if (picture.q !== undefined) clock.echoed(now - picture.q - (picture.w ?? 0));
    others.add(picture);
    if (picture.st !== state) entered(picture);
    if (state === "run") {
      clock.heard(picture.t, now);
      prediction?.correct(picture);
    } else if (state === "count") {
      hud.veil("count", String(Math.max(1, Math.ceil((picture.c ?? 0) / 1000))), texts["play.count"]);
    }
    hud.show(picture, welcome.ticks, practice, now);
  }

  /** The round is in another state now. @param {Picture} picture */
  function entered(picture) {
    state = picture.st;
    log.note("play.state", { attempt: welcome.attempt, state, tick: picture.t });
    if (state === "run") {
      clock.restart();
      prediction?.restart(picture);
      hud.unveil();
      canvas.focus({ preventScroll: true });
    } else if (state === "ready") {
      keys.look(picture.p[2]);
      hud.veil("ready", "", "", texts[practice ? "play.practice_start" : "play.start"]);
    } else if (state === "pause" && begun && !asked && !document.hidden) {
      told = ""; // what is held down counts again
      wire.send({ go: true }); // the line was lost, or the page was held up for a moment: nobody wanted this pause
    } else if (state === "over") {
      hud.veil("saving", texts["play.over"], texts["play.saving"]);
    } else if (state === "pause") {
      hud.veil("pause", texts["play.hidden"], texts["play.hidden_text"], texts["play.again"]);
    }
  }

  function lost() {
    const was = state;
    state = "lost";
    keys.release();
    log.note("play.lost", { was });
    hud.veil("lost", texts["play.lost"], texts[on_loss === "restart" && !practice ? "play.restart_text" : "play.lost_text"]);
  }

  /** @param {{score: number}} over */
  function ended({ score }) {
    state = "over";
    log.flush();
    void record("play.over", { score });
    hud.veil("over", texts["play.over"], texts["play.over_text"].replace("{score}", String(score)));
    actions.hidden = false;
    offer();
  }

  function offer() {
    if (leaving.signal.aborted) return;
    if (keys.quiet_ms < REST_MS) {
      setTimeout(offer, REST_MS / 4);
      return;
    }
    offered = true;
    /** @type {HTMLElement | null} */ (actions.querySelector("button.next"))?.focus({ preventScroll: true });
  }

  function pause() {
    asked = true;
    wire.send({ pause: true });
  }

  function refused() {
    state = "refused";
    hud.veil("refused", texts["play.elsewhere"]);
  }

  /** One tick of the own figure: what is pressed, at once here and as soon as possible there. */
  function tick() {
    if (!prediction?.own) return;
    const pressed = keys.sample(prediction.own);
    const { dx, dy, aim, shoot, bomb } = pressed;
    const said = `${dx} ${dy} ${aim} ${shoot} ${bomb}`;
    if (said !== told) {
      told = said;
      number += 1;
      made.set(number, { at_ms: performance.now(), of: welcome });
      log.input(welcome.attempt, [number, prediction.tick, dx, dy, aim, shoot, bomb]);
    }
    prediction.advance(pressed);
  }

  /** They are durable here; those of a connection that is gone would come too late. @param {import("./log.js").Input[]} inputs */
  function sendInputs(inputs) {
    const now = performance.now();
    wire.send({ i: inputs.filter(([one]) => made.get(one)?.of === welcome) });
    for (const [one] of inputs) {
      clock.kept(now - (made.get(one)?.at_ms ?? now));
      made.delete(one);
    }
  }

  function frame() {
    handle = requestAnimationFrame(frame);
    const picture = others.latest;
    if (!stage || !prediction || !picture) return;
    const now = performance.now();
    let share = 1;
    if (state === "run" && clock.ready) {
      const wanted = Math.min(clock.own(now), welcome.ticks);
      if (wanted - prediction.tick > MOST_TICKS) while (prediction.tick < wanted - MOST_TICKS) prediction.advance(prediction.keysAt(prediction.tick - 1));
      while (prediction.tick < wanted) tick();
      share = Math.min(Math.max(wanted - prediction.tick + 1, 0), 1);
    }
    if (state !== "run") prediction.restart(picture);
    const shown = prediction.shown(share, now);
    const opponent = state === "run" && clock.ready ? others.opponent(clock.others(now)) : others.opponent(picture.t);
    if (shown && opponent) stage.draw(shown, opponent, picture);
  }

  hud.go.addEventListener("click", () => {
    begun = true;
    asked = false;
    canvas.focus({ preventScroll: true });
    /** @type {HTMLElement} */ (form.querySelector(".game")).scrollIntoView({ block: "nearest" });
    wire.send({ go: true });
  }, { signal: leaving.signal });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden || (state !== "run" && state !== "count")) return;
    keys.release();
    pause();
  }, { signal: leaving.signal });
  form.addEventListener("submit", () => { log.flush(); pause(); }, { signal: leaving.signal });
  handle = requestAnimationFrame(frame);

  return () => {
    leaving.abort();
    cancelAnimationFrame(handle);
    log.flush();
    log.stop();
    keys.destroy();
    wire.close();
  };
}

