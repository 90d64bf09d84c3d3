// @ts-check
/** The stimuli a text is about, shown by the participants' players at the moment it refers to. They record nothing here. */

const POLICY = {
  pause: true,
  seek: true,
  replay: true,
  max_views: null,
  must_finish: false,
  volume: true,
  speeds: [0.5, 1, 2],
  speed: 1,
  zoom: true,
};
/** A text refers to what was just seen. */
const BEFORE_MS = 2000;

/** @param {number} ms */
const clock = (ms) =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}`;

/** @param {HTMLElement} root @param {any} media */
export function createStage(root, media) {
  /** @type {any[]} */
  let players = [];
  let turn = 0;
  let loaded = false;

  function clear() {
    turn++;
    for (const player of players) player.destroy();
    players = [];
    root.replaceChildren();
  }

  async function styles() {
    if (loaded) return;
    loaded = true;
    for (const href of media.styles)
      document.head.append(
        Object.assign(document.createElement("link"), { rel: "stylesheet", href }),
      );
  }

  /** @param {string} player @param {string} src */
  async function load(player, src) {
    const [{ create }, source] = await Promise.all([
      import(media.players[player]),
      player === "replay" ? fetch(src).then((reply) => reply.blob()) : src,
    ]);
    return { create, source };
  }

  return {
    clear,
    /** @param {number} number @param {number | undefined | null} moment_ms */
    async show(number, moment_ms) {
      clear();
      const own = turn;
      const names = media.texts[number] ?? [];
      if (!names.length) return;
      await styles();
      const from = Math.max(0, (moment_ms ?? 0) - BEFORE_MS);
      for (const [index, name] of names.entries()) {
        const { player, src } = media.sources[name];
        const figure = document.createElement("figure");
        const place = document.createElement("div");
        if (names.length > 1 || moment_ms != null) {
          const letter = names.length > 1 ? `Video ${String.fromCharCode(65 + index)}` : "";
          const moment = moment_ms != null ? `at ${clock(moment_ms)}` : "";
          figure.append(
            Object.assign(document.createElement("figcaption"), {
              textContent: [letter, moment].filter(Boolean).join(" "),
            }),
          );
        }
        figure.append(place);
        root.append(figure);
        const loaded = await load(player, src).catch(() => null);
        if (own !== turn) return;
        if (!loaded) {
          place.replaceChildren(
            Object.assign(document.createElement("p"), {
              className: "soft",
              textContent: "This cannot be shown now: no connection.",
            }),
          );
          continue;
        }
        const { create, source } = loaded;
        const keys = new EventTarget();
        players.push(
          create(place, {
            src: source,
            policy: POLICY,
            texts: media.words,
            record: () => undefined,
            seen: { views: 0, position_ms: from },
            keys,
          }),
        );
      }
    },
    /** Plays all of them, or halts them. */
    toggle() {
      const running = players.some((player) => !player.paused);
      for (const player of players)
        if (running) player.pause();
        else void player.play();
    },
  };
}
