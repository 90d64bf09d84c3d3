"""The hand of agents: strokes of people, begun at any moment, to the angle that was asked for."""

from __future__ import annotations

import random

import numpy as np
import pytest

from believable.worlds.doom import DOOM, body
from believable.worlds.doom.body import (
    FASTEST_DEG,
    LEAST_DEG,
    EvenHand,
    PeopleHand,
    TurningHand,
    hand_of,
    stretch,
    strokes,
)
from believable.worlds.doom.doom_round import DoomOptions, DoomSetup, known_of
from believable.worlds.doom.scripted_players import _Turning, somebody
from validation.bodies import LARGEST_PHASE, Turning, largest_phase

DECISION_TICS = 7


def turns(hand: TurningHand, decisions: int, seed: int = 1) -> np.ndarray:
    """The turns of an agent that asks for 30 or 45 degrees or nothing at each decision."""
    rng, made = random.Random(seed), []
    for tic in range(decisions * DECISION_TICS):
        if tic % DECISION_TICS == 0:
            hand.aim(rng.choice((0.0, 0.0, 30.0, -30.0, 45.0, -45.0)))
        made.append(hand.turn())
    return np.array(made)


def phase_of(hand: TurningHand) -> float:
    return largest_phase([Turning(turns_deg=turns(hand, 600), success=1.0, arc_length=0.0)])


def test_one_request_is_turned_to_the_angle() -> None:
    for seed, wanted in enumerate((20.0, -45.0, 90.0, -170.0)):
        hand = PeopleHand(seed)
        hand.aim(wanted)
        made = [hand.turn() for _ in range(160)]
        assert sum(made) == pytest.approx(wanted, abs=LEAST_DEG)
        assert all(step * wanted >= 0 for step in made)
        assert max(map(abs, made)) <= FASTEST_DEG + 1e-9


def test_the_grid_of_decisions_is_not_seen_in_people_s_hands() -> None:
    assert phase_of(EvenHand(DECISION_TICS)) == 1.0
    assert max(phase_of(PeopleHand(seed)) for seed in range(3)) <= LARGEST_PHASE


def test_without_random_moments_the_grid_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The measure notices a hand that begins with each decision, by one and the same stroke."""
    monkeypatch.setattr(body, "LATEST_TICS", 1)
    monkeypatch.setattr(body, "CHOICE", 1)
    monkeypatch.setattr(body, "strokes", lambda: ((15.0, 15.0), (15.0, 15.0)))
    monkeypatch.setattr(body, "_angles", lambda: (30.0, 30.0))
    assert phase_of(PeopleHand(1)) > LARGEST_PHASE


def test_people_s_hands_jump_as_people_do_and_no_less() -> None:
    made = turns(PeopleHand(3), 600)
    jumps = float((np.abs(np.diff(made)) > 2).mean())
    assert jumps >= 0.15, "people: .16 of tics; smoother would give an agent away, too"
    assert np.quantile(np.abs(made) * 35, 0.99) < 650


def test_a_stroke_that_leads_elsewhere_ends_soon() -> None:
    hand = PeopleHand(2)
    hand.aim(170.0)
    before = sum(hand.turn() for _ in range(12))
    hand.aim(-20.0)
    after = [hand.turn() for _ in range(60)]
    assert before > 10
    assert sum(after) == pytest.approx(-20.0, abs=30.0)
    assert after[-1] == 0.0


def test_the_same_seed_moves_alike() -> None:
    assert turns(PeopleHand(5), 40).tolist() == turns(PeopleHand(5), 40).tolist()
    assert turns(PeopleHand(5), 40).tolist() != turns(PeopleHand(6), 40).tolist()


def test_a_calmer_stroke_turns_as_far() -> None:
    assert sum(stretch((4.0, 10.0, 2.0), 7)) == pytest.approx(16.0)
    assert max(stretch((4.0, 10.0, 2.0), 7)) < 10.0
    assert stretch((4.0, 10.0), 2) == [4.0, 10.0]


def test_strokes_are_of_people() -> None:
    assert len(strokes()) > 500
    assert all(step > 0 for stroke in strokes() for step in stroke)


def test_a_study_can_show_agents_without_a_body() -> None:
    assert DoomOptions().body == "people"
    setup = DoomSetup(map="deathmatch", map_seed=7, engine_seed=1, body="raw")
    assert known_of(setup)["body"] == "raw"
    assert isinstance(hand_of("raw", 1, 7), EvenHand)
    assert isinstance(hand_of("people", 1, 7), PeopleHand)
    own = DOOM.game.setup.model_validate({"map": "x", "map_seed": 1, "engine_seed": 1})
    assert own.body == "people", "setups of earlier versions have no body"


def test_scripts_have_the_body_too() -> None:
    raw, people = (
        _Turning(somebody(random.Random(1)), random.Random(1), own) for own in ("raw", "people")
    )
    made = {}
    for name, turning in (("raw", raw), ("people", people)):
        view, steps = 0.0, []
        for _ in range(120):
            turned, _ = turning.towards(80.0, view)
            view -= turned / 10
            steps.append(-turned / 10)
        made[name] = np.array(steps)
        assert 60 < view < 100
    assert (np.abs(np.diff(made["raw"])) <= 2.0).all(), "a script turns too smoothly"
    assert (np.abs(np.diff(made["people"])) > 2.0).any()
