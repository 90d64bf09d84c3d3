"""The places a player was at and the moves between them: nodes are clusters of positions, an edge
is a move that was seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from believable.core.errors import InvalidInput
from believable.imitation.clusters import k_means, nearest
from believable.imitation.observations import Booleans, Floats, Integers, Observations


@dataclass(frozen=True, slots=True)
class NodeMove:
    """In this frame the player came from one node to another; `frames` is how long the first one
    lasted.
    """

    frame: int
    start: int
    end: int
    frames: int


@dataclass(frozen=True, slots=True, eq=False)
class Topology:
    """`nodes` are centres in tiles; `edges[i, j]`: a move from i to j was seen; `edge_frames[i,
    j]`: how long it took.
    """

    nodes: Floats
    edges: Booleans
    edge_frames: Floats

    def node_of(self, positions: Floats) -> Integers:
        return nearest(np.atleast_2d(positions), self.nodes)

    def neighbours(self, node: int) -> Integers:
        return np.flatnonzero(self.edges[node])


def learn_topology(
    recordings: Sequence[Observations], nodes: int, rng: np.random.Generator
) -> Topology:
    """Nodes from all positions while alive, edges from all moves."""
    alive = [seen.position[seen.alive] for seen in recordings]
    if not alive or not sum(map(len, alive)):
        raise InvalidInput("recordings: nobody is alive in any frame, so there is no way to learn.")
    centres, _ = k_means(np.concatenate(alive), nodes, rng)
    topology = Topology(centres, np.zeros((len(centres),) * 2, bool), np.zeros((len(centres),) * 2))
    times = np.zeros_like(topology.edge_frames)
    counts = np.zeros_like(topology.edge_frames)
    for seen in recordings:
        for move in node_moves(node_course(topology, seen)):
            times[move.start, move.end] += move.frames
            counts[move.start, move.end] += 1
    return Topology(centres, counts > 0, times / np.maximum(counts, 1))


def node_course(topology: Topology, seen: Observations) -> Integers:
    """The node of each frame; −1 while dead."""
    return np.where(seen.alive, topology.node_of(seen.position), -1)


def node_moves(course: Integers) -> list[NodeMove]:
    """Every step from one node to another, while alive."""
    moves = []
    since = 0
    for frame in range(1, len(course)):
        if course[frame] != course[frame - 1]:
            if course[frame] >= 0 and course[frame - 1] >= 0:
                moves.append(
                    NodeMove(frame, int(course[frame - 1]), int(course[frame]), frame - since)
                )
            since = frame
    return moves


def nodes_ahead(course: Integers) -> Integers:
    """For each frame the node that is entered next in the same life; −1 if there is none."""
    ahead = np.full(len(course), -1)
    coming = -1
    for frame in range(len(course) - 2, -1, -1):
        if course[frame] < 0 or course[frame + 1] < 0:
            coming = -1
        elif course[frame + 1] != course[frame]:
            coming = int(course[frame + 1])
        ahead[frame] = coming if course[frame] >= 0 else -1
    return ahead
