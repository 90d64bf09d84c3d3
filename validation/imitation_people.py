"""Learned players against real people whom they did not learn from: the published rules and ours.

    python -m validation.imitation_people [ROUNDS]

For each of the thirteen people of FreeDM's demos, a player learns from the others of the same map.
Rows of all people together, with intervals over people: the share of moves that each rule names,
the surprise at each action, and, of ROUNDS played rounds (default 2 of 60 s for each person and
player), how far apart player and person are on the map and how many ways of three nodes they share.
`person_again` are the people learned from, in place of a player: nobody is nearer but by chance.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from believable.imitation.cloning import ClonePlayer, PlaybackPlayer, learn_clone
from believable.imitation.imitation_measures import (
    action_bits,
    chain_bits,
    frequent_move_hits,
    most_frequent_moves,
    next_node_hits,
    occupancy_distance,
    plain_bits,
    route_overlap,
    turning,
)
from believable.imitation.imitator import Imitation, Imitator, LearningOptions, learn
from believable.imitation.next_node import AS_PUBLISHED, WAYS_ALONE
from believable.imitation.observations import Floats, Observations
from believable.recordings.file import read
from believable.worlds.doom import DOOM
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_observations import observe_doom
from believable.worlds.doom.doom_recording import setup_in
from believable.worlds.doom.doom_round import DoomSetup
from believable.worlds.doom.game_map import FREEDM_PEOPLE
from believable.worlds.doom.imitating_player import CommandingMind, seat_mind
from believable.worlds.live_round import play_through

ROUND_TICS = 60 * 35
_NODES, _PRIMITIVES, _RESAMPLES = 64, 50, 2000


def main(rounds: int) -> None:
    by_map: dict[str, list[tuple[DoomSetup, Observations]]] = defaultdict(list)
    for file in sorted(FREEDM_PEOPLE.glob("*.replay.json.gz")):
        recording = read(file)
        setup = setup_in(recording)
        by_map[setup.map].append((setup, observe_doom(recording)))
    rows: dict[str, list[float]] = defaultdict(list)
    for own in by_map.values():
        for number, (setup, held) in enumerate(own):
            others = [seen for other, (_, seen) in enumerate(own) if other != number]
            for name, value in compare(setup, held, others, rounds).items():
                rows[name].append(value)
    rng = np.random.default_rng(1)
    for name, values in rows.items():
        found = np.array(values)
        drawn = rng.choice(found, (_RESAMPLES, len(found))).mean(1)
        low, high = np.quantile(drawn, (0.025, 0.975))
        report(f"{name:<36} {found.mean():8.3f}  [{low:.3f}, {high:.3f}]  people {len(found)}")


def compare(
    setup: DoomSetup, held: Observations, others: Sequence[Observations], rounds: int
) -> dict[str, float]:
    """Means for one person."""
    model = learn(others, LearningOptions(nodes=_NODES, primitives=_PRIMITIVES))
    guesses = most_frequent_moves(model.topology, others)
    rows = {
        "next_node_as_published": share(next_node_hits(model, held, AS_PUBLISHED)),
        "next_node_ways_alone": share(next_node_hits(model, held, WAYS_ALONE)),
        "next_node": share(next_node_hits(model, held)),
        "next_node_most_frequent_move": share(frequent_move_hits(guesses, model.topology, held)),
        "bits": share(action_bits(model, held)),
        "bits_without_chain": share(action_bits(model, held, with_chain=False)),
        "bits_chain_alone": share(chain_bits(model, held)),
        "bits_actions_alone": share(plain_bits(model, others, held)),
    }
    players: dict[str, list[Observations]] = {
        name: [played(setup, partial(mind, seed), seed) for seed in range(1, rounds + 1)]
        for name, mind in minds(model, others).items()
    }
    rng = np.random.default_rng(1)
    for name, seen in {**players, "person_again": list(others)}.items():
        if seen:
            apart = occupancy_distance(model.topology, seen, [held], rng)
            rows[f"occupancy_distance_{name}"] = apart.value
            rows[f"route_overlap_{name}"] = route_overlap(model.topology, seen, [held], rng).value
            for measure, turned in turning(seen, rng).items():
                rows[f"{measure}_{name}"] = turned.value
    for measure, turned in turning([held], rng).items():
        rows[f"{measure}_person"] = turned.value
    return rows


def minds(
    model: Imitation, others: Sequence[Observations]
) -> dict[str, Callable[[int], CommandingMind]]:
    clone = learn_clone(model, others)
    return {
        "passages": lambda seed: Imitator(model, seed),
        "as_published": lambda seed: Imitator(model, seed, as_published=True),
        "cloning": lambda seed: ClonePlayer(clone, seed),
        "playback": lambda seed: PlaybackPlayer(others, seed),
    }


def played(setup: DoomSetup, mind: Callable[[], CommandingMind], seed: int) -> Observations:
    alone = setup.model_copy(update={"led": False, "engine_seed": seed, "ticks": ROUND_TICS})
    recording = play_through(DOOM.game, alone, seat_mind(mind()), partial(DoomGame, recorded=True))
    return observe_doom(recording)


def share(values: Sequence[Floats]) -> float:
    """The mean over all lives together."""
    return float(np.mean(np.concatenate(values)))


def report(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2)
