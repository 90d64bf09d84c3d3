"""Clips drawn by their views: everybody gets other clips, and views differ by one at most."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from believable.contracts.trial import MatchedSlots, PlannedTrial, Slot
from believable.study.plan import Assignment, plan
from believable.study.pool_draw import (
    DrawnLevel,
    DrawnName,
    LevelRequest,
    Views,
    deal,
    level_key,
    needs_draw,
    with_draw,
)
from believable.study.records import Study
from believable.study.stimulus_draw import match_least_viewed, must_fill
from tests.pooled_studies import COMPARES, GROUPS, PAIRS, REPLAYS, STAR, study_of


class Sessions:
    """Sessions drawn one after the other, as the server draws them inside its transaction."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.views: Counter[str] = Counter({stimulus.id: 0 for stimulus in study.stimuli})
        self.levels: Counter[str] = Counter()
        self.drawn: list[tuple[DrawnName, ...]] = []

    def run(self, count: int, **options: Any) -> Iterator[tuple[PlannedTrial, ...]]:
        for number in range(count):
            assignment = Assignment({}, {}, seed=1000 + number)
            drawn = deal(self.study, assignment, Views(self.views, self.levels), **options)
            planned = plan(self.study, with_draw(assignment, drawn))
            self.drawn.append(drawn)
            self.views.update(clip for page in planned for clip in page.played_stimuli)
            self.levels.update(
                level_key(entry.place.removeprefix("levels:").rpartition(".")[0], entry.name)
                for entry in drawn
                if entry.kind == "level"
            )
            yield planned

    @property
    def spread(self) -> int:
        return max(self.views.values()) - min(self.views.values())


@pytest.mark.parametrize(
    ("timeline", "shape", "each"),
    [
        (PAIRS.format(sample=""), {"scenarios": 6, "clips": 50}, 12),
        (PAIRS.format(sample="sample: 6"), {"scenarios": 60, "clips": 1}, 12),
        (PAIRS.format(sample="sample: 6"), {"scenarios": 12, "clips": 10, "paired": True}, 12),
        (COMPARES, {"clips": 90}, 12),
        (COMPARES, {"clips": 90, "paired": True}, 12),
        (GROUPS, {"clips": 75}, 15),
        (REPLAYS, {"clips": 40}, 2),
    ],
)
def test_views_differ_by_one_at_most_at_every_moment(
    tmp_path: Path, timeline: str, shape: dict[str, Any], each: int
) -> None:
    sessions = Sessions(study_of(tmp_path / "study", timeline, **shape))
    for planned in sessions.run(43):
        shown = [clip for page in planned for clip in page.played_stimuli]
        assert len(shown) == len(set(shown)) == each
        assert sessions.spread <= 1


def test_fresh_judges_share_no_clip_while_the_pool_lasts(tmp_path: Path) -> None:
    sessions = Sessions(study_of(tmp_path / "study", COMPARES, clips=300, paired=True))
    seen: set[str] = set()
    for planned in sessions.run(50):
        shown = {clip for page in planned for clip in page.played_stimuli}
        assert not shown & seen
        seen |= shown
    assert len(seen) == 600


def test_the_clips_of_a_comparison_are_one_pair(tmp_path: Path) -> None:
    study = study_of(tmp_path / "study", COMPARES, clips=30, scenarios=3, paired=True)
    groups = {stimulus.id: stimulus.match_group for stimulus in study.stimuli}
    for planned in Sessions(study).run(20):
        for page in planned:
            assert len({groups[clip] for clip in page.played_stimuli}) <= 1
    shared = study_of(tmp_path / "shared", COMPARES, draw="shared", clips=30, paired=True)
    groups = {stimulus.id: stimulus.match_group for stimulus in shared.stimuli}
    pages = plan(shared, Assignment({}, {}, 7))
    assert all(len({groups[clip] for clip in page.played_stimuli}) <= 1 for page in pages)


def test_the_same_views_and_seed_give_the_same_draw_and_other_seeds_others(tmp_path: Path) -> None:
    study = study_of(tmp_path / "study", COMPARES, clips=60)
    draws = [deal(study, Assignment({}, {}, seed), Views()) for seed in (1, 1, 2)]
    assert draws[0] == draws[1] != draws[2]


def test_which_clips_come_together_is_left_to_chance(tmp_path: Path) -> None:
    """Two clips that were in one session are not in one session again and again."""
    sessions = Sessions(study_of(tmp_path / "study", GROUPS, clips=15, draw="pool"))
    together: Counter[frozenset[str]] = Counter()
    for planned in sessions.run(200):
        for page in planned:
            names = sorted(page.played_stimuli)
            together.update(
                frozenset((first, second))
                for number, first in enumerate(names)
                for second in names[number + 1 :]
            )
    expected = 200 * 15 / (30 * 29 / 2)
    assert max(together.values()) < 4 * expected


def test_levels_are_balanced_and_a_policy_decides_instead_if_there_is_one(tmp_path: Path) -> None:
    names = ("a1", "a2", "a3", "a4")
    sessions = Sessions(study_of(tmp_path / "study", STAR, conditions=names, clips=40))
    list(sessions.run(10))
    assert sorted(sessions.levels.values()) == [2, 2, 3, 3]

    def only_a3(request: LevelRequest, rng: random.Random) -> Sequence[DrawnLevel]:
        assert (request.block.id, request.names, request.count) == ("agents", names, 1)
        return [DrawnLevel("a3", 0.25)]

    (planned,) = sessions.run(1, policy=only_a3)
    assert {page.condition for page in planned if page.played_stimuli} == {"a3"}
    level = next(entry for entry in sessions.drawn[-1] if entry.kind == "level")
    assert (level.name, level.probability, level.place) == ("a3", 0.25, "levels:agents.0")


def test_a_shared_study_needs_no_draw(tmp_path: Path) -> None:
    assert not needs_draw(study_of(tmp_path / "shared", COMPARES, draw="shared"))
    assert needs_draw(study_of(tmp_path / "pool", COMPARES, draw="pool"))


def test_the_least_viewed_clips_are_taken_even_if_slots_overlap() -> None:
    """A slot that can take only one clip keeps it, and the rest are the least viewed."""
    slots = [Slot("any", "x", ("a", "b", "c")), Slot("only_a", "x", ("a",))]
    views = {"a": 0, "b": 5, "c": 1}
    drawn, left = match_least_viewed(slots, taken=(), seed=3, views=views)
    assert not left
    assert {slot.key: name for slot, name in drawn.items()} == {"any": "c", "only_a": "a"}
    none_left = match_least_viewed(slots, taken=("a",), seed=3, views=views)[1]
    assert [slot.key for slot in none_left] == ["only_a"]


def test_scenarios_of_free_comparisons_are_those_with_the_fewest_views() -> None:
    def group(number: int) -> MatchedSlots:
        options = tuple(
            (Slot(f"{number}.0", "x", (f"h{s}",)), Slot(f"{number}.1", "x", (f"a{s}",)))
            for s in range(4)
        )
        return MatchedSlots(str(number), "x", options)

    views = {"h0": 3, "a0": 3, "h1": 1, "a1": 1, "h2": 1, "a2": 0, "h3": 9, "a3": 9}
    filled = must_fill([], [group(0), group(1)], taken=(), seed=1, views=views)
    assert sorted(filled.drawn.values()) == ["a1", "a2", "h1", "h2"]
