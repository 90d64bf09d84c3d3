"""One look at a film: technical amounts, brightness and colors, first and last pictures, sound, and
how the view moves. Pictures are made small before they are measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput
from believable.giveaways.view_motion import HEIGHT, WIDTH, view_behavior, view_turns
from believable.motion.motion_track import Floats
from believable.recordings.film_file import load_av
from believable.stimuli.artifacts import SETTLED_S, film_amounts

Pixels: TypeAlias = NDArray[np.uint8]

#: Of every second this number of pictures is kept to find parts that never change.
KEPT_PER_S = 2
#: The view's motion is read from this much of a film.
MOTION_S = 60.0
#: A pixel that changes less than this over a whole film belongs to no surroundings.
STILL_LEVELS = 6.0
#: The last pictures that are compared with the film before them.
LAST_S = 0.5
_EDGE = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilmLook:
    """Numbers and curves of a film; a curve is its times in seconds and its values."""

    artifacts: Mapping[str, float]
    behavior: Mapping[str, float]
    curves: Mapping[str, tuple[Floats, Floats]]


def look_at_film(path: Path) -> FilmLook:
    """Return the artifacts and the view's motion of a film."""
    av = load_av("Looking at films")
    times: list[float] = []
    small: list[Pixels] = []
    kept: list[Pixels] = []
    colors: list[Floats] = []
    light: list[float] = []
    edges: list[float] = []
    with av.open(str(path)) as file:
        stream = file.streams.video[0]
        tags = len({*file.metadata.items(), *stream.metadata.items()})
        every = max(1, round(float(stream.average_rate or KEPT_PER_S) / KEPT_PER_S))
        for number, frame in enumerate(file.decode(stream)):
            times.append(float(frame.time or 0.0))
            picture = frame.reformat(width=WIDTH, height=HEIGHT, format="gray").to_ndarray()
            light.append(float(picture.mean()))
            edges.append(_edges(picture))
            if times[-1] <= MOTION_S:
                small.append(picture)
            if number % every == 0:
                kept.append(picture)
                colored = frame.reformat(width=WIDTH, height=HEIGHT, format="rgb24").to_ndarray()
                colors.append(colored.mean((0, 1)).astype(np.float64))
    if len(times) < 2:
        raise InvalidInput(f"{path}: expected two pictures or more, got {len(times)}.")
    times_s = np.array(times)
    turns = view_turns(np.stack(small))
    curves = {"brightness": np.array(light), "edges": np.array(edges)}
    return FilmLook(
        artifacts={
            **film_amounts(path),
            "tags": float(tags),
            **_picture_amounts(np.stack(kept), np.stack(colors), curves),
            **_ending(times_s, curves),
            **_sound_amounts(av, path),
        },
        behavior=view_behavior(turns, 1 / float(np.median(np.diff(times_s)))),
        curves={
            **{name: (times_s, curve) for name, curve in curves.items()},
            "view_turn": (times_s[: len(turns)], turns),
        },
    )


def _edges(picture: Pixels) -> float:
    return float(np.abs(np.diff(picture.astype(np.int16), axis=1)).mean())


def _picture_amounts(
    stack: Pixels, colors: Floats, curves: Mapping[str, Floats]
) -> dict[str, float]:
    red, green, blue = (float(value) for value in colors.mean(0))
    still = np.ptp(stack.astype(np.int16), axis=0) < STILL_LEVELS
    return {
        "brightness": float(curves["brightness"].mean()),
        "contrast": float(stack.std()),
        "red_share": red / max(1.0, red + green + blue),
        "blue_share": blue / max(1.0, red + green + blue),
        "edges": float(curves["edges"].mean()),
        "middle": _middle(stack),
        "still_share": float(still.mean()),
        "still_brightness": float(stack[:, still].mean()) if still.any() else 0.0,
    }


def _middle(stack: Pixels) -> float:
    """How much the very middle differs from its surroundings, on average: a crosshair."""
    mean = stack.mean(0)
    row, column, reach = HEIGHT // 2, WIDTH // 2, HEIGHT // 60
    middle = mean[row - reach : row + reach + 1, column - reach : column + reach + 1]
    around = mean[
        row - 3 * reach : row + 3 * reach + 1, column - 3 * reach : column + 3 * reach + 1
    ]
    return abs(float(middle.mean() - around.mean()))


def _ending(times_s: Floats, curves: Mapping[str, Floats]) -> dict[str, float]:
    """How much the last picture differs from the film just before it."""
    before = times_s <= times_s[-1] - LAST_S
    if not before.any():
        return {"last_light": 0.0, "last_edges": 0.0}
    at = int(np.flatnonzero(before)[-1])
    return {
        "last_light": float(curves["brightness"][-1] - curves["brightness"][at]),
        "last_edges": float(curves["edges"][-1] - curves["edges"][at]),
    }


def _sound_amounts(av: Any, path: Path) -> dict[str, float]:
    """Level of the sound in dB below full scale, and its level in the first half second."""
    with av.open(str(path)) as file:
        if not file.streams.audio:
            return {}
        rate = file.streams.audio[0].rate
        sound = np.concatenate(list(_samples(file, rate)) or [np.zeros(1)])
    first = sound[: max(1, round(SETTLED_S * rate))]
    return {"sound_level_db": _decibels(sound), "first_sound_db": _decibels(first)}


def _samples(file: Any, rate: int) -> Iterator[Floats]:
    for frame in file.decode(audio=0):
        values = frame.to_ndarray()
        full = np.iinfo(values.dtype).max if values.dtype.kind == "i" else 1.0
        yield values.astype(np.float64).mean(0) / full


def _decibels(sound: Floats) -> float:
    return float(20 * np.log10(max(_EDGE, float(np.sqrt((sound**2).mean())))))
