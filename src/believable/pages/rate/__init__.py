"""Questions about stimuli that were watched earlier."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, Tag

from believable.contracts.page import PageKind, PageLooks, StudyChecks
from believable.contracts.record import BY_SHAPE, Id
from believable.contracts.trial import Entry, Question, TrialBase, WordedPage
from believable.study.levels import NOTHING_SETTLED, levels
from believable.study.reading import Reading
from believable.study.wording import unknown

#: Asks which of two, by the order of watching.
TWO_SIDED = "preference"


class Rate(WordedPage):
    """Questions about stimuli watched earlier (`of`: ids of watch trials, or `all`), without
    showing them again.
    """

    kind: Literal["rate"] = "rate"
    of: Annotated[
        Annotated[Literal["all"], Tag("word")] | Annotated[tuple[Id, ...], Tag("list")], BY_SHAPE
    ] = "all"
    """Ids of the watch trials it is about, or `all`."""
    turn: int | None = Field(default=None, ge=1, le=24)
    """Only about the one watched first (1), second (2) and so on; about all of them by default."""
    questions: tuple[Question, ...] = Field(min_length=1)
    """The questions, in order."""

    @property
    def all_questions(self) -> tuple[Question, ...]:
        return self.questions

    @property
    def rated_turn(self) -> int | None:
        return self.turn

    def is_about(self, other: TrialBase) -> bool:
        return other.can_be_rated and (self.of == "all" or other.id in self.of)


def _check(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    rate = entry.item
    assert isinstance(rate, Rate)
    earlier = takewhile(lambda other: other is not entry, entries)
    watched = {other.item.id for other in earlier if other.item.can_be_rated}
    place = reading.place(rate)
    if rate.of == "all":
        if not watched and not reading.doubtful:
            reading.report(
                place,
                "there is nothing to rate: no watch trial comes earlier.",
                "Move it behind one.",
            )
        return
    everywhere = {other.item.id for other in entries if other.item.can_be_rated}
    for name, node in zip(rate.of, place.get("of") or (), strict=False):
        if name in watched or name in reading.doubtful or "*" in reading.doubtful:
            continue
        if name in everywhere:
            reading.report(
                node, f"the watch trial {name!r} comes later.", "Move the rating behind it."
            )
        else:
            reading.report(node, *unknown("watch trial", name, everywhere))
    if not reading.is_broken(place.path):
        _check_pairs(reading, entry, rate, entries)


def _check_pairs(reading: Reading, entry: Entry, rate: Rate, entries: Sequence[Entry]) -> None:
    """A preference is between two that were watched."""
    count = sum(_times(reading, entry, name, entries) for name in rate.of)
    if rate.turn is not None and rate.turn > count:
        message = f"turn {rate.turn} is not watched, this page is about {count}."
        reading.report(
            reading.place(rate).get("turn") or reading.place(rate),
            message,
            f"Use a turn from 1 to {count}.",
        )
    count = count if rate.turn is None else 1
    for question in rate.questions:
        if question.kind == TWO_SIDED and count != 2:
            message = f"a preference is between two, this page is about {count}."
            cure = "Name two watch trials in `of`, or one that is shown twice."
            reading.report(reading.place(question), message, cure)


def _times(reading: Reading, rate: Entry, name: str, entries: Sequence[Entry]) -> int:
    """How often the watch trial is shown for each occurrence of the rating."""
    watched = next((entry for entry in entries if entry.item.id == name), None)
    count = 1
    for block in () if watched is None else watched.blocks:
        if block not in rate.blocks:
            of_block = len(levels(reading.study, block, NOTHING_SETTLED)) if block.over else 1
            count *= block.repeat * min(of_block, block.sample or of_block)
    return count


RATE = PageKind(
    name="rate",
    record=Rate,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=_check),
    looks=PageLooks(title=lambda rate: "rate.title", words=lambda rate: "rate.text"),
    typical_ms=14_000,
)
