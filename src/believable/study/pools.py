"""Entries `{pool: FOLDER, condition: …}` of `stimuli`, replaced by one stimulus for each clip of
the folder. Past the loader there are only ordinary stimuli.

A pool's clips are the films and recordings of the folder. Folders inside it are scenarios. A file
`pool.json` in it, which `believable stimuli pool` writes, lists the clips with their names,
scenarios, pairs and lengths instead.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, Problem
from believable.core.nodes import Node
from believable.core.shell import quote_command
from believable.recordings.actions import RECORDING_SUFFIX
from believable.study.wording import shown

INDEX = "pool.json"
FORMAT = "believable-pool/1"
#: Pools of agents that are named instead of a folder.
AGENT_POOLS = "pools"
CLIP_SUFFIXES = (".mp4", ".m4v", ".webm", RECORDING_SUFFIX)
STUDY_FILE = "study.yaml"
#: The keys of an entry; the rest is reported by the reader.
_KEYS = frozenset(("pool", "condition", "scenario"))
_LONGEST_ID = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolClip:
    """One clip of a pool: a file inside its folder, and its meaning. `origin`: the recording it was
    made from.
    """

    id: str
    file: str
    scenario: str | None = None
    pair: str | None = None
    duration_ms: int | None = None
    origin: str | None = None

    def to_tree(self) -> dict[str, Any]:
        known = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in known.items() if value is not None}


def agent_folder(agent: str) -> str:
    """Where the pool of an agent is, in the study's folder.

    >>> agent_folder("maze/chaser")
    'pools/maze-chaser'
    """
    return f"{AGENT_POOLS}/{re.sub(r'[^A-Za-z0-9_.]+', '-', agent).strip('-')}"


def readable_id(*parts: str) -> str:
    """An id made of words, such as a condition and the name of a file.

    >>> readable_id("human", "maze-calm-001")
    'human_maze_calm_001'
    """
    text = re.sub(r"[^A-Za-z0-9]+", "_", "_".join(parts)).strip("_")
    return (text if text[:1].isalpha() else f"clip_{text}")[:_LONGEST_ID].rstrip("_")


def has_pools(tree: Node) -> bool:
    listed = tree.get("stimuli")
    return (
        listed is not None
        and listed.is_list
        and any(entry.get("pool") is not None for entry in listed)
    )


def expand_pools(tree: Node, folder: Path) -> tuple[Node, list[Problem]]:
    """The tree with a stimulus for each clip, and the problems of its pools."""
    listed = tree.get("stimuli")
    if listed is None or not has_pools(tree):
        return tree, []
    problems: list[Problem] = []
    entries: list[Node] = []
    taken: set[str] = set()
    for entry in listed:
        if entry.get("pool") is None:
            entries.append(entry)
        else:
            entries += _clips_of(entry, folder, taken, problems)
    numbered = [
        Node(_at(entry.value, f"stimuli[{number}]"), entry.line, f"stimuli[{number}]")
        for number, entry in enumerate(entries)
    ]
    whole = {**tree.value, "stimuli": Node(numbered, listed.line, listed.path)}
    return Node(whole, tree.line, tree.path), problems


def _at(value: Any, path: str) -> Any:
    """The same mapping at another path."""
    if not isinstance(value, dict):
        return value
    return {
        key: Node(_at(node.value, f"{path}.{key}"), node.line, f"{path}.{key}")
        for key, node in value.items()
    }


def _clips_of(
    entry: Node, folder: Path, taken: set[str], problems: list[Problem]
) -> Iterator[Node]:
    def report(node: Node, message: str, cure: str) -> None:
        problems.append(
            Problem(file=STUDY_FILE, line=node.line, path=node.path, message=message, cure=cure)
        )

    unknown = sorted({*entry.value} - _KEYS)
    if unknown:
        report(
            entry.value[unknown[0]],
            f"unknown key {unknown[0]!r} of a pool.",
            f"Keys of a pool: {', '.join(sorted(_KEYS))}.",
        )
        return
    named = entry.value["pool"]
    place = _folder_of(named.value, folder)
    if place is None:
        report(
            named,
            f"there is no folder {shown(named)} in the study.",
            "Give a folder of the study, or record one: "
            + quote_command("believable record WORLD", folder / agent_folder(str(named.value)))
            + " --runs 300",
        )
        return
    condition = entry.get("condition")
    prefix = str(condition.value) if condition is not None else ""
    try:
        clips = list(pool_clips(place, prefix=prefix, taken=taken))
    except InvalidInput as error:
        report(named, str(error), "Make the pool again: believable stimuli pool --help")
        return
    if not clips:
        report(
            named,
            f"the pool {shown(named)} holds no films and no recordings.",
            f"Put {', '.join(CLIP_SUFFIXES)} files there.",
        )
    for clip in clips:
        yield _stimulus_node(entry, clip, place.relative_to(folder).as_posix())


def _folder_of(named: object, folder: Path) -> Path | None:
    if not isinstance(named, str) or not named.strip():
        return None
    for place in (folder / named, folder / agent_folder(named)):
        inside = place.resolve().is_relative_to(folder.resolve()) and ".." not in place.parts
        if inside and place.is_dir():
            return place
    return None


def _stimulus_node(entry: Node, clip: PoolClip, folder: str) -> Node:
    values: dict[str, Any] = {"id": clip.id, "file": f"{folder}/{clip.file}"}
    if clip.scenario is not None:
        values["scenario"] = clip.scenario
    if clip.pair is not None:
        values["pair"] = clip.pair
    if clip.duration_ms is not None:
        values["duration_ms"] = clip.duration_ms
    written = {key: node for key, node in entry.value.items() if key != "pool"}
    made = {key: Node(value, entry.line, entry.path) for key, value in values.items()}
    return Node({**written, **made}, entry.line, entry.path)


def pool_clips(folder: Path, *, prefix: str, taken: set[str]) -> Iterator[PoolClip]:
    """The clips of a pool, in the order of its index or of their names. Their ids are not in
    `taken`, which grows by them.
    """
    listed = _read_index(folder) if (folder / INDEX).is_file() else _list_files(folder, prefix)
    for clip in listed:
        name, number = clip.id, 1
        while name in taken:
            number += 1
            name = f"{clip.id[: _LONGEST_ID - 6]}_{number}"
        taken.add(name)
        yield clip if name == clip.id else PoolClip(**{**clip.to_tree(), "id": name})


def _read_index(folder: Path) -> Iterator[PoolClip]:
    path = folder / INDEX
    try:
        whole = json.loads(path.read_text("utf-8"))
        if whole["format"] != FORMAT:
            raise ValueError(f"format {whole['format']!r} is not {FORMAT!r}")
        yield from [PoolClip(**fields) for fields in whole["clips"]]
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidInput(f"{path} is not the index of a pool ({error}).") from None


def _list_files(folder: Path, prefix: str) -> Iterator[PoolClip]:
    films = {
        (file.parent, _stem(file))
        for file in folder.rglob("*")
        if file.name.endswith(CLIP_SUFFIXES[:-1])
    }
    for file in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if hidden or not file.is_file() or not file.name.endswith(CLIP_SUFFIXES):
            continue
        if file.name.endswith(RECORDING_SUFFIX) and (file.parent, _stem(file)) in films:
            continue  # a film was made of it
        inner = file.relative_to(folder).parts[:-1]
        stem = _stem(file)
        parts = [*inner, stem]
        yield PoolClip(
            id=readable_id(*([prefix] if prefix and not stem.startswith(prefix) else []), *parts),
            file=file.relative_to(folder).as_posix(),
            scenario=readable_id(*inner) if inner else None,
        )


def _stem(file: Path) -> str:
    return file.name.removesuffix(RECORDING_SUFFIX).partition(".")[0]
