// @ts-check
/** Whether people wear headphones and have a wheel: plays rows of tones of which the quietest is to be found, and waits for the wheel. */

/** The wheel counts as turned after this distance in pixels: two notches in most browsers. Fast notches may come as one event. */
const TURNED_PX = 200;
/** Pixels of a line and of a page, for browsers that count in those. */
const PIXELS = [1, 40, 400];
const TONE_S = 0.7;
const GAP_S = 0.3;
const FADE_S = 0.05;
/** Of the samples that the server sends. */
const RATE_HZ = 8000;

/**
 * @param {HTMLElement} form
 * @param {{device: {tones: string[][] | null, later: (string[][] | null)[], wheel: boolean, attempt: number} | null, drafts: Record<string, any>, saved: [number, string, any][]}} trial
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
  const rows = () => /** @type {string[][]} */ (tries[0]);
  const played = new Set(
    saved
      .filter(([, kind, data]) => kind === "device.tones" && data.attempt === attempt)
      .map(([, , data]) => data.row),
  );
  if (wheel) turning(form, drafts.wheel, settle, texts, signal);
  for (const part of form.querySelectorAll(".device button")) part.removeAttribute("disabled"); // only now does it listen
  const ear =
    tones === null
      ? null
      : sound(form, rows, { quietest: drafts.quietest, attempt, played }, settle, record, signal);
  if (typeof drafts.quietest === "string") answers.quietest = drafts.quietest;
  if (typeof drafts.wheel === "boolean") answers.wheel = drafts.wheel;
  return {
    answers: () => answers,
    again: () => {
      // Something left open is no attempt; after one there are other tones to count.
      if (
        !ear ||
        typeof answers.quietest !== "string" ||
        (wheel && typeof answers.wheel !== "boolean") ||
        tries.length < 2
      )
        return;
      tries.shift();
      ear.clear();
    },
    stop: () => {
      leaving.abort();
      ear?.stop();
    },
  };
}

/**
 * The tones of a row can be judged once the row was played.
 * @param {HTMLElement} form @param {() => string[][]} rows
 * @param {{quietest: any, attempt: number, played: Set<number>}} before what was done before a reload
 * @param {(question: string, value: any) => void} settle
 * @param {(kind: string, data?: any) => unknown} record @param {AbortSignal} signal
 */
function sound(form, rows, { quietest: draft, attempt, played }, settle, record, signal) {
  const buttons = /** @type {HTMLButtonElement[]} */ (Array.from(form.querySelectorAll(".tones")));
  const choices = /** @type {HTMLInputElement[]} */ (
    Array.from(form.querySelectorAll(".tone-row input"))
  );
  /** @type {AudioContext | undefined} */
  let audio;
  const allow = () =>
    choices.forEach((choice) => {
      choice.disabled = !played.has(Number(choice.name.split("-").at(-1)));
    });
  allow();
  if (typeof draft === "string")
    choices.forEach((choice) => {
      choice.checked = draft[Number(choice.name.split("-").at(-1))] === choice.value;
    });
  for (const choice of choices)
    choice.addEventListener(
      "change",
      () => {
        const digits = buttons.map(
          (_, row) =>
            choices.find((other) => other.name === `device-row-${row}` && other.checked)?.value ??
            "",
        );
        settle("quietest", digits.every(Boolean) ? digits.join("") : null);
      },
      { signal },
    );
  buttons.forEach((button, row) =>
    button.addEventListener(
      "click",
      async () => {
        buttons.forEach((other) => {
          other.disabled = true;
        });
        audio ??= new AudioContext();
        await audio.resume();
        void record("device.tones", { state: audio.state, row, attempt });
        played.add(row);
        allow();
        const line = /** @type {HTMLElement} */ (button.closest(".tone-row"));
        line.classList.add("sounding");
        const last = playRow(audio, rows()[row]);
        last.onended = () => {
          line.classList.remove("sounding");
          buttons.forEach((other) => {
            other.disabled = false;
          });
          button.focus();
        };
      },
      { signal },
    ),
  );
  return {
    clear: () => {
      attempt += 1;
      played.clear();
      choices.forEach((choice) => {
        choice.checked = false;
      });
      allow();
      settle("quietest", null);
    },
    stop: () => void audio?.close(),
  };
}

/**
 * What both ears get of a tone: one period of it. Which tone is quieter is known to the server alone.
 * @param {string} wave 16-bit samples, left and right in turn, as Base64 @returns {[left: Float32Array<ArrayBuffer>, right: Float32Array<ArrayBuffer>]}
 */
export function sides(wave) {
  const bytes = new DataView(Uint8Array.from(atob(wave), (sign) => sign.charCodeAt(0)).buffer);
  const ear = (/** @type {number} */ side) =>
    Float32Array.from(
      { length: bytes.byteLength / 4 },
      (_, at) => bytes.getInt16(4 * at + 2 * side, true) / 32_767,
    );
  return [ear(0), ear(1)];
}

/** @param {AudioContext} audio @param {string[]} row @returns {AudioBufferSourceNode} the last tone */
function playRow(audio, row) {
  const begin = audio.currentTime + 0.2;
  const tones = row.map((wave, number) => {
    const at = begin + number * (TONE_S + GAP_S);
    const ears = sides(wave);
    const buffer = new AudioBuffer({
      numberOfChannels: 2,
      length: ears[0].length,
      sampleRate: RATE_HZ,
    });
    ears.forEach((samples, side) => buffer.copyToChannel(samples, side));
    const tone = new AudioBufferSourceNode(audio, { buffer, loop: true });
    const fade = new GainNode(audio, { gain: 0 });
    fade.gain.setValueAtTime(0, at);
    fade.gain.linearRampToValueAtTime(1, at + FADE_S);
    fade.gain.setValueAtTime(1, at + TONE_S - FADE_S);
    fade.gain.linearRampToValueAtTime(0, at + TONE_S);
    tone.connect(fade).connect(audio.destination);
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
  window.addEventListener(
    "wheel",
    (event) => {
      if (event.ctrlKey || !event.deltaY) return;
      turned += Math.abs(event.deltaY) * PIXELS[event.deltaMode];
      if (turned < TURNED_PX) return;
      settle("wheel", true);
      show(true);
    },
    { signal, passive: true },
  );
  /** @type {HTMLElement} */ (form.querySelector(".no-wheel")).addEventListener(
    "click",
    () => {
      turned = 0;
      settle("wheel", false);
      show(false);
    },
    { signal },
  );
}
