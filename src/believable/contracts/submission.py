"""Judging a submitted page: the shown questions, the answers, the missing ones. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from believable.contracts.controls import Controls
from believable.contracts.instrument import Instrument, InvalidAnswer
from believable.contracts.record import holds
from believable.contracts.trial import PlannedTrial, Question, TrialBase
from believable.core.registry import Registry

_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
#: Samples without an input: the unchanged value.
HEARTBEAT = "heartbeat"


class PageEvent(Protocol):
    """Something that happened on the page."""

    @property
    def kind(self) -> str: ...
    @property
    def data(self) -> Mapping[str, Any]: ...


class SeenPlayer(Protocol):
    """How much of a player was watched: `views` to the end, the progress of the view after them,
    and the shown parts.
    """

    @property
    def views(self) -> int: ...
    @property
    def position_ms(self) -> int: ...
    @property
    def watched_intervals(self) -> Sequence[tuple[int, int]]:
        """From, to in milliseconds of the medium; in order, without overlap."""

    @property
    def duration_ms(self) -> int:
        """0 before anything was shown."""

    @property
    def share(self) -> float: ...
    @property
    def possible(self) -> bool:
        """False if the server knows that it cannot have been seen."""


class OpenPage(Protocol):
    """The page a participant has open, as far as judging it needs. What lies in the database is
    fetched when asked for.
    """

    @property
    def planned_trial(self) -> PlannedTrial: ...
    @property
    def plan(self) -> Sequence[PlannedTrial]: ...
    @property
    def closed_pages(self) -> Sequence[ClosedPage]: ...
    @property
    def earlier(self) -> Mapping[str, Any]:
        """`trial.question` → answer of the pages before."""

    @property
    def arms(self) -> Mapping[str, str]: ...
    @property
    def seed(self) -> int: ...
    @property
    def attempt(self) -> int:
        """Counted from 1."""

    @property
    def opened_ms(self) -> int: ...
    @property
    def now_ms(self) -> int: ...
    @property
    def instruments(self) -> Registry[Instrument[Any]]: ...
    @property
    def opened_beside(self) -> Collection[str]:
        """The opened overlays of its player."""

    @property
    def seen_players(self) -> Sequence[SeenPlayer]:
        """How much of each of its players was watched."""

    @property
    def annotations(self) -> Sequence[PageEvent]: ...
    @property
    def round_over(self) -> bool:
        """Whether its round was played to the end."""


Status: TypeAlias = Literal["done", "skipped", "failed"]
Verdict: TypeAlias = Literal["done", "again", "failed"]


@dataclass(frozen=True, slots=True)
class ClosedPage:
    """A trial the server has closed. `failed` is a check answered wrongly to the end, or a consent
    that was declined.

    `answers` maps question ids to answers: `None` was shown and left open, a missing id was not
    shown.
    """

    position: int
    status: Status
    answers: Mapping[str, Any]


def visible_questions(
    planned: PlannedTrial,
    answers: Mapping[str, Any],
    earlier: Mapping[str, Any],
    arms: Mapping[str, str],
    opened: Collection[str] = (),
) -> tuple[Question, ...]:
    """The questions to answer, given the current `answers` (question id → answer) and the `opened`
    overlays of its player.

    `earlier` is `answers_so_far`. A rule inside a page sees only the questions of that page that
    are themselves shown.
    """
    name = planned.trial.id
    questions = planned.trial.page_questions
    if all(question.show_if is None for question in questions):
        return tuple(questions)
    own = {f"{name}.{question.id}" for question in questions}
    known = {reference: answer for reference, answer in earlier.items() if reference not in own}
    shown = []
    for question in questions:
        if question.show_if is None or holds(question.show_if, known, arms, opened):
            shown.append(question)
            known[f"{name}.{question.id}"] = answers.get(question.id)
    return tuple(shown)


@dataclass(frozen=True, slots=True)
class PageReading:
    """`answers` holds every question shown (None: left open); `errors` what keeps the page from
    closing.
    """

    answers: Mapping[str, Any]
    errors: Mapping[str, InvalidAnswer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a trial closes, or why it does not yet (`again`, with errors by question id)."""

    status: Verdict
    answers: Mapping[str, Any]
    errors: Mapping[str, InvalidAnswer] = field(default_factory=dict)


def read_questions(trial: TrialBase, raw: Mapping[str, Any], page: OpenPage) -> PageReading:
    """The content of a page's `trial.submit`. Answers to hidden questions are not taken."""
    values: dict[str, Any] = {}
    wrong: dict[str, InvalidAnswer] = {}
    for question in trial.page_questions:
        value = whole_characters(raw.get(question.id))
        try:
            values[question.id] = (
                None
                if value is None
                else page.instruments[question.kind].read(question.params, value)
            )
        except InvalidAnswer as error:
            wrong[question.id] = error
    answers: dict[str, Any] = {}
    errors: dict[str, InvalidAnswer] = {}
    for question in _visible(page, values):
        if question.id in wrong:
            errors[question.id] = wrong[question.id]
        elif values[question.id] is None and question.required:
            errors[question.id] = InvalidAnswer("error.required")
        else:
            answers[question.id] = values[question.id]
    return PageReading(answers, errors)


def _visible(page: OpenPage, values: Mapping[str, Any]) -> Sequence[Question]:
    """Without rules nothing that was answered before is looked up: it grows with the study."""
    questions = page.planned_trial.trial.page_questions
    if all(question.show_if is None for question in questions):
        return questions
    return visible_questions(
        page.planned_trial, values, page.earlier, page.arms, page.opened_beside
    )


def watched_enough(controls: Controls, seen: SeenPlayer) -> bool:
    """Whether the questions about a player may be answered. Without jumps, only watching reaches
    the end.
    """
    if not controls.must_finish:
        return True
    return (
        seen.possible
        and seen.views > 0
        and (not controls.seek or seen.share >= controls.watched_share)
    )


def still_to_watch(controls: Controls, seen: Sequence[SeenPlayer]) -> InvalidAnswer:
    """The missing part, in words: the end, or the share that was jumped over; or that it cannot
    have been seen.
    """
    if not all(player.possible for player in seen):
        return InvalidAnswer("error.watch_impossible")
    if len(seen) > 1:
        return InvalidAnswer("error.watch_all")
    if not seen or seen[0].views == 0 or not controls.seek:
        return InvalidAnswer("error.watch")
    return InvalidAnswer(
        "error.watch_share",
        seen=int(100 * seen[0].share),
        needed=round(100 * controls.watched_share),
    )


def unseen_reason(trial: TrialBase, page: OpenPage) -> InvalidAnswer | None:
    """Why the page cannot be left yet: something is not watched, or too little was annotated."""
    controls, annotation = trial.player.controls, trial.annotation
    if controls is not None and not all(
        watched_enough(controls, seen) for seen in page.seen_players
    ):
        return still_to_watch(controls, page.seen_players)
    if annotation is None or annotation.min_inputs == 0:
        return None
    streams = page.instruments[annotation.kind].streams
    silent = {stream.kind for stream in streams if not stream.is_input}
    inputs = [
        event
        for event in page.annotations
        if event.kind not in silent and event.data.get("input") != HEARTBEAT
    ]
    return (
        None
        if len(inputs) >= annotation.min_inputs
        else InvalidAnswer("error.inputs", n=annotation.min_inputs)
    )


def whole_characters(value: Any) -> Any:
    """Half an emoji, as a browser can hold one, becomes the replacement character: no file or
    database takes it.
    """
    if isinstance(value, str):
        return _HALF_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", value)
    if isinstance(value, list):
        return [whole_characters(item) for item in value]
    if isinstance(value, dict):
        return {whole_characters(name): whole_characters(item) for name, item in value.items()}
    return value
