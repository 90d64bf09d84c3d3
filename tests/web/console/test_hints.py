"""Hints on free-text answers: what they catch, what they leave alone."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.web.console import hints

GENUINE = "The first player hesitated at the doors and looked around before it walked on."


def answer(text: str, **values: Any) -> hints.Answer:
    given_values: dict[str, Any] = {
        "session": "s1",
        "number": 1,
        "position": 4,
        "trial_key": "pairs.1.watch",
        "trial_id": "watch",
        "question": "why",
        "question_kind": "long_text",
        "prompt": "Why?",
        "took_ms": 60_000,
        "trial_characters": len(text),
        "pasted_characters": 0,
        "session_ms": 600_000,
    }
    return hints.Answer(text=text, **{**given_values, **values})


def kinds(*answers: hints.Answer) -> list[list[str]]:
    return [[hint.kind for hint in found] for found in hints.find(answers)]


def test_a_genuine_answer_has_no_hints() -> None:
    assert kinds(answer(GENUINE)) == [[]]


def test_the_same_text_is_found_whatever_its_case_and_punctuation() -> None:
    other = answer(
        "the first player HESITATED at the doors, and looked around; before it walked on",
        session="s2",
        number=2,
    )
    found = hints.find([answer(GENUINE), other])
    assert found[0][0].words == "same text as session 2 (page 5)"
    assert found[1][0].words == "same text as session 1 (page 5)"


def test_nearly_the_same_text_is_found_across_questions_of_one_session() -> None:
    other = answer(GENUINE.replace("walked on", "went on"), question="other")
    found = hints.find([answer(GENUINE), other])
    assert found[0][0].kind == "duplicate"
    assert found[0][0].words.startswith("nearly the same text (8")
    assert found[0][0].words.endswith("page 5 of this session")


def test_hints_name_neither_trials_nor_questions() -> None:
    canaries = {"trial_key": "CANARY.1.watch", "trial_id": "CANARY", "question": "CANARY_why"}
    found = hints.find([answer(GENUINE, session=s, took_ms=100, **canaries) for s in ("a", "b")])
    assert found[0]
    assert "CANARY" not in str(found)


def test_different_and_short_texts_are_not_called_copies() -> None:
    assert kinds(answer(GENUINE), answer("It ran into a wall twice and then turned in circles.")) == [[], []]
    same = [answer("no idea", question_kind="text", session=s) for s in ("a", "b")]
    assert kinds(*same) == [[], []]


def test_many_copies_are_summed_up() -> None:
    found = hints.find([answer(GENUINE, session=f"s{i}", number=i) for i in range(12)])
    assert found[0][0].words.endswith("and 6 more")


def test_pasting_is_told_and_not_taken_for_fast_typing() -> None:
    found = hints.find([answer(GENUINE, pasted_characters=len(GENUINE), took_ms=2_000)])
    assert [hint.words for hint in found[0]] == [f"{len(GENUINE)} characters were pasted"]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("ok", "long_text", True),
        ("   ok        ", "long_text", True),
        ("7", "text", True),
        ("Bonn", "text", False),
    ],
)
def test_short(text: str, kind: str, expected: bool) -> None:
    assert kinds(answer(text, question_kind=kind)) == [["short"] if expected else []]


def test_faster_than_anybody_types() -> None:
    assert kinds(answer(GENUINE, took_ms=3_000)) == [["fast"]]
    assert kinds(answer(GENUINE, took_ms=8_000)) == [[]]
    assert kinds(answer(GENUINE, took_ms=None)) == [[]]


def test_far_below_the_median_of_page_and_session() -> None:
    texts = [f"{i} {' '.join(random.Random(i).sample('abcdefghijklmnop', 12))}" for i in range(7)]
    usual = [answer(text, session=f"s{i}", number=i) for i, text in enumerate(texts)]
    quick = answer("entirely other words", session="q", number=99, took_ms=15_000, session_ms=190_000)
    found = hints.find([*usual, quick])
    assert [hint.words for hint in found[-1]] == [
        "page took 15 s, the median is 60 s",
        "session took 190 s, the median is 600 s",
    ]
    assert not any(found[:-1])
    assert not any(hints.find([*usual[:3], quick])), "three others are too few to speak of a median"


@given(st.lists(st.text(alphabet="abcde  ", min_size=0, max_size=40), max_size=25))
def test_the_quick_comparison_agrees_with_comparing_all_pairs(texts: list[str]) -> None:
    plain = [hints.normalised(text) for text in texts]

    def grams(text: str) -> set[str]:
        return {text[i : i + hints.GRAM] for i in range(len(text) - hints.GRAM + 1)}

    found = hints.alike_texts(texts)
    for i, one in enumerate(plain):
        expected = set()
        for j, two in enumerate(plain):
            if i != j and min(len(one), len(two)) >= hints.ALIKE_MIN_CHARACTERS:
                a, b = grams(one), grams(two)
                if len(a & b) / len(a | b) >= hints.ALIKE_FROM:
                    expected.add(j)
        assert {other.index for other in found[i]} == expected


def test_one_letter_repeated_is_compared_too() -> None:
    found = hints.alike_texts(["a" * 20, "a" * 30, "b" * 30])
    assert [[other.index for other in others] for others in found] == [[1], [0], []]


def test_a_very_long_text_costs_no_more_than_its_start() -> None:
    found = hints.alike_texts(["word " * 200_000, "word " * 200_001])
    assert found[0][0].similarity == 1.0
