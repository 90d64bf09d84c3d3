"""Something neutral to watch, made here: a short recording with plan and log, and a short video where videos can be made."""

from __future__ import annotations

import threading
from pathlib import Path

from believable.core.errors import MissingExtra
from believable.replay import file
from believable.replay.records import UNITS_PER_TILE, Action, Actor, PlanStep, Replay, Timing, Track, World
from believable.stimuli import clips
from believable.stimuli.extra import have_av

SECONDS = 12
_FRAME_MS = 100
_WIDTH, _HEIGHT = 16, 9
#: Corners of the way, in tiles, and what is done on the way to the next.
_ROUND = ((2.5, 2.5), (13.5, 2.5), (13.5, 6.5), (2.5, 6.5))
_DOES = ("walk east", "walk south", "walk west", "walk north")
_DOES_BACK = ("walk east", "walk north", "walk west", "walk south")


class Shelf:
    """The files, made when they are first wanted. Several requests may want them at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()

    def names(self) -> tuple[str, ...]:
        """The players that there is something for."""
        return ("replay", "video") if have_av() else ("replay",)

    def files(self, player: str, count: int) -> tuple[str, ...]:
        """The paths, below the folder, of one or two things that this player shows."""
        with self._lock:
            return self._replays(count) if player == "replay" else self._videos(count)

    def _replays(self, count: int) -> tuple[str, ...]:
        paths = [self.folder / f"{name}.replay.json.gz" for name in ("shown", "other")[:count]]
        for path, back in zip(paths, (False, True), strict=False):
            if not path.is_file():
                file.write(walk(back=back), path)
        return tuple(path.name for path in paths)

    def _videos(self, count: int) -> tuple[str, ...]:
        if not have_av():
            raise MissingExtra(what="showing a video in the gallery", extra="video")
        wanted = clips.clip_set(scenarios=["garden"])[:count]
        for clip in wanted:
            if not (self.folder / f"{clip.id}.mp4").is_file():
                clips.generate(self.folder, [clip], duration_s=SECONDS)
        return tuple(f"{clip.id}.mp4" for clip in wanted)


def walk(*, back: bool = False) -> Replay:
    """Somebody who walks around once, side by side with a plan and a log of it; `back` goes the other way around."""
    frames = SECONDS * 1000 // _FRAME_MS
    corners, does, turn = (_ROUND[::-1], _DOES_BACK, -90) if back else (_ROUND, _DOES, 90)
    leg = frames // len(_ROUND)
    xs, ys, headings = [], [], []
    for frame in range(frames):
        at, part = divmod(frame, leg)
        (x0, y0), (x1, y1) = corners[at % len(corners)], corners[(at + 1) % len(corners)]
        share = part / leg
        xs.append(round(UNITS_PER_TILE * (x0 + (x1 - x0) * share)))
        ys.append(round(UNITS_PER_TILE * (y0 + (y1 - y0) * share)))
        headings.append(turn * at % 360)
    leg_ms = leg * _FRAME_MS
    actions = tuple(
        Action(f"a{n}", "walker", n * leg_ms, (n + 1) * leg_ms, "walk", None, None, words)
        for n, words in enumerate(does)
    )
    plans = (
        PlanStep("round", "walker", None, 0, 0, SECONDS * 1000, "go around once"),
        PlanStep("there", "walker", "round", 1, 0, 2 * leg_ms, "to the far corner"),
        PlanStep("back", "walker", "round", 1, 2 * leg_ms, SECONDS * 1000, "and back"),
    )
    inside = "#" + "." * (_WIDTH - 2) + "#"
    walls = ("#" * _WIDTH, *(inside for _ in range(_HEIGHT - 2)), "#" * _WIDTH)
    return Replay(
        world=World("arena", _WIDTH, _HEIGHT, walls),
        actors=(Actor("walker", "Walker", "mover"),),
        timing=Timing(_FRAME_MS, frames),
        tracks=(Track("walker", tuple(xs), tuple(ys), tuple(headings), 0, ()),),
        actions=actions,
        plans=plans,
    )
