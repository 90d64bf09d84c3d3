"""One group against another: the test that the data allow, and the reason where they allow none."""

from __future__ import annotations

import numpy as np
import pytest

from believable.analysis.own_design.group_contrasts import (
    count_contrast,
    equivalence,
    mean_contrast,
    share_contrast,
)
from believable.analysis.own_design.measured_rows import MeasuredRows
from believable.stats.location import paired_t
from believable.stats.means import welch_t

Row = tuple[int, str | None, float]


def rows(entries: list[Row], stimuli: list[str] | None = None) -> MeasuredRows:
    nothing = np.full(len(entries), None, dtype=object)
    stimulus = nothing if stimuli is None else np.array(stimuli, dtype=object)
    return MeasuredRows(
        person=np.array([person for person, _, _ in entries], dtype=np.int64),
        group=np.array([group for _, group, _ in entries], dtype=object),
        stimulus=stimulus,
        item=nothing,
        number=np.array([value for _, _, value in entries], dtype=np.float64),
        text=nothing,
    )


def within(people: int, effect: float, seed: int = 1, each: int = 1) -> list[Row]:
    rng = np.random.default_rng(seed)
    own = rng.normal(0, 1, people)
    return [
        (person, group, float(own[person] + (effect if group == "a" else 0.0) + rng.normal()))
        for person in range(people)
        for group in ("a", "b")
        for _ in range(each)
    ]


def test_one_rating_each_per_group_is_the_paired_t_test() -> None:
    entries = within(24, 0.8)
    contrast = mean_contrast(rows(entries), "a", "b", alternative="two-sided", level=0.95)
    a, b = ([value for _, group, value in entries if group == wanted] for wanted in ("a", "b"))
    known = paired_t(a, b)
    assert contrast.design == "within"
    assert contrast.formula == "value ~ group + (1 | person)"
    assert contrast.test.statistic == pytest.approx(known.statistic, rel=1e-4)
    assert contrast.test.p_value == pytest.approx(known.p_value, rel=1e-3)
    assert contrast.test.effect is not None
    assert known.effect is not None
    assert contrast.test.effect.value == known.effect.value


def test_people_with_their_own_effect_have_a_random_slope() -> None:
    contrast = mean_contrast(
        rows(within(12, 0.5, each=3)), "a", "b", alternative="two-sided", level=0.95
    )
    assert contrast.formula == "value ~ group + (1 + group | person)"


def test_other_people_in_each_group_are_compared_by_welch() -> None:
    rng = np.random.default_rng(2)
    entries = [
        (person, "a" if person < 15 else "b", float(rng.normal(person < 15)))
        for person in range(30)
    ]
    contrast = mean_contrast(rows(entries), "a", "b", alternative="greater", level=0.95)
    known = welch_t(
        [v for _, g, v in entries if g == "a"],
        [v for _, g, v in entries if g == "b"],
        alternative="greater",
    )
    assert contrast.design == "between"
    assert contrast.formula == ""
    assert contrast.test.p_value == known.p_value


def test_enough_stimuli_are_a_random_effect() -> None:
    entries = within(20, 0.5, each=3)
    stimuli = [f"{group}{place % 3}" for place, (_, group, _) in enumerate(entries)]
    contrast = mean_contrast(rows(entries, stimuli), "a", "b", alternative="two-sided", level=0.95)
    assert contrast.formula.endswith("+ (1 | stimulus)")
    one = [
        "only_a" if group == "a" else f"b{place % 5}" for place, (_, group, _) in enumerate(entries)
    ]
    assert (
        "stimulus"
        not in mean_contrast(
            rows(entries, one), "a", "b", alternative="two-sided", level=0.95
        ).formula
    )


def test_a_side_halves_or_turns_p() -> None:
    data = rows(within(20, 0.7))
    two, greater, less = (
        mean_contrast(data, "a", "b", alternative=side, level=0.95).test.p_value or 0.0
        for side in ("two-sided", "greater", "less")
    )
    assert greater == pytest.approx(two / 2)
    assert greater + less == pytest.approx(1)


EMPTY: list[tuple[str, list[Row], str]] = [
    ("nobody", [], "there is no judgement of a and none of b"),
    ("a group is missing", [(0, "a", 1.0), (1, "a", 2.0)], "there is no judgement of b"),
    ("one person", [(0, "a", 1.0), (0, "b", 2.0)], "at least 2"),
    (
        "everybody alike",
        [(person, group, 3.0) for person in range(8) for group in ("a", "b")],
        "no variance",
    ),
]


@pytest.mark.parametrize(("name", "entries", "reason"), EMPTY, ids=[name for name, _, _ in EMPTY])
def test_what_cannot_be_compared_says_why(name: str, entries: list[Row], reason: str) -> None:
    test = mean_contrast(rows(entries), "a", "b", alternative="two-sided", level=0.95).test
    assert test.p_value is None
    assert test.reason


def test_yes_once_each_is_an_exact_test() -> None:
    yes = [
        (person, group, float(group == "a" or person < 4))
        for person in range(12)
        for group in ("a", "b")
    ]
    pairs = share_contrast(rows(yes), "a", "b", alternative="two-sided", level=0.95).test
    assert pairs.method == "exact McNemar test"
    assert pairs.p_value == pytest.approx(2 * 0.5**8)
    apart = [(person, "a" if person < 6 else "b", float(person < 6)) for person in range(12)]
    fisher = share_contrast(rows(apart), "a", "b", alternative="two-sided", level=0.95).test
    assert fisher.method == "Fisher's exact test"
    assert fisher.p_value == pytest.approx(2 / 924)


def test_yes_many_times_is_a_mixed_model_and_the_same_answer_of_all_is_none() -> None:
    rng = np.random.default_rng(5)
    many = [
        (person, group, float(rng.random() < (0.7 if group == "a" else 0.4)))
        for person in range(30)
        for group in ("a", "b")
        for _ in range(4)
    ]
    contrast = share_contrast(rows(many), "a", "b", alternative="two-sided", level=0.95)
    assert contrast.formula == "value ~ group + (1 + group | person)"
    assert contrast.test.estimate is not None
    assert (contrast.test.estimate.value or 0) > 1
    same = share_contrast(
        rows([(p, g, 1.0) for p in range(9) for g in "ab"]),
        "a",
        "b",
        alternative="two-sided",
        level=0.95,
    )
    assert same.test.reason == "everybody answered yes in both groups"


def test_flags_out_of_viewed_actions() -> None:
    rng = np.random.default_rng(6)
    entries = [
        (p, g, float(rng.binomial(40, 0.2 if g == "a" else 0.1))) for p in range(20) for g in "ab"
    ]
    contrast = count_contrast(
        rows(entries), np.full(40, 40.0), "a", "b", alternative="two-sided", level=0.95
    )
    assert contrast.test.p_value is not None
    assert contrast.test.p_value < 0.01
    none = count_contrast(
        rows([(p, g, 0.0) for p, g, _ in entries]),
        np.full(40, 40.0),
        "a",
        "b",
        alternative="two-sided",
        level=0.95,
    )
    assert none.test.reason == "nothing was flagged"


def test_equivalence_needs_the_whole_interval_within_the_margin() -> None:
    contrast = mean_contrast(rows(within(60, 0.0)), "a", "b", alternative="two-sided", level=0.95)
    wide, narrow = equivalence(contrast, 1.0, 0.05), equivalence(contrast, 0.05, 0.05)
    assert wide.p_value is not None
    assert narrow.p_value is not None
    assert wide.p_value < 0.05 < narrow.p_value
    assert wide.estimate is not None
    assert wide.estimate.level == pytest.approx(0.9)
    undefined = mean_contrast(rows([]), "a", "b", alternative="two-sided", level=0.95)
    assert equivalence(undefined, 1.0, 0.05).reason


def test_sparse_answers_keep_an_odds_ratio_near_that_of_the_shares() -> None:
    """11 people, two answers per group: the plain model says .001 although the shares are .55 and
    .27.
    """
    answers = "01001100010011110000110010101000101100011000"
    entries = [
        (place // 4, "aabb"[place % 4], float(answer)) for place, answer in enumerate(answers)
    ]
    test = share_contrast(rows(entries), "b", "a", alternative="two-sided", level=0.95).test
    assert test.estimate is not None
    assert test.estimate.value is not None
    assert 0.1 < test.estimate.value < 0.6
    assert test.estimate.low is not None
    assert test.estimate.low > 0.001
    assert test.df == (10,)
    assert any(note.startswith("too sparse for this model") for note in test.notes)
