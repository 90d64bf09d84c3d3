"""What gives conditions away, as one page: sentences, the curve of both sides, the moment."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from believable.giveaways.certificate import Certificate
from believable.giveaways.exhibits import Exhibit, Kind
from believable.giveaways.finder import Giveaway, Giveaways, pairs_of, typical_pair
from believable.motion.motion_track import Floats
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.film_file import load_av
from believable.report.layout import environment

_WIDTH, _HEIGHT = 560, 120
#: More points than this cannot be seen in a curve of that width.
_POINTS = 1200
_PICTURE_WIDTH = 480
#: Curves are shown of this number of giveaways of each kind and two conditions.
CURVES_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveSide:
    """One stimulus of the pair: points of its curve, and the moment if it is in this one."""

    title: str
    points: str
    moment_x: float | None
    moment_s: float | None
    picture: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownGiveaway:
    """A giveaway as a sentence, and both sides of the curve that shows it, if it has one."""

    sentence: str
    cure: str
    curve: str
    low: float
    high: float
    sides: tuple[CurveSide, ...]


def giveaways_page(
    giveaways: Giveaways, exhibits: Sequence[Exhibit], certificate: Certificate | None
) -> str:
    """The page as HTML, complete in itself."""
    return (
        environment()
        .get_template("giveaways.html")
        .render(
            giveaways=giveaways,
            certificate=certificate,
            artifacts=_show(giveaways, exhibits, "artifact"),
            behavior=_show(giveaways, exhibits, "behavior"),
            width=_WIDTH,
            height=_HEIGHT,
        )
        + "\n"
    )


def _show(giveaways: Giveaways, exhibits: Sequence[Exhibit], kind: Kind) -> list[ShownGiveaway]:
    shown: list[ShownGiveaway] = []
    drawn: set[str] = set()
    for giveaway in giveaways.of(kind):
        sides: tuple[CurveSide, ...] = ()
        low = high = 0.0
        is_new = giveaway.curve and giveaway.curve not in drawn and len(drawn) < CURVES_SHOWN
        pair = typical_pair(pairs_of(exhibits, giveaway), giveaway.curve) if is_new else None
        if pair is not None:
            drawn.add(giveaway.curve)
            both = (pair.first[0], pair.second[0])
            low, high = _range([exhibit.curves[giveaway.curve][1] for exhibit in both])
            sides = tuple(_side(exhibit, giveaway, low, high) for exhibit in both)
        shown.append(
            ShownGiveaway(
                sentence=f"{giveaway}",
                cure=giveaway.cure,
                curve=giveaway.curve.replace("_", " "),
                low=low,
                high=high,
                sides=sides,
            )
        )
    return shown


def _range(curves: Sequence[Floats]) -> tuple[float, float]:
    joined = np.concatenate(curves)
    low, high = (float(value) for value in np.percentile(joined, [0.5, 99.5]))
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def _side(exhibit: Exhibit, giveaway: Giveaway, low: float, high: float) -> CurveSide:
    times, values = exhibit.curves[giveaway.curve]
    start, length = float(times[0]), max(1e-9, float(times[-1] - times[0]))
    step = max(1, len(times) // _POINTS)
    x = (times[::step] - start) / length * _WIDTH
    y = _HEIGHT * (1 - (values[::step].clip(low, high) - low) / (high - low))
    moment = giveaway.moment
    is_here = moment is not None and moment.stimulus == exhibit.name
    at_s = moment.at_s if moment is not None and is_here else None
    return CurveSide(
        title=f"{exhibit.condition}: {exhibit.name}",
        points=" ".join(f"{one:.1f},{other:.1f}" for one, other in zip(x, y, strict=True)),
        moment_x=None if at_s is None else (at_s - start) / length * _WIDTH,
        moment_s=at_s,
        picture="" if at_s is None or exhibit.file is None else _picture(exhibit.file, at_s),
    )


def _picture(film: Path, at_s: float) -> str:
    """The picture of a film at this moment, as the address of an embedded JPEG."""
    if film.name.endswith(RECORDING_SUFFIX):
        return ""
    av = load_av("Looking at films")
    chosen = None
    with av.open(str(film)) as file:
        for frame in file.decode(video=0):
            chosen = frame
            if float(frame.time or 0.0) >= at_s:
                break
    if chosen is None:
        return ""
    height = round(_PICTURE_WIDTH * chosen.height / chosen.width)
    room = io.BytesIO()
    chosen.reformat(width=_PICTURE_WIDTH, height=height).to_image().save(room, "JPEG", quality=80)
    return f"data:image/jpeg;base64,{base64.b64encode(room.getvalue()).decode()}"
