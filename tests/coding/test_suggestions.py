"""Suggestions: keywords with their direction and words, and the texts most alike."""

from __future__ import annotations

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from believable.coding.suggestions import Likeness, hits
from believable.study.codebook import ready

TEXTS = {
    1: "It moves smoothly along the path",
    2: "Its path is smooth and it moves along",
    3: "Completely lost, walking in circles",
    4: "It moves along the path smoothly, like a person",
    5: "",
}


def test_keywords_are_found_as_beginnings_of_words_with_direction_and_place() -> None:
    text = "Jerky at first, then smoothly around the crates; unjerky?"
    found = {
        (hit.code, hit.direction): [text[a:b] for a, b in hit.spans]
        for hit in hits(ready("hntt"), text)
    }
    assert found["smoothness", "-"] == ["Jerky"]
    assert found["smoothness", "+"] == ["smoothly"]
    assert found["collision", "+"] == ["around the"]
    assert ("goal", "+") not in found


def test_the_nearest_texts_come_first_and_only_from_those_asked_for() -> None:
    near = Likeness(TEXTS).nearest(1, [2, 3, 4, 5])
    assert [one.number for one in near] == [4, 2]
    assert [one.number for one in Likeness(TEXTS).nearest(1, [3, 2])] == [2]
    assert Likeness(TEXTS).nearest(5, [1, 2]) == ()
    assert Likeness(TEXTS).nearest(99, [1]) == ()


def test_likeness_equals_scikit_learn() -> None:
    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)[^\W\d_]{2,}").fit_transform(
        TEXTS.values()
    )
    cosine = (vectors @ vectors.T).toarray()
    for one in Likeness(TEXTS).nearest(1, [2, 4]):
        assert one.likeness == pytest.approx(cosine[0, one.number - 1])
