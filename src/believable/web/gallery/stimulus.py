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


class Shelf:
    """The files, made when they are first wanted. Several requests may want them at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()

    def names(self) -> tuple[str, ...]:
        """The players that there is something for."""
        return ("replay", "video") if have_av() else ("replay",)

    def file(self, player: str) -> str:
        """The path, below the folder, of what this player shows."""
        with self._lock:
            return self._replay() if player == "replay" else self._video()

    def _replay(self) -> str:
        path = self.folder / "shown.replay.json.gz"
        if not path.is_file():
            file.write(walk(), path)
        return path.name

    def _video(self) -> str:
        if not have_av():
            raise MissingExtra(what="showing a video in the gallery", extra="video")
        clip = clips.clip_set(scenarios=["garden"], conditions=["human"])[0]
        path = self.folder / f"{clip.id}.mp4"
        if not path.is_file():
            clips.generate(self.folder, [clip], duration_s=SECONDS)
        return path.name


def walk() -> Replay:
    """Somebody who walks around once, side by side with a plan and a log of it."""
    frames = SECONDS * 1000 // _FRAME_MS
    leg = frames // len(_ROUND)
    xs, ys, headings = [], [], []
    for frame in range(frames):
        at, part = divmod(frame, leg)
        (x0, y0), (x1, y1) = _ROUND[at % len(_ROUND)], _ROUND[(at + 1) % len(_ROUND)]
        share = part / leg
        xs.append(round(UNITS_PER_TILE * (x0 + (x1 - x0) * share)))
        ys.append(round(UNITS_PER_TILE * (y0 + (y1 - y0) * share)))
        headings.append(90 * at % 360)
    leg_ms = leg * _FRAME_MS
    actions = tuple(
        Action(f"a{n}", "walker", n * leg_ms, (n + 1) * leg_ms, "walk", None, None, words)
        for n, words in enumerate(_DOES)
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
