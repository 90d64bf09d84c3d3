"""Reading a page: hostile values of every kind are an error or an answer, never a crash."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from believable.contracts.registries import INSTRUMENTS
from believable.contracts.submission import PageReading, read_questions, whole_characters
from believable.contracts.trial import PlannedTrial, Question
from believable.core.seeds import generator
from believable.pages.form import Form

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=6,
)


def form() -> PlannedTrial:
    questions = []
    for instrument in (one for one in INSTRUMENTS if one.use == "answer"):
        if instrument.use == "answer":
            question = Question(
                id=f"q_{instrument.name}", kind=instrument.name, params=instrument.examples[0]
            )
            questions.append(question)
    return PlannedTrial(
        position=0,
        key="page",
        trial=Form(id="page", questions=tuple(questions)),
        condition=None,
        scenario=None,
        stimulus_id=None,
        skip_if=(),
    )


PAGE = form()


def read(raw: dict[str, Any]) -> PageReading:
    page: Any = SimpleNamespace(
        planned_trial=PAGE, earlier={}, arms={}, opened_beside=(), instruments=INSTRUMENTS
    )
    return read_questions(PAGE.trial, raw, page)


@given(st.dictionaries(st.sampled_from([question.id for question in PAGE.trial.questions]), JSON))  # type: ignore[union-attr]
def test_every_question_ends_up_answered_or_explained(raw: dict[str, Any]) -> None:
    reading = read(raw)
    asked = {question.id for question in PAGE.trial.questions}  # type: ignore[union-attr]
    assert set(reading.answers) | set(reading.errors) == asked
    assert not set(reading.answers) & set(reading.errors)
    assert {key for key in asked if raw.get(key) is None} <= set(reading.errors)


def test_simulated_answers_are_read() -> None:
    rng = generator(1, "answers")
    raw = {
        question.id: INSTRUMENTS[question.kind].simulate(question.params, rng)
        for question in PAGE.trial.questions  # type: ignore[union-attr]
    }
    assert read(raw).errors == {}


def test_half_characters_are_replaced_everywhere() -> None:
    raw = {"a\ud800": ["x\udfff", {"y": "z\ud83d"}], "n": 1}
    whole = whole_characters(raw)
    assert whole == {"a\ufffd": ["x\ufffd", {"y": "z\ufffd"}], "n": 1}
    assert whole_characters("😀") == "😀"
