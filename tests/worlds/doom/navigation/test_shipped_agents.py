"""Agents that come with the package play the real game: they still reach their numbers; the same
run twice is the same.
"""

from __future__ import annotations

import numpy as np
import pytest

from believable.worlds.doom.navigation.declarations import NAVIGATION_AGENTS
from believable.worlds.doom.navigation.movement_measures import (
    MEASURE_WORDS,
    run_measures,
    summarise,
)
from believable.worlds.doom.navigation.navigation_player import SeenDoomGame
from believable.worlds.doom.navigation.navigation_runs import UNTRAINED, planned_runs, run_of

pytest.importorskip("vizdoom", reason="the engine is the extra `doom`")
RUNS = 4


@pytest.mark.parametrize("agent", NAVIGATION_AGENTS)
def test_shipped_agents_reach_their_goals(agent: str) -> None:
    runs = [run_measures(run_of(planned)) for planned in planned_runs(agent, RUNS, seed=5)]
    assert sum(run.success for run in runs) >= RUNS - 1
    reached = [run for run in runs if run.success]
    assert all(run.decisions is not None and run.decisions < 90 for run in reached)
    assert all(0.3 < (run.path_efficiency or 0) <= 1.1 for run in reached)
    measures = summarise(runs, np.random.default_rng(1), resamples=100)
    assert measures.keys() == MEASURE_WORDS.keys()
    if agent == "reward_shaping":
        assert measures["camera"].value < 0.25, "it was marked down for sudden turns"
    else:
        assert measures["camera"].value > 0.3


def test_a_run_is_the_same_again_and_nobody_untrained_arrives() -> None:
    (planned,) = planned_runs("symbolic", 1, seed=5)
    first, again = run_of(planned), run_of(planned)
    assert first.telemetry == again.telemetry
    (blind,) = planned_runs("symbolic", 1, seed=5, source=UNTRAINED)
    measures = run_measures(run_of(blind))
    assert not measures.success
    assert measures.decisions is None
    assert measures.path_efficiency is None


def test_a_collision_is_what_level_ground_does_not_explain_however_somebody_walks() -> None:
    """The engine's own steps: forwards, backwards, sideways and turning on the island; then its
    wall.
    """
    (planned,) = planned_runs("symbolic", 1, seed=5)
    game = SeenDoomGame(planned.setup(), depth=False)
    try:
        for forward, side, turn in [
            (1, 1, 20),
            (0, -1, -30),
            (-1, 1, 0),
            (0, -1, 40),
            (-1, 0, 0),
            *[(-1, 0, 0)] * 9,
        ]:
            for _ in range(7):
                game.step({"player": (forward, side, 0, turn, 0, 0, 0, 0, 0)})
        recording = game.record()
    finally:
        game.close()
    decision_ms = 7 * recording.timing.frame_ms
    assert run_measures(recording, 0, 5 * decision_ms).collisions == 0
    assert run_measures(recording, 5 * decision_ms).collisions > 0.2
