"""A stimulus with everything that could give it away, and the features that are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from believable.contracts.registries import WORLDS
from believable.core.errors import InvalidInput
from believable.giveaways.film_look import look_at_film
from believable.motion.motion_features import FEATURES, MotionCurves, measure_curves, measure_motion
from believable.motion.motion_track import Floats, split_pieces
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read
from believable.recordings.recording import Recording
from believable.stimuli.artifacts import ARTIFACTS, ArtifactTrait

Kind = Literal["artifact", "behavior"]
NO_CURVES: Mapping[str, tuple[Floats, Floats]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedFeature:
    """A feature of stimuli. Values count as equal if they differ by the slack or less. `curve`
    names the curve that shows it, if there is one. `cure` says how to remove an artifact.
    `delivery`: it belongs to the file, not to the pictures, so making it equal costs nothing.
    """

    trait: ArtifactTrait
    kind: Kind
    curve: str = ""
    cure: str = ""
    delivery: bool = False

    @property
    def name(self) -> str:
        return self.trait.name


_EVEN = "believable stimuli even makes rates and lengths equal"
_FIRST = "believable stimuli even --cut-start 0.5 removes the first moment"
_PICTURE = "film both conditions with one camera, one light and one map, or say why it is behavior"
_MADE = (
    (
        "tags",
        "number of metadata tags",
        0.0,
        0.0,
        "",
        "believable serve strips them; strip files that you hand out",
    ),
    ("brightness", "brightness of the pictures (of 255)", 1.0, 0.0, "brightness", _PICTURE),
    ("contrast", "spread of the brightness (of 255)", 0.5, 0.0, "brightness", _PICTURE),
    ("red_share", "share of red", 0.002, 0.0, "", _PICTURE),
    ("blue_share", "share of blue", 0.002, 0.0, "", _PICTURE),
    ("edges", "sharpness of the pictures (of 255)", 0.1, 0.0, "edges", _PICTURE),
    (
        "middle",
        "difference of the very middle from its surroundings (of 255)",
        2.0,
        0.0,
        "",
        "mask what belongs to one condition",
    ),
    (
        "still_share",
        "share of the picture that never changes",
        0.002,
        0.0,
        "",
        "mask what belongs to one condition",
    ),
    (
        "still_brightness",
        "brightness of the parts that never change",
        1.0,
        0.0,
        "",
        "mask what belongs to one condition",
    ),
    (
        "last_light",
        "brightness of the last picture against the half second before",
        6.0,
        0.0,
        "brightness",
        "believable stimuli add --cut-end",
    ),
    (
        "last_edges",
        "sharpness of the last picture against the half second before",
        3.0,
        0.0,
        "edges",
        "believable stimuli add --cut-end",
    ),
    (
        "sound_level_db",
        "level of the sound in dB",
        0.5,
        0.0,
        "",
        "believable stimuli add evens loudness out",
    ),
    ("first_sound_db", "level of the first half second in dB", 1.0, 0.0, "", _FIRST),
    ("served_bytes", "bytes that the server sends", 64.0, 0.002, "", _EVEN),
    (
        "page_json",
        "characters of the page's data about it",
        0.0,
        0.0,
        "",
        "give all stimuli one player",
    ),
)
_DELIVERY = frozenset(("tags", "last_light", "last_edges", "served_bytes", "page_json"))
_VIEW = (
    ("view_turn_rate", "mean size of the view's sideways motion, in widths per second"),
    ("view_turn_top", "the sideways motion that 5 % of the time exceeds"),
    ("view_turn_change", "change of the view's sideways motion"),
    ("view_straight", "share of pictures in which the view does not turn"),
    ("view_grid_evidence", "evidence that the view turns on the ticks of a clock"),
)
_COMPARED = (
    *(
        ComparedFeature(
            trait=trait,
            kind="artifact",
            curve="brightness"
            if trait.name == "first_light"
            else "edges"
            if trait.name == "first_edges"
            else "",
            cure=_FIRST if trait.name.startswith("first_") else _EVEN,
            delivery=True,
        )
        for trait in ARTIFACTS
    ),
    *(
        ComparedFeature(
            trait=ArtifactTrait(name, words, slack, share),
            kind="artifact",
            curve=curve,
            cure=cure,
            delivery=name in _DELIVERY,
        )
        for name, words, slack, share, curve, cure in _MADE
    ),
    *(
        ComparedFeature(trait=ArtifactTrait(name, words), kind="behavior", curve="view_turn")
        for name, words in _VIEW
    ),
    *(
        ComparedFeature(
            trait=ArtifactTrait(feature.name, feature.about.rstrip(".")),
            kind="behavior",
            curve=feature.curve,
        )
        for feature in FEATURES.values()
    ),
)
COMPARED: Mapping[str, ComparedFeature] = {feature.name: feature for feature in _COMPARED}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Exhibit:
    """One stimulus. Those of one scenario are shown against each other.

    values  every feature that it has, by name
    curves  times in seconds and values, by name
    """

    name: str
    condition: str
    scenario: str | None
    values: Mapping[str, float]
    curves: Mapping[str, tuple[Floats, Floats]] = field(default_factory=dict)
    file: Path | None = None


def exhibit_of(
    file: Path, *, name: str, condition: str, scenario: str | None, served: Mapping[str, float]
) -> Exhibit:
    """Look at a film or a recording. A film with a recording next to it is measured by both."""
    values, curves = dict(served), dict(NO_CURVES)
    recorded = file if file.name.endswith(RECORDING_SUFFIX) else _recording_of(file)
    if recorded is not file:
        look = look_at_film(file)
        values |= {**look.artifacts, **look.behavior}
        curves |= look.curves
    elif not served:
        # a study serves the recordings of a scenario with equal sizes
        values["bytes"] = float(file.stat().st_size)
    if recorded is not None:
        recording = read(recorded)
        if recorded is file:
            values["length_ms"] = float(recording.timing.duration_ms)
        found, drawn = motion_of(recording)
        values |= found
        curves |= drawn
    return Exhibit(
        name=name, condition=condition, scenario=scenario, values=values, curves=curves, file=file
    )


def _recording_of(film: Path) -> Path | None:
    found = film.with_name(film.stem + RECORDING_SUFFIX)
    return found if found.is_file() else None


def motion_of(
    recording: Recording,
) -> tuple[Mapping[str, float], Mapping[str, tuple[Floats, Floats]]]:
    """Return features and curves of the mover; nothing if the recording has no positions."""
    kind = recording.world.kind
    if kind not in WORLDS:
        return {}, NO_CURVES
    try:
        track = WORLDS[kind].motion(recording, None)
        pieces = [measure_curves(piece) for piece in split_pieces(track) if piece.duration_s >= 1]
    except InvalidInput:
        return {}, NO_CURVES
    if not pieces:
        return {}, NO_CURVES
    return measure_motion(track), _join_pieces(pieces)


def _join_pieces(pieces: Sequence[MotionCurves]) -> dict[str, tuple[Floats, Floats]]:
    times = np.concatenate([piece.t_s for piece in pieces])
    found = {}
    for name in dict.fromkeys(feature.curve for feature in FEATURES.values()):
        parts = [piece.curve(name) for piece in pieces]
        some = [part for part in parts if part is not None]
        if len(some) == len(parts):
            found[name] = (times, np.concatenate(some))
    return found
