"""When a sequential study stops: by its question, for one agent and for many."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from believable.stats.sequential import weigh_evidence
from believable.stats.stopping_rule import StoppingRule
from believable.study.evidence_state import (
    ReachedVerdict,
    continue_words,
    has_ended,
    new_verdicts,
    weigh,
)
from believable.study.judge_shares import JudgeContrast, JudgedQuestion
from believable.study.sequential_design import ContrastDesign, SequentialDesign

RIGHT, EVEN, FAIR = Fraction(1), Fraction(1, 2), Fraction(5, 6)


def design(*agents: str, until: str = "both", most: int | None = None) -> SequentialDesign:
    rule = StoppingRule()
    parts = tuple(
        ContrastDesign(
            contrast=JudgeContrast(name, ("human",), (name,)),
            trials=6,
            clips=300,
            draw="fresh",
            balanced=True,
            rule=rule,
        )
        for name in agents or ("bot",)
    )
    return SequentialDesign(
        question=JudgedQuestion(names=("which",), compares="sides"),
        contrasts=parts,
        until=until,  # type: ignore[arg-type]  # one of three words
        alpha=0.05,
        margin=0.1,
        most=most,
        outcome="accuracy",
    )


def judges_to_answer(
    of: SequentialDesign, shares: Mapping[str, Sequence[Fraction]]
) -> list[ReachedVerdict]:
    """Every answer, with judges arriving one after the other for all agents."""
    reached: list[ReachedVerdict] = []
    longest = max(map(len, shares.values()))
    for n in range(1, longest + 1):
        seen = {name: own[:n] for name, own in shares.items()}
        reached += new_verdicts(of, seen, n, reached)
    return reached


def test_right_answers_end_the_study_as_distinguishable() -> None:
    of, shares = design(), {"bot": [FAIR] * 30}
    (first, *_) = judges_to_answer(of, shares)
    assert first.verdict == "different"
    state = weigh(of, {"bot": shares["bot"][: first.n]}, first.n, [first])
    assert state.is_stopped
    assert state.words == "stop: distinguishable"
    before = weigh(of, {"bot": shares["bot"][: first.n - 1]}, first.n - 1)
    assert not before.is_stopped
    assert before.words.startswith("continue, about ")
    assert before.more is not None
    assert 1 <= before.more <= 5


def test_even_answers_end_the_study_as_inside_the_margin() -> None:
    (first, *_) = judges_to_answer(design(), {"bot": [EVEN] * 200})
    assert first.verdict == "equivalent"
    state = weigh(design(), {"bot": [EVEN] * first.n}, first.n, [first])
    assert state.words == "stop: inside the margin"


def test_the_question_names_the_answer_that_ends_recruiting() -> None:
    reached = judges_to_answer(design(), {"bot": [RIGHT] * 40})
    assert {verdict.verdict for verdict in reached} == {"different", "outside"}
    different = [verdict for verdict in reached if verdict.verdict == "different"]
    outside = [verdict for verdict in reached if verdict.verdict == "outside"]
    assert has_ended(design(until="difference"), 40, different)
    assert not has_ended(design(until="equivalence"), 40, different)
    assert has_ended(design(until="equivalence"), 40, outside)
    state = weigh(design(until="equivalence"), {"bot": [RIGHT] * 40}, 40, reached)
    assert state.words == "stop: outside the margin"


def test_the_largest_number_ends_it_without_an_answer() -> None:
    of = design(most=3)
    state = weigh(of, {"bot": [EVEN, RIGHT, EVEN]}, 3)
    assert state.is_stopped
    assert has_ended(of, 3, ())
    assert state.words == "stop: 3 judges, the largest number"
    assert not has_ended(of, 2, ())


def test_any_order_gives_the_same_state_to_the_last_digit() -> None:
    of = design("a", "b")
    shares = {
        name: [Fraction(k % 7, 6) for k in range(offset, 40)]
        for name, offset in (("a", 0), ("b", 3))
    }
    rng, states = random.Random(1), set()
    shares = {name: [min(share, RIGHT) for share in own] for name, own in shares.items()}
    for _ in range(5):
        for own in shares.values():
            rng.shuffle(own)
        states.add(repr(weigh(of, shares, 40)))
    assert len(states) == 1


def test_many_agents_need_more_evidence_each() -> None:
    """e-BH: with eight agents, the first answer takes eight times the evidence."""
    alone = judges_to_answer(design("a"), {"a": [FAIR] * 30})[0]
    eight = design(*"abcdefgh", until="difference")
    shares = {name: [EVEN] * 30 for name in "bcdefgh"} | {"a": [FAIR] * 30}
    first = judges_to_answer(eight, shares)[0]
    assert first.agent == "a"
    assert first.n > alone.n
    evidence = weigh_evidence([float(FAIR)] * first.n, StoppingRule())
    assert evidence.log_different >= math.log(8 / 0.05)


def test_agents_that_have_their_answer_make_the_next_one_easier() -> None:
    shares = {"a": [FAIR] * 9, "b": [FAIR] * 9}
    both = judges_to_answer(design("a", "b", until="difference"), shares)
    alone = judges_to_answer(
        design("a", "b", until="difference"), {"a": [FAIR] * 30, "b": [EVEN] * 30}
    )
    assert both[1].n <= alone[0].n


def test_an_answer_is_never_taken_back() -> None:
    of, good = design("a", "b"), {"a": [FAIR] * 20, "b": [EVEN] * 20}
    reached = judges_to_answer(of, good)
    assert any(verdict.agent == "a" for verdict in reached)
    worse = {"a": [*good["a"], *[Fraction(0)] * 20], "b": [EVEN] * 40}
    state = weigh(of, worse, 40, reached)
    assert "a" in state.decided_agents
    again = new_verdicts(of, worse, 40, reached)
    assert not any(verdict.agent == "a" and verdict.verdict == "different" for verdict in again)


def test_a_pool_needs_its_own_threshold() -> None:
    part = design().contrasts[0]
    pooled = replace(part, rule=StoppingRule(form="betting", widening=0.02))
    of = replace(design(), contrasts=(pooled,))
    first = judges_to_answer(of, {"bot": [FAIR] * 60})[0]
    assert first.log_evidence >= math.log(1 / 0.04)


@pytest.mark.parametrize(("more", "words"), [(3, "continue, about 3 more"), (None, "no answer")])
def test_the_words_for_going_on(more: int | None, words: str) -> None:
    assert words in continue_words(more)
