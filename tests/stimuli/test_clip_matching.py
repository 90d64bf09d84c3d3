"""Clips in pairs: same scenario, same start or similar length, each clip once."""

from __future__ import annotations

import itertools
import random
from pathlib import Path

import pytest

from believable.core.errors import InvalidInput
from believable.stimuli.clip_matching import MatchedClips, SourceClip, match_clips, nearest_in_order


def clip(
    name: str, length_ms: int, *, scenario: str | None = "maze", start: str | None = None
) -> SourceClip:
    return SourceClip(file=Path(name), scenario=scenario, start=start, length_ms=length_ms)


def names(matched: MatchedClips) -> list[tuple[str, ...]]:
    return [tuple(str(one.file) for one in match.clips.values()) for match in matched.matches]


def test_the_sum_of_differences_is_the_least_of_all_assignments() -> None:
    rng = random.Random(4)
    for _ in range(60):
        few = sorted(rng.randrange(50) for _ in range(rng.randrange(1, 5)))
        many = sorted(rng.randrange(50) for _ in range(len(few) + rng.randrange(4)))
        chosen = nearest_in_order(few, many)
        least = min(
            sum(abs(one - many[at]) for one, at in zip(few, order, strict=True))
            for order in itertools.permutations(range(len(many)), len(few))
        )
        assert len(set(chosen)) == len(few)
        assert sum(abs(one - many[at]) for one, at in zip(few, chosen, strict=True)) == least


def test_equal_starts_come_before_equal_lengths() -> None:
    people = [clip("p1", 10_000, start="seed 1"), clip("p2", 12_000, start="seed 2")]
    agents = [clip("a1", 12_000, start="seed 3"), clip("a2", 11_000, start="seed 1")]
    assert names(match_clips({"people": people, "agent": agents})) == [("p1", "a2"), ("p2", "a1")]


def test_clips_of_different_scenarios_are_no_pair() -> None:
    people = [clip("p", 10_000, scenario="north")]
    agents = [clip("a", 10_000, scenario="south")]
    with pytest.raises(InvalidInput, match=r"no pair of clips fits.*people: 1, agent: 1"):
        match_clips({"people": people, "agent": agents})


def test_pairs_of_unlike_lengths_are_left_out_and_counted() -> None:
    people = [clip("p1", 10_000), clip("p2", 30_000)]
    agents = [clip("a1", 10_500), clip("a2", 15_000), clip("a3", 50_000)]
    matched = match_clips({"people": people, "agent": agents}, most_cropped=0.2)
    assert names(matched) == [("p1", "a1")]
    assert matched.matches[0].length_ms == 10_000
    assert matched.notes == (
        "1 pairs are left out: their lengths differ by more than 20%.",
        "people: 1 of 2 clips are unused.",
        "agent: 2 of 3 clips are unused.",
    )


def test_three_conditions_make_one_row_each_and_the_best_pairs_are_kept() -> None:
    pools = {
        name: [clip(f"{name}{number}", 10_000 + 900 * number + 100 * at) for number in range(9)]
        for at, name in enumerate(("h", "a", "b"))
    }
    matched = match_clips(pools, pairs=4)
    assert len(matched.matches) == 4
    assert all({row[0][1:], row[1][1:], row[2][1:]} == {row[0][1:]} for row in names(matched))
    with pytest.raises(InvalidInput, match="two conditions"):
        match_clips({"h": pools["h"]})
