"""The contract of a kind of page: one declared record with everything that only this kind knows."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from believable.contracts.fields import keys
from believable.contracts.instrument import InvalidAnswer
from believable.contracts.record import ID_PATTERN
from believable.contracts.submission import (
    Judgement,
    OpenPage,
    PageReading,
    SeenPlayer,
    read_questions,
    unseen_reason,
)
from believable.contracts.templates import template_problems
from believable.contracts.texts import (
    REFERENCE_LANGUAGE,
    built_in,
    choose_texts,
    part_text_problems,
)
from believable.contracts.trial import Entry, PlannedTrial, TrialBase
from believable.core.registry import must_keep_contract

R = TypeVar("R", bound=TrialBase)
#: The trial as the browser gets it (`TrialMessage`), as plain data.
Message = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPage:
    """The input of a page's part of the message. `attempts` counts earlier wrong answers, `drafts`
    holds unsent entries.
    """

    planned: PlannedTrial
    seed: int
    attempts: int
    drafts: Mapping[str, Any]
    seen: Sequence[SeenPlayer]
    opened_ms: int
    now_ms: int


class SimulatedPerson(Protocol):
    """The abilities of a simulated person on a page. `care` is the chance of a right answer."""

    @property
    def rng(self) -> random.Random: ...
    @property
    def care(self) -> float: ...
    def note(self, kind: str, **data: Any) -> None:
        """Record an event."""

    async def send(self) -> None:
        """Send the recorded events."""

    async def think(self, median_ms: float) -> None: ...
    async def sleep(self, ms: int) -> None: ...
    async def watch(self, message: Message) -> None:
        """Watch every medium of the page to its end, and annotate where the page asks for it."""

    async def follow_signal(self, message: Message) -> None:
        """Watch the signal of a quality test and follow it."""

    async def play_round(self, message: Message) -> None: ...


#: After this number of tries of a practice a person may continue, with any result.
PRACTICE_TRIES = 3
#: The median time to think of a simulated person of tempo 1.
THINK_MS = 2_600


async def _nothing_to_do(person: SimulatedPerson, message: Message) -> None:
    return


async def _no_answers(person: SimulatedPerson, message: Message) -> dict[str, Any]:
    return {}


def _sound(reading: Any, entry: Entry, entries: Sequence[Entry]) -> None:
    return


def _done(trial: Any, answers: Mapping[str, Any], page: OpenPage) -> Judgement:
    return Judgement("done", answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyChecks(Generic[R]):
    """Rules of a study file that the form of the record cannot state. `entry(reading, entry,
    entries)` gets a `believable.study.reading.Reading` and reports the problems at one entry of the
    timeline, `timeline(reading, entries)` those that only the whole timeline shows.
    """

    entry: Callable[[Any, Entry, Sequence[Entry]], None] = _sound
    timeline: Callable[[Any, Sequence[Entry]], None] = lambda reading, entries: None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageJudging(Generic[R]):
    """What happens to an answer: `read(trial, raw, page)` the submission, `missing(trial, page)`
    why the page cannot be left yet, then `judge(trial, answers, page)`. `streams` are the events of
    an annotation, if they are not the instrument's.
    """

    read: Callable[[R, Mapping[str, Any], OpenPage], PageReading] = read_questions
    missing: Callable[[R, OpenPage], InvalidAnswer | None] = unseen_reason
    judge: Callable[[R, Mapping[str, Any], OpenPage], Judgement] = _done
    streams: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLooks(Generic[R]):
    """The page in the browser. `title` and `words` are keys of default texts;
    `next_words` is the key of the button. `message(trial, page)` returns this kind's fields of
    `TrialMessage`; `styles` and `modules` are the files that the browser loads. `script` is the
    address of another kind's script. `script_texts` are beginnings of the texts that the script
    shows, in sessions with such a page. `notice` is the key of the next page's remark after these
    answers.
    """

    title: Callable[[R], str | None] = lambda trial: None
    words: Callable[[R], str | None] = lambda trial: None
    next_words: Callable[[R], str] = lambda trial: "button.next"
    notice: Callable[[R, Mapping[str, Any]], str | None] = lambda trial, answers: None
    message: Callable[[R, ShownPage], Mapping[str, Any]] = lambda trial, page: {}
    styles: Callable[[R], Sequence[str]] = lambda trial: ()
    modules: Callable[[R], Mapping[str, str]] = lambda trial: {}
    script: str | None = None
    script_texts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedVisit:
    """How simulated people use the page: `go_through(person, message)` before the questions,
    `answer(person, message)` the answers without a question, `again(message)` the page after a
    wrong attempt.
    """

    go_through: Callable[[SimulatedPerson, Message], Awaitable[None]] = _nothing_to_do
    answer: Callable[[SimulatedPerson, Message], Awaitable[dict[str, Any]]] = _no_answers
    again: Callable[[Message], Message] = lambda message: message


@dataclass(frozen=True, slots=True, kw_only=True)
class PageKind(Generic[R]):
    """A kind of page: a key in the study file, with `record` as its form. The record itself knows
    its questions, its stimuli and how it ends a session (properties of `TrialBase`).

    `folder` may contain `page.html`, which extends `participant/trial.html`, and `page.js`, an ES
    module that exports `show(form, trial, outside, signal)` and may return `{answers(), again(),
    stop()}`. `checks`, `judging`, `looks` and `visit` say what differs from a page of text and
    questions. `typical_ms` is the time on the page without watching.

    `check_page(KIND)` shows an author what breaks this contract.
    """

    name: str
    record: type[R]
    folder: Path
    checks: StudyChecks[R] = field(default_factory=StudyChecks)
    judging: PageJudging[R] = field(default_factory=PageJudging)
    looks: PageLooks[R] = field(default_factory=PageLooks)
    visit: SimulatedVisit = SimulatedVisit()
    typical_ms: int = 15_000

    @property
    def template(self) -> str:
        own = (self.folder / "page.html").is_file()
        return f"pages/{self.name}/page.html" if own else "participant/trial.html"

    @property
    def script_address(self) -> str | None:
        """Where the browser finds its script."""
        own = f"/static/pages/{self.name}/page.js" if (self.folder / "page.js").is_file() else None
        return self.looks.script or own


# ----------------------------------------------------------------------------------------------
# conformance


def check_page(kind: PageKind[Any]) -> None:
    """Raises InvalidInput with everything that breaks the contract; returns quietly otherwise."""
    must_keep_contract("kind of page", kind.name, _problems(kind))


def _problems(kind: PageKind[Any]) -> Iterator[str]:
    if not re.match(ID_PATTERN, kind.name):
        yield f"its name does not match {ID_PATTERN}; it is a key in study files."
    if not issubclass(kind.record, TrialBase):
        yield "its record must be a TrialBase: frozen, unknown keys forbidden."
        return
    if kind.record.model_fields["kind"].default != kind.name:
        yield f"its record must have `kind: Literal[{kind.name!r}] = {kind.name!r}`."
    if not kind.record.__doc__:
        yield "its record must say what it is (its docstring), for the reference."
    for key, name in keys(kind.record).items():
        if name not in kind.record.descriptions() and name != "annotate":
            yield (
                f"its key {key!r} must say what it means (a docstring below the field), for the"
                " reference."
            )
    template, script = kind.folder / "page.html", kind.folder / "page.js"
    if template.is_file() and "{% extends" not in template.read_text(encoding="utf-8"):
        yield "page.html must extend `participant/trial.html`."
    elif template.is_file():
        yield from template_problems(template)
    if script.is_file() and not re.search(
        r"export (async )?function show\b", script.read_text(encoding="utf-8")
    ):
        yield "page.js does not export `show`."
    text_problems = tuple(part_text_problems(kind.folder))
    if text_problems:
        yield from text_problems
        return
    texts = {**choose_texts(kind, REFERENCE_LANGUAGE), **built_in(REFERENCE_LANGUAGE)}
    for beginning in kind.looks.script_texts:
        if not any(key.startswith(beginning) for key in texts):
            yield f"there is no text that begins with {beginning!r} (`script_texts`)."
