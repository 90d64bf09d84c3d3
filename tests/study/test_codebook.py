"""The codebooks that come with believable, and how a study builds on them."""

from __future__ import annotations

import pytest

from believable.core.errors import InvalidInput, NotFound
from believable.study.codebook import (
    Code,
    Codebook,
    from_yaml,
    ready,
    ready_names,
    resolve_codebook,
)


def test_three_codebooks_come_with_believable() -> None:
    assert ready_names() == ("hntt", "hntt_understood", "replay")


def test_the_codes_of_the_navigation_test() -> None:
    book = ready("hntt")
    directed = {code.id for code in book.codes if code.direction}
    assert directed == {"smoothness", "goal", "collision", "receptivity", "non_mechanistic"}
    assert {code.id for code in book.codes} - directed == {"intuition", "self_reference", "other"}
    assert all(code.side for code in book.codes)
    assert book.code("collision").wins_over == ("goal", "receptivity")
    assert book.code("smoothness").wins_over == ("non_mechanistic",)
    assert {discard.id for discard in book.discards} == {"cannot_tell", "contradicts"}


def test_how_the_question_was_understood_takes_exactly_one_code() -> None:
    book = ready("hntt_understood")
    assert book.single
    assert [code.id for code in book.codes] == ["real_world", "game", "unclear"]


def test_the_codes_of_flagged_actions() -> None:
    ids = [code.id for code in ready("replay").codes]
    assert ids == [
        "goal_inconsistency",
        "environment_rule",
        "temporal",
        "social_norm",
        "control_failure",
        "other",
    ]


@pytest.mark.parametrize("name", ready_names())
def test_ready_codebooks_explain_every_code(name: str) -> None:
    for code in ready(name).codes:
        assert len(code.definition) > 30
        assert code.other or code.id == "unclear" or (code.keywords and code.examples)
        for other in (*code.wins_over, *code.excludes):
            assert other in ready(name).by_id


def test_own_codes_replace_those_of_the_same_id_and_follow_the_rest() -> None:
    mine = Code(id="goal", label="Aim", definition="Mine.")
    new = Code(id="speed", label="Speed", definition="How fast.")
    whole = resolve_codebook(Codebook(id="reasons", ready="hntt", codes=(new, mine)))
    assert whole.code("goal") == mine
    assert [code.id for code in whole.codes][:2] == ["smoothness", "goal"]
    assert whole.codes[-1] == new
    assert (whole.id, whole.ready, whole.title, whole.pick) == (
        "reasons",
        None,
        ready("hntt").title,
        "many",
    )


def test_an_unknown_codebook_or_code() -> None:
    with pytest.raises(NotFound, match=r"unknown ready codebook 'hnttt'\. Did you mean 'hntt'\?"):
        ready("hnttt")
    with pytest.raises(InvalidInput, match=r"unknown code 'gaol'\. Did you mean 'goal'\?"):
        ready("hntt").code("gaol")


def test_a_codebook_of_its_own_file() -> None:
    book = from_yaml(
        b"id: mine\ncodes: [{id: a, label: A, definition: What it is.}]\n", "mine.yaml"
    )
    assert book.code("a").variants() == (None,)
