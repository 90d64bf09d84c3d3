"""Whether people wear headphones, and whether the mouse wheel works."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from believable.contracts.instrument import InvalidAnswer
from believable.contracts.page import (
    THINK_MS,
    Message,
    PageJudging,
    PageKind,
    PageLooks,
    ShownPage,
    SimulatedPerson,
    SimulatedVisit,
    StudyChecks,
)
from believable.contracts.submission import Judgement, OpenPage, PageReading
from believable.contracts.trial import Entry, PageAnswer
from believable.core.seeds import generator
from believable.pages.check import TriedPage
from believable.pages.device.tone_waves import hear_wave, row_waves
from believable.study.reading import Reading

#: Names of the answers.
QUIETEST, WHEEL = "quietest", "wheel"
#: The event of a row of tones that was played.
TONES_PLAYED = "device.tones"
#: The number of rows of three tones; one of each row is quieter, another has its two sides against
#: each other. Loudspeakers blot that one out, so it seems the quietest (Woods, Siegel, Traer &
#: McDermott 2017, Attention, Perception & Psychophysics 79).
ROWS, TONES = 6, 3
#: The number of rows that must be right: one in a hundred passes by chance.
RIGHT_ROWS = 5


@dataclass(frozen=True, slots=True)
class ToneRow:
    """Which of the three tones is quieter, and which one has its two sides against each other; from
    0.
    """

    quiet: int
    against: int


class Device(TriedPage):
    """Whether people wear headphones (six times the quietest of three tones is to be found, which
    loudspeakers hide), and whether the mouse wheel works. Wrong `attempts` times: as in `check`.
    """

    kind: Literal["device"] = "device"
    wheel: bool = True
    """Whether a mouse wheel is needed."""
    headphones: bool = True
    """Whether headphones are needed."""
    attempts: int = Field(default=3, ge=1, le=10)
    on_fail: Literal["screen_out", "fail", "continue"] = "screen_out"

    @property
    def parts(self) -> tuple[str, ...]:
        """The checked properties, by the names of the answers."""
        return (*([QUIETEST] if self.headphones else []), *([WHEEL] if self.wheel else []))

    @property
    def rows(self) -> int:
        return ROWS

    @property
    def tones(self) -> int:
        return TONES

    @property
    def page_answers(self) -> tuple[PageAnswer, ...]:
        quietest = PageAnswer(
            name=QUIETEST,
            about="which tone of each row was called the quietest, a digit a row",
            type="string",
        )
        wheel = PageAnswer(
            name=WHEEL, about="whether the wheel was turned", type="string", values="true | false"
        )
        return tuple(answer for answer in (quietest, wheel) if answer.name in self.parts)

    def wrong_parts(self, answers: Mapping[str, Any], played: Sequence[ToneRow]) -> tuple[str, ...]:
        called = str(answers.get(QUIETEST, ""))
        hits = sum(digit == str(row.quiet + 1) for digit, row in zip(called, played, strict=False))
        right = {QUIETEST: hits >= RIGHT_ROWS, WHEEL: answers.get(WHEEL) is True}
        return tuple(part for part in self.parts if not right[part])


def tone_rows(seed: int, key: str, attempt: int) -> tuple[ToneRow, ...]:
    """The rows that the page `key` of a session plays on this attempt (from 1)."""
    rng = generator(seed, "tones", key, attempt)
    return tuple(ToneRow(*rng.sample(range(TONES), 2)) for _ in range(ROWS))


def _check(reading: Reading, entry: Entry, entries: Sequence[Entry]) -> None:
    device, place = entry.item, reading.place(entry.item)
    assert isinstance(device, Device)
    if not device.parts and not reading.is_broken(place.path):
        cure = "Ask for the wheel, the headphones or both; or remove it."
        reading.report(place, "the device check checks nothing.", cure)


def _read(device: Device, raw: Mapping[str, Any], page: OpenPage) -> PageReading:
    """A digit for each row of tones; whether the wheel was turned (false: there is none)."""
    answers: dict[str, Any] = {}
    errors: dict[str, InvalidAnswer] = {}
    for part in device.parts:
        value = raw.get(part)
        whole = (
            isinstance(value, str) and re.fullmatch(rf"[1-{TONES}]{{{ROWS}}}", value) is not None
        )
        if (part == QUIETEST and whole) or (part == WHEEL and isinstance(value, bool)):
            answers[part] = value
        else:
            errors[part] = InvalidAnswer("error.required")
    if QUIETEST in device.parts and not _all_rows_played(page):
        answers.pop(QUIETEST, None)
        errors[QUIETEST] = InvalidAnswer("error.tones_not_played")
    return PageReading(answers, errors)


def _all_rows_played(page: OpenPage) -> bool:
    """Whether each row of this attempt was played: without that the quietest tone cannot be
    known.
    """
    events = (event.data for event in page.annotations if event.kind == TONES_PLAYED)
    return {data.get("row") for data in events if data.get("attempt") == page.attempt} >= set(
        range(ROWS)
    )


def _judge(device: Device, answers: Mapping[str, Any], page: OpenPage) -> Judgement:
    wrong = device.wrong_parts(answers, tone_rows(page.seed, page.planned_trial.key, page.attempt))
    if not wrong:
        return Judgement("done", answers)
    if page.attempt < device.attempts:
        return Judgement("again", answers, {part: InvalidAnswer(f"error.{part}") for part in wrong})
    return Judgement("failed", answers)


def _message(device: Device, page: ShownPage) -> dict[str, Any]:
    """The rows to play, now and on later attempts, and whether the wheel is wanted."""
    attempts = range(page.attempts + 1, max(device.attempts, page.attempts + 1) + 1)
    rows, *later = (_tones(device, page, attempt) for attempt in attempts)
    drafts = {part: page.drafts[part] for part in device.parts if part in page.drafts}
    return {
        "device": {
            "tones": rows,
            "later": later,
            "wheel": device.wheel,
            "attempt": page.attempts + 1,
        },
        "drafts": drafts,
    }


def _tones(device: Device, page: ShownPage, attempt: int) -> list[list[str]] | None:
    """The sound of each tone. Which one is quieter stays here."""
    if not device.headphones:
        return None
    rng = generator(page.seed, "waves", page.planned.key, attempt)
    return [
        row_waves(row.quiet, row.against, TONES, rng)
        for row in tone_rows(page.seed, page.planned.key, attempt)
    ]


def quietest_tone(row: Sequence[str], *, headphones: bool) -> int:
    """The quietest tone of a row with headphones, or over loudspeakers; from 0."""
    return min(range(len(row)), key=lambda tone: hear_wave(row[tone], headphones=headphones))


async def _answer(person: SimulatedPerson, message: Message) -> dict[str, Any]:
    """A careful person wears headphones and hears it."""
    device, answers = message["device"], dict[str, Any]()
    await person.think(THINK_MS)
    if device["tones"] is not None:
        for row in range(ROWS):
            person.note(TONES_PLAYED, state="running", row=row, attempt=device["attempt"])
        headphones = person.rng.random() < person.care
        answers[QUIETEST] = "".join(
            str(quietest_tone(row, headphones=headphones) + 1) for row in device["tones"]
        )
    if device["wheel"]:
        answers[WHEEL] = True
    for name, value in answers.items():
        person.note("answer.change", question=name, value=value)
    return answers


def _again(message: Message) -> Message:
    """After an attempt that was wrong there are other tones."""
    device = message["device"]
    if not device["later"]:
        return message
    count, *later = device["later"]
    return {
        **message,
        "device": {**device, "tones": count, "later": later, "attempt": device["attempt"] + 1},
    }


DEVICE = PageKind(
    name="device",
    record=Device,
    folder=Path(__file__).parent,
    checks=StudyChecks(entry=_check),
    judging=PageJudging(read=_read, judge=_judge, streams=(TONES_PLAYED,)),
    looks=PageLooks(
        title=lambda device: "device.title",
        message=_message,
        styles=lambda device: ("/static/pages/device/page.css",),
        script_texts=("device.",),
    ),
    visit=SimulatedVisit(answer=_answer, again=_again),
    typical_ms=20_000,
)
