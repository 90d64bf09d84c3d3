"""What an imitation learned, as one page: nodes and moves on a map, what each node is worth, the
movements of the hand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from believable.imitation.imitator import Imitation
from believable.imitation.motion import COUNT_OF_THE_UNSEEN
from believable.imitation.primitives import ANGLE_UNIT
from believable.report.layout import environment

#: Situations that are drawn: those with the most paths.
SITUATIONS_SHOWN = 8
_MAP_WIDTH = 640
_SMALL_WIDTH = 260


@dataclass(frozen=True, slots=True, kw_only=True)
class MapNode:
    x: float
    y: float
    radius: float
    worth: float
    label: str


@dataclass(frozen=True, slots=True)
class MapEdge:
    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedMap:
    """A map to draw: `title` says what its colours mean."""

    title: str
    note: str
    width: float
    height: float
    nodes: Sequence[MapNode]
    edges: Sequence[MapEdge]
    items: Sequence[MapNode]


@dataclass(frozen=True, slots=True)
class HandArrow:
    """A primitive: where the view turns to within a frame, and how often it was seen."""

    x: float
    y: float
    share: float
    words: str


def learned_page(model: Imitation, title: str) -> str:
    """The page as HTML, complete in itself."""
    visits = _visits(model)
    goals = sorted(
        range(len(model.aims.goals)), key=lambda number: -len(model.aims.goals[number].paths)
    )
    situations = []
    for number in goals[:SITUATIONS_SHOWN]:
        goal = model.aims.goals[number]
        note = (
            f"{model.scheme.words(np.array(goal.situation)) or 'nothing'}; {len(goal.paths)} "
            + ("path" if len(goal.paths) == 1 else "paths")
        )
        situations.append(
            _learned_map(
                model, f"towards {goal.item.name}", note, model.values[number], visits, _SMALL_WIDTH
            )
        )
    return (
        environment()
        .get_template("learned.html")
        .render(
            title=title,
            model=model,
            whole=_learned_map(
                model, "how often a node was passed", "", visits, visits, _MAP_WIDTH
            ),
            situations=situations,
            arrows=_arrows(model),
            facts=(
                ("Recordings", ", ".join(model.sources) or "unnamed"),
                (
                    "Nodes and moves between them",
                    f"{len(model.topology.nodes)} and {int(model.topology.edges.sum())}",
                ),
                ("Situations with a goal", str(len(model.aims.goals))),
                ("Items", str(len(model.item_places))),
                (
                    "Movements of the hand",
                    (
                        f"{model.primitives.count}, which keep {model.primitives.explained:.1%} of"
                        " all variance"
                    ),
                ),
                ("Top speed", f"{model.top_speed_tiles_per_s:.1f} tiles a second"),
            ),
        )
    )


def _visits(model: Imitation) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.asarray(model.motion.on_edge.sum((1, 2)), np.float64)


def _learned_map(
    model: Imitation,
    title: str,
    note: str,
    worth: np.ndarray[tuple[int], np.dtype[np.float64]],
    visits: np.ndarray[tuple[int], np.dtype[np.float64]],
    width: int,
) -> LearnedMap:
    nodes = model.topology.nodes
    low, high = nodes[:, :2].min(0) - 1, nodes[:, :2].max(0) + 1
    scale = width / float(high[0] - low[0])
    spots = (nodes[:, :2] - low) * scale
    least, range_of_worth = float(worth.min()), float(np.ptp(worth)) or 1.0
    most = float(visits.max()) or 1.0
    drawn = [
        MapNode(
            x=round(float(x), 1),
            y=round(float(y), 1),
            radius=round(width / 160 + width / 60 * math.sqrt(visits[number] / most), 1),
            worth=round((float(worth[number]) - least) / range_of_worth, 3),
            label=f"node {number}: {worth[number]:.2f}",
        )
        for number, (x, y) in enumerate(spots)
    ]
    pairs = {tuple(sorted(map(int, pair))) for pair in np.argwhere(model.topology.edges)}
    edges = [
        MapEdge(drawn[start].x, drawn[start].y, drawn[end].x, drawn[end].y)
        for start, end in sorted(pairs)
    ]
    items = [
        MapNode(
            x=round((x - low[0]) * scale, 1),
            y=round((y - low[1]) * scale, 1),
            radius=width / 110,
            worth=0,
            label=item.name,
        )
        for item, (x, y, _) in model.item_places.items()
    ]
    return LearnedMap(
        title=title,
        note=note,
        width=width,
        height=round(float(high[1] - low[1]) * scale, 1),
        nodes=drawn,
        edges=edges,
        items=items,
    )


def _arrows(model: Imitation) -> list[HandArrow]:
    counts = model.motion.on_edge.sum((0, 1)) + COUNT_OF_THE_UNSEEN
    arrows = []
    for number in np.argsort(-counts, kind="stable"):
        turn, lift = (float(value) * ANGLE_UNIT for value in model.primitives.centres[number, :2])
        done = [
            word
            for word, does in (
                ("jumps", model.primitives.jumps(number)),
                ("fires", model.primitives.fires(number)),
            )
            if does
        ]
        words = ", ".join(
            [f"{turn:+z.0f}° across, {-lift:+z.0f}° up", *done, model.primitives.weapon(number)]
        ).rstrip(", ")
        angle = math.radians(max(-90.0, min(90.0, turn * 2)))
        arrows.append(
            HandArrow(
                round(-math.sin(angle) * 16, 1),
                round(-math.cos(angle) * 16, 1),
                float(counts[number] / counts.sum()),
                words,
            )
        )
    return arrows
