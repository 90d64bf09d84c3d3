"""One number per judge and agent: the share of right choices, or the balanced share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from believable.study.judge_shares import JudgeContrast, JudgedAnswer, JudgedQuestion, share_of

SIDES = JudgedQuestion(names=("which",), compares="sides", controls=("control",))
RATED = JudgedQuestion(names=("rating",), compares="answers", yes=(1, 2), open=(3,))
SCALE = JudgedQuestion(names=("rating",), compares="answers", scale=(1, 7))
HUMAN = JudgeContrast("bot", ("human",), ("bot",))
PAIR = ("human", "bot")


def sides(*answers: tuple[tuple[str, str], Any]) -> list[JudgedAnswer]:
    return [JudgedAnswer(conditions, answer) for conditions, answer in answers]


def test_the_share_of_trials_in_which_the_first_was_chosen() -> None:
    judged = sides((PAIR, "first"), (PAIR[::-1], "second"), (PAIR, "second"), (PAIR, "A"))
    assert share_of(HUMAN, SIDES, judged) == Fraction(3, 4)


def test_neither_counts_one_half_and_no_answer_nothing() -> None:
    judged = sides((PAIR, "first"), (PAIR, "neither"), (PAIR, None))
    assert share_of(HUMAN, SIDES, judged) == Fraction(3, 4)


def test_controls_and_other_pairs_do_not_count() -> None:
    control = JudgedAnswer(PAIR, "second", ("control", "control"))
    others = sides((("human", "human"), "first"), (("bot", "other"), "first"))
    assert share_of(HUMAN, SIDES, [control, *others]) is None


def test_the_balanced_share_is_the_mean_of_hits_and_correct_rejections() -> None:
    judged = [
        *(JudgedAnswer(("human",), rating) for rating in (1, 2, 4)),
        *(JudgedAnswer(("bot",), rating) for rating in (5, 1)),
    ]
    hits, rejections = Fraction(2, 3), Fraction(1, 2)
    assert share_of(HUMAN, RATED, judged) == (hits + rejections) / 2


def test_do_not_know_counts_one_half_of_either() -> None:
    judged = [JudgedAnswer(("human",), 3), JudgedAnswer(("bot",), "3")]
    assert share_of(HUMAN, RATED, judged) == Fraction(1, 2)


def test_a_judge_of_one_kind_only_has_no_balanced_share() -> None:
    assert share_of(HUMAN, RATED, [JudgedAnswer(("human",), 1)]) is None


@pytest.mark.parametrize(("human", "bot", "share"), [(7, 1, 1), (4, 4, "1/2"), (1, 7, 0)])
def test_ratings_count_by_their_place_on_the_scale(human: int, bot: int, share: Any) -> None:
    judged = [JudgedAnswer(("human",), human), JudgedAnswer(("bot",), bot)]
    assert share_of(HUMAN, SCALE, judged) == Fraction(share)


def test_exchanging_the_groups_mirrors_the_share() -> None:
    judged = sides((PAIR, "first"), (PAIR[::-1], "second"), (PAIR, "second"))
    mirrored = JudgeContrast("bot", HUMAN.second, HUMAN.first)
    forward, back = (share_of(contrast, SIDES, judged) for contrast in (HUMAN, mirrored))
    assert forward is not None
    assert back is not None
    assert forward + back == 1
