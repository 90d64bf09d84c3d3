"""What participants agree to before they take part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from believable.contracts.instrument import InvalidAnswer
from believable.contracts.page import (
    THINK_MS,
    Message,
    PageJudging,
    PageKind,
    PageLooks,
    SimulatedPerson,
    SimulatedVisit,
    StudyChecks,
)
from believable.contracts.record import ID_PATTERN, Id, Record, Text, word_or
from believable.contracts.submission import OpenPage, PageReading
from believable.contracts.trial import Entry, Outcome, PageAnswer, TrialBase
from believable.core.registry import did_you_mean
from believable.pages.text import check_words
from believable.study.checks.names import report_repeated
from believable.study.reading import Reading

#: Boxes whose words are built in.
KNOWN_BOXES = ("adult", "agree")


class ConsentItem(Record):
    """A box that must be ticked. `adult` and `agree` have built-in labels (`texts:
    consent.adult`).
    """

    id: Id
    """Name of the box in the data."""
    label: Text | None = None
    """The label of the box."""

    @model_validator(mode="before")
    @classmethod
    def _from_plain(cls, value: Any) -> Any:
        return {"id": value} if isinstance(value, str) else value

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return word_or(
            super().__get_pydantic_json_schema__(core_schema, handler),
            handler,
            {"type": "string", "pattern": ID_PATTERN},
        )


class Consent(TrialBase):
    """What participants agree to: a `page` or a `text`, and the boxes to tick."""

    kind: Literal["consent"] = "consent"
    page: Text | None = None
    """Markdown file to show."""
    text: Text | None = None
    """Markdown to show, in place."""
    require: tuple[ConsentItem, ...] = (ConsentItem(id="agree"),)
    """Boxes to tick; `adult` and `agree` have built-in labels."""

    @property
    def page_answers(self) -> tuple[PageAnswer, ...]:
        return tuple(
            PageAnswer(name=box.id, about="`true` where ticked", type="string", prompt=box.label)
            for box in self.require
        )

    @property
    def ending(self) -> Outcome:
        return "declined"


def _check(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    check_words(reading, entry, entries)
    consent = entry.item
    assert isinstance(consent, Consent)
    boxes = reading.place(consent).get("require")
    if boxes is None or not boxes.is_list or reading.is_broken(boxes.path):
        return
    report_repeated(
        reading,
        [(box.id, node) for box, node in zip(consent.require, boxes, strict=True)],
        "consent box",
    )
    for box, node in zip(consent.require, boxes, strict=True):
        if box.label is None and box.id not in KNOWN_BOXES:
            cure = (
                f"Write {{id: {box.id}, label: …}}, or use a built-in one."
                f" {did_you_mean(box.id, KNOWN_BOXES)}"
            )
            reading.report(node, f"the consent box {box.id!r} has no label.", cure)


def _read(consent: Consent, raw: Mapping[str, Any], page: OpenPage) -> PageReading:
    ticked = [box.id for box in consent.require if raw.get(box.id) is True]
    errors = {
        box.id: InvalidAnswer("error.consent") for box in consent.require if box.id not in ticked
    }
    return PageReading(dict.fromkeys(ticked, True), errors)


async def _answer(person: SimulatedPerson, message: Message) -> dict[str, Any]:
    answers = {}
    for box in message["boxes"]:
        await person.think(THINK_MS / 2)
        answers[box] = True
        person.note("answer.change", question=box, value=True)
    return answers


CONSENT = PageKind(
    name="consent",
    record=Consent,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=_check),
    judging=PageJudging(read=_read),
    looks=PageLooks(
        title=lambda consent: "consent.title",
        next_words=lambda consent: "consent.accept",
        message=lambda consent, page: {"boxes": [box.id for box in consent.require]},
    ),
    visit=SimulatedVisit(answer=_answer),
    typical_ms=22_000,
)
