"""Reflection: after enough important memories, questions about the latest ones, and insights that
cite them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from believable.worlds.town.clock import STEPS_PER_DAY
from believable.worlds.town.language.model import InsightsForm, QuestionsForm, RatingsForm
from believable.worlds.town.minds.generative.asking import (
    Asker,
    UnreadableAnswer,
    ask_together,
    read_ratings,
)
from believable.worlds.town.minds.generative.memory_stream import Memory, MemoryStream
from believable.worlds.town.minds.generative.retrieval import RULES, ScoredMemory, Variant, retrieve

THRESHOLD = 150
LATEST = 100
QUESTIONS, INSIGHTS = 3, 5
#: The released code forgets thoughts after 30 days.
THOUGHTS_LAST_STEPS = 30 * STEPS_PER_DAY
LOWEST, HIGHEST = 1, 10
#: Examples for the importance scale.
ANCHORS = (
    ("brushing teeth", 1),
    ("making the bed", 1),
    ("the stove is on", 1),
    ("walking along the street", 1),
    ("kneading dough at work", 2),
    ("reading on the sofa", 2),
    ("cooking and eating dinner", 2),
    ("a neighbour is serving customers", 2),
    ("a friend said hello and asked how I am", 4),
    ("a long talk with a friend about plans", 5),
    ("the shop was locked and the work could not be done", 6),
    ("a quarrel with a colleague", 7),
    ("losing one's job", 9),
    ("a break up", 10),
    ("the death of a friend", 10),
)


@dataclass(frozen=True, slots=True)
class Insight:
    text: str
    cited: tuple[int, ...]


def is_due(stream: MemoryStream, variant: Variant) -> bool:
    """The paper reflects when the sum exceeds the threshold, the released code when the sum
    reaches it.
    """
    if variant == "paper":
        return stream.importance_sum > THRESHOLD
    return stream.importance_sum >= THRESHOLD and bool(stream.memories)


def rate_memories(asker: Asker, person: str, stream: MemoryStream) -> None:
    """Ask how important the new memories are, 1 to 10 each, in one list.

    The released code does not ask about people who are idle, by their text: they weigh least.
    """
    texts = [stream.memories[number].text for number in stream.unrated]
    asked = tuple(text for text in texts if "is idle" not in text)
    form = RatingsForm(LOWEST, HIGHEST, asked, ANCHORS)
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate(asked, 1))
    parse = functools.partial(read_ratings, low=LOWEST, high=HIGHEST, count=len(asked))
    values = {"person": person, "memories": listed}
    read = (asker.ask("ratings", values, form, parse) if asked else ()) or [None] * len(asked)
    ratings = iter(read)
    for memory in stream.rate([LOWEST if "is idle" in text else next(ratings) for text in texts]):
        asker.note_memory(memory)


def reflect(
    asker: Asker, stream: MemoryStream, person: str, step: int, variant: Variant
) -> list[Memory]:
    """Add thoughts to the stream and return them. Each cites memories by number."""
    questions = focal_questions(asker, stream, person, step, variant)
    thoughts: list[Memory] = []

    def ask_about(question: str) -> tuple[list[ScoredMemory], tuple[Insight, ...]]:
        recalled = retrieve(stream, asker.model, question, step, RULES[variant])
        statements = [entry.memory.text for entry in recalled]
        listed = "\n".join(f"{number}. {text}" for number, text in enumerate(statements, first))
        values = {"person": person, "statements": listed, "count": str(INSIGHTS)}
        form = InsightsForm(
            question=question,
            statements=tuple(statements),
            count=INSIGHTS,
            person=person,
            first=first,
        )
        parse = functools.partial(read_insights, first=first, count=len(statements))
        insights = asker.ask("insights", values, form, parse, retrieved=recalled)
        return recalled, insights or ()

    first = 1 if variant == "paper" else 0
    asks = (functools.partial(ask_about, question) for question in questions or ())
    for recalled, insights in ask_together(*asks):
        for insight in insights:
            evidence = [recalled[number - first].memory.number for number in insight.cited]
            expires = step + THOUGHTS_LAST_STEPS if variant == "released" else None
            thought = stream.add(
                "thought",
                insight.text,
                step,
                None,
                keywords=(person,),
                evidence=evidence,
                expires_step=expires,
            )
            thoughts.append(thought)
    stream.restart_reflection()
    asker.note(
        "reflection",
        {"questions": list(questions or ()), "thoughts": [thought.number for thought in thoughts]},
    )
    return thoughts


def focal_questions(
    asker: Asker, stream: MemoryStream, person: str, step: int, variant: Variant
) -> tuple[str, ...] | None:
    """Ask for three questions about the hundred latest memories. The released code takes as many as
    there are since the last reflection, from the end of a list sorted by last access.
    """
    if variant == "paper":
        recent: Sequence[Memory] = stream.latest(LATEST, step)
    else:
        by_access = sorted(stream.candidates(step), key=lambda memory: memory.accessed_step)
        recent = by_access[-stream.unreflected :] if stream.unreflected else by_access
    statements = tuple(memory.text for memory in recent)
    values = {"person": person, "statements": "\n".join(statements), "count": str(QUESTIONS)}
    return asker.ask(
        "questions", values, QuestionsForm(statements, QUESTIONS, person), read_questions
    )


def read_questions(text: str) -> tuple[str, ...]:
    """Read numbered lines, each a question."""
    questions = []
    for line in filter(str.strip, text.splitlines()):
        stated = re.fullmatch(r"\s*\d+[.)]\s*(\S.*\?)\s*", line)
        if stated is None:
            raise UnreadableAnswer(f"expected numbered questions, got {line[:80]!r}")
        questions.append(stated[1])
    if not questions:
        raise UnreadableAnswer("expected questions, got nothing")
    return tuple(questions[:QUESTIONS])


def read_insights(text: str, *, first: int, count: int) -> tuple[Insight, ...]:
    """Read numbered lines `insight (because of 1, 5, 3)`. Each number is that of a statement."""
    insights = []
    for line in filter(str.strip, text.splitlines()):
        stated = re.fullmatch(
            r"\s*\d+[.)]\s*(\S.*?)\s*\((?:because of)?\s*([\d,\sand]+)\)\.?\s*", line
        )
        if stated is None:
            raise UnreadableAnswer(f"expected 'insight (because of 1, 5, 3)', got {line[:80]!r}")
        cited = tuple(dict.fromkeys(int(number) for number in re.findall(r"\d+", stated[2])))
        wrong = [number for number in cited if not first <= number < first + count]
        if wrong or not cited:
            raise UnreadableAnswer(
                f"{line[:60]!r}: expected numbers of statements, got {wrong or 'none'}"
            )
        insights.append(Insight(stated[1], cited))
    if not insights:
        raise UnreadableAnswer("expected insights, got nothing")
    return tuple(insights[:INSIGHTS])
