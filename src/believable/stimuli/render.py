"""Pictures and videos of whole recordings."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from believable.contracts.film import View
from believable.contracts.registries import WORLDS
from believable.core.errors import InvalidInput
from believable.core.work import Progress, WorkOutcome, map_named
from believable.recordings.file import read
from believable.recordings.film_file import FilmFile
from believable.recordings.recording import Recording
from believable.stimuli import constant_rate
from believable.stimuli.recipe import BITS_PER_S
from believable.worlds import draw

if TYPE_CHECKING:
    pass
from believable.stimuli.raster import Rasteriser, whole_world


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Settings of a video. `speed` is how much replay time passes in a second of video, in seconds.
    `camera`, `overlay` and `plain` are for worlds that draw themselves, as in their `View`. With
    `bits_per_s` every picture takes as many bytes as the same picture of every other video
    (`constant_rate`); otherwise as many as it needs.
    """

    width_px: int = 1280
    height_px: int = 720
    frames_per_s: int = 30
    speed: float = 1.0
    from_ms: int = 0
    to_ms: int | None = None
    crf: int = 20
    camera: str = ""
    overlay: bool = False
    plain: bool = False
    bits_per_s: int = 0

    def __post_init__(self) -> None:
        if self.width_px % 2 or self.height_px % 2 or min(self.width_px, self.height_px) < 2:
            raise InvalidInput(
                f"size: expected even numbers, got {self.width_px}×{self.height_px}."
            )
        if self.frames_per_s < 1 or self.speed <= 0:
            raise InvalidInput(
                f"frames_per_s and speed must be above 0, got {self.frames_per_s} and {self.speed}."
            )

    def moments_ms(self, duration_ms: int) -> list[float]:
        """The moment of replay time that each picture shows."""
        end_ms = duration_ms if self.to_ms is None else min(self.to_ms, duration_ms)
        if not 0 <= self.from_ms < end_ms:
            raise InvalidInput(
                f"from {self.from_ms} ms to {end_ms} ms is empty. Give a part of the recording."
            )
        step_ms = 1000 * self.speed / self.frames_per_s
        count = max(1, round((end_ms - self.from_ms) / step_ms))
        return [self.from_ms + number * step_ms for number in range(count)]


def render(
    sources: Sequence[Path],
    folder: Path,
    look: Look | None = None,
    *,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> WorkOutcome[Path, Path]:
    """Render recordings into `folder/NAME.mp4`; results are the videos, of one rate. A file that
    cannot be rendered stops nothing else.
    """
    folder.mkdir(parents=True, exist_ok=True)
    targets = {source: folder / f"{source.name.partition('.')[0]}.mp4" for source in sources}
    if len(set(targets.values())) < len(targets):
        raise InvalidInput("two recordings would become the same video. Give them different names.")
    even = replace(look or Look(), bits_per_s=BITS_PER_S)
    jobs = {source: (source, target, even) for source, target in targets.items()}
    worked = map_named(render_file, jobs, workers=workers, progress=progress)
    return WorkOutcome({source: targets[source] for source in worked.results}, worked.failed)


def render_file(source: Path, target: Path, look: Look) -> int:
    """Render one recording and return the number of pictures. What judges may not see is not in the
    pictures either.
    """
    recording = read(source)
    moments = look.moments_ms(recording.timing.duration_ms)
    if not look.bits_per_s:
        _film(recording, target, look, moments, _preset(recording), {})
        return len(moments)
    budget = constant_rate.byte_budget(look.bits_per_s, look.frames_per_s, 2 * look.frames_per_s)
    coded, even = (
        target.with_name(f".{target.name}.{os.getpid()}.{end}") for end in ("coded", "even")
    )
    try:
        for limit in constant_rate.LIMITS:
            options = constant_rate.encoder_options(budget, look.bits_per_s, limit)
            _film(recording, coded, look, moments, constant_rate.PRESET, options)
            if constant_rate.fill_film(coded, even, budget):
                os.replace(even, target)
                return len(moments)
    finally:
        coded.unlink(missing_ok=True)
        even.unlink(missing_ok=True)
    raise InvalidInput(
        f"{source.name!r}: its pictures do not fit into {look.bits_per_s} bits per second. Choose a"
        " smaller size."
    )


def _film(
    recording: Recording,
    target: Path,
    look: Look,
    moments_ms: Sequence[float],
    preset: str,
    options: Mapping[str, str],
) -> None:
    film = FilmFile(
        target,
        look.frames_per_s,
        what="Rendering recordings",
        crf=look.crf,
        preset=preset,
        options=options,
    )
    with film:
        for picture in _pictures(recording, look, moments_ms):
            film.add(picture)


def _preset(recording: Recording) -> str:
    """Pictures of a 3D game take ten times as long as drawings; they are coded again, and smaller,
    when they become stimuli.
    """
    playing = WORLDS[recording.world.kind].playing
    return "medium" if playing is None or playing.filmable is None else "ultrafast"


def _pictures(
    recording: Recording, look: Look, moments_ms: Sequence[float]
) -> Iterator[NDArray[np.uint8]]:
    """One for each moment: drawn from what judges may see, or by the world itself, which plays the
    recording again.
    """
    playing = WORLDS[recording.world.kind].playing
    if playing is not None and playing.filmable is not None:
        if (problem := playing.filmable.problem(look.camera)) is not None:
            raise InvalidInput(problem)
        first = _frame_at(moments_ms[0], recording.timing.frame_ms)
        view = View(
            width_px=look.width_px,
            height_px=look.height_px,
            camera=look.camera,
            overlay=look.overlay,
            plain=look.plain,
            first_frame=first,
        )
        with closing(playing.filmable.pictures(recording, view)) as pictures:
            yield from _at_moments(pictures, first, recording.timing.frame_ms, moments_ms)
        return
    if look.camera:
        raise InvalidInput(
            f"camera: {recording.world.kind!r} is drawn from above and has none, got"
            f" {look.camera!r}."
        )
    blind = recording.for_judging()
    scene = draw(blind)
    painter = Rasteriser(scene, blind, whole_world(scene, look.width_px, look.height_px))
    yield from map(painter.picture, moments_ms)


def _frame_at(t_ms: float, frame_ms: float) -> int:
    return math.floor(t_ms / frame_ms + 1e-6)


def _at_moments(
    pictures: Iterator[NDArray[np.uint8]], first: int, frame_ms: float, moments_ms: Sequence[float]
) -> Iterator[NDArray[np.uint8]]:
    """Pictures of every frame from the first on, at other moments: the picture on screen at that
    time.
    """
    frame, picture = first, next(pictures)
    for t_ms in moments_ms:
        while frame < _frame_at(t_ms, frame_ms) and (following := next(pictures, None)) is not None:
            frame, picture = frame + 1, following
        yield picture
