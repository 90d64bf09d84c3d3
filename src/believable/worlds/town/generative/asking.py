"""Asking the model: a prompt from its file, a few attempts at an answer that can be read,
everything in the trace.

An answer that cannot be read is a recorded failure. After the last attempt the result is None, and
what a mind does then is its own design: it never takes an answer of ours for the model's.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from believable.core.seeds import derive
from believable.worlds.town.generative.memory_retrieval import ScoredMemory
from believable.worlds.town.generative.memory_stream import Memory
from believable.worlds.town.language.language_model import (
    AnswerForm,
    ChoiceForm,
    LanguageModel,
    ModelRequest,
)

PROMPTS = Path(__file__).with_name("prompts")
ATTEMPTS = 3

T = TypeVar("T")


class UnreadableAnswer(ValueError):
    """What is wrong with an answer."""


@functools.cache
def prompt_text(name: str) -> str:
    return (PROMPTS / f"{name}.txt").read_text("utf-8").strip()


@dataclass(slots=True)
class Asker:
    """Asks in one person's name. `note` writes a line of the trace."""

    model: LanguageModel
    seed: int
    note: Callable[[str, Mapping[str, Any]], None]
    failures: dict[str, int] = field(default_factory=dict)

    def ask(
        self,
        name: str,
        values: Mapping[str, str],
        form: AnswerForm,
        parse: Callable[[str], T],
        *,
        retrieved: Sequence[ScoredMemory] = (),
    ) -> T | None:
        """The parsed answer, or None after so many that could not be read."""
        prompt = prompt_text(name).format_map(values)
        seed = derive(self.seed, name, prompt)
        for attempt in range(1, ATTEMPTS + 1):
            answer = self.model.answer(ModelRequest(name, prompt, form, seed, attempt))
            line: dict[str, Any] = {
                "prompt": name,
                "text": prompt,
                "attempt": attempt,
                "answer": answer.text,
            }
            if retrieved:
                line["retrieved"] = [entry.values() for entry in retrieved]
            try:
                parsed = parse(answer.text)
            except UnreadableAnswer as failure:
                self.failures[name] = self.failures.get(name, 0) + 1
                self.note("call", {**line, "failed": str(failure)})
                continue
            self.note("call", line)
            return parsed
        self.note("unanswered", {"prompt": name, "attempts": ATTEMPTS})
        return None

    def remembered(self, memory: Memory) -> None:
        """Write a new memory into the trace."""
        line = {
            "number": memory.number,
            "type": memory.kind,
            "text": memory.text,
            "importance": memory.importance,
        }
        self.note("memory", {**line, "evidence": list(memory.evidence)})

    def choose(
        self,
        name: str,
        values: Mapping[str, str],
        options: Sequence[str],
        focus: str,
        *,
        retrieved: Sequence[ScoredMemory] = (),
    ) -> int | None:
        """The number of the option that was chosen. One option needs no question."""
        if len(options) == 1:
            return 0
        listed = {**values, "options": "\n".join(f"- {option}" for option in options)}
        form = ChoiceForm(tuple(options), focus)
        return self.ask(
            name, listed, form, functools.partial(read_choice, options=options), retrieved=retrieved
        )


def read_choice(text: str, options: Sequence[str]) -> int:
    """The option that the answer is, apart from capitals, quotes, a leading dash and a full
    stop.
    """
    plain = _plain(text)
    for number, option in enumerate(options):
        if _plain(option) == plain:
            return number
    raise UnreadableAnswer(f"expected one of {len(options)} options, got {text[:80]!r}")


def read_rating(text: str, low: int, high: int) -> int:
    """A whole number between the two, with nothing but a full stop after it."""
    stated = re.fullmatch(r"\s*(\d{1,3})\.?\s*", text)
    if stated is None or not low <= int(stated[1]) <= high:
        raise UnreadableAnswer(f"expected a whole number from {low} to {high}, got {text[:80]!r}")
    return int(stated[1])


def read_sentence(text: str) -> str:
    """One line that says something."""
    sentence = " ".join(text.split()).strip('"“” ')
    if not re.search(r"[^\W\d_]", sentence):
        raise UnreadableAnswer(f"expected a sentence, got {text[:80]!r}")
    return sentence


@dataclass(frozen=True, slots=True)
class TimetableLine:
    minute: int
    text: str


def read_timetable(text: str, *, from_minute: int, to_minute: int) -> tuple[TimetableLine, ...]:
    """Lines `HH:MM …: what`, in order of time, within these minutes of the day; other lines are not
    allowed.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    table: list[TimetableLine] = []
    for line in lines:
        stated = re.fullmatch(r"\s*(?:\d+[.)]\s+)?(\d{1,2}):(\d{2})(?:[^:]*):\s*(\S.*?)\s*", line)
        if stated is None:
            raise UnreadableAnswer(
                f"expected lines such as '09:00: knead dough', got {line[:80]!r}"
            )
        minute = int(stated[1]) * 60 + int(stated[2])
        if not from_minute <= minute < to_minute or int(stated[2]) > 59:
            raise UnreadableAnswer(
                f"{line[:40]!r}: expected a time from {_clock(from_minute)} to {_clock(to_minute)}"
            )
        if table and minute <= table[-1].minute:
            raise UnreadableAnswer(
                f"{line[:40]!r}: expected a time after {_clock(table[-1].minute)}"
            )
        table.append(TimetableLine(minute, stated[3]))
    if not table:
        raise UnreadableAnswer("expected a timetable, got nothing")
    return tuple(table)


def _clock(minute: int) -> str:
    return f"{minute // 60:02d}:{minute % 60:02d}"


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(" \"'“”.-").lower()
