// @ts-check
/** Whether sound and wheel work: plays tones that are to be counted, and waits for the wheel. */

/** The wheel counts as turned after this distance in pixels: two notches in most browsers. Fast notches may come as one event. */
const TURNED_PX = 200;
/** Pixels of a line and of a page, for browsers that count in those. */
const PIXELS = [1, 40, 400];
const TONE_S = 0.25;
const GAP_S = 0.45;
const TONE_HZ = 440;

/**
 * @param {HTMLElement} form @param {{tones: number | null, later: number[], wheel: boolean}} device `later`: tones of further attempts
 * @param {Record<string, any>} drafts
 * @param {{record: (kind: string, data?: any) => unknown, texts: Record<string, string>}} outside
 * @returns {{answers: () => Record<string, any>, again: () => void, stop: () => void}} `again`: the answers were not accepted
 */
export function device(form, { tones, later, wheel }, drafts, { record, texts }) {
  /** @type {Record<string, any>} */
  const found = {};
  const leaving = new AbortController();
  const { signal } = leaving;
  /** @param {string} question @param {any} value */
  const settle = (question, value) => {
    if (found[question] === value) return;
    found[question] = value;
    void record("answer.change", { question, value });
  };
  const counts = [tones, ...later];
  const next = () => /** @type {number} */ (counts[0]);
  const ear = tones === null ? null : sound(form, next, drafts.heard, settle, record, signal);
  if (wheel) turning(form, drafts.wheel, settle, texts, signal);
  for (const part of form.querySelectorAll(".device input, .device button")) part.removeAttribute("disabled"); // only now does it listen
  if (typeof drafts.heard === "number") found.heard = drafts.heard;
  if (typeof drafts.wheel === "boolean") found.wheel = drafts.wheel;
  return {
    answers: () => found,
    again: () => {
      // Something left open is no attempt; after one there are other tones to count.
      if (!ear || typeof found.heard !== "number" || (wheel && typeof found.wheel !== "boolean") || counts.length < 2) return;
      counts.shift();
      ear.clear();
    },
    stop: () => { leaving.abort(); ear?.stop(); },
  };
}

/**
 * @param {HTMLElement} form @param {() => number} count @param {any} draft @param {(question: string, value: any) => void} settle
 * @param {(kind: string, data?: any) => unknown} record @param {AbortSignal} signal
 */
function sound(form, count, draft, settle, record, signal) {
  const input = /** @type {HTMLInputElement} */ (form.querySelector("#device-heard"));
  const button = /** @type {HTMLButtonElement} */ (form.querySelector(".tones"));
  /** @type {AudioContext | undefined} */
  let audio;
  if (typeof draft === "number") input.value = String(draft);
  input.addEventListener("input", () => {
    const typed = input.value.trim();
    settle("heard", /^\d+$/.test(typed) ? Number(typed) : null);
  }, { signal });
  button.addEventListener("click", async () => {
    button.disabled = true;
    audio ??= new AudioContext();
    await audio.resume();
    void record("device.tones", { state: audio.state });
    const last = beep(audio, count());
    last.onended = () => { button.disabled = false; };
  }, { signal });
  return {
    clear: () => { input.value = ""; settle("heard", null); },
    stop: () => void audio?.close(),
  };
}

/** @param {AudioContext} audio @param {number} count @returns {OscillatorNode} the last tone */
function beep(audio, count) {
  const begin = audio.currentTime + 0.2;
  const tones = Array.from({ length: count }, (_, number) => {
    const tone = new OscillatorNode(audio, { frequency: TONE_HZ });
    const loud = new GainNode(audio, { gain: 0 });
    const at = begin + number * (TONE_S + GAP_S);
    loud.gain.setValueAtTime(0, at);
    loud.gain.linearRampToValueAtTime(0.3, at + 0.02);
    loud.gain.setValueAtTime(0.3, at + TONE_S - 0.02);
    loud.gain.linearRampToValueAtTime(0, at + TONE_S);
    tone.connect(loud).connect(audio.destination);
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
