"""Simulated reasons and simulated coders."""

from __future__ import annotations

import random

import pytest

from believable.coding.coder_agreement import agreement
from believable.coding.labels import problems
from believable.coding.phrases import (
    Planted,
    phrases,
    planted_for,
    read_reason,
    simulated_answer,
    simulated_coder,
    write_reason,
)
from believable.core.errors import InvalidInput
from believable.study.codebook import ready, ready_names


@pytest.mark.parametrize("name", ready_names())
def test_every_code_has_sentences_of_its_own(name: str) -> None:
    assert {code for code, _ in phrases(name).sentences} == {code.id for code in ready(name).codes}
    everything = [way for ways in phrases(name).sentences.values() for way in ways]
    assert len(set(everything)) == len(everything)


@pytest.mark.parametrize("name", ["hntt", "replay"])
def test_what_was_written_is_read_back_word_for_word(name: str) -> None:
    rng = random.Random(1)
    for _ in range(400):
        reason = write_reason(planted_for(name), rng)
        read = read_reason(name, reason.text)
        assert read.same_as(reason.mark)
        assert {label.key: label.spans for label in read.labels} == {
            label.key: label.spans for label in reason.mark.labels
        }
        assert problems(ready(name), read, reason.text) == []
        if reason.understood and reason.mark.discard is None:
            assert read_reason("hntt_understood", reason.text).labels[0].code == reason.understood


def test_a_text_nobody_simulated_carries_nothing() -> None:
    assert read_reason("hntt", "It just looked better to me.").empty


def test_coders_with_more_errors_agree_less() -> None:
    rng = random.Random(2)
    book = ready("hntt")
    truths = [read_reason("hntt", write_reason(planted_for("hntt"), rng).text) for _ in range(300)]
    found = []
    for error in (0.0, 0.05, 0.3):
        marks = {
            number: {name: simulated_coder(book, truth, rng, error=error) for name in ("a", "b")}
            for number, truth in enumerate(truths)
        }
        found.append(agreement(book, marks).average or 0)
    assert found[0] == pytest.approx(1)
    assert found[0] > found[1] > found[2]
    assert found[1] > 0.8


def test_answers_for_simulated_judges() -> None:
    assert simulated_answer("replay", random.Random(1)) == simulated_answer(
        "replay", random.Random(1)
    )
    with pytest.raises(
        InvalidInput, match=r"no sentences for codebook 'hnt'\. Did you mean 'hntt'"
    ):
        simulated_answer("hnt", random.Random(1))


def test_planted_shares_must_add_up_and_name_known_codes() -> None:
    with pytest.raises(InvalidInput, match=r"add up to 0\.5, expected 1"):
        Planted(codebook="hntt", shares={"more": {("goal", "+"): 0.5}})
    with pytest.raises(InvalidInput, match="no sentences for"):
        Planted(codebook="hntt", shares={"more": {("gaol", "+"): 1.0}})
