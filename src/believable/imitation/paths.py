"""Paths: the way in a situation until the next pickup.

A path begins at the last change of the inventory (a life's first frame, or a pickup) and ends with
the next pickup in the same life. Ways that end with a death or with the recording reach nothing and
teach no goal.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from believable.imitation.observations import Floats, Integers, Observations, Pickup
from believable.imitation.prototypes import InventoryScheme, frame_vector
from believable.imitation.topology import Topology, node_course


@dataclass(frozen=True, slots=True)
class Item:
    """A thing that lies at a node: two medikits in two places are two items."""

    name: str
    node: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPath:
    """The nodes from one pickup (or the life's beginning) to the next, and the situation in which
    they were walked.
    """

    first_frame: int
    last_frame: int
    situation: tuple[float, ...]
    nodes: tuple[int, ...]
    item: Item


@dataclass(frozen=True, slots=True)
class PathGoal:
    """A situation and the item that was fetched in it: one prototype of the model, with every path
    that led there.
    """

    situation: tuple[float, ...]
    item: Item
    paths: tuple[tuple[int, ...], ...]


def picked_item(topology: Topology, course: Integers, pickup: Pickup) -> Item:
    """The item of a pickup: at the item's node, or at the player's node if that is unknown."""
    node = (
        course[pickup.frame]
        if pickup.place is None
        else topology.node_of(np.array(pickup.place))[0]
    )
    return Item(pickup.item, int(node))


def item_paths(topology: Topology, scheme: InventoryScheme, seen: Observations) -> list[ItemPath]:
    course = node_course(topology, seen)
    by_frame = {pickup.frame: picked_item(topology, course, pickup) for pickup in seen.pickups}
    paths = []
    for first, last in seen.lives():
        begin = first
        for frame in range(first + 1, last):
            if frame in by_frame:
                item = by_frame[frame]
                situation = tuple(float(value) for value in frame_vector(scheme, seen, begin))
                nodes = visited_nodes(np.append(course[begin : frame + 1], item.node))
                paths.append(
                    ItemPath(
                        first_frame=begin,
                        last_frame=frame,
                        situation=situation,
                        nodes=nodes,
                        item=item,
                    )
                )
                begin = frame
    return paths


def visited_nodes(course: Integers) -> tuple[int, ...]:
    """The nodes in their order, each stay counted once."""
    return tuple(
        int(node) for number, node in enumerate(course) if number == 0 or node != course[number - 1]
    )


def path_goals(paths: Sequence[ItemPath]) -> list[PathGoal]:
    """Paths by situation and item, in the order in which they were first seen."""
    gathered: dict[tuple[tuple[float, ...], Item], list[tuple[int, ...]]] = defaultdict(list)
    for path in paths:
        gathered[path.situation, path.item].append(path.nodes)
    return [PathGoal(situation, item, tuple(ways)) for (situation, item), ways in gathered.items()]


def path_rewards(goal: PathGoal, nodes: int) -> Floats:
    """(k+1)/L at the k-th of a path's L nodes, the most over all paths: the nearer to the item, the
    better.
    """
    rewards = np.zeros(nodes)
    for path in goal.paths:
        for place, node in enumerate(path):
            rewards[node] = max(rewards[node], (place + 1) / len(path))
    return rewards
