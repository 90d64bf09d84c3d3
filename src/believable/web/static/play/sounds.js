// @ts-check
/**
 * Sounds of games, made of noise and tones when they are needed, so that nothing has to be loaded. Knows no world.
 *
 * @typedef {{noise?: [from_hz: number, to_hz: number], tone?: [from_hz: number, to_hz: number], type?: OscillatorType, gain: number, lasts_s: number}} Voice
 */

/**
 * Puts a sound on its way.
 * @param {BaseAudioContext} audio @param {AudioNode} to @param {Voice[]} voices @param {{gain?: number, pan?: number, at_s?: number}} [how]
 */
export function play(audio, to, voices, { gain = 1, pan = 0, at_s = audio.currentTime } = {}) {
  const side = new StereoPannerNode(audio, { pan });
  side.connect(to);
  for (const voice of voices) {
    const [from_hz, to_hz] = /** @type {[number, number]} */ (voice.noise ?? voice.tone);
    const end_s = at_s + voice.lasts_s;
    const loud = new GainNode(audio, { gain: 0 });
    loud.gain.setValueAtTime(0, at_s);
    loud.gain.linearRampToValueAtTime(voice.gain * gain, at_s + 0.004);
    loud.gain.exponentialRampToValueAtTime(0.0005, end_s);
    loud.connect(side);
    /** @type {AudioScheduledSourceNode} */ let source;
    if (voice.noise) {
      const filter = new BiquadFilterNode(audio, { type: "lowpass", frequency: from_hz });
      filter.frequency.setValueAtTime(from_hz, at_s);
      filter.frequency.exponentialRampToValueAtTime(to_hz, end_s);
      source = new AudioBufferSourceNode(audio, { buffer: noise(audio), loop: true });
      source.connect(filter).connect(loud);
    } else {
      const tone = new OscillatorNode(audio, { type: voice.type ?? "sine", frequency: from_hz });
      tone.frequency.setValueAtTime(from_hz, at_s);
      tone.frequency.exponentialRampToValueAtTime(to_hz, end_s);
      source = tone;
      source.connect(loud);
    }
    source.start(at_s);
    source.stop(end_s);
  }
}

/** @type {WeakMap<BaseAudioContext, AudioBuffer>} */
const noises = new WeakMap();

/** Half a second of noise, the same each time. @param {BaseAudioContext} audio */
function noise(audio) {
  const ready = noises.get(audio);
  if (ready) return ready;
  const buffer = new AudioBuffer({
    length: Math.round(audio.sampleRate / 2),
    sampleRate: audio.sampleRate,
  });
  const samples = buffer.getChannelData(0);
  let state = 1;
  for (let i = 0; i < samples.length; i += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    samples[i] = state / 2 ** 31 - 1;
  }
  noises.set(audio, buffer);
  return buffer;
}

/**
 * The sounds of a round on the page, with the switch that silences them. Sound begins with the first click or key, as browsers want it.
 * @param {HTMLElement} form @param {Record<string, Voice[]>} sounds by their names
 */
export function createSpeaker(form, sounds) {
  const leaving = new AbortController();
  const { signal } = leaving;
  const wanted = /** @type {HTMLInputElement | null} */ (form.querySelector(".sound input"));
  /** @type {AudioContext | null} */ let audio = null;
  /** @type {GainNode | null} */ let all = null;
  const begin = () => {
    audio ??= new AudioContext();
    if (!all) {
      all = new GainNode(audio, { gain: 0.5 });
      all.connect(audio.destination);
    }
    if (audio.state === "suspended") void audio.resume();
  };
  for (const name of ["pointerdown", "keydown"]) document.addEventListener(name, begin, { signal });
  // The keys belong to the game again at once.
  wanted?.addEventListener(
    "change",
    () => /** @type {HTMLElement} */ (form.querySelector(".field canvas")).focus(),
    { signal },
  );
  return {
    /** @param {string} name @param {{gain?: number, pan?: number}} [how] */
    say(name, how) {
      if (audio && all && audio.state === "running" && (wanted?.checked ?? true))
        play(audio, all, sounds[name] ?? [], how);
    },
    destroy: () => {
      leaving.abort();
      void audio?.close();
    },
  };
}
