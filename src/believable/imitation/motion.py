"""The movement between two nodes: P(a | c, c', g) ∝ P(c' | c, a) · P(a | c, g), from counts.

Every count begins with .1, so that unseen events stay possible. P(c' | c, a) is spread over the
neighbours of c only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from believable.imitation.observations import Booleans, Floats

COUNT_OF_THE_UNSEEN = 0.1


@dataclass(frozen=True, slots=True)
class MotionStep:
    """A frame: primitive `action` at node `node` on the way to `next_node`, after `before` (−1:
    none).
    """

    node: int
    next_node: int
    action: int
    before: int


@dataclass(frozen=True, slots=True, eq=False)
class MotionCounts:
    """How often each primitive was seen: `on_edge[c, c', a]`; `at_goal[c, g, a]`, a frame counting
    for each goal by its share.
    """

    on_edge: Floats
    at_goal: Floats
    edges: Booleans

    def given_goals(self, node: int, next_node: int) -> Floats:
        """P(a | c, c', g): one row per goal, each sums to 1."""
        neighbours = np.flatnonzero(self.edges[node])
        on_edge = self.on_edge[node] + COUNT_OF_THE_UNSEEN
        leads_there = on_edge[next_node] / on_edge[neighbours].sum(0)
        at_goal = self.at_goal[node] + COUNT_OF_THE_UNSEEN
        joint = leads_there * at_goal / at_goal.sum(1, keepdims=True)
        return np.asarray(joint / joint.sum(1, keepdims=True))


def count_motion(
    steps: Iterable[tuple[MotionStep, Floats]], edges: Booleans, goals: int, actions: int
) -> MotionCounts:
    """Counts from every step with the goals of its moment: the actual goal is never observed, only
    the likelihood of each.
    """
    nodes = len(edges)
    on_edge, at_goal = np.zeros((nodes, nodes, actions)), np.zeros((nodes, goals, actions))
    for step, mixture in steps:
        on_edge[step.node, step.next_node, step.action] += 1
        at_goal[step.node, :, step.action] += mixture
    return MotionCounts(on_edge, at_goal, edges)
