"""Samples to train on and to score: movers with the features of their windows.

A dataset is a folder of recordings for each kind of mover (`person=clips/people`), a table of
tracks (CSV, also .gz) with a row per moment, or a table of texts.
"""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, TypeAlias

import numpy as np

from believable.contracts.registries import WORLDS
from believable.core.errors import InvalidInput, NotFound
from believable.motion.motion_features import measure_motion
from believable.motion.motion_track import MotionTrack, make_track, windows
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read

#: Length of a window in seconds.
WINDOW_S = 12.0
#: Columns that a table of tracks must have. `yaw` and `pitch` are in radians; `heading_deg` is in
#: degrees.
COLUMNS = ("match", "player", "is_bot", "t", "x", "y")
#: Columns of a table of texts; `kind` is human or agent, other rows are left out.
TEXT_COLUMNS = ("id", "kind", "agent", "prompt", "text")
#: Turns texts into vectors of length 1.
Embed: TypeAlias = Callable[[Sequence[str]], Sequence[Any]]
#: The kinds of movers in a folder dataset that are people; all others are agents.
PEOPLE = ("person", "people", "human")


@dataclass(frozen=True, slots=True, kw_only=True)
class MotionSample:
    """One mover in one match. `windows` are features of its parts, `starts_s` their beginnings."""

    name: str
    world: str
    group: str
    agent: str
    is_agent: bool
    windows: tuple[Mapping[str, float], ...]
    starts_s: tuple[float, ...]


def _sample(
    track: MotionTrack, *, name: str, world: str, group: str, agent: str, is_agent: bool
) -> MotionSample:
    parts = [(part, measure_motion(part)) for part in windows(track, WINDOW_S)]
    parts = [(part, found) for part, found in parts if found]
    return MotionSample(
        name=name,
        world=world,
        group=group,
        agent=agent,
        is_agent=is_agent,
        windows=tuple(found for _, found in parts),
        starts_s=tuple(float(part.t_s[0]) for part, _ in parts),
    )


def read_samples(dataset: str, embed: Embed | None = None) -> list[MotionSample]:
    """Read `KIND=FOLDER`, a table of tracks, or a table of texts (with `embed`)."""
    kind, equals, place = dataset.partition("=")
    if equals:
        return _of_folder(kind, Path(place))
    path = Path(dataset)
    if not path.is_file():
        raise NotFound(
            f"{dataset}: there is no such table. Give a CSV of tracks, or KIND=FOLDER with"
            " recordings, such as person=clips/people."
        )
    return _of_texts(path, embed) if _is_of_texts(path) else _of_table(path)


def _open_table(path: Path) -> TextIO:
    return (
        gzip.open(path, "rt", encoding="utf-8", newline="")
        if path.suffix == ".gz"
        else path.open(encoding="utf-8", newline="")
    )


def _is_of_texts(path: Path) -> bool:
    with _open_table(path) as file:
        return "text" in (csv.DictReader(file).fieldnames or ())


def _of_texts(path: Path, embed: Embed | None) -> list[MotionSample]:
    """One sample per text: its embedding, and its product with that of the prompt. Texts to one
    prompt are one match.
    """
    if embed is None:
        raise InvalidInput(f"{path}: it has texts, but no model for sentences was given.")
    with _open_table(path) as file:
        rows = list(csv.DictReader(file))
        missing = [name for name in TEXT_COLUMNS if rows and name not in rows[0]]
    if missing or not rows:
        raise InvalidInput(
            f"{path}:1: column {missing[0] if missing else 'text'!r} is missing, or there are no"
            f" rows. A table of texts has {', '.join(TEXT_COLUMNS)}."
        )
    texts = np.array(embed([row["text"] for row in rows]))
    prompts = np.array(embed([row["prompt"] for row in rows]))
    return [
        MotionSample(
            name=row["id"],
            world=f"texts {path.name}",
            group=row["prompt"],
            agent=row["agent"],
            is_agent=row["kind"] != "human",
            windows=(
                {f"text_{number}": float(value) for number, value in enumerate(text)}
                | {f"both_{number}": float(value) for number, value in enumerate(text * prompt)},
            ),
            starts_s=(0.0,),
        )
        for row, text, prompt in zip(rows, texts, prompts, strict=True)
        if row["kind"] in ("human", "agent")
    ]


def sample_of_recording(path: Path, *, agent: str = "", is_agent: bool = False) -> MotionSample:
    """Read one recording; its match is its start if the world knows it, else its seed."""
    recording = read(path)
    world = recording.world.kind
    if world not in WORLDS:
        raise InvalidInput(f"{path}: unknown world {world!r}, so its motion cannot be read.")
    start = WORLDS[world].start_of(recording)
    name = path.name.removesuffix(RECORDING_SUFFIX)
    return _sample(
        WORLDS[world].motion(recording, None),
        name=name,
        world=world,
        group=start or name,
        agent=agent,
        is_agent=is_agent,
    )


def _of_folder(kind: str, folder: Path) -> list[MotionSample]:
    files = sorted(folder.glob(f"*{RECORDING_SUFFIX}"))
    if not files:
        raise NotFound(
            f"{kind}={folder}: there are no recordings (*{RECORDING_SUFFIX}). Record some first."
        )
    return [sample_of_recording(file, agent=kind, is_agent=kind not in PEOPLE) for file in files]


def _of_table(path: Path) -> list[MotionSample]:
    rows: dict[tuple[str, str, str], list[tuple[float, ...]]] = {}
    with _open_table(path) as file:
        table = csv.DictReader(file)
        names = table.fieldnames or []
        missing = [name for name in COLUMNS if name not in names]
        if missing:
            raise InvalidInput(
                f"{path}:1: column {missing[0]!r} is missing. A table of tracks has"
                f" {', '.join(COLUMNS)} and optionally z, heading_deg or yaw, pitch, agent."
            )
        more = [name for name in ("z", "heading_deg", "yaw", "pitch") if name in names]
        for number, row in enumerate(table, start=2):
            try:
                values = tuple(float(row[name]) for name in ("t", "x", "y", *more))
            except ValueError as error:
                raise InvalidInput(f"{path}:{number}: {error}. Correct the row.") from None
            if row["is_bot"] not in ("0", "1"):
                raise InvalidInput(
                    f"{path}:{number}: is_bot: expected 0 or 1, got {row['is_bot']!r}."
                )
            key = (row["match"], row["player"], row["is_bot"])
            rows.setdefault(key, []).append(values)
    world = f"table {path.parent.name}/{path.name}"
    return [_of_rows(np.array(values), more, world, key) for key, values in rows.items()]


def _of_rows(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    more: Sequence[str],
    world: str,
    key: tuple[str, str, str],
) -> MotionSample:
    match, player, is_bot = key
    ordered = values[np.argsort(values[:, 0], kind="stable")]
    ordered = ordered[np.r_[True, np.diff(ordered[:, 0]) > 0]]
    column = {name: ordered[:, 3 + number] for number, name in enumerate(more)}
    position = ordered[:, 1:3]
    if "z" in column:
        position = np.column_stack([position, column["z"]])
    heading = column.get("heading_deg")
    if heading is None and "yaw" in column:
        heading = np.degrees(column["yaw"])
    name, is_agent = f"{match}/{player}", is_bot == "1"
    agent = "agent" if is_agent else "person"
    if len(ordered) < 2:
        return MotionSample(
            name=name,
            world=world,
            group=match,
            agent=agent,
            is_agent=is_agent,
            windows=(),
            starts_s=(),
        )
    track = make_track(
        ordered[:, 0],
        position,
        heading_deg=heading,
        pitch_deg=np.degrees(column["pitch"]) if "pitch" in column else None,
        unit="unit",
        source=name,
    )
    return _sample(track, name=name, world=world, group=match, agent=agent, is_agent=is_agent)
