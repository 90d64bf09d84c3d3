"""The part of a recording that a participant's browser receives: the visible data, as gzipped JSON
`{replay, scene}`.

Agent, seed, provenance, telemetry and hidden states stay here; ids that authors chose are numbered
again. Plan and log are in it only for trials that show them. The copies are made once and kept
under `media_dir/judged/`. Recordings that are shown against each other are padded to the size of
the largest, because the size follows from the behavior.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from believable.core.object_storage import medium_file
from believable.recordings import actions, file
from believable.recordings.actions import ActionLog, log_of
from believable.recordings.recording import Recording
from believable.recordings.scene import scene_tree
from believable.study.definition import Definition
from believable.worlds import draw

#: Raised when the content changes, so that copies of an older version are made again.
RECIPE = 3

#: Data that the browser's player does not use.
_LAB_ONLY = ("world", "telemetry", "hidden_states", "seed", "agent", "provenance")


#: The fixed part of a gzip header, as written here, and its flag for a comment.
_HEADER_BYTES, _HAS_COMMENT = 10, 0x10


@dataclass(frozen=True, slots=True)
class Variant:
    """The parts of a stimulus that a trial shows in addition to the pictures."""

    plan: bool = False
    log: bool = False

    @property
    def name(self) -> str:
        return ("p" if self.plan else "") + ("l" if self.log else "")


def judged_replay(media_dir: Path, digest: str, variant: Variant) -> Path:
    """The copy of a recording for the browser; made now if it is not there yet."""
    target = _target(media_dir, digest, variant)
    if not target.is_file():
        _write(target, judging_tree(file.read(medium_file(media_dir, digest)), variant))
    return target


def served_replay(media_dir: Path, definition: Definition, stimulus: str, variant: Variant) -> Path:
    """The copy of a study's recording that participants get: as large as the largest of its
    scenario, or of the study if it has no scenario.
    """
    scenarios = {other.id: other.scenario for other in definition.study.stimuli}
    compared = tuple(
        medium.digest
        for name, medium in definition.media.items()
        if medium.is_replay and scenarios.get(name) == scenarios.get(stimulus)
    )
    copy = judged_replay(media_dir, definition.media[stimulus].digest, variant)
    size = _largest_copy(media_dir, compared, variant)
    if size == copy.stat().st_size:
        return copy
    target = copy.with_name(f"{copy.name}.{size}")
    if not target.is_file():
        _put(target, pad_header(copy.read_bytes(), size))
    return target


@functools.lru_cache(maxsize=1024)
def _largest_copy(media_dir: Path, digests: tuple[str, ...], variant: Variant) -> int:
    """Bytes of the largest copy of these recordings. Copies follow from their digests, so that it
    is looked up once.
    """
    return max(judged_replay(media_dir, digest, variant).stat().st_size for digest in digests)


def pad_header(body: bytes, size: int) -> bytes:
    """Gzipped bytes with a comment in their header (RFC 1952), so that there are `size` of them."""
    missing = size - len(body)
    if missing <= 0:
        return body
    header, rest = bytearray(body[:_HEADER_BYTES]), body[_HEADER_BYTES:]
    header[3] |= _HAS_COMMENT
    return bytes(header) + b" " * (missing - 1) + b"\0" + rest


def shown_file(media_dir: Path, digest: str, *, is_replay: bool) -> Path:
    """The data for a participant who sees only the medium."""
    return (
        judged_replay(media_dir, digest, Variant()) if is_replay else medium_file(media_dir, digest)
    )


def judged_log(media_dir: Path, digest: str, variant: Variant) -> Path:
    """The copy of a video's action log for the browser."""
    target = _target(media_dir, digest, variant)
    if not target.is_file():
        log = actions.read_actions(medium_file(media_dir, digest))
        _write(
            target, actions.to_tree(log.for_judging(with_plan=variant.plan, with_log=variant.log))
        )
    return target


def judging_tree(replay: Recording, variant: Variant) -> dict[str, Any]:
    """The recording and its looks, as the browser's player reads them."""
    log = log_of(replay).for_judging(with_plan=variant.plan, with_log=variant.log)
    names = {actor.id: other.id for actor, other in zip(replay.actors, log.actors, strict=True)}
    blind = _with_log(replay.for_judging(), log, names)
    tree = {key: value for key, value in file.to_tree(blind).items() if key not in _LAB_ONLY}
    tree["actors"] = [{"id": actor.id, "name": actor.name} for actor in blind.actors]
    return {"replay": tree, "scene": scene_tree(draw(blind))}


def _with_log(blind: Recording, log: ActionLog, names: Mapping[str, str]) -> Recording:
    """The recording with its people and places under other ids. Roles stay for the drawing. Who was
    seen several times, and not between, has a further id for each time.
    """

    def name(actor: str) -> str:
        if actor in names:
            return names[actor]
        whole, _, number = actor.rpartition("~")
        return f"{names[whole]}~{number}"

    places = {place.id: f"b{number}" for number, place in enumerate(blind.world.places, 1)}
    world = replace(
        blind.world,
        places=tuple(
            replace(
                place, id=places[place.id], parent=places[place.parent] if place.parent else None
            )
            for place in blind.world.places
        ),
    )
    return replace(
        blind,
        world=world,
        actors=tuple(replace(actor, id=name(actor.id)) for actor in blind.actors),
        tracks=tuple(replace(track, actor=name(track.actor)) for track in blind.tracks),
        actions=log.actions,
        plans=log.plans,
    )


def _target(media_dir: Path, digest: str, variant: Variant) -> Path:
    return media_dir / "judged" / f"{digest}.{RECIPE}{variant.name}"


def _write(target: Path, tree: dict[str, Any]) -> None:
    """Whole or not at all, and the same bytes each time."""
    target.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(tree, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    _put(target, gzip.compress(text.encode(), compresslevel=9, mtime=0))


def _put(target: Path, body: bytes) -> None:
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.{threading.get_ident()}")
    unfinished.write_bytes(body)
    os.replace(unfinished, target)
