"""Pages with people: parts of demos that people recorded for FreeDM, next to the engine's bots on
the same map.

In a demo of a deathmatch players fire all the time, so these clips are as long as the longest part
without a shot of the player one sees through, and all of a page are as long. People's films are
made by another engine than the bots' (`dsda-doom` plays the old demos, ViZDoom does not): map,
textures, size and shape are the same, bars and messages are covered, and neither shows hands,
crosshair or flashes. Whether both draw walls and light alike was not measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from believable.core.errors import InvalidInput
from believable.recordings.film_file import FilmFile, load_av
from believable.recordings.recording import Recording
from believable.stimuli.freedoom import GAME_DATA, TICS_PER_S, PeopleDemo, demos, film
from believable.stimuli.render import Look

GAME = "freedm"
#: What `dsda-doom` films.
SIZE_PX = (640, 480)
#: Shorter parts show too little.
SHORTEST_MS = 5000
#: Left out at both ends of a quiet part: a shot's last flash, and the turn to the next enemy.
_MARGIN_MS = 200
_ATTACK = 1


@dataclass(frozen=True, slots=True)
class QuietPart:
    """A part of a demo in which the player whom one sees through does not fire."""

    from_ms: int
    to_ms: int

    @property
    def length_ms(self) -> int:
        return self.to_ms - self.from_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoClip:
    """A clip of such a page: a part of a demo, or of a bot's round on its map (`demo` is None) as
    long.
    """

    page: int
    demo: PeopleDemo | None
    map: str
    from_ms: int
    to_ms: int
    size_px: tuple[int, int] = SIZE_PX


def quiet_parts(demo: PeopleDemo) -> list[QuietPart]:
    """The longest first."""
    fired = [0, *(buttons & _ATTACK for *_, buttons in demo.inputs[demo.viewed]), 1]
    parts, since = [], 0
    for tic, shot in enumerate(fired):
        if shot:
            parts.append(QuietPart(*(round(1000 * at / TICS_PER_S) for at in (since, tic - 1))))
            since = tic
    inner = [QuietPart(part.from_ms + _MARGIN_MS, part.to_ms - _MARGIN_MS) for part in parts]
    return sorted(
        (part for part in inner if part.length_ms >= SHORTEST_MS), key=lambda part: -part.length_ms
    )


def demo_clips(pages: int, per_group: int, data: Path = GAME_DATA) -> list[DemoClip]:
    """Pages by turns with one and with two clips of people, where a demo has two quiet parts; the
    others are bots'.
    """
    ready = [
        (demo, parts) for demo in demos(data) if demo.game == GAME and (parts := quiet_parts(demo))
    ]
    ready.sort(key=lambda pair: -pair[1][0].length_ms)
    if pages > len(ready):
        raise InvalidInput(
            f"--people-pages: {pages}, but {len(ready)} demos of {GAME} have {SHORTEST_MS / 1000:g}"
            " s without a shot."
        )
    clips = []
    for page, (demo, parts) in enumerate(ready[:pages]):
        shown = parts[: min(1 + page % 2, per_group - 1)]
        length_ms = min(part.length_ms for part in shown)
        place = f"{data / GAME}.wad:{demo.map}"
        clips += [
            DemoClip(
                page=page,
                demo=demo,
                map=place,
                from_ms=part.from_ms,
                to_ms=part.from_ms + length_ms,
            )
            for part in shown
        ]
        clips += [DemoClip(page=page, demo=None, map=place, from_ms=0, to_ms=length_ms)] * (
            per_group - len(shown)
        )
    return clips


def film_demo(clip: DemoClip, folder: Path) -> Path:
    """The demo up to the end of the part, unless an earlier run filmed it."""
    assert clip.demo is not None
    last_tic = min(clip.demo.tics, clip.to_ms * TICS_PER_S // 1000 + TICS_PER_S)
    target = folder / f"{clip.demo.name}-{last_tic}"
    if not (target / f"{clip.demo.name}.mp4").is_file():
        film(clip.demo.first(last_tic), target, plain=True)
    return target / f"{clip.demo.name}.mp4"


def cut_film(source: Path, target: Path, look: Look) -> None:
    """The pictures of a part of a film, coded as rendered rounds are."""
    av = load_av("Cutting demos")
    moments = look.moments_ms(look.to_ms or 0)
    first, last = (round(at * TICS_PER_S / 1000) for at in (moments[0], moments[-1]))
    written = FilmFile(
        target, look.frames_per_s, what="Cutting demos", crf=look.crf, preset="ultrafast"
    )
    with written, av.open(str(source)) as opened:
        for number, frame in enumerate(opened.decode(video=0)):
            if number > last:
                break
            if number >= first:
                written.add(frame.to_ndarray(format="rgb24"))


@dataclass(frozen=True, slots=True)
class WidestPart:
    """A part of a bot's round, and how wide the box is that it moves in, both sides together."""

    from_ms: int
    to_ms: int
    spread_units: float


def widest_part(recording: Recording, length_ms: int) -> WidestPart:
    """The part of a bot's round with the most movement: bots that hardly move are left out of all
    pages.
    """
    xs, ys = (np.array(recording.telemetry[name], float) for name in ("x", "y"))
    frames = round(length_ms / recording.timing.frame_ms)
    starts: Sequence[int] = range(0, max(1, len(xs) - frames), TICS_PER_S)
    spread = [float(np.ptp(xs[at : at + frames]) + np.ptp(ys[at : at + frames])) for at in starts]
    from_ms = round(starts[int(np.argmax(spread))] * recording.timing.frame_ms)
    return WidestPart(from_ms, from_ms + length_ms, max(spread))
