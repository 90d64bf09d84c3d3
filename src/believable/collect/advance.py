"""Closing a trial: its answers are an event that is already stored; here they are read, judged, and the next page is found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from believable.bundle.records import ClosedTrial
from believable.collect import annotated, answers, quality
from believable.collect.answers import Reading
from believable.collect.context import Context, Standing, as_closed, check_epoch, standing
from believable.collect.join import pass_over
from believable.collect.rounds import leave_practice, unplayed
from believable.collect.seen import opened_beside, unwatched
from believable.core.errors import Conflict, InvalidInput
from believable.instruments.contract import InvalidAnswer
from believable.store import events, sessions, trials
from believable.store.engine import Connection
from believable.store.events import Event
from believable.study.progress import answers_so_far, progress, verdict
from believable.study.quality import RELIABLE, device_verdict, gated, tones, wrong_parts
from believable.study.records import Break, Check, Consent, Device, Qa

Status: TypeAlias = Literal["next", "again", "finished"]
#: The key of an error that belongs to the page and to none of its questions.
PAGE = ""


@dataclass(frozen=True, slots=True)
class Advanced:
    """`next`: show the next trial; `again`: the same one, with errors by question id; `finished`: the last page."""

    status: Status
    errors: Mapping[str, InvalidAnswer] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Judged:
    """How a trial closes, or why it does not yet. `wrong` marks a wrong answer to a check."""

    status: str
    answers: Mapping[str, Any]
    errors: Mapping[str, InvalidAnswer]
    wrong: bool = False


def advance(
    conn: Connection, context: Context, *, token: str, epoch: int, position: int, seq: int
) -> Advanced:
    """Close the trial whose submission is event `seq`. Repeating the call, after a lost answer, gives the same result."""
    here = standing(conn, context, token, lock=True)
    session = here.session
    if any(trial.position == position and trial.submit_seq == seq for trial in here.trials):
        return Advanced("next" if here.step.outcome is None else "finished")
    check_epoch(session, epoch)
    if position != session.position or here.step.outcome is not None:
        raise Conflict(
            f"trial {position} is not the current one ({session.position}). Ask for the current trial."
        )
    event = _submission(conn, here, seq)
    if seq == session.tried_seq:
        return Advanced("again", _wrong(here, event, session.wrong_tries))
    judged = _judge(conn, context, here, event)
    if judged.wrong:
        sessions.change(conn, session.id, wrong_tries=session.wrong_tries + 1, tried_seq=seq)
    if judged.errors:
        return Advanced("again", judged.errors)
    return _close(conn, context, here, judged, seq)


def _submission(conn: Connection, here: Standing, seq: int) -> Event:
    session = here.session
    if seq > session.head_seq:
        raise Conflict(
            f"event {seq} has not arrived; stored without a gap is {session.head_seq}. Send the events first."
        )
    event = events.get(conn, session.id, seq)
    submits = event is not None and event.kind in ("trial.submit", "consent.decline")
    if event is None or not submits or event.trial != session.position or seq <= here.opened_after_seq:
        raise InvalidInput(
            f"event {seq}: expected the submission of trial {session.position}. Give the number of that event."
        )
    return event


def _judge(conn: Connection, context: Context, here: Standing, event: Event) -> _Judged:
    planned = here.plan[here.session.position]
    trial = planned.trial
    if event.kind == "consent.decline":
        if not isinstance(trial, Consent):
            raise InvalidInput(f"event {event.seq}: only a consent page can be declined. Withdraw instead.")
        return _Judged("failed", {}, {})
    reading = _read(conn, context, here, event)
    errors = dict(reading.errors)
    if isinstance(trial, Break) and context.clock.now_ms() < here.session.opened_ms + 1000 * trial.at_least_s:
        errors[PAGE] = InvalidAnswer("error.wait")
    if (unseen := unwatched(conn, here) or unplayed(conn, here)) is not None:
        errors[PAGE] = unseen
    elif (unannotated := annotated.missing(conn, context, here)) is not None:
        errors[PAGE] = unannotated
    if isinstance(trial, Qa) and not errors:
        return _tested(conn, context, here, trial)
    if errors or not isinstance(trial, Check | Device):
        return _Judged("done", reading.answers, errors)
    attempt = here.session.wrong_tries + 1
    if isinstance(trial, Check):
        result = verdict(trial, reading.answers.get(trial.question.id), attempt)
    else:
        count = tones(here.session.seed, planned.key, attempt)
        result = device_verdict(trial, reading.answers, count, attempt)
    if result == "again":
        return _Judged("again", reading.answers, _wrong(here, event, attempt), wrong=True)
    return _Judged(result, reading.answers, {})


def _read(conn: Connection, context: Context, here: Standing, event: Event) -> Reading:
    raw = event.data.get("answers")
    if not isinstance(raw, dict):
        raise InvalidInput(
            f"event {event.seq}: expected data.answers by question id, got {type(raw).__name__}. Send {{}} for none."
        )
    earlier = answers_so_far(here.plan, here.closed)
    planned, arms = here.plan[here.session.position], here.session.arms
    return answers.read(planned, raw, earlier, arms, context.instruments, opened_beside(conn, here))


def _tested(conn: Connection, context: Context, here: Standing, test: Qa) -> _Judged:
    """A quality test closes with its score; the gate may end the session."""
    sda = quality.score(test, annotated.annotated(conn, context, here))
    found = gated(here.plan, here.closed, here.session.arms, here.session.position, sda)
    stopped = test.gate == "screen_out" and found.get(RELIABLE) is False
    return _Judged("failed" if stopped else "done", found, {})


def _wrong(here: Standing, event: Event, attempt: int) -> Mapping[str, InvalidAnswer]:
    planned = here.plan[here.session.position]
    if isinstance(planned.trial, Device):
        given = event.data.get("answers") or {}
        count = tones(here.session.seed, planned.key, attempt)
        return {part: InvalidAnswer(f"error.{part}") for part in wrong_parts(planned.trial, given, count)}
    question = planned.trial.question.id if isinstance(planned.trial, Check) else PAGE
    return {question: InvalidAnswer("error.wrong")}


def _close(conn: Connection, context: Context, here: Standing, judged: _Judged, seq: int) -> Advanced:
    session, now_ms = here.session, context.clock.now_ms()
    leave_practice(conn, context, here)
    row = ClosedTrial(
        position=session.position,
        run=session.run,
        key=here.plan[session.position].key,
        status=judged.status,
        attempts=session.wrong_tries + 1,
        submit_seq=seq,
        answers=judged.answers,
        opened_ms=session.opened_ms,
        closed_ms=now_ms,
    )
    trials.close(conn, session.id, row)
    step = progress(here.plan, as_closed((*here.trials, row)), session.arms)
    pass_over(conn, session.id, here.plan, step.skipped, run=session.run, now_ms=now_ms)
    sessions.change(
        conn,
        session.id,
        position=step.position,
        wrong_tries=0,
        tried_seq=0,
        opened_ms=now_ms,
        seen_ms=now_ms,
        reserved_until_ms=now_ms + session.reservation_ms,
    )
    return Advanced("next" if step.outcome is None else "finished")
