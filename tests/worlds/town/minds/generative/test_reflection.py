"""Reflection by both variants; citations point at real memories; what cannot be read is a recorded
failure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from believable.worlds.town.language.model import ModelRequest
from believable.worlds.town.minds.generative.asking import (
    Asker,
    UnreadableAnswer,
    read_ratings,
    read_sentence,
    read_timetable,
)
from believable.worlds.town.minds.generative.memory_stream import MemoryStream
from believable.worlds.town.minds.generative.reflection import (
    THOUGHTS_LAST_STEPS,
    Insight,
    is_due,
    rate_memories,
    read_insights,
    read_questions,
    reflect,
)
from believable.worlds.town.minds.generative.retrieval import Variant
from tests.worlds.town.language.simple_models import ScriptedModel


def asker(
    reply: Callable[[ModelRequest], str], notes: list[tuple[str, Mapping[str, Any]]]
) -> Asker:
    return Asker(ScriptedModel(reply), 1, lambda kind, values: notes.append((kind, values)))


def replies(request: ModelRequest) -> str:
    if request.name == "questions":
        return "1. What does Ada bake?\n2. Whom does Ada meet?\n3. What is in the tea?"
    if request.name == "insights":
        first = request.form.first  # type: ignore[union-attr]
        return (
            f"1. Ada likes bread (because of {first}, {first + 1})\n2. Ada meets Ben (because of"
            f" {first + 2})"
        )
    return "6"


def stream_of(count: int, importance: int = 5) -> MemoryStream:
    stream = MemoryStream()
    for number in range(count):
        stream.add("event", f"Ada bakes bread {number}", number, importance)
    return stream


@pytest.mark.parametrize(
    ("importance", "paper", "released"),
    [(149, False, False), (150, False, True), (151, True, True)],
)
def test_the_threshold(importance: int, paper: bool, released: bool) -> None:
    stream = MemoryStream()
    stream.add("event", "a", 0, importance)
    assert (is_due(stream, "paper"), is_due(stream, "released")) == (paper, released)


@pytest.mark.parametrize("variant", ["paper", "released"])
def test_insights_cite_the_memories_that_were_shown(variant: Variant) -> None:
    notes: list[tuple[str, Mapping[str, Any]]] = []
    stream = stream_of(40)
    thoughts = reflect(asker(replies, notes), stream, "Ada", 50, variant)
    assert len(thoughts) == 6
    calls = [values for kind, values in notes if kind == "call" and values["prompt"] == "insights"]
    assert len(calls) == 3
    assert all(thought.importance is None for thought in thoughts), "rated with the next memories"
    for number, thought in enumerate(thoughts):
        shown = [entry["memory"] for entry in calls[number // 2]["retrieved"]]
        assert list(thought.evidence) == (shown[:2] if number % 2 == 0 else shown[2:3])
        assert all(
            stream.memories[cited].number == cited < thought.number for cited in thought.evidence
        )
        first = 1 if variant == "paper" else 0
        assert f"{first}. {stream.memories[shown[0]].text}\n" in calls[number // 2]["text"]
    assert {thought.expires_step for thought in thoughts} == (
        {None} if variant == "paper" else {50 + THOUGHTS_LAST_STEPS}
    )
    assert (stream.importance_sum, stream.unreflected) == (0, 0)
    assert notes[-1][0] == "reflection"


def test_the_paper_looks_at_the_latest_hundred_and_the_code_at_those_since_the_last_reflection() -> (
    None
):
    seen: dict[str, int] = {}
    for variant in ("paper", "released"):
        stream = stream_of(130)
        stream.restart_reflection()
        for number in range(20):
            stream.add("event", f"tea {number}", 200 + number, 8)

        def reply(request: ModelRequest, variant: str = variant) -> str:
            if request.name == "questions":
                seen[variant] = len(request.form.statements)  # type: ignore[union-attr]
            return replies(request)

        reflect(asker(reply, []), stream, "Ada", 300, variant)  # type: ignore[arg-type]
    assert seen == {"paper": 100, "released": 20}


def test_what_cannot_be_read_is_a_recorded_failure_and_adds_nothing() -> None:
    notes: list[tuple[str, Mapping[str, Any]]] = []
    asking = asker(
        lambda request: "I would rather not say." if request.name == "questions" else "6", notes
    )
    stream = stream_of(3)
    assert reflect(asking, stream, "Ada", 50, "paper") == []
    assert len(stream.memories) == 3
    failed = [values["failed"] for kind, values in notes if "failed" in values]
    assert failed == ["expected numbered questions, got 'I would rather not say.'"] * 3
    assert [values["attempt"] for kind, values in notes if kind == "call"] == [1, 2, 3]
    assert ("unanswered", {"prompt": "questions", "attempts": 3}) in notes
    assert asking.failures == {"questions": 3}


def test_a_second_attempt_may_succeed() -> None:
    notes: list[tuple[str, Mapping[str, Any]]] = []
    asking = asker(lambda request: "seven" if request.attempt == 1 else "1. 7\n2. 2", notes)
    stream = MemoryStream()
    for text in ("tea is hot", "the stove is idle", "the tea is cold"):
        stream.add("event", text, 0, None)
    assert stream.importance_sum == 0
    rate_memories(asking, "Ada", stream)
    assert [memory.importance for memory in stream.memories] == [7, 1, 2]
    assert (stream.importance_sum, stream.unrated) == (10, [])
    assert [("failed" in values) for kind, values in notes if kind == "call"] == [True, False]
    stream.add("event", "the tea is gone", 1, None)
    rate_memories(asker(lambda request: "very", []), "Ada", stream)
    assert stream.memories[-1].importance is None
    assert stream.unrated == [], "it is not asked about again"


def test_insights_that_cite_what_was_not_shown_are_refused() -> None:
    assert read_insights(
        "1. Ada bakes (because of 1, 3)\n2) Ben too (2 and 1).", first=1, count=3
    ) == (Insight("Ada bakes", (1, 3)), Insight("Ben too", (2, 1)))
    for text in (
        "1. Ada bakes (because of 4)",
        "1. Ada bakes (because of 0)",
        "1. Ada bakes",
        "",
        "Ada (1)",
    ):
        with pytest.raises(UnreadableAnswer):
            read_insights(text, first=1, count=3)
    assert read_questions("1. Who?\n2. What?\n3. Why?\n4. When?") == ("Who?", "What?", "Why?")


def test_answers_are_read_strictly() -> None:
    assert read_ratings("1. 7\n2) 3.", 1, 10, 2) == (7, 3)
    for text in ("1. 11\n2. 3", "1. 0\n2. 3", "1. 7/10\n2. 3", "1. 7", "2. 7\n1. 3", ""):
        with pytest.raises(UnreadableAnswer):
            read_ratings(text, 1, 10, 2)
    assert read_sentence(' "Hello,\n Ben." ') == "Hello, Ben."
    with pytest.raises(UnreadableAnswer):
        read_sentence(" 42 … ")


def test_timetables_are_read_strictly() -> None:
    lines = read_timetable(
        "1. 07:00 in the morning: wash\n\n08:30: eat: bread", from_minute=420, to_minute=600
    )
    assert [(line.minute, line.text) for line in lines] == [(420, "wash"), (510, "eat: bread")]
    for text, reason in (
        ("wash", "expected lines such as"),
        ("06:59: wash", "expected a time from 07:00 to 10:00"),
        ("08:00: wash\n08:00: eat", "expected a time after 08:00"),
        ("", "got nothing"),
    ):
        with pytest.raises(UnreadableAnswer, match=reason):
            read_timetable(text, from_minute=420, to_minute=600)
