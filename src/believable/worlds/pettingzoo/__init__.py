"""Any PettingZoo environment that draws itself: people and agents in its seats, at once or in turn.
Needs the extra `gym`, loaded with the first round.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from believable.contracts.film import Filmable
from believable.contracts.world import Opponents, Playable, TrialForm, World
from believable.worlds.gym.gym_round import INPUTS
from believable.worlds.pettingzoo.random_player import RANDOM
from believable.worlds.pettingzoo.zoo_environment import load_pettingzoo
from believable.worlds.pettingzoo.zoo_game import ZooGame, pictures, size_px
from believable.worlds.pettingzoo.zoo_round import (
    SEATS,
    TABULAR,
    PartnerNames,
    ZooOptions,
    ZooSetup,
    controls_of,
    known_of,
    problems_of,
    resolve,
    start_of,
)

PETTINGZOO = World(
    name="pettingzoo",
    version=1,
    about="Any PettingZoo environment that draws itself: several seats, played by keys.",
    folder=Path(__file__).parent,
    extra="gym",
    playing=Playable(
        setup=ZooSetup,
        seats=dict.fromkeys(SEATS, INPUTS),
        tick_hz=lambda setup: setup.fps,
        new=ZooGame,
        trial=TrialForm(
            options=ZooOptions,
            resolve=resolve,
            opponents=Opponents(PartnerNames()),
            check=problems_of,
            text_key=lambda options: "play.gym",
        ),
        stand_in=RANDOM,
        recorded=partial(ZooGame, recorded=True),
        filmable=Filmable(controls=controls_of, pictures=pictures, size_px=size_px),
        tabular=TABULAR,
        private=dict.fromkeys(SEATS, ("o",)),
        known=known_of,
        ready=load_pettingzoo,
    ),
    start_of=start_of,
)
