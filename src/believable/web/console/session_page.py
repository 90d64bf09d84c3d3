"""One session: its timeline, its answers, and the decisions about it."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.responses import RedirectResponse, Response

from believable.bundle.session_records import ClosedTrial
from believable.collect.leave import later_code
from believable.contracts.trial import PlannedTrial
from believable.core import ids
from believable.core.errors import InvalidInput, NotFound
from believable.store import overview
from believable.store import review as decided
from believable.store.monitor import link_kinds
from believable.store.sessions import Session
from believable.store.studies import StudyRow
from believable.web.console.console_page import RESEARCHERS, ConsoleVisit, Route
from believable.web.console.guard import PATH
from believable.web.console.monitor_page import POOL_WORDS
from believable.web.console.session_timeline import (
    EVENTS_PER_PAGE,
    LANE_WIDTH,
    EventFilter,
    lane,
    session_history,
)
from believable.web.console.sessions_page import BULK_DEEDS, MOST_SESSIONS, page_number
from believable.web.console.studies_page import the_study
from believable.web.form_numbers import is_whole_number, whole_number

TEXT_CHARACTERS = 4_000


async def the_session(visit: ConsoleVisit) -> tuple[StudyRow, str, Session]:
    study, pool, number = await the_study(visit), visit.path("pool"), visit.path("number")
    link_kinds(pool)
    if not is_whole_number(number, least=0, most=MOST_SESSIONS):
        raise NotFound(f"there is no session {number[:20]!r}. See the list of sessions.")
    session = await visit.read(
        lambda conn: overview.session_by_number(conn, study.id, pool, int(number))
    )
    return study, pool, session


def unblinding(visit: ConsoleVisit, session: Session) -> str:
    """The query of the address after a request for conditions: each such request is logged."""
    assert visit.login is not None
    return ids.keyed_hash(visit.console.key, "unblinded", visit.login.token_hash, session.id)[:32]


def code_key(visit: ConsoleVisit, session: Session) -> str:
    """The same for the code with which the participant continues."""
    assert visit.login is not None
    return ids.keyed_hash(visit.console.key, "resume-code", visit.login.token_hash, session.id)[:32]


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    """One answer on the session's page."""

    prompt: str
    value: str


@dataclass(frozen=True, slots=True)
class ShownTrial:
    """A closed trial as the page shows it; `planned` only when conditions may be seen."""

    closed: ClosedTrial
    kind: str
    answers: tuple[ShownAnswer, ...]
    planned: PlannedTrial | None


def shown_trials(
    closed: Sequence[ClosedTrial], plan: Sequence[PlannedTrial], language: str, unblinded: bool
) -> tuple[ShownTrial, ...]:
    by_position = {planned.position: planned for planned in plan}
    trials = []
    for trial in closed:
        planned = by_position.get(trial.position)
        prompts = _prompts(planned, language)
        answers = tuple(
            ShownAnswer(prompts.get(name, name), _cut(in_words(value)))
            for name, value in trial.answers.items()
        )
        kind = planned.trial.kind if planned is not None else "?"
        trials.append(ShownTrial(trial, kind, answers, planned if unblinded else None))
    return tuple(trials)


def _prompts(planned: PlannedTrial | None, language: str) -> Mapping[str, str]:
    if planned is None:
        return {}
    return {
        question.id: question.prompt.in_language(language)
        for question in planned.trial.page_questions
        if question.prompt is not None
    }


def in_words(value: object) -> str:
    """An answer as people read it.

    >>> in_words({"calm": 2, "tags": ["a", "b"], "sure": True, "rest": None})
    'calm: 2; tags: a, b; sure: yes; rest: not answered'
    """
    if value is None:
        return "not answered"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "; ".join(f"{name}: {in_words(part)}" for name, part in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(in_words, value))
    return str(value)


def _cut(text: str) -> str:
    more = f"… ({len(text)} characters)" if len(text) > TEXT_CHARACTERS else ""
    return text[:TEXT_CHARACTERS] + more


def event_filter(visit: ConsoleVisit) -> EventFilter:
    trial = visit.query("trial")
    position = (
        whole_number(trial, "trial", most=10**8, cure="Use the filter on the page.") - 1
        if trial
        else None
    )
    return EventFilter(
        kind=visit.query("kind"), trial=position, page=page_number(visit.query("page"))
    )


async def session_page(visit: ConsoleVisit) -> Response:
    study, pool, session = await the_session(visit)
    wanted = event_filter(visit)
    await visit.log_look(
        f"looked at {pool} session {session.number}", study=study.id, session=session.id
    )
    history = await visit.read(lambda conn: session_history(conn, session, wanted))
    known = visit.console.collect.context.definitions
    plan = await visit.read(lambda conn: known.plan_of(conn, session))
    key = unblinding(visit, session)
    unblinded = hmac.compare_digest(visit.query("conditions").encode(), key.encode())
    return visit.render(
        "session.html",
        study=study,
        pool=pool,
        pools=POOL_WORDS,
        session=session,
        history=history,
        lane=lane(history),
        lane_width=LANE_WIDTH,
        trials=shown_trials(history.closed, plan, session.language, unblinded),
        kinds=[planned.trial.kind for planned in plan],
        unblinded=unblinded,
        conditions=key if unblinded else "",
        wanted=wanted,
        n_pages=-(-history.n_lines // EVENTS_PER_PAGE),
        now_ms=visit.now_ms,
        dropped_out=overview.dropped_out,
        resume_code=resume_code(visit, session),
    )


def resume_code(visit: ConsoleVisit, session: Session) -> str | None:
    """For a participant who lost it together with the browser; only after it was asked for, which
    is noted.
    """
    if not hmac.compare_digest(visit.query("code").encode(), code_key(visit, session).encode()):
        return None
    return later_code(visit.console.collect.context, session.id)


async def show_code(visit: ConsoleVisit) -> Response:
    study, pool, session = await the_session(visit)
    what = f"read the code for continuing {pool} session {session.number}"
    await visit.change(lambda conn: None, what, study=study.id, kind="view", session=session.id)
    address = f"{PATH}/studies/{study.id}/sessions/{pool}/{session.number}"
    return RedirectResponse(f"{address}?code={code_key(visit, session)}", 303)


async def show_conditions(visit: ConsoleVisit) -> Response:
    """Notes who looked before they see it."""
    study, pool, session = await the_session(visit)
    await visit.change(
        lambda conn: None,
        decided.looking(pool, session.number),
        study=study.id,
        kind="unblind",
        session=session.id,
    )
    address = f"{PATH}/studies/{study.id}/sessions/{pool}/{session.number}"
    return RedirectResponse(f"{address}?conditions={unblinding(visit, session)}", 303)


async def judge(visit: ConsoleVisit) -> Response:
    """Approve, reject or exclude a whole session, or take that back. Each needs a reason and stays
    on record.
    """
    study, pool, session = await the_session(visit)
    deed, reason, at_ms = visit.form.get("deed", ""), visit.form.get("reason", ""), visit.now_ms
    if deed not in decided.SESSION_DEEDS:
        raise InvalidInput(
            f"deed: expected {' or '.join(BULK_DEEDS)}, got {deed[:20]!r}. Use the buttons."
        )
    await visit.change(
        lambda conn: decided.judge(
            conn, session=session.id, deed=deed, reason=reason, user=visit.user, at_ms=at_ms
        ),
        f"{decided.DEED_WORDS[deed]} {pool} session {session.number}: {reason.strip()}",
        study=study.id,
        session=session.id,
    )
    return RedirectResponse(f"{PATH}/studies/{study.id}/sessions/{pool}/{session.number}", 303)


ROUTES = (
    Route(
        method="GET",
        path="/studies/{study}/sessions/{pool}/{number}",
        access=RESEARCHERS,
        answer=session_page,
    ),
    Route(
        method="POST",
        path="/studies/{study}/sessions/{pool}/{number}/conditions",
        access=RESEARCHERS,
        answer=show_conditions,
    ),
    Route(
        method="POST",
        path="/studies/{study}/sessions/{pool}/{number}/code",
        access=RESEARCHERS,
        answer=show_code,
    ),
    Route(
        method="POST",
        path="/studies/{study}/sessions/{pool}/{number}/judge",
        access=RESEARCHERS,
        answer=judge,
    ),
)
