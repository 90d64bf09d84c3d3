// @ts-check
/**
 * Pages with several players: a comparison side by side, or a group of clips with questions at each.
 *
 * @typedef {import("/static/participant/trial.js").TrialData} TrialData
 * @typedef {import("/static/participant/trial.js").Outside} Outside
 */
import { coverage } from "/static/participant/coverage.js";
import { bringIntoSight, keepInSight, leadTo, offerFocus } from "/static/participant/focus.js";
import { createLoading } from "/static/participant/loading.js";
import { load } from "/static/participant/scripts.js";

/**
 * @param {HTMLFormElement} form @param {TrialData} trial @param {Outside} outside @param {AbortSignal} signal
 */
export async function show(form, trial, { texts, record }, signal) {
  const layout = /** @type {NonNullable<TrialData["several"]>} */ (trial.several);
  const asked = /** @type {import("/static/players/video/policy.js").Policy} */ (trial.controls);
  // Never the browser's own controls, because there are several; and no lengths, because they could give a clip away.
  const policy = { ...asked, must_finish: true, clock: false };
  const panes = /** @type {HTMLElement[]} */ (Array.from(form.querySelectorAll(".pane")));
  const creators = await Promise.all(
    trial.media.map(async ({ player }) => (await load(trial.modules[player])).create),
  );
  const seen = layout.each.map((before) => coverage(before, asked));
  /** @type {any[]} */
  let players = [];
  let stop = () => undefined;
  /** @type {{destroy: () => void}[]} */
  const screens = [];

  /** Shows the questions that may be answered by now. @returns {HTMLElement | null} what is new */
  function open() {
    const enough = seen.map((clip) => clip.enough);
    const about =
      panes
        .map((pane, number) => reveal(pane, ".about", ".clip-first", enough[number]))
        .find(Boolean) ?? null;
    const whole = reveal(
      form,
      ".after",
      ".page-first",
      layout.watch === "any" ? enough.some(Boolean) : enough.every(Boolean),
    );
    return about ?? whole;
  }
  open();

  /** What players are called, each with its own letter or number. @param {string[]} keys @param {string} label */
  const named = (keys, label) =>
    Object.fromEntries(keys.map((key) => [key, `${texts[key]} ${label}`]));
  const loading = createLoading(form, trial.media, texts, signal);
  void loading.media().then(async (sources) => {
    const box = /** @type {HTMLElement} */ (form.querySelector(".panes"));
    players = panes.map((pane, number) =>
      creators[number](pane.querySelector(".player"), {
        src: sources[number],
        policy,
        seen: layout.each[number],
        wasWatched: () => seen[number].complete,
        texts: {
          ...texts,
          ...named(
            ["media.label", "replay.label"],
            pane.querySelector(".pane-label")?.textContent ?? "",
          ),
        },
        record: (/** @type {string} */ kind, /** @type {any} */ data) => {
          seen[number].note(kind, data);
          return record(kind, { ...data, player: number });
        },
        keys: layout.together ? new EventTarget() : pane,
      }),
    );
    const settled = players.map(
      (player, number) =>
        new Promise((resolve) => {
          player.on("ready", () => resolve(true));
          for (const name of ["ended", "pause"])
            player.on(name, () => {
              const news = open();
              if (!news || players.some((other) => !other.paused)) return;
              if (news.matches(".about")) bringIntoSight(news, texts["watch.opened"]);
              else leadTo(news, texts["watch.opened"]);
            });
          player.on("trouble", (/** @type {any} */ error) => {
            if (!error || error.name) return;
            loading.failed();
            resolve(false);
          });
          if (!layout.together)
            player.on("play", () => {
              players.forEach((other) => {
                if (other !== player && !other.paused) other.pause("other");
              });
              keepInSight(panes[number]?.querySelector(".player") ?? form); // its button may be seen below the questions of another
            });
        }),
    );
    if (form.querySelector("canvas[data-still]"))
      void import("/static/participant/stills.js")
        .then(({ drawStills }) =>
          drawStills(
            form,
            trial.media.map(({ player }, number) => ({ player, src: sources[number] })),
            trial.modules,
          ),
        )
        .catch(() => undefined);
    const [common, missing, { offerFullScreen }, ...ready] = await Promise.all([
      layout.together ? load(() => import("/static/pages/compare/together.js")) : null,
      asked.must_finish && asked.seek ? load(() => import("/static/participant/missing.js")) : null,
      load(() => import("/static/participant/full_screen.js")),
      ...settled,
    ]);
    if (signal.aborted) return;
    // All at once: controls that still move are missed.
    loading.over();
    box.hidden = false;
    open(); // after a reload
    panes.forEach((pane, number) => {
      if (ready[number])
        missing?.showMissing(
          /** @type {HTMLElement} */ (pane.querySelector(".missing")),
          players[number],
          seen[number],
          trial,
          texts,
        );
    });
    if (!common) {
      panes.forEach((pane, number) => {
        const clip = /** @type {HTMLElement} */ (pane.querySelector(".player"));
        screens.push(
          offerFullScreen(clip, clip.querySelector(".controls"), [players[number]], texts),
        );
      });
      offerFocus(form.querySelector(".pane button"));
    } else if (ready.every(Boolean)) {
      const bar = /** @type {HTMLElement} */ (form.querySelector(".common"));
      stop = common.commonControls(bar, players, policy, texts);
      screens.push(
        offerFullScreen(
          /** @type {HTMLElement} */ (form.querySelector(".several")),
          bar.querySelector(".controls"),
          players,
          texts,
        ),
      );
      offerFocus(bar.querySelector("button"));
    }
  }, loading.failed);
  return {
    stop: () => {
      stop();
      screens.forEach((screen) => screen.destroy());
      players.forEach((player) => player.destroy());
    },
  };
}

/**
 * @param {HTMLElement} root @param {string} what @param {string} instead @param {boolean} now
 * @returns {HTMLElement | null} what was hidden until now
 */
function reveal(root, what, instead, now) {
  const shown = /** @type {HTMLElement | null} */ (root.querySelector(what));
  const placeholder = /** @type {HTMLElement | null} */ (root.querySelector(instead));
  const news = Boolean(shown?.hidden) && now;
  if (shown && now) shown.hidden = false;
  if (placeholder) placeholder.hidden = now;
  return news ? shown : null;
}
