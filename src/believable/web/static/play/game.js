// @ts-check
/**
 * A round on the page: decided by the server, drawn here sixty times a second, the own figure moved at once; or shown in the
 * pictures that the server sends (`rendered.js`).
 *
 * Knows no world. The module (`/static/worlds/NAME/page.js`) exports `begin(surroundings)` and gives a client.
 *
 * @typedef {{world: string, practice: boolean, on_loss: string, duration_s: number, words: string, rendered: boolean, script: string}} PlayData
 * @typedef {object} Picture what the server says of a tick; the rest is the world's
 * @property {number} t tick @property {number} s score @property {number} n the last input that counted @property {string[]} e what happened
 * @property {string} st state of the round @property {number} [d] @property {number} [c] countdown in ms
 * @property {number} [q] @property {number} [w]
 * @typedef {object} Surroundings
 * @property {HTMLCanvasElement} canvas @property {HTMLFormElement} form @property {Record<string, string>} texts
 * @property {any} welcome what the world's game sent first @property {() => boolean} active whether the game wants keys
 * @property {() => void} act a key went down or up: where inputs count at once, it need not wait for the next picture
 * @property {string} [coding] how pictures come
 * @typedef {object} Own the own figure, ahead of the server
 * @property {number} tick the tick that comes next @property {(picture: Picture) => void} restart nothing of before counts
 * @property {(picture: Picture) => void} correct what the server says was so @property {(input: number[]) => void} advance
 * @property {() => void} skip a tick with the keys of the one before
 * @typedef {object} View
 * @property {boolean} running @property {number} share between two ticks, 0 to 1 @property {number} others_tick where everybody else is
 * @property {number} now_ms @property {Picture} picture the latest
 * @typedef {object} Client
 * @property {Own} own @property {() => number[] | null} sample what is pressed, once per tick
 * @property {(picture: Picture, now_ms: number) => void} hear @property {(image: ArrayBuffer) => void} [image] of a rendered world
 * @property {boolean} [at_once] inputs count as soon as they are there, not at a tick ahead @property {() => object} [beside] goes with every message
 * @property {() => void} [begun] the person pressed the button that begins or continues
 * @property {(input: number[]) => boolean} [moves] whether an input counts again when it repeats (a mouse that moved)
 * @property {(state: string, picture: Picture) => void} [enter] @property {(view: View) => void} draw
 * @property {() => void} release @property {number} quiet_ms since the last key @property {() => void} destroy
 */
import { load } from "/static/participant/scripts.js";
import { createClock } from "./clock.js";
import { createHud } from "./hud.js";
import { createLog } from "./log.js";
import { createWire } from "./wire.js";

/** Whoever still plays when a round ends would press the button that comes next: it waits until the keys have rested this long. */
const REST_MS = 600;
/** Each page has numbers of its own for its inputs: those of one that went away may never have arrived, but are in its log. */
const NUMBERS = 2 ** 16;
/** The page never runs ahead by more than this in one go; after a longer stop it jumps. */
const MOST_TICKS = 12;

/** The own figure of a world that predicts nothing: it is where the last picture has it. @returns {Own} */
export function unpredicted() {
  let tick = 0;
  const next = () => {
    tick += 1;
  };
  return {
    get tick() {
      return tick;
    },
    restart: (picture) => {
      tick = picture.t;
    },
    correct: (picture) => {
      tick = Math.max(tick, picture.t);
    },
    advance: next,
    skip: next,
  };
}

/**
 * @param {HTMLFormElement} form @param {{position: number, play: PlayData | null}} trial
 * @param {import("./log.js").Writing & {texts: Record<string, string>, line: () => {address: string, epoch: number}}} outside
 * @returns {Promise<{stop: () => void}>}
 */
export async function show(form, trial, { texts, record, keep, line }) {
  const { practice, on_loss, words, rendered, script } = /** @type {PlayData} */ (trial.play);
  const canvas = /** @type {HTMLCanvasElement} */ (form.querySelector(".field canvas"));
  const actions = /** @type {HTMLElement} */ (form.querySelector(".actions"));
  const hud = createHud(form);
  const { begin, coding } = await load(script);
  const pictures = rendered ? /** @type {string} */ (await coding()) : undefined;
  const log = createLog({ record, keep }, { now: () => performance.now(), durable: sendInputs });
  const leaving = new AbortController();
  /** @type {Client | null} */ let client = null;
  /** @type {Picture | null} */ let latest = null;
  /** @type {import("./clock.js").GameClock | null} */ let clock = null;
  /** @type {any} */ let welcome = null;
  let state = "connecting";
  let begun = false;
  /** Whether this page wished the pause. */
  let asked = false;
  let offered = false;
  let number = 0;
  let lastSent = "";
  let handle = 0;
  /** Inputs that become durable before they are sent: when they were made, and in which connection. @type {Map<number, {at_ms: number, of: any}>} */
  const unsent = new Map();
  actions.hidden = !practice;

  const { address, epoch } = line();
  const wire = createWire(
    address.replace(/^\//, `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/`),
    { epoch, position: trial.position, pictures },
    {
      welcome: greeted,
      picture: arrived,
      image: (bytes) => client?.image?.(bytes),
      wait: waits,
      over: ended,
      lost,
      refused,
    },
    {
      open: (to) => new WebSocket(to),
      now: () => performance.now(),
      every: (work, ms) => setInterval(work, ms),
      stop: (timer) => clearInterval(timer),
      later: (work, ms) => setTimeout(work, ms),
      beside: () => client?.beside?.() ?? {},
    },
  );

  /** @param {any} first */
  function greeted(first) {
    welcome = first;
    number = Math.max(number, first.received, epoch * NUMBERS);
    lastSent = "";
    clock ??= createClock(1000 / first.tick_hz);
    clock.restart();
    client?.destroy();
    client = /** @type {Client} */ (
      begin({
        canvas,
        form,
        texts,
        welcome,
        coding: pictures,
        act: () => {
          if (client?.at_once && state === "run") tick(client);
        },
        active: () => state === "run" || state === "count" || (state === "over" && !offered),
      })
    );
    latest = null;
    state = "connected";
    void record("play.connected", { attempt: first.attempt, received: first.received });
  }

  /** @param {Picture} picture */
  function arrived(picture) {
    const now = performance.now();
    if (picture.q !== undefined) clock?.echoed(now - picture.q - (picture.w ?? 0));
    latest = picture;
    client?.hear(picture, now);
    if (picture.st !== state) entered(picture);
    if (state === "run") {
      clock?.heard(picture.t, now);
      client?.own.correct(picture);
    } else if (state === "count") {
      hud.veil(
        "count",
        String(Math.max(1, Math.ceil((picture.c ?? 0) / 1000))),
        texts["play.count"],
      );
    }
    hud.show(picture, welcome, practice);
  }

  /** The round is in another state now. @param {Picture} picture */
  function entered(picture) {
    state = picture.st;
    client?.enter?.(state, picture);
    log.note("play.state", { attempt: welcome.attempt, state, tick: picture.t });
    if (state === "run") {
      clock?.restart();
      client?.own.restart(picture);
      hud.unveil();
      canvas.focus({ preventScroll: true });
    } else if (state === "ready") {
      hud.veil("ready", "", "", texts[practice ? "play.practice_start" : "play.start"]);
    } else if (state === "pause" && begun && !asked && !document.hidden) {
      lastSent = ""; // what is held down counts again
      wire.send({ go: true }); // the line was lost, or the page was held up for a moment: nobody wanted this pause
    } else if (state === "over") {
      hud.veil("saving", texts[`${words}.over`], texts["play.saving"]);
    } else if (state === "pause") {
      hud.veil("pause", texts["play.hidden"], texts["play.hidden_text"], texts["play.again"]);
    }
  }

  /** @param {number} place */
  function waits(place) {
    if (place > 0)
      hud.veil(
        "wait",
        texts["play.wait"].replace("{place}", String(place)),
        texts["play.wait_text"],
      );
    else hud.veil("connecting", texts["play.preparing"]);
  }

  function lost() {
    const was = state;
    state = "lost";
    client?.release();
    log.note("play.lost", { was });
    hud.veil(
      "lost",
      texts["play.lost"],
      texts[on_loss === "restart" && !practice ? "play.restart_text" : "play.lost_text"],
    );
  }

  /** @param {{score: number}} over */
  function ended({ score }) {
    if (state !== "over" && latest) client?.enter?.("over", latest); // the last picture may not have come
    state = "over";
    log.flush();
    void record("play.over", { score });
    const text = texts[`${words}.over_${score}`] ?? texts[`${words}.over_text`];
    hud.veil("over", texts[`${words}.over`], text.replace("{score}", String(score)));
    actions.hidden = false;
    setTimeout(offer, REST_MS); // whoever rested just before may shoot once more before it is seen that it is over
  }

  function offer() {
    if (leaving.signal.aborted) return;
    if (client && client.quiet_ms < REST_MS) {
      setTimeout(offer, REST_MS / 4);
      return;
    }
    offered = true;
    /** @type {HTMLElement | null} */ (actions.querySelector("button.next"))?.focus({
      preventScroll: true,
    });
  }

  function pause() {
    asked = true;
    wire.send({ pause: true });
  }

  /** @param {number} code */
  function refused(code) {
    state = "refused";
    const why = code === 4500 ? "broken" : code === 4400 ? "refused" : "elsewhere";
    hud.veil("refused", texts[`play.${why}`], texts[`play.${why}_text`]);
  }

  /** One tick of the own figure: what is pressed, at once here and as soon as possible there. @param {Client} client */
  function tick(client) {
    const pressed = client.sample();
    if (!pressed) return;
    const said = pressed.join(" ");
    if (said !== lastSent || client.moves?.(pressed)) {
      lastSent = said;
      number += 1;
      unsent.set(number, { at_ms: performance.now(), of: welcome });
      log.input(welcome.attempt, [
        number,
        client.at_once && latest ? latest.t : client.own.tick,
        ...pressed,
      ]);
    }
    client.own.advance(pressed);
  }

  /** They are durable here; those of a connection that is gone would come too late. @param {import("./log.js").Input[]} inputs */
  function sendInputs(inputs) {
    const now = performance.now();
    wire.send({ i: inputs.filter(([count]) => unsent.get(count)?.of === welcome) });
    for (const [count] of inputs) {
      clock?.kept(now - (unsent.get(count)?.at_ms ?? now));
      unsent.delete(count);
    }
  }

  function frame() {
    handle = requestAnimationFrame(frame);
    if (!client || !clock || !latest) return;
    const { own } = client;
    const now_ms = performance.now();
    const running = state === "run" && clock.ready;
    let share = 1;
    if (running && client.at_once) tick(client);
    else if (running) {
      const wanted = Math.min(clock.own(now_ms), welcome.ticks);
      while (own.tick < wanted - MOST_TICKS) own.skip();
      while (own.tick < wanted) {
        const before = own.tick;
        tick(client);
        if (own.tick === before) break;
      }
      share = Math.min(Math.max(wanted - own.tick + 1, 0), 1);
    }
    if (state !== "run") own.restart(latest);
    client.draw({
      running,
      share,
      others_tick: running ? clock.others(now_ms) : latest.t,
      now_ms,
      picture: latest,
    });
  }

  hud.go.addEventListener(
    "click",
    () => {
      begun = true;
      asked = false;
      canvas.focus({ preventScroll: true });
      client?.begun?.();
      /** @type {HTMLElement} */ (form.querySelector(".game")).scrollIntoView({ block: "nearest" });
      wire.send({ go: true });
    },
    { signal: leaving.signal },
  );
  document.addEventListener(
    "visibilitychange",
    () => {
      if (!document.hidden || (state !== "run" && state !== "count")) return;
      client?.release();
      pause();
    },
    { signal: leaving.signal },
  );
  form.addEventListener(
    "submit",
    () => {
      log.flush();
      pause();
    },
    { signal: leaving.signal },
  );
  handle = requestAnimationFrame(frame);

  return {
    stop: () => {
      leaving.abort();
      cancelAnimationFrame(handle);
      log.flush();
      log.stop();
      client?.destroy();
      wire.close();
    },
  };
}
