"""Closing a trial: its answers are an event that is already stored; here they are read, judged, and
the next page is found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from believable.bundle.session_records import ClosedTrial, ViewCheck
from believable.collect.context import Context, Standing, check_epoch, standing_of
from believable.collect.join import pass_over
from believable.collect.page_events import (
    ViewingProgress,
    annotation_events,
    opened_beside,
    seen_each,
)
from believable.collect.session_rounds import is_over, leave_practice
from believable.collect.view_check import check_views, with_checks
from believable.contracts.instrument import Instrument, InvalidAnswer
from believable.contracts.registries import INSTRUMENTS, PAGES
from believable.contracts.submission import ClosedPage, Judgement
from believable.contracts.trial import PlannedTrial
from believable.core.errors import Conflict, InvalidInput
from believable.core.registry import Registry
from believable.store import event_log, sessions, view_checks
from believable.store.engine import Connection
from believable.store.event_checks import Event
from believable.study.progress import answers_so_far, progress

Status: TypeAlias = Literal["next", "again", "finished"]
#: The key of an error that belongs to the page and to none of its questions.
PAGE = ""


@dataclass(frozen=True, slots=True)
class AdvanceResult:
    """`next`: show the next trial; `again`: the same one, with errors by question id; `finished`:
    the last page. `standing` is the current state of the session.
    """

    status: Status
    standing: Standing
    errors: Mapping[str, InvalidAnswer] = field(default_factory=dict)
    #: Whether the page was closed just now, so that nothing can have happened on the next one.
    fresh: bool = False


@dataclass(frozen=True)
class CurrentPage:
    """The current page of a session, for the code that judges it (`pages.submission.OpenPage`)."""

    conn: Connection
    context: Context
    standing: Standing
    attempt: int

    @property
    def planned_trial(self) -> PlannedTrial:
        return self.standing.plan[self.standing.session.position]

    @property
    def plan(self) -> tuple[PlannedTrial, ...]:
        return self.standing.plan

    @property
    def closed_pages(self) -> tuple[ClosedPage, ...]:
        return self.standing.closed_pages

    @cached_property
    def earlier(self) -> Mapping[str, Any]:
        return answers_so_far(self.standing.plan, self.standing.closed_pages)

    @property
    def arms(self) -> Mapping[str, str]:
        return self.standing.session.arms

    @property
    def seed(self) -> int:
        return self.standing.session.seed

    @property
    def opened_ms(self) -> int:
        return self.standing.session.opened_ms

    @property
    def now_ms(self) -> int:
        return self.context.clock.now_ms()

    @property
    def instruments(self) -> Registry[Instrument[Any]]:
        return INSTRUMENTS

    @cached_property
    def opened_beside(self) -> frozenset[str]:
        return opened_beside(self.conn, self.standing)

    @cached_property
    def seen_players(self) -> tuple[ViewingProgress, ...]:
        return with_checks(self._claimed_views, self.view_checks)

    @cached_property
    def _claimed_views(self) -> tuple[ViewingProgress, ...]:
        return seen_each(self.conn, self.standing)

    @cached_property
    def view_checks(self) -> tuple[ViewCheck, ...]:
        return check_views(self.conn, self.context, self.standing, self._claimed_views)

    @cached_property
    def annotations(self) -> tuple[Event, ...]:
        return annotation_events(self.conn, self.context, self.standing)

    @property
    def round_over(self) -> bool:
        return is_over(self.conn, self.standing)


def advance(
    conn: Connection, context: Context, *, token: str, epoch: int, position: int, seq: int
) -> AdvanceResult:
    """Close the trial whose submission is event `seq`. Repeating the call, after a lost answer,
    gives the same result.
    """
    standing = standing_of(conn, context, token, lock=True)
    session = standing.session
    if any(trial.position == position and trial.submit_seq == seq for trial in standing.trials):
        return AdvanceResult(_status(standing), standing)
    check_epoch(session, epoch)
    if position != session.position or standing.step.outcome is not None:
        raise Conflict(
            f"trial {position} is not the current one ({session.position}). Ask for the current"
            " trial."
        )
    event = _submission(conn, standing, seq)
    tried = seq == session.tried_seq
    attempt = session.wrong_tries if tried else session.wrong_tries + 1
    page = CurrentPage(conn, context, standing, attempt)
    judgement, wrong = _judge(page, event)
    view_checks.put_checks(conn, session.id, page.view_checks, refused=PAGE in judgement.errors)
    if wrong and not tried:
        sessions.change(conn, session.id, wrong_tries=attempt, tried_seq=seq)
    if judgement.errors:
        return AdvanceResult("again", standing, judgement.errors)
    return _close(conn, context, standing, judgement, seq)


def _submission(conn: Connection, standing: Standing, seq: int) -> Event:
    session = standing.session
    if seq > session.head_seq:
        raise Conflict(
            f"event {seq} has not arrived; stored without a gap is {session.head_seq}. Send the"
            " events first."
        )
    event = event_log.get_event(conn, session.id, seq)
    submits = event is not None and event.kind in ("trial.submit", "consent.decline")
    if (
        event is None
        or not submits
        or event.trial != session.position
        or seq <= standing.opened_after_seq
    ):
        raise InvalidInput(
            f"event {seq}: expected the submission of trial {session.position}. Give the number of"
            " that event."
        )
    return event


def _judge(page: CurrentPage, event: Event) -> tuple[Judgement, bool]:
    """How the page closes, and whether the answer is a wrong attempt (and not just incomplete)."""
    trial = page.planned_trial.trial
    kind = PAGES[trial.kind]
    if event.kind == "consent.decline":
        if trial.ending != "declined":
            raise InvalidInput(
                f"event {event.seq}: only a consent page can be declined. Withdraw instead."
            )
        return Judgement("failed", {}), False
    raw = event.data.get("answers")
    if not isinstance(raw, dict):
        raise InvalidInput(
            f"event {event.seq}: expected data.answers by question id, got {type(raw).__name__}."
            " Send {} for none."
        )
    reading = kind.judging.read(trial, raw, page)
    missing = kind.judging.missing(trial, page)
    errors = {**reading.errors, **({} if missing is None else {PAGE: missing})}
    if errors:
        return Judgement("again", reading.answers, errors), False
    judgement = kind.judging.judge(trial, reading.answers, page)
    return judgement, judgement.status == "again"


def _close(
    conn: Connection, context: Context, standing: Standing, judgement: Judgement, seq: int
) -> AdvanceResult:
    session, now_ms = standing.session, context.clock.now_ms()
    leave_practice(conn, context, standing)
    row = ClosedTrial(
        position=session.position,
        run=session.run,
        key=standing.plan[session.position].key,
        status=judgement.status,
        attempts=session.wrong_tries + 1,
        submit_seq=seq,
        answers=judgement.answers,
        opened_ms=session.opened_ms,
        closed_ms=now_ms,
    )
    sessions.close_trial(conn, session.id, row)
    closed = standing.behind.followed_by([row], session.position)
    step = progress(standing.plan, closed.closed, session.arms, first=session.position)
    skipped = pass_over(
        conn, session.id, standing.plan, step.skipped, run=session.run, now_ms=now_ms
    )
    values: dict[str, int] = {
        "position": step.position,
        "wrong_tries": 0,
        "tried_seq": 0,
        "opened_ms": now_ms,
        "seen_ms": now_ms,
        "reserved_until_ms": now_ms + session.reservation_ms,
    }
    sessions.change(conn, session.id, **values)
    following = Standing(
        session=replace(session, **values),  # type: ignore[arg-type]  # each by its name
        definition=standing.definition,
        plan=standing.plan,
        behind=closed.followed_by(skipped, step.position),
        step=step,
    )
    return AdvanceResult(_status(following), following, fresh=True)


def _status(standing: Standing) -> Status:
    return "next" if standing.step.outcome is None else "finished"
