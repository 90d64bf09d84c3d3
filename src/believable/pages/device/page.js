// @ts-check
/** Whether people wear headphones and have a wheel: plays rows of tones of which the quietest is to be found, and waits for the wheel. */

/** The wheel counts as turned after this distance in pixels: two notches in most browsers. Fast notches may come as one event. */
const TURNED_PX = 200;
/** Pixels of a line and of a page, for browsers that count in those. */
const PIXELS = [1, 40, 400];
const TONE_S = 0.7;
const GAP_S = 0.3;
const FADE_S = 0.05;
/** Low, so that both sides of a loudspeaker pair cancel each other almost everywhere in a room. */
const TONE_HZ = 200;
const LOUDNESS = 0.4;
/** Six decibels less. */
const QUIETER = 0.5;
const TONES = 3;

/**
 * @param {HTMLElement} form
 * @param {{device: {tones: [number, number][] | null, later: ([number, number][] | null)[], wheel: boolean, attempt: number} | null, drafts: Record<string, any>, saved: [number, string, any][]}} trial
 * @param {{record: (kind: string, data?: any) => unknown, texts: Record<string, string>}} outside
 * @returns {{answers: () => Record<string, any>, again: () => void, stop: () => void}} `again`: the answers were not accepted
 */
export function show(form, { device, drafts, saved }, { record, texts }) {
  const { tones, later, wheel, attempt } = /** @type {NonNullable<typeof device>} */ (device);
  /** @type {Record<string, any>} */
  const answers = {};
  const leaving = new AbortController();
  const { signal } = leaving;
  /** @param {string} question @param {any} value */
  const settle = (question, value) => {
    if (answers[question] === value) return;
    answers[question] = value;
    void record("answer.change", { question, value });
  };
  const tries = [tones, ...later];
  const rows = () => /** @type {[number, number][]} */ (tries[0]);
  const played = new Set(saved.filter(([, kind, data]) => kind === "device.tones" && data.attempt === attempt).map(([, , data]) => data.row));
  if (wheel) turning(form, drafts.wheel, settle, texts, signal);
  for (const part of form.querySelectorAll(".device button")) part.removeAttribute("disabled"); // only now does it listen
  const ear = tones === null ? null : sound(form, rows, { quietest: drafts.quietest, attempt, played }, settle, record, signal);
  if (typeof drafts.quietest === "string") answers.quietest = drafts.quietest;
  if (typeof drafts.wheel === "boolean") answers.wheel = drafts.wheel;
  return {
    answers: () => answers,
    again: () => {
      // Something left open is no attempt; after one there are other tones to count.
      if (!ear || typeof answers.quietest !== "string" || (wheel && typeof answers.wheel !== "boolean") || tries.length < 2) return;
      tries.shift();
      ear.clear();
    },
    stop: () => { leaving.abort(); ear?.stop(); },
  };
}

/**
 * The tones of a row can be judged once the row was played.
 * @param {HTMLElement} form @param {() => [number, number][]} rows
 * @param {{quietest: any, attempt: number, played: Set<number>}} before what was done before a reload
 * @param {(question: string, value: any) => void} settle
 * @param {(kind: string, data?: any) => unknown} record @param {AbortSignal} signal
 */
function sound(form, rows, { quietest: draft, attempt, played }, settle, record, signal) {
  const buttons = /** @type {HTMLButtonElement[]} */ (Array.from(form.querySelectorAll(".tones")));
  const choices = /** @type {HTMLInputElement[]} */ (Array.from(form.querySelectorAll(".tone-row input")));
  /** @type {AudioContext | undefined} */
  let audio;
  const allow = () => choices.forEach((choice) => { choice.disabled = !played.has(Number(choice.name.split("-").at(-1))); });
  allow();
  if (typeof draft === "string") choices.forEach((choice) => { choice.checked = draft[Number(choice.name.split("-").at(-1))] === choice.value; });
  for (const choice of choices) choice.addEventListener("change", () => {
    const digits = buttons.map((_, row) => choices.find((other) => other.name === `device-row-${row}` && other.checked)?.value ?? "");
    settle("quietest", digits.every(Boolean) ? digits.join("") : null);
  }, { signal });
  buttons.forEach((button, row) => button.addEventListener("click", async () => {
    buttons.forEach((other) => { other.disabled = true; });
    audio ??= new AudioContext();
    await audio.resume();
    void record("device.tones", { state: audio.state, row, attempt });
    played.add(row);
    allow();
    const line = /** @type {HTMLElement} */ (button.closest(".tone-row"));
    line.classList.add("sounding");
    const last = playRow(audio, rows()[row]);
    last.onended = () => { line.classList.remove("sounding"); buttons.forEach((other) => { other.disabled = false; }); button.focus(); };
  }, { signal }));
  return {
    clear: () => {
      attempt += 1;
      played.clear();
      choices.forEach((choice) => { choice.checked = false; });
      allow();
      settle("quietest", null);
    },
    stop: () => void audio?.close(),
  };
}

/**
 * What both ears get of each tone of a row: `quiet` is softer, `against` has its right side turned over.
 * @param {[quiet: number, against: number]} row @returns {{left: number, right: number}[]}
 */
export function sides([quiet, against]) {
  return Array.from({ length: TONES }, (_, number) => {
    const loud = LOUDNESS * (number === quiet ? QUIETER : 1);
    return { left: loud, right: number === against ? -loud : loud };
  });
}

/** @param {AudioContext} audio @param {[number, number]} row @returns {OscillatorNode} the last tone */
function playRow(audio, row) {
  const begin = audio.currentTime + 0.2;
  const tones = sides(row).map(({ left, right }, number) => {
    const at = begin + number * (TONE_S + GAP_S);
    const tone = new OscillatorNode(audio, { frequency: TONE_HZ });
    const fade = new GainNode(audio, { gain: 0 });
    fade.gain.setValueAtTime(0, at);
    fade.gain.linearRampToValueAtTime(1, at + FADE_S);
    fade.gain.setValueAtTime(1, at + TONE_S - FADE_S);
    fade.gain.linearRampToValueAtTime(0, at + TONE_S);
    const both = new ChannelMergerNode(audio, { numberOfInputs: 2 });
    tone.connect(fade);
    [left, right].forEach((gain, side) => fade.connect(new GainNode(audio, { gain })).connect(both, 0, side));
    both.connect(audio.destination);
    tone.start(at);
    tone.stop(at + TONE_S);
    return tone;
  });
  return tones[tones.length - 1];
}

/**
 * @param {HTMLElement} form @param {any} draft @param {(question: string, value: any) => void} settle
 * @param {Record<string, string>} texts @param {AbortSignal} signal
 */
function turning(form, draft, settle, texts, signal) {
  const line = /** @type {HTMLElement} */ (form.querySelector(".wheel-state"));
  let turned = 0;
  /** @param {boolean} there */
  const show = (there) => {
    line.textContent = texts[there ? "device.turned" : "device.no_wheel"];
    line.classList.toggle("turned", there);
  };
  if (typeof draft === "boolean") show(draft);
  window.addEventListener("wheel", (event) => {
    if (event.ctrlKey || !event.deltaY) return;
    turned += Math.abs(event.deltaY) * PIXELS[event.deltaMode];
    if (turned < TURNED_PX) return;
    settle("wheel", true);
    show(true);
  }, { signal, passive: true });
  /** @type {HTMLElement} */ (form.querySelector(".no-wheel")).addEventListener("click", () => {
    turned = 0;
    settle("wheel", false);
    show(false);
  }, { signal });
}
