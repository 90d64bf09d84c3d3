// @ts-check
/**
 * One player, with what may stand beside it: an annotating instrument, plan and log. Questions come when it was watched.
 *
 * @typedef {import("/static/participant/trial.js").TrialData} TrialData
 * @typedef {import("/static/participant/trial.js").Outside} Outside
 */
import { coverage } from "/static/participant/coverage.js";
import { leadTo, offerFocus } from "/static/participant/focus.js";
import { createLoading } from "/static/participant/loading.js";
import { load } from "/static/participant/scripts.js";

/** @param {HTMLFormElement} form @param {TrialData} trial @param {Outside} outside @param {AbortSignal} signal */
export async function show(form, trial, outside, signal) {
  const { texts } = outside;
  const policy = /** @type {import("/static/players/video/policy.js").Policy} */ (trial.controls);
  const after = /** @type {HTMLElement} */ (form.querySelector(".after"));
  const first = /** @type {HTMLElement} */ (form.querySelector(".first"));
  const seen = coverage(trial.seen, policy);
  /** @type {Outside["record"]} */
  const record = (kind, data, options) => {
    seen.note(kind, data);
    return outside.record(kind, data, options);
  };
  /** Shows what may be answered by now, once. @returns {boolean} whether something new is there */
  const open = () => {
    if (!after.hidden || !seen.enough) return false;
    after.hidden = false;
    first.hidden = true;
    return true;
  };
  open();
  const medium = trial.signal ? null : trial.media[0];
  const [{ create }, annotate, beside, missing] = await Promise.all([
    load(trial.modules[medium?.player ?? "signal"]),
    trial.annotate
      ? load(() => import("/static/participant/annotate.js")).then(({ annotator }) =>
          annotator(form, trial, outside),
        )
      : null,
    trial.overlay?.plan || trial.overlay?.log
      ? load(() => import("/static/participant/beside.js"))
      : null,
    policy.must_finish && policy.seek ? load(() => import("/static/participant/missing.js")) : null,
  ]);
  const loading = createLoading(form, medium ? [medium] : [], texts, signal);
  /** @type {any} */
  let player = null;
  /** @type {{destroy: () => void} | undefined} */
  let annotation;
  /** @type {{destroy: () => void} | undefined} */
  let screen;
  void Promise.all([
    loading.media(),
    beside && medium?.log ? loading.get(medium.log).then(beside.unpack) : null,
  ]).then(([[src], log]) => {
    const root = /** @type {HTMLElement} */ (form.querySelector(".player"));
    player = create(root, {
      src: src ?? trial.signal,
      policy,
      texts,
      record,
      seen: trial.seen,
      wasWatched: () => seen.complete,
    });
    const shown = () => {
      loading.over();
      root.hidden = false;
    };
    player.on("ready", () => {
      shown();
      open(); // after a reload
      beside?.showBeside(/** @type {HTMLElement} */ (form.querySelector(".beside")), {
        player,
        actions: log ?? player.log,
        overlay: /** @type {{plan: boolean, log: boolean}} */ (trial.overlay),
        seekable: policy.seek,
        texts,
        record,
      });
      annotation = annotate?.(player);
      missing?.showMissing(
        /** @type {HTMLElement} */ (form.querySelector(".missing")),
        player,
        seen,
        trial,
        texts,
      );
      const bar = root.querySelector(".controls");
      const full = /** @type {HTMLElement | null} */ (form.querySelector(".full-screen"));
      if (bar && full) {
        bar.append(full);
        full.hidden = !document.fullscreenEnabled;
        // The script comes with the first click.
        full.onclick = async () => {
          screen = (await load(() => import("/static/participant/full_screen.js"))).offerFullScreen(
            root,
            bar,
            [player],
            texts,
          );
        };
      }
      offerFocus(root.querySelector("button"));
    });
    // Not while it plays: who fills a gap is led on when it stops.
    // When everybody else has said what ended: a line more would push what is led to out of sight.
    const goOn = () =>
      open() &&
      requestAnimationFrame(() =>
        leadTo(after, texts[trial.questions.length ? "watch.opened" : "watch.done"]),
      );
    player.on("ended", goOn);
    player.on("pause", (/** @type {{reason?: string} | undefined} */ stop) => {
      if (stop?.reason !== "flag") goOn();
    }); // a flag asks first
    player.on("trouble", (/** @type {any} */ error) => {
      if (!error || error.name) return;
      shown();
      loading.failed();
    });
  }, loading.failed);
  return {
    stop: () => {
      annotation?.destroy();
      screen?.destroy();
      player?.destroy();
    },
  };
}
