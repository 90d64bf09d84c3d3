"""Hints on free-text answers: what they catch, what they leave alone."""

from __future__ import annotations

import random
from typing import Any

import pytest

from believable.collect import review_hints
from believable.collect.review_hints import TextAnswer

GENUINE = "The first player hesitated at the doors and looked around before it walked on."


def answer(text: str, **values: Any) -> TextAnswer:
    usual: dict[str, Any] = {
        "session": "s1",
        "number": 1,
        "position": 4,
        "trial_key": "pairs.1.watch",
        "question": "why",
        "question_kind": "long_text",
        "prompt": "Why?",
        "took_ms": 60_000,
        "trial_characters": len(text),
        "pasted_characters": 0,
        "session_ms": 600_000,
    }
    return TextAnswer(text=text, **{**usual, **values})


def kinds(text: str, **values: Any) -> list[str]:
    return [hint.kind for hint in review_hints.own_hints(answer(text, **values))]


def test_a_genuine_answer_has_no_hints() -> None:
    assert kinds(GENUINE) == []


def test_the_same_words_have_the_same_digest_whatever_their_case_and_punctuation() -> None:
    other = "the first player HESITATED at the doors, and looked around; before it walked on"
    digests = {review_hints.digest(review_hints.normalise_words(text)) for text in (GENUINE, other)}
    assert len(digests) == 1
    assert review_hints.digest(review_hints.normalise_words("No idea!")) == "", (
        "too short to say anything"
    )


def test_pasting_is_told_and_not_taken_for_fast_typing() -> None:
    hints = review_hints.own_hints(answer(GENUINE, pasted_characters=len(GENUINE), took_ms=2_000))
    assert [hint.words for hint in hints] == [f"{len(GENUINE)} characters were pasted"]


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
    assert kinds(text, question_kind=kind) == (["short"] if expected else [])


def test_faster_than_anybody_types() -> None:
    assert kinds(GENUINE, took_ms=3_000) == ["fast"]
    assert kinds(GENUINE, took_ms=8_000) == []
    assert kinds(GENUINE, took_ms=None) == []


def test_far_below_the_median_of_page_and_session() -> None:
    median_ms = review_hints.medians(
        [("watch", 60_000)] * 5 + [("", 600_000)] * 5 + [("rare", 9)] * 4
    )
    assert median_ms == {"watch": 60_000, "": 600_000}, "four are too few to speak of a median"
    hints = review_hints.fast_hints("watch", 15_000, 190_000, median_ms)
    assert [hint.words for hint in hints] == [
        "page took 15 s, the median is 60 s",
        "session took 190 s, the median is 600 s",
    ]
    assert review_hints.fast_hints("watch", 60_000, None, median_ms) == []
    assert review_hints.fast_hints("rare", 1, None, median_ms) == []


def test_many_copies_are_summed_up_and_places_told_by_page() -> None:
    places = [review_hints.place_in_words(f"s{i}", i, 4, of="s1") for i in range(1, 6)]
    assert places[:2] == ["page 5 of this session", "session 2 (page 5)"]
    assert review_hints.copied_hint(places, 11, 1.0).words.endswith("and 6 more")
    assert (
        review_hints.copied_hint(places[:1], 0, 0.834).words
        == "nearly the same text (83%) as page 5 of this session"
    )


def edited(text: str, n_edits: int, chance: random.Random) -> str:
    letters = list(text)
    for _ in range(n_edits):
        letters[chance.randrange(len(letters))] = chance.choice("abcdefghijklmnopqrstuvwxyz")
    return "".join(letters)


def test_texts_that_are_nearly_the_same_share_a_key_and_others_hardly_ever() -> None:
    """The witness is the comparison of all pairs."""
    chance = random.Random(4)
    words = [
        "".join(chance.choices("abcdefghijklmnoprstuw", k=chance.randint(2, 9))) for _ in range(600)
    ]
    pairs = []
    for _ in range(600):
        text = " ".join(chance.choices(words, k=chance.randint(12, 40)))
        pairs.append((text, edited(text, chance.randint(0, 6), chance)))
    near = missed = 0
    for first, second in pairs:
        sets = [review_hints.grams(review_hints.normalise_words(text)) for text in (first, second)]
        share = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
        assert review_hints.similarity(*sets) == pytest.approx(share)
        if share >= review_hints.ALIKE_FROM:
            near += 1
            missed += not set(review_hints.sharing_keys("s", sets[0])) & set(
                review_hints.sharing_keys("s", sets[1])
            )
    assert near > 300
    assert missed <= 0.01 * near
    keys = [set(review_hints.sharing_keys("s", review_hints.grams(text))) for text, _ in pairs]
    met = sum(bool(keys[i] & keys[j]) for i in range(300) for j in range(i))
    assert met <= 0.01 * 300 * 299 / 2
    one = review_hints.grams(GENUINE)
    assert not set(review_hints.sharing_keys("s", one)) & set(review_hints.sharing_keys("t", one))
    assert all(0 <= key < 2**63 for key in review_hints.sharing_keys("s", one))


def test_one_letter_repeated_and_a_million_words_are_compared_too() -> None:
    assert (
        review_hints.similarity(review_hints.grams("a" * 20), review_hints.grams("a" * 30)) == 1.0
    )
    long = [review_hints.normalise_words("word " * n) for n in (200_000, 200_001)]
    assert review_hints.digest(long[0]) == review_hints.digest(long[1])
