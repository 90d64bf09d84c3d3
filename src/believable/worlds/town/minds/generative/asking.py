"""Questions to the model: a prompt from its file, some attempts, and a trace of all of them.

An answer that cannot be read is recorded as a failure. After the last attempt the result is None,
and the mind decides what follows. No answer of ours ever replaces one of the model.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from believable.core.seeds import derive
from believable.worlds.town.clock import clock_text
from believable.worlds.town.language.model import (
    AnswerForm,
    AnswerPending,
    LanguageModel,
    ModelRequest,
)
from believable.worlds.town.minds.generative.memory_stream import Memory
from believable.worlds.town.minds.generative.retrieval import ScoredMemory

PROMPTS = Path(__file__).with_name("prompts")
ATTEMPTS = 3

T = TypeVar("T")


class UnreadableAnswer(ValueError):
    """The answer does not have the form that was asked for."""


@functools.cache
def prompt_text(name: str) -> str:
    return (PROMPTS / f"{name}.txt").read_text("utf-8").strip()


@dataclass(slots=True)
class Asker:
    """Asks for one person. `note` writes a line of the trace."""

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
        """Return the parsed answer, or None if no attempt could be read."""
        lines = prompt_text(name).format_map(values).splitlines()
        prompt = "\n".join(line.rstrip() for line in lines)
        seed = derive(self.seed, name, prompt)
        for attempt in range(1, ATTEMPTS + 1):
            answer = self.model.answer(
                ModelRequest(name=name, prompt=prompt, form=form, seed=seed, attempt=attempt)
            )
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
                self.model.usage.add_reading(readable=False)
                self.note("call", {**line, "failed": str(failure)})
                continue
            self.model.usage.add_reading(readable=True)
            self.note("call", line)
            return parsed
        self.note("unanswered", {"prompt": name, "attempts": ATTEMPTS})
        return None

    def note_memory(self, memory: Memory) -> None:
        """Write a new memory into the trace."""
        line = {
            "number": memory.number,
            "type": memory.kind,
            "text": memory.text,
            "importance": memory.importance,
        }
        self.note("memory", {**line, "evidence": list(memory.evidence)})


def ask_together(*asks: Callable[[], T]) -> list[T]:
    """Ask several questions that do not depend on each other. If answers of a queue are missing,
    all of them wait in the same batch.
    """
    answers: list[T] = []
    pending: AnswerPending | None = None
    for ask in asks:
        try:
            answers.append(ask())
        except AnswerPending as waiting:
            pending = waiting
    if pending is not None:
        raise pending
    return answers


def read_ratings(text: str, low: int, high: int, count: int) -> tuple[int, ...]:
    """Read a numbered line with a whole number between the two for each of `count` texts."""
    ratings = []
    for number, line in enumerate(filter(str.strip, text.splitlines()), 1):
        stated = re.fullmatch(rf"\s*{number}[.:)]\s*(\d{{1,3}})\.?\s*", line)
        if stated is None or not low <= int(stated[1]) <= high:
            raise UnreadableAnswer(
                f"line {number}: expected '{number}. ' and a whole number from {low} to {high},"
                f" got {line[:80]!r}"
            )
        ratings.append(int(stated[1]))
    if len(ratings) != count:
        raise UnreadableAnswer(f"expected {count} ratings, got {len(ratings)}")
    return tuple(ratings)


def read_sentence(text: str) -> str:
    """Read one line that contains a word."""
    sentence = " ".join(text.split()).strip('"“” ')
    if not re.search(r"[^\W\d_]", sentence):
        raise UnreadableAnswer(f"expected a sentence, got {text[:80]!r}")
    return sentence


@dataclass(frozen=True, slots=True)
class TimetableLine:
    minute: int
    text: str


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """A task with the activity and the building that the model chose for it."""

    minute: int
    text: str
    activity: str
    building: str


def read_timetable(text: str, *, from_minute: int, to_minute: int) -> tuple[TimetableLine, ...]:
    """Read lines `HH:MM …: text` in order of time, within these minutes of the day. No other lines
    are allowed.
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
                f"{line[:40]!r}: expected a time from {clock_text(from_minute)} to"
                f" {clock_text(to_minute)}"
            )
        if table and minute <= table[-1].minute:
            raise UnreadableAnswer(
                f"{line[:40]!r}: expected a time after {clock_text(table[-1].minute)}"
            )
        table.append(TimetableLine(minute, stated[3]))
    if not table:
        raise UnreadableAnswer("expected a timetable, got nothing")
    return tuple(table)


def read_tasks(
    text: str, uses: Mapping[str, tuple[str, str]], *, from_minute: int, to_minute: int
) -> tuple[PlannedTask, ...]:
    """Read lines `HH:MM: task | use @ place`. Without a bar the whole text is the use."""
    known = {_plain(use): chosen for use, chosen in uses.items()}
    tasks = []
    for line in read_timetable(text, from_minute=from_minute, to_minute=to_minute):
        task, bar, use = line.text.rpartition("|")
        chosen = known.get(_plain(re.sub(r"\s*\([^)]*\)\s*", " ", use)))
        if chosen is None:
            raise UnreadableAnswer(
                f"{line.text[:60]!r}: expected one of the {len(uses)} things to do with its place,"
                f" got {use.strip()[:60]!r}"
            )
        text = task if bar else use.rpartition(" @ ")[0]
        tasks.append(PlannedTask(line.minute, text.strip(), *chosen))
    return tuple(tasks)


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(" \"'“”.-").lower()
