"""A learned player compared with the person and with simpler players: every measure by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from believable.imitation.cloning import clone_bits, learn_clone
from believable.imitation.imitation_measures import (
    ImitationMeasure,
    action_bits,
    chain_bits,
    frequent_move_hits,
    lifetimes_s,
    measure,
    most_frequent_moves,
    next_node_hits,
    occupancy_distance,
    plain_bits,
    route_overlap,
    turning,
)
from believable.imitation.imitator import Imitation
from believable.imitation.next_node import AS_PUBLISHED, WAYS_ALONE
from believable.imitation.observations import Observations

_SEED = 1


def compare_with_person(
    model: Imitation,
    *,
    held_out: Sequence[Observations],
    learned_from: Sequence[Observations],
    players: Mapping[str, Sequence[Observations]],
) -> dict[str, ImitationMeasure]:
    """Measures of the person's held-out recordings, and of each player's recordings against
    them.
    """
    rng = np.random.default_rng(_SEED)
    rows = {
        "next_node": measure(
            list(chain.from_iterable(next_node_hits(model, seen) for seen in held_out)), rng
        ),
        "next_node_as_published": measure(
            list(
                chain.from_iterable(next_node_hits(model, seen, AS_PUBLISHED) for seen in held_out)
            ),
            rng,
        ),
        "next_node_ways_alone": measure(
            list(chain.from_iterable(next_node_hits(model, seen, WAYS_ALONE) for seen in held_out)),
            rng,
        ),
        "bits": measure(
            list(chain.from_iterable(action_bits(model, seen) for seen in held_out)), rng
        ),
        "bits_without_chain": measure(
            list(
                chain.from_iterable(action_bits(model, seen, with_chain=False) for seen in held_out)
            ),
            rng,
        ),
        "bits_chain_alone": measure(
            list(chain.from_iterable(chain_bits(model, seen) for seen in held_out)), rng
        ),
    }
    if learned_from:
        own = [next_node_hits(model, seen) for seen in learned_from]
        rows["next_node_in_sample"] = measure(list(chain.from_iterable(own)), rng)
        guesses = most_frequent_moves(model.topology, learned_from)
        frequent = [frequent_move_hits(guesses, model.topology, seen) for seen in held_out]
        rows["next_node_most_frequent_move"] = measure(list(chain.from_iterable(frequent)), rng)
        plain = [plain_bits(model, learned_from, seen) for seen in held_out]
        rows["bits_actions_alone"] = measure(list(chain.from_iterable(plain)), rng)
        for name, with_before in (
            ("bits_cloning", False),
            ("bits_cloning_with_action_before", True),
        ):
            clone = learn_clone(model, learned_from, with_before=with_before)
            rows[name] = measure(
                list(chain.from_iterable(clone_bits(clone, seen) for seen in held_out)), rng
            )
    rows |= _behaviour("person", held_out, rng)
    for player, recordings in players.items():
        if recordings:
            rows |= _behaviour(player, recordings, rng)
            rows[f"occupancy_distance_{player}"] = occupancy_distance(
                model.topology, recordings, held_out, rng
            )
            rows[f"route_overlap_{player}"] = route_overlap(
                model.topology, recordings, held_out, rng
            )
    return rows


def _behaviour(
    player: str, recordings: Sequence[Observations], rng: np.random.Generator
) -> dict[str, ImitationMeasure]:
    lives = measure([life[None] for seen in recordings for life in lifetimes_s(seen)], rng)
    return {f"lifetime_s_{player}": lives} | {
        f"{name}_{player}": value for name, value in turning(recordings, rng).items()
    }
