/** Every script of ours keeps the contract of `believable.d.ts`: `tsc` reports one that does not. */
import type { AnnotatingWidget, AnsweringWidget, PageModule, PlayerModule } from "believable";

type Keeps<Contract, _Script extends Contract> = true;

export type instruments_btrace = Keeps<
  AnnotatingWidget,
  typeof import("/static/instruments/btrace/widget.js")
>;
export type instruments_certainty = Keeps<
  AnsweringWidget,
  typeof import("/static/instruments/certainty/widget.js")
>;
export type instruments_choice = Keeps<
  AnsweringWidget,
  typeof import("/static/instruments/choice/widget.js")
>;
export type instruments_choices = Keeps<
  AnsweringWidget,
  typeof import("/static/instruments/choices/widget.js")
>;
export type instruments_clip_rating = Keeps<
  AnsweringWidget,
  typeof import("/static/instruments/clip_rating/widget.js")
>;
export type instruments_flags = Keeps<
  AnnotatingWidget,
  typeof import("/static/instruments/flags/widget.js")
>;
export type instruments_gtrace = Keeps<
  AnnotatingWidget,
  typeof import("/static/instruments/gtrace/widget.js")
>;
export type instruments_likert = Keeps<
  AnsweringWidget,
  typeof import("/static/instruments/likert/widget.js")
>;
export type instruments_long_text = Keeps<
  AnsweringWidget,
  typeof import("/static/instruments/long_text/widget.js")
>;
export type instruments_matrix = Keeps<
  AnsweringWidget,
  typeof import("/static/instruments/matrix/widget.js")
>;
export type instruments_number = Keeps<
  AnsweringWidget,
  typeof import("/static/instruments/number/widget.js")
>;
export type instruments_preference = Keeps<
  AnsweringWidget,
  typeof import("/static/instruments/preference/widget.js")
>;
export type instruments_ranktrace = Keeps<
  AnnotatingWidget,
  typeof import("/static/instruments/ranktrace/widget.js")
>;
export type instruments_slider = Keeps<
  AnsweringWidget,
  typeof import("/static/instruments/slider/widget.js")
>;
export type instruments_text = Keeps<
  AnsweringWidget,
  typeof import("/static/instruments/text/widget.js")
>;
export type players_replay = Keeps<PlayerModule, typeof import("/static/players/replay/player.js")>;
export type players_video = Keeps<PlayerModule, typeof import("/static/players/video/player.js")>;
export type pages_break = Keeps<PageModule, typeof import("/static/pages/break/page.js")>;
export type pages_compare = Keeps<PageModule, typeof import("/static/pages/compare/page.js")>;
export type pages_device = Keeps<PageModule, typeof import("/static/pages/device/page.js")>;
export type pages_practice = Keeps<PageModule, typeof import("/static/pages/practice/page.js")>;
export type pages_watch = Keeps<PageModule, typeof import("/static/pages/watch/page.js")>;
