"""The opponent hunts at both levels, whoever plays, and what frustration changes can be seen
several times in a round.
"""

from __future__ import annotations

import statistics

import pytest

from validation.opponents import LEVELS, PEOPLE, Conduct, conduct, per_round

#: None of those that the opponent's numbers were set with, which all lie below 1,000.
SEEDS = range(41_000, 41_012)


@pytest.fixture(scope="module")
def played() -> dict[tuple[str, str], list[Conduct]]:
    return {
        (level, person): [conduct(level, seed, person) for seed in SEEDS]
        for level in LEVELS
        for person in PEOPLE
    }


@pytest.fixture(scope="module")
def figures(played: dict[tuple[str, str], list[Conduct]]) -> dict[str, dict[str, float]]:
    return {
        level: per_round([c for person in PEOPLE for c in played[level, person]])
        for level in LEVELS
    }


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("person", PEOPLE)
def test_it_chases_follows_or_investigates_most_of_the_time(
    played: dict[tuple[str, str], list[Conduct]], level: str, person: str
) -> None:
    """At least half of a round over all players; nobody's way of playing makes it lose more than a
    little of that.
    """
    assert statistics.fmean(c.hunt for c in played[level, person]) >= 0.42


@pytest.mark.parametrize("level", LEVELS)
def test_more_than_half_of_a_round_is_a_hunt(
    figures: dict[str, dict[str, float]], level: str
) -> None:
    assert figures[level]["share: hunt (chase + follow + investigate)"] >= 0.55
    assert figures[level]["share: chase"] >= 0.25
    assert figures[level]["share: investigate"] >= 0.2
    assert figures[level]["share: search"] <= 0.45


@pytest.mark.parametrize("level", LEVELS)
def test_view_hearing_and_risk_are_seen_several_times_a_round(
    figures: dict[str, dict[str, float]], level: str
) -> None:
    shown = figures[level]
    assert shown["view: notices the player"] >= 4
    assert shown["hearing: sets out for a sound"] >= 3
    assert shown["risk: walks through fire"] + shown["risk: walks round fire"] >= 2


def test_frustration_narrows_the_view_sharpens_the_ears_risks_more_and_moves_erratically(
    figures: dict[str, dict[str, float]],
) -> None:
    calm, frustrated = figures["calm"], figures["frustrated"]

    def crossed(shown: dict[str, float]) -> float:
        through, around = shown["risk: walks through fire"], shown["risk: walks round fire"]
        return through / (through + around)

    assert frustrated["view: overlooks the player"] >= max(
        3.0, 3 * calm["view: overlooks the player"]
    )
    assert (
        frustrated["hearing: heard place off by (tiles)"]
        < 0.5
        < 1.2
        < calm["hearing: heard place off by (tiles)"]
    )
    assert crossed(frustrated) > 0.9 > 0.2 > crossed(calm)
    assert min(frustrated["risk: walks through fire"], calm["risk: walks round fire"]) >= 1.5
    assert (
        frustrated["sharp turns (25° or more in a tick)"]
        >= 100
        > calm["sharp turns (25° or more in a tick)"] + 50
    )
    assert frustrated["stops"] >= calm["stops"] + 4


@pytest.mark.parametrize("level", LEVELS)
def test_the_game_can_be_won_and_lost(figures: dict[str, dict[str, float]], level: str) -> None:
    assert 1 <= figures[level]["player dies"] <= 5
    assert figures[level]["opponent dies"] >= 0.7
