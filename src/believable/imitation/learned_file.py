"""A learned player as a file (`*.imitation`): arrays without pickles, their meaning as JSON. Same
model, same bytes.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from believable.core.errors import InvalidInput, NotFound, TooLarge
from believable.core.whole_files import whole_file
from believable.imitation.goal_memory import goal_set
from believable.imitation.guides import MOMENT_COLUMNS, GuideSet, Passage
from believable.imitation.imitator import Imitation, LearningOptions
from believable.imitation.motion import MotionCounts
from believable.imitation.next_node import WAY_COLUMNS, MoveHabit, WayCounts
from believable.imitation.paths import Item, PathGoal
from believable.imitation.primitives import PrimitiveSet
from believable.imitation.prototypes import InventoryScheme
from believable.imitation.topology import Topology

FORMAT = "believable-imitation/5"
SUFFIX = ".imitation"
#: What an archive may unfold to, as for recordings.
LARGEST_BYTES = 256 * 1024 * 1024


def write_imitation(model: Imitation, file: Path) -> int:
    """The size of the file in bytes."""
    options = model.options
    about = {
        "format": FORMAT,
        "frame_ms": model.frame_ms,
        "options": {
            "nodes": options.nodes,
            "primitives": options.primitives,
            "discount": options.discount,
            "seed": options.seed,
            "respawn_ms": dict(options.respawn_ms),
            "habit": options.moves.habit,
            "utility": options.moves.utility,
            "goals": options.moves.goals,
        },
        "things": model.scheme.things,
        "most": dict(model.scheme.most),
        "goals": [
            {
                "situation": goal.situation,
                "item": goal.item.name,
                "node": goal.item.node,
                "paths": goal.paths,
            }
            for goal in model.aims.goals
        ],
        "weapons": model.primitives.weapons,
        "explained": model.primitives.explained,
        "items": [[item.name, item.node, *place] for item, place in model.item_places.items()],
        "gains": {item: dict(gains) for item, gains in model.gains.items()},
        "top_speed_tiles_per_s": model.top_speed_tiles_per_s,
        "fastest_turn": model.fastest_turn,
        "sources": model.sources,
    }
    text = json.dumps(about, sort_keys=True).encode()
    with whole_file(file) as draft, draft.open("wb") as out:
        np.savez_compressed(
            out,
            about=np.frombuffer(text, np.uint8),
            nodes=model.topology.nodes,
            edges=model.topology.edges,
            edge_frames=model.topology.edge_frames,
            values=model.values,
            centres=model.primitives.centres,
            spread=model.primitives.spread,
            on_edge=model.motion.on_edge.astype(np.float32),
            at_goal=model.motion.at_goal.astype(np.float32),
            chain=model.chain,
            ways=model.ways.ways.astype(np.int32),
            way_counts=model.ways.counts,
            moments=model.guides.moments,
            passages=model.guides.passages.astype(np.int32),
        )
    return file.stat().st_size


def read_imitation(file: Path) -> Imitation:
    if not file.is_file():
        raise NotFound(
            f"{file} is not there. Make one: believable learn RECORDING --out NAME{SUFFIX}."
        )
    try:
        arrays = _read_arrays(file)
        about: dict[str, Any] = json.loads(arrays["about"].tobytes())
        if about.get("format") != FORMAT:
            raise InvalidInput(
                f"{file}: its format is {about.get('format')!r}, expected {FORMAT!r}. Learn it"
                " anew."
            )
        return _model(about, arrays)
    except InvalidInput:
        raise
    except (
        ValueError,
        KeyError,
        TypeError,
        OSError,
        EOFError,
        MemoryError,
        zlib.error,
        zipfile.BadZipFile,
    ) as error:
        raise InvalidInput(
            f"{file}: not a learned player, or a damaged one ({error}). Learn it again."
        ) from error


def _read_arrays(file: Path) -> dict[str, Any]:
    """The arrays of the archive, if all of it together is no larger than a player can be."""
    with zipfile.ZipFile(file) as archive:
        entries = archive.infolist()
        if sum(entry.file_size for entry in entries) > LARGEST_BYTES:
            raise TooLarge(
                f"{file}: unfolds to more than {LARGEST_BYTES // 2**20} MB, which no learned player"
                " needs. Learn it from fewer or shorter recordings."
            )
        arrays = {}
        for entry in entries:
            with archive.open(entry) as packed:
                content = packed.read(
                    entry.file_size + 1
                )  # never more than was announced, and counted
            arrays[entry.filename.removesuffix(".npy")] = np.lib.format.read_array(
                io.BytesIO(content), allow_pickle=False
            )
    return arrays


def _model(about: dict[str, Any], arrays: dict[str, Any]) -> Imitation:
    topology = Topology(arrays["nodes"], arrays["edges"], arrays["edge_frames"])
    goals = [
        PathGoal(
            tuple(goal["situation"]),
            Item(goal["item"], goal["node"]),
            tuple(map(tuple, goal["paths"])),
        )
        for goal in about["goals"]
    ]
    count, nodes = len(arrays["centres"]), len(topology.nodes)
    expected = {
        "edges": (nodes, nodes),
        "values": (len(goals), nodes),
        "chain": (count, count),
        "on_edge": (nodes, nodes, count),
        "at_goal": (nodes, len(goals), count),
        "ways": (len(arrays["way_counts"]), WAY_COLUMNS),
        "moments": (len(arrays["moments"]), MOMENT_COLUMNS),
        "passages": (len(arrays["passages"]), len(Passage._fields)),
    }
    for name, shape in expected.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has the shape {arrays[name].shape}, expected {shape}")
    passages = arrays["passages"].astype(np.int64)
    first, last, end = passages[:, 3:].T
    if not ((first >= 0) & (first < last) & (last <= end) & (end <= len(arrays["moments"]))).all():
        raise ValueError(f"passages lead beyond its {len(arrays['moments'])} moments")
    options = dict(about["options"])
    moves = MoveHabit(options.pop("habit"), options.pop("utility"), options.pop("goals"))
    return Imitation(
        options=LearningOptions(**options, moves=moves),
        frame_ms=about["frame_ms"],
        topology=topology,
        scheme=InventoryScheme(tuple(about["things"]), about["most"]),
        aims=goal_set(goals, about["options"]["respawn_ms"]),
        values=arrays["values"],
        primitives=PrimitiveSet(
            tuple(about["weapons"]), arrays["centres"], arrays["spread"], about["explained"]
        ),
        motion=MotionCounts(
            arrays["on_edge"].astype(float), arrays["at_goal"].astype(float), topology.edges
        ),
        chain=arrays["chain"],
        item_places={Item(name, node): (x, y, z) for name, node, x, y, z in about["items"]},
        gains=about["gains"],
        top_speed_tiles_per_s=about["top_speed_tiles_per_s"],
        ways=WayCounts(arrays["ways"].astype(np.int64), arrays["way_counts"], nodes),
        guides=GuideSet(arrays["moments"], passages),
        fastest_turn=about["fastest_turn"],
        sources=tuple(about["sources"]),
    )
