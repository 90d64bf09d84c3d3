// Generated from `believable.pages.message` by `make reference`; do not edit by hand.

export interface MediumPart {
  url: string;
  bytes: number;
  /** Name of the player. */
  player: string;
  /** Address of a video's action log, where the page shows it; a recording has its own inside. */
  log: string | null;
  /** If the medium is a round that the participant played: the position of the page on which it was played. */
  round: number | null;
}

export interface SeenPart {
  views: number;
  position_ms: number;
  /** The parts that were shown: from, to. */
  watched: [number, number][];
}

export interface SeveralPart {
  /** Whether they have common controls. */
  together: boolean;
  /** The views after which the questions appear. */
  watch: "all" | "any";
  each: SeenPart[];
}

export interface DevicePart {
  /** Of each row, the sound of its tones: one period, 16-bit samples at 8000 Hz, left and right in turn, as Base64; null: headphones are not checked. Which one is quieter is not said. */
  tones: string[][] | null;
  /** Those of later attempts. */
  later: (string[][] | null)[];
  wheel: boolean;
  /** The attempt that is open, from 1. */
  attempt: number;
}

export interface SignalPart {
  test: "visual" | "auditory";
  duration_ms: number;
  /** Time in milliseconds and level. */
  corners: [number, number][];
}

export interface PlayPart {
  world: string;
  practice: boolean;
  on_loss: "resume" | "restart";
  duration_s: number;
  /** Beginning of the keys of its texts. */
  words: string;
  /** The server sends pictures. */
  rendered: boolean;
  /** Address of the module that shows the game. */
  script: string;
}

export interface OverlayPart {
  plan: boolean;
  log: boolean;
}

export interface AnnotatePart {
  /** Name of the instrument. */
  kind: string;
  params: Record<string, any>;
  /** Address of the module of its practice page, on a practice page. */
  practice: string | null;
  tries: number;
}

export interface ControlsPart {
  pause: boolean;
  seek: boolean;
  replay: boolean;
  max_views: number | null;
  must_finish: boolean;
  watched_share: number;
  volume: boolean;
  speeds: number[];
  speed: number;
  first_speed_limit: number | null;
  zoom: boolean;
  follow: boolean;
}

export interface TrialMessage {
  position: number;
  total: number;
  /** About how long the session still takes. */
  minutes_left: number;
  kind: string;
  html: string;
  styles: string[];
  /** Instrument or player → address of its module. */
  modules: Record<string, string>;
  media: MediumPart[];
  /** The small pictures with which the page reminds of earlier ones. */
  stills: MediumPart[];
  /** Each with `id`, `kind`, `required`, `params` and, where the browser has to follow a rule, `show_if`. */
  questions: Record<string, any>[];
  /** Consent boxes. */
  boxes: string[];
  /** The entries before a reload, by question. */
  drafts: Record<string, any>;
  /** Question → the order its options are shown in. */
  orders: Record<string, string[]>;
  controls: ControlsPart | null;
  overlay: OverlayPart | null;
  /** The overlays that were opened already. */
  opened: string[];
  seen: SeenPart;
  several: SeveralPart | null;
  device: DevicePart | null;
  signal: SignalPart | null;
  play: PlayPart | null;
  /** Seconds before people can continue. */
  wait_s: number;
  annotate: AnnotatePart | null;
  /** Events of the annotation until now: number, kind, data. */
  saved: [number, string, Record<string, any>][];
  /** The kinds of those events. */
  streams: string[];
}
