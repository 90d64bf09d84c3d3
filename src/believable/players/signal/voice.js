// @ts-check
/** The tone of a quality test: a triangle wave that follows the signal. */
import { PITCH_HZ, between, levelAt } from "./course.js";

const LOUDNESS = 0.25;
/** How long the browser may take to let sound begin. */
const PATIENCE_MS = 3000;

/** @param {import("./course.js").Signal} signal */
export function voice(signal) {
  /** @type {AudioContext | undefined} */
  let audio;
  /** @type {OscillatorNode | undefined} */
  let tone;

  function stop() {
    tone?.stop();
    tone?.disconnect();
    tone = undefined;
  }

  return {
    /** @returns {Promise<boolean>} whether sound can begin; browsers want a click first */
    wake: async () => {
      audio ??= new AudioContext();
      await Promise.race([
        audio.resume(),
        new Promise((resolve) => setTimeout(resolve, PATIENCE_MS)),
      ]);
      return audio.state === "running";
    },
    /** @param {number} ms where the signal is now @param {number} rate */
    start: (ms, rate) => {
      stop();
      if (!audio) return;
      const now = audio.currentTime;
      tone = new OscillatorNode(audio, { type: "triangle" });
      tone.frequency.setValueAtTime(between(PITCH_HZ, levelAt(signal, ms)), now);
      for (const [at, level] of signal.corners) {
        if (at > ms)
          tone.frequency.linearRampToValueAtTime(
            between(PITCH_HZ, level),
            now + (at - ms) / 1000 / rate,
          );
      }
      tone.connect(new GainNode(audio, { gain: LOUDNESS })).connect(audio.destination);
      tone.start(now);
    },
    stop,
    close: () => {
      stop();
      void audio?.close();
    },
  };
}
