"""Every registered instrument keeps the contract, and the check finds those that do not."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from believable.collect.review_hints import TextAnswer, own_hints
from believable.collect.review_intake import text_questions
from believable.contracts.instrument import AnswerCell, Instrument, InvalidAnswer, check_instrument
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.trial import Question
from believable.core.errors import InvalidInput
from believable.instruments.choice import CHOICE
from believable.instruments.number import NUMBER
from believable.instruments.text import TEXT
from believable.study.kinds import kinds_on


@pytest.mark.parametrize("instrument", list(INSTRUMENTS), ids=lambda one: one.name)
def test_every_registered_instrument_keeps_the_contract(instrument: Instrument[Any]) -> None:
    check_instrument(instrument)


def test_every_instrument_folder_is_registered() -> None:
    here = Path(CHOICE.folder).parent
    folders = {path.parent.name for path in here.glob("*/widget.js")}
    assert folders == set(INSTRUMENTS.names)


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (replace(CHOICE, name="my choice"), "name does not match"),
        (replace(CHOICE, version=0), "version must be 1"),
        (replace(CHOICE, records=()), "what it records"),
        (replace(CHOICE, examples=()), "no `examples`"),
        (replace(CHOICE, folder=Path(__file__).parent), "no widget.html"),
        (
            replace(CHOICE, simulate=lambda params, rng: random.random()),
            "different answers for the same seed",
        ),
        (replace(CHOICE, simulate=lambda params, rng: "purple"), "refuses what `simulate` gives"),
        (replace(CHOICE, read=lambda params, raw: f"{raw}!"), "reading must settle"),
        (replace(CHOICE, cells=lambda params, answer: ()), "at least one row"),
        (
            replace(NUMBER, cells=lambda params, answer: (AnswerCell("", "many"),)),
            "not what `records` declares",
        ),
        (replace(CHOICE, check=lambda params: [("options", "is bad.", "Mend it.")]), "finds fault"),
    ],
)
def test_a_broken_instrument_is_told_what_is_wrong(broken: Instrument[Any], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        check_instrument(broken)


def test_junk_that_crashes_read_is_found() -> None:
    def careless(params: Any, raw: Any) -> str:
        return str(raw.strip())

    with pytest.raises(InvalidInput, match="AttributeError; raise InvalidAnswer"):
        check_instrument(replace(CHOICE, read=careless))


def test_an_invalid_answer_speaks_english_and_carries_its_key() -> None:
    error = InvalidAnswer("error.number_min", min=18)
    assert str(error) == "Please enter a number that is at least 18."
    assert (error.key, error.values) == ("error.number_min", {"min": 18})


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        (replace(CHOICE, scale=None), "must say on which `scale`"),
        (replace(CHOICE, scale="text"), "is for free text, without `options`"),
        (replace(CHOICE, scale="interval"), "is for numbers; `records` declares string"),
        (replace(NUMBER, scale="nominal"), "needs `options`"),
        (replace(NUMBER, scale="ordinal", bounds=lambda params: (0, None)), "or both `bounds`"),
        (replace(CHOICE, items=lambda params: ("a", "b")), "so it has no one scale"),
    ],
)
def test_a_scale_that_does_not_fit_is_refused(broken: Instrument[Any], complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        check_instrument(broken)


def test_the_scales_of_ours_are_what_analyses_and_coding_choose_by() -> None:
    assert kinds_on("text") == {"text", "long_text"}
    assert kinds_on("ordinal", "interval") == {
        *("likert", "slider", "number", "clip_rating", "certainty")
    }


def test_a_rating_and_a_text_of_a_package_are_found_by_their_scale() -> None:
    stars, essay = replace(NUMBER, name="stars"), replace(CHOICE, name="essay", scale="text")
    with INSTRUMENTS.including(stars), INSTRUMENTS.including(essay):
        assert "stars" in kinds_on("interval")
        assert "essay" in kinds_on("text")


def test_a_text_of_a_package_is_reviewed() -> None:
    essay = replace(TEXT, name="essay", short_text=20)
    question = Question(id="why", kind="essay", params=TEXT.params())
    asked = SimpleNamespace(id="page", page_questions=(question,))
    with INSTRUMENTS.including(essay):
        assert text_questions([cast(Any, asked)]) == {("page", "why"): question}
        hints = [
            own_hints(written("essay", text)) for text in ("too short", "long enough, I think")
        ]
    assert [[hint.kind for hint in some] for some in hints] == [["short"], []]


def written(kind: str, text: str) -> TextAnswer:
    return TextAnswer(
        session="s1",
        number=1,
        position=0,
        trial_key="page",
        question="why",
        question_kind=kind,
        prompt="",
        text=text,
        took_ms=60_000,
        trial_characters=len(text),
        pasted_characters=0,
        session_ms=None,
    )


@pytest.mark.parametrize(
    ("name", "form"),
    [
        *(("ranktrace", "relative"), ("btrace", "marks"), ("gtrace", "bounded")),
        *(("flags", None), ("likert", None)),
    ],
)
def test_the_form_of_a_trace_follows_from_events_and_bounds(name: str, form: str | None) -> None:
    assert INSTRUMENTS[name].trace_form == form
