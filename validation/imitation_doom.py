"""A learned player of Doom against the person it learned from, beside simpler players and the
engine's bots.

    believable record doom REC --map deathmatch --seconds 90 --agent regular:1 --rounds 12 --name held --seed 1601
    believable record doom REC --map deathmatch --seconds 90 --agent regular:1 --rounds 24 --name again --seed 1701
    for n in 1 2 3 4; do
      believable record doom REC --map deathmatch --seconds 90 --agent regular:1 --rounds 10 --name train$n --seed 10$n
      believable record doom REC --map deathmatch --seconds 90 --agent regular:1 --rounds 3 --name valid$n --seed 7$n
    done
    believable record doom REC --map deathmatch --seconds 90 --agent engine_bot --rounds 6 --name alone --seed 301
    believable record doom REC --map deathmatch --seconds 90 --opponent bots --agent wanderer --rounds 4 --name bots --seed 401
    python -m validation.imitation_doom REC

Learns from `train*`, tests on `held*`, lets the imitation, behaviour cloning and playback play
rounds on the same map, and prints every measure with its interval. Numbers of the method are chosen
on `valid*` (`--valid` tests on those). `again*` are as many rounds of the person as the imitation
plays: nobody is nearer to `held*` than those but by chance. `bots` fight each other and a walker,
those of `alone` have the map to themselves, as everybody else. Rounds follow from their seeds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from believable.contracts.game import RoundContext
from believable.contracts.registries import WORLDS
from believable.imitation.cloning import ClonePlayer, PlaybackPlayer, learn_clone
from believable.imitation.evaluation import compare_with_person
from believable.imitation.imitator import Imitator, Sight, learn
from believable.imitation.observations import Observations
from believable.recordings.file import read
from believable.worlds.doom.doom_observations import LOOK_TICS, observe_doom
from believable.worlds.doom.imitating_player import CommandingMind, seat_mind
from believable.worlds.live_round import play_through

#: Rounds of the imitation, of simpler players, and how long each is.
ROUNDS, SIMPLER_ROUNDS, ROUND_S = 24, 6, 90


def played(
    mind: Callable[[int], CommandingMind], rounds: int = SIMPLER_ROUNDS
) -> list[Observations]:
    """Rounds by somebody, each with a seed of its own."""
    playing = WORLDS["doom"].game
    options = playing.trial.options(map="deathmatch", picture="160x120")
    observed = []
    for seed in range(1, rounds + 1):
        setup = playing.trial.resolve(
            options,
            RoundContext(
                session_seed=seed, trial_key="played", opponent="nobody", duration_s=ROUND_S
            ),
        )
        recording = play_through(playing, setup, seat_mind(mind(seed)))
        observed.append(observe_doom(recording))
    return observed


def tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main(folder: Path, tested: str) -> None:
    recordings = {file.name: read(file) for file in sorted(folder.glob("*.replay.json.gz"))}
    train, held, again, alone = (
        [
            observe_doom(recording)
            for name, recording in recordings.items()
            if name.startswith(beginning)
        ]
        for beginning in ("train", tested, "again", "alone")
    )
    bots = [
        observe_doom(recording, actor.id)
        for name, recording in recordings.items()
        for actor in recording.actors
        if name.startswith("bots") and actor.role == "opponent"
    ]
    begun_s = time.process_time()
    model = learn(train)
    minutes = sum(seen.frames for seen in train) * model.frame_ms / 60_000
    spent_s = time.process_time() - begun_s
    tell(
        f"learning from {minutes:.0f} min of recordings: {spent_s:.1f} s of processor,"
        f" {len(model.aims.goals)} goals"
    )
    clone = learn_clone(model, train)
    players = {
        "imitation": played(lambda seed: Imitator(model, seed), ROUNDS),
        "cloning": played(lambda seed: ClonePlayer(clone, seed)),
        "playback": played(lambda seed: PlaybackPlayer(train, seed)),
        "bots": bots,
        "bots_alone": alone,
        "person_again": again,
        "person_learned_from": train,
    }
    tell(
        f"acting: {_acting_ms(Imitator(model, 1), players['imitation'][0]):.3f} ms of processor"
        " per tic"
    )
    for name, row in compare_with_person(
        model, held_out=held, learned_from=train, players=players
    ).items():
        tell(f"{name:<40} {row.value:8.3f}  [{row.low:.3f}, {row.high:.3f}]  n = {row.n}")


def _acting_ms(agent: Imitator, seen: Observations) -> float:
    quantities = [
        {name: float(values[frame]) for name, values in seen.quantities.items()}
        for frame in range(seen.frames)
    ]
    begun_s = time.process_time()
    for frame, (x, y, z) in enumerate(seen.position.tolist()):
        agent.act(
            Sight(
                now_ms=frame * seen.frame_ms,
                position=(x, y, z),
                yaw=float(seen.yaw[frame]),
                pitch=0.0,
                alive=True,
                carried=seen.carried[frame],
                quantities=quantities[frame],
            )
        )
    return 1000 * (time.process_time() - begun_s) / seen.frames / LOOK_TICS


if __name__ == "__main__":
    main(Path(sys.argv[1]), "valid" if "--valid" in sys.argv else "held")
