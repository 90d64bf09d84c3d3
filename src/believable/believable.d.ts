/**
 * What browser scripts of instruments, players and pages export, and what they get.
 *
 * A package of your own points to this file in its tsconfig.json: `"paths": {"believable": ["…/believable.d.ts"]}`.
 * `python -c "import believable; print(*believable.__path__)"` prints its folder.
 */

/** The sentences of the page in the participant's language, by key. */
export type Texts = Readonly<Record<string, string>>;

/** Keeps an event. `mono_ms`: the time stamp of the input, on the page's monotonic clock. */
export type RecordEvent = (kind: string, data?: any, at?: { mono_ms?: number }) => unknown;

/** A player, whatever it shows. Times are in milliseconds of the medium. */
export interface Player {
  readonly time_ms: number;
  readonly duration_ms: number;
  /** Whether it plays and is not stalled. Only then is anything annotated. */
  readonly running: boolean;
  readonly rate: number;
  play(): unknown;
  pause(): unknown;
  seek(ms: number): unknown;
  on(name: string, listener: (...given: any[]) => void): unknown;
  /** What was on screen at this time of the page's monotonic clock. */
  moment(mono_ms: number): { media_ms: number; frame: number | null };
  destroy(): unknown;
}

/** `widget.js` of an instrument that is asked. `null`: nothing was answered. */
export interface AnsweringWidget {
  read(root: HTMLElement): unknown;
  write(root: HTMLElement, value: any): void;
  mount?(root: HTMLElement, context?: any): unknown;
}

/** What an instrument that annotates gets. `saved`: the events of this trial before a reload. */
export interface MountContext<Params> {
  player: Player;
  params: Params;
  texts: Texts;
  record: RecordEvent;
  saved: [string, any][];
}

export type Mount<Params = any> = (
  root: HTMLElement,
  context: MountContext<Params>,
) => { destroy(): unknown };

/** `widget.js` of an instrument that annotates. */
export interface AnnotatingWidget {
  mount: Mount;
}

/** `player.js`. */
export interface PlayerModule {
  create(root: HTMLElement, options: any): Player;
}

/** What a page's script gets beside its trial. */
export interface Outside {
  texts: Texts;
  record: RecordEvent;
  [more: string]: any;
}

/** What a page's script may return. */
export interface ShownPage {
  /** Answers that are in no field of the form. */
  answers?(): Record<string, any>;
  /** The answers were not accepted. */
  again?(): unknown;
  /** Whether the page cannot be left yet. */
  waits?(): boolean;
  /** The page is left. */
  stop?(): unknown;
}

type Perhaps<T> = T | void | undefined;

/** `page.js`. */
export interface PageModule {
  show(
    form: HTMLFormElement,
    trial: any,
    outside: any,
    signal: AbortSignal,
  ): Perhaps<ShownPage> | Promise<Perhaps<ShownPage>>;
}
