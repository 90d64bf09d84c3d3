"""The imitation by the published rules alone: the best neighbour, and a straight way to it."""

from __future__ import annotations

import numpy as np

from believable.imitation.imitator import Imitator, MoveCommand, Sight, direction_to, learn
from believable.imitation.next_node import next_node, utilities
from tests.imitation.toy import rounds


def acted(*, as_published: bool, seed: int) -> list[tuple[MoveCommand, int | None]]:
    """Commands at the same place, and the node that each leads to."""
    model = learn([rounds(60)])
    x, y, z = (float(value) for value in model.topology.nodes[0])
    player = Imitator(model, seed, as_published=as_published)
    commands = []
    for frame in range(4):
        sight = Sight(
            now_ms=100 * frame,
            position=(x, y, z),
            yaw=0.0,
            pitch=0.0,
            alive=True,
            carried=frozenset(),
            quantities=dict.fromkeys(model.scheme.most, 0.0),
        )
        commands.append((player.act(sight), player._target))
    return commands


def test_the_best_neighbour_is_aimed_at_in_a_straight_line() -> None:
    model = learn([rounds(60)])
    for seed in range(4):
        for command, target in acted(as_published=True, seed=seed):
            assert target is not None
            aim = direction_to(model.topology.nodes[0], model.topology.nodes[target])
            assert command.direction == aim
            assert command.tiles_per_s == model.top_speed_tiles_per_s
    first = acted(as_published=True, seed=1)[0][1]
    vector = model.scheme.vector(frozenset(), dict.fromkeys(model.scheme.most, 0.0))
    closest = model.aims.situations.closeness(vector)
    entered = np.zeros(len(model.topology.nodes), np.int64)
    utility = utilities(model.values, closest / closest.sum(), entered)
    assert first == next_node(model.topology, 0, utility)


def test_passages_are_the_default_and_another_way() -> None:
    published = [acted(as_published=True, seed=seed)[0][0] for seed in range(8)]
    own = [acted(as_published=False, seed=seed)[0][0] for seed in range(8)]
    assert [one.direction for one in own] != [one.direction for one in published]
