"""Comprehension in `hntt` as published: three declarations to agree or disagree with, which turn
nobody away.
"""

from __future__ import annotations

from believable.contracts.registries import PROTOCOLS
from believable.contracts.texts import built_in
from believable.contracts.trial import outline
from believable.study.load import load


def test_three_declarations_turn_nobody_away() -> None:
    study = load(PROTOCOLS["hntt"].folder).study
    items = {entry.item.id: entry.item for entry in outline(study.timeline)}
    questions = items["understood"].all_questions
    assert [question.id for question in questions] == ["duration", "limit", "required"]
    assert {option.value for question in questions for option in question.params.options} == {
        "agree",
        "disagree",
    }  # type: ignore[attr-defined]
    assert not [item.id for item in items.values() if item.quiz.right_answers], "nobody is tested"


def test_the_middle_of_certainty_says_what_it_means() -> None:
    assert built_in("en")["certainty.3"] == "neither certain nor uncertain"
    assert built_in("de")["certainty.3"] == "weder sicher noch unsicher"
