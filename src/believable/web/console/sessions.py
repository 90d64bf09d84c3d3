"""Sessions: the list, one session's timeline, and rejecting."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.responses import RedirectResponse, Response

from believable.bundle.records import ClosedTrial
from believable.core import ids
from believable.core.errors import InvalidInput, NotFound
from believable.store import overview
from believable.store import review as decided
from believable.store.monitor import link_kinds
from believable.store.overview import PLACES
from believable.store.sessions import Session
from believable.store.studies import StudyRow
from believable.study.plan import PlannedTrial
from believable.study.progress import page_questions
from believable.web.console.desk import RESEARCHERS, Page, Visit
from believable.web.console.guard import PATH
from believable.web.console.monitor import POOL_WORDS
from believable.web.console.studies import the_study
from believable.web.console.timeline import EVENTS_PER_PAGE, LANE_WIDTH, Filter, lane, tell

SESSIONS_PER_PAGE = 100
TEXT_CHARACTERS = 4_000


def page_number(text: str) -> int:
    """Pages count from 1 in addresses and from 0 inside."""
    if not text:
        return 0
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= 10**8:
        raise InvalidInput(f"page: expected a number from 1, got {text[:20]!r}. Use the links on the page.")
    return int(text) - 1


async def list_page(visit: Visit) -> Response:
    study, pool, place = await the_study(visit), visit.query("pool", "real"), visit.query("place", "all")
    page, now_ms = page_number(visit.query("page")), visit.now_ms
    lines, total = await visit.read(
        lambda conn: overview.session_lines(
            conn,
            study.id,
            pool,
            place,
            now_ms=now_ms,
            offset=page * SESSIONS_PER_PAGE,
            limit=SESSIONS_PER_PAGE,
        )
    )
    return visit.render(
        "sessions.html",
        study=study,
        pool=pool,
        pools=POOL_WORDS,
        place=place,
        places=PLACES,
        lines=lines,
        total=total,
        page=page,
        n_pages=-(-total // SESSIONS_PER_PAGE),
        now_ms=now_ms,
    )


# ---------------------------------------------------------------------------------------------- one session


async def the_session(visit: Visit) -> tuple[StudyRow, str, Session]:
    study, pool, number = await the_study(visit), visit.path("pool"), visit.path("number")
    link_kinds(pool)
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        raise NotFound(f"there is no session {number[:20]!r}. See the list of sessions.")
    session = await visit.read(lambda conn: overview.session_by_number(conn, study.id, pool, int(number)))
    return study, pool, session


def unblinding(visit: Visit, session: Session) -> str:
    """What the address carries after conditions were asked for: nobody gets it without being noted."""
    assert visit.login is not None
    return ids.keyed_hash(visit.console.key, "unblinded", visit.login.token_hash, session.id)[:32]


@dataclass(frozen=True, slots=True)
class Shown:
    """One answer on the session's page."""

    prompt: str
    value: str


@dataclass(frozen=True, slots=True)
class ShownTrial:
    """A closed trial as the page shows it; `planned` only when conditions may be seen."""

    closed: ClosedTrial
    kind: str
    answers: tuple[Shown, ...]
    planned: PlannedTrial | None


def shown_trials(
    closed: Sequence[ClosedTrial], plan: Sequence[PlannedTrial], language: str, unblinded: bool
) -> tuple[ShownTrial, ...]:
    by_position = {one.position: one for one in plan}
    found = []
    for one in closed:
        planned = by_position.get(one.position)
        prompts = _prompts(planned, language)
        answers = tuple(
            Shown(prompts.get(name, name), _cut(in_words(value))) for name, value in one.answers.items()
        )
        kind = planned.trial.kind if planned is not None else "?"
        found.append(ShownTrial(one, kind, answers, planned if unblinded else None))
    return tuple(found)


def _prompts(planned: PlannedTrial | None, language: str) -> Mapping[str, str]:
    if planned is None:
        return {}
    return {
        question.id: question.prompt.in_language(language)
        for question in page_questions(planned.trial)
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


def event_filter(visit: Visit) -> Filter:
    trial = visit.query("trial")
    if trial and (not trial.isascii() or not trial.isdigit() or len(trial) > 9):
        raise InvalidInput(
            f"trial: expected the number of a page, got {trial[:20]!r}. Use the filter on the page."
        )
    return Filter(
        kind=visit.query("kind"),
        trial=int(trial) - 1 if trial else None,
        page=page_number(visit.query("page")),
    )


async def session_page(visit: Visit) -> Response:
    study, pool, session = await the_session(visit)
    wanted = event_filter(visit)
    told = await visit.read(lambda conn: tell(conn, session, wanted))
    known = visit.console.collect.context.definitions
    plan = await visit.read(lambda conn: known.plan(conn, session))
    key = unblinding(visit, session)
    unblinded = hmac.compare_digest(visit.query("conditions").encode(), key.encode())
    return visit.render(
        "session.html",
        study=study,
        pool=pool,
        pools=POOL_WORDS,
        session=session,
        told=told,
        lane=lane(told),
        lane_width=LANE_WIDTH,
        trials=shown_trials(told.closed, plan, session.language, unblinded),
        kinds=[one.trial.kind for one in plan],
        unblinded=unblinded,
        conditions=key if unblinded else "",
        wanted=wanted,
        n_pages=-(-told.n_lines // EVENTS_PER_PAGE),
        now_ms=visit.now_ms,
    )


async def show_conditions(visit: Visit) -> Response:
    """Notes who looked before they see it."""
    study, pool, session = await the_session(visit)
    await visit.change(
        lambda conn: None, f"looked at the conditions of {pool} session {session.number}", study=study.id
    )
    address = f"{PATH}/studies/{study.id}/sessions/{pool}/{session.number}"
    return RedirectResponse(f"{address}?conditions={unblinding(visit, session)}", 303)


async def judge(visit: Visit) -> Response:
    """Reject, or take that back. Both need a reason, and both stay on record."""
    study, pool, session = await the_session(visit)
    deed, reason, at_ms = visit.form.get("deed", ""), visit.form.get("reason", ""), visit.now_ms
    if deed not in ("reject", "unreject"):
        raise InvalidInput(f"deed: expected reject or unreject, got {deed[:20]!r}. Use the buttons.")
    await visit.change(
        lambda conn: decided.set_rejected(
            conn, session=session.id, rejected=deed == "reject", reason=reason, user=visit.user, at_ms=at_ms
        ),
        f"{deed}ed {pool} session {session.number}: {reason.strip()}",
        study=study.id,
    )
    return RedirectResponse(f"{PATH}/studies/{study.id}/sessions/{pool}/{session.number}", 303)


PAGES = (
    Page("GET", "/studies/{study}/sessions", RESEARCHERS, list_page),
    Page("GET", "/studies/{study}/sessions/{pool}/{number}", RESEARCHERS, session_page),
    Page("POST", "/studies/{study}/sessions/{pool}/{number}/conditions", RESEARCHERS, show_conditions),
    Page("POST", "/studies/{study}/sessions/{pool}/{number}/judge", RESEARCHERS, judge),
)
