"""Coming in: who may take part, and how a session starts or continues."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TypeAlias

from believable.bundle.session_records import ClosedTrial
from believable.collect import leave, recruiting
from believable.collect.assign import assign
from believable.collect.context import Context, Reason, Refusal, Standing, standing_of
from believable.collect.evidence import is_stopped
from believable.collect.leave import code_hash, later_code
from believable.collect.recruiting import Identity
from believable.contracts.trial import PlannedTrial
from believable.core import event_chain
from believable.core.errors import InvalidInput, NotFound, TooManyTries
from believable.core.ids import keyed_hash, opaque_name, token_hash
from believable.core.registry import did_you_mean
from believable.store import accounts, alarms, event_log, sessions, studies
from believable.store.engine import Connection
from believable.store.sessions import Session, pool_of
from believable.store.studies import Link, StudyRow
from believable.study.definition import Definition
from believable.study.platforms import id_parameter
from believable.study.progress import progress
from believable.study.records import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """The data that the first page needs. `refusal` says why there is no way in; `resumes` is true
    if a session of this person continues.
    """

    study_id: str
    definition: Definition
    kind: str
    refusal: Reason | None
    languages: tuple[str, ...]
    previews: bool
    resumes: bool

    @property
    def study(self) -> Study:
        return self.definition.study


@dataclass(frozen=True, slots=True)
class JoinedSession:
    """`mark` is the name under which the browser keeps the token, if it needs to prove later that
    the session is its own.
    """

    token: str
    resumed: bool
    mark: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Caller:
    """A caller who wants to join."""

    link: Link
    row: StudyRow
    definition: Definition
    identity: Identity
    kind: str
    existing: Session | None
    #: The browser keeps the token of `existing`.
    same_browser: bool = False
    #: A session under the same id in which nothing was entered. A new one takes its place.
    replaced: Session | None = None


#: The choice among a study's languages.
LanguageChoice: TypeAlias = Callable[[Sequence[str]], str]
#: Nothing kept by the browser. How long a place is kept for a session that sends nothing. A browser
#: sends its first event within seconds.
FIRST_RESERVATION_MS = 3 * 60_000
MINUTE_MS = 60_000

NOTHING_KEPT: Mapping[str, str] = MappingProxyType({})


def mark_name(context: Context, study_id: str, person: str | None = None) -> str:
    """The name of the cookie in which a browser keeps the token of its session. Each study has its
    own, and in a study with platform ids each person, so that several people can take part at one
    laboratory computer.
    """
    parts = (study_id,) if person is None else (study_id, person)
    return f"came-{opaque_name(context.key, 'came', *parts)[:12]}"


def landing(
    conn: Connection,
    context: Context,
    *,
    link: str,
    query: Mapping[str, str],
    kept: Mapping[str, str] = NOTHING_KEPT,
) -> Landing:
    """Look without touching: link previews and prefetchers create nothing. `kept` is the browser's
    memory.
    """
    caller = _caller(conn, context, link, query, kept, lock=False)
    reason = _reason(conn, context, caller, desktop=True)
    study = caller.definition.study
    return Landing(
        study_id=caller.row.id,
        definition=caller.definition,
        kind=caller.kind,
        refusal=reason,
        languages=study.languages,
        previews=caller.identity.previews,
        resumes=caller.existing is not None and reason is None,
    )


def join(
    conn: Connection,
    context: Context,
    *,
    link: str,
    query: Mapping[str, str],
    language: str | LanguageChoice,
    desktop: bool,
    kept: Mapping[str, str] = NOTHING_KEPT,
    who: str = "",
) -> JoinedSession | TooManyTries:
    """Start a session, or continue the session of this person. `who` is a network address, for the
    limit on new sessions.
    """
    caller = _caller(conn, context, link, query, kept, lock=True)
    languages = caller.definition.study.languages
    language = language if isinstance(language, str) else language(languages)
    if language not in languages:
        raise InvalidInput(
            f"language: this study has no {language!r}. {did_you_mean(language, languages)}"
        )
    reason = _reason(conn, context, caller, desktop=desktop)
    if reason is not None:
        raise Refusal(reason)
    mark = _mark(context, caller.row.id, caller.definition.study, caller.kind, caller.identity)
    crowded = _count_start(conn, context, caller, who) if caller.existing is None else None
    if crowded is not None:
        return crowded
    if caller.existing is not None:
        return JoinedSession(context.token_of(caller.existing.id), resumed=True, mark=mark)
    return JoinedSession(_start(conn, context, caller, language), resumed=False, mark=mark)


def _count_start(
    conn: Connection, context: Context, caller: _Caller, who: str
) -> TooManyTries | None:
    """Count the sessions that one network address starts through an open link, or say that there
    were too many. The address is kept as a keyed hash, for an hour at most. Personal links are
    counted by themselves: each works once.
    """
    limit = context.joins_per_minute
    if caller.kind != "open" or not who or limit is None:
        return None
    now_ms, starter = context.clock.now_ms(), keyed_hash(context.key, "who", who)
    if accounts.count_tries(conn, what="join", who=starter, since_ms=now_ms - MINUTE_MS) >= limit:
        message = (
            f"more than {limit} sessions a minute were begun from one network address; the others"
            " were told to wait"
        )
        alarms.sound(conn, kind="join_flood", message=message, study=caller.row.id, at_ms=now_ms)
        return TooManyTries(
            f"{limit} sessions were begun from this network address within a minute. Try again in a"
            " minute."
        )
    accounts.note_failed_try(conn, what="join", who=starter, now_ms=now_ms)
    return None


def _mark(
    context: Context, study_id: str, study: Study, kind: str, identity: Identity
) -> str | None:
    """The name under which the browser keeps its token; None if it needs to keep none. Personal
    links are secrets themselves, and may be opened one after the other on a laboratory's computer.
    Sessions of simulated people need no protection.
    """
    if kind != "open":
        return None
    if study.recruit.repeats == "refuse":
        return mark_name(context, study_id)
    return None if identity.hash is None else mark_name(context, study_id, identity.hash)


def resume(conn: Connection, context: Context, *, code: str, who: str) -> JoinedSession | NotFound:
    """Go on with the session behind a code, in a browser that then keeps the same mark as the one
    it was begun in.
    """
    token = leave.resume(conn, context, code=code, who=who)
    if isinstance(token, NotFound):
        return token
    session = sessions.by_token(conn, token_hash(token))
    study = context.definitions.get(conn, session.definition).study
    identity = Identity(session.recruiter_hash, session.recruiter_extra)
    return JoinedSession(
        token, resumed=True, mark=_mark(context, session.study, study, session.link_kind, identity)
    )


def _caller(
    conn: Connection,
    context: Context,
    link_token: str,
    query: Mapping[str, str],
    kept: Mapping[str, str],
    *,
    lock: bool,
) -> _Caller:
    link = studies.get_link(conn, link_token)
    row = studies.get(conn, link.study, lock=lock)
    definition = context.definitions.get(conn, row.definition)
    identity = recruiting.identify(
        definition.study.recruit, query, key=context.key, study_id=row.id
    )
    kind = "preview" if identity.previews else link.kind
    caller = partial(
        _Caller, link=link, row=row, definition=definition, identity=identity, kind=kind
    )
    if kind == "personal" and link.used_by is not None:
        return caller(existing=sessions.by_id(conn, link.used_by))
    known = kind != "preview" and identity.hash is not None
    same_id = (
        sessions.by_recruiter(conn, row.id, identity.hash or "", pool_of(kind)) if known else ()
    )
    mark = _mark(context, row.id, definition.study, kind, identity)
    token = None if mark is None else kept.get(mark)
    if not same_id:
        marked = None if token is None else sessions.of_study(conn, row.id, token_hash(token))
        return caller(existing=marked, same_browser=marked is not None)
    if mark is None or definition.study.recruit.repeats == "refuse":
        return caller(existing=same_id[0])
    # An id is known to the platform, to the researchers and to people who saw the address: it names
    # a person, but does not prove their identity.
    own = next(
        (
            session
            for session in same_id
            if token is not None and session.token_hash == token_hash(token)
        ),
        None,
    )
    if own is not None:
        return caller(existing=own, same_browser=True)
    forbids = definition.study.resume == "forbid"
    begun = next(
        (one for one in same_id if (forbids and one.head_seq > 0) or _has_content(conn, one)), None
    )
    return caller(existing=begun, replaced=same_id[0] if begun is None else None)


#: Events that a page sends by itself.
_OPENING = ("page.", "trial.shown", "session.", "media.ready")


def _has_content(conn: Connection, session: Session) -> bool:
    """Whether the person did anything in it that another could read or delete."""
    if session.state == "finished" or any(
        trial.status != "skipped" for trial in sessions.closed_trials(conn, session.id)
    ):
        return True
    return any(
        not event.kind.startswith(_OPENING)
        for event in event_log.events_since(conn, session.id, 0, containing="")
    )


def _reason(conn: Connection, context: Context, caller: _Caller, *, desktop: bool) -> Reason | None:
    """Why not, or None. A person with a session keeps it, whatever changed in the study since."""
    study = caller.definition.study
    if caller.existing is not None:
        return _reason_against_repeat(context, conn, caller, caller.existing)
    if caller.kind == "personal" and caller.link.used_by is not None:
        return "withdrawn" if sessions.is_withdrawn(conn, caller.link.used_by) else "used"
    if study.recruit.desktop_only and not desktop:
        return "desktop"
    if caller.replaced is not None:
        return None  # the place is hers already
    if is_stopped(
        conn, context, study=caller.row.id, definition=caller.row.definition, link_kind=caller.kind
    ):
        return "full"
    if caller.kind in ("preview", "simulated"):
        return None  # researchers look and rehearse before opening, and after closing
    if caller.kind == "open" and id_parameter(study.recruit) and caller.identity.hash is None:
        return "identity"
    return _reason_of_study(conn, caller, context.clock.now_ms())


def _reason_against_repeat(
    context: Context, conn: Connection, caller: _Caller, existing: Session
) -> Reason | None:
    unfinished_here = caller.same_browser and existing.state == "active"
    if caller.definition.study.recruit.repeats == "refuse" and not unfinished_here:
        return "used" if caller.kind == "personal" else "taken"
    pinned = context.definitions.get(conn, existing.definition).study
    if pinned.resume == "forbid" and existing.state == "active" and existing.head_seq > 0:
        return "resume"
    return None if caller.same_browser or caller.kind != "open" else "code"


def _reason_of_study(conn: Connection, caller: _Caller, now_ms: int) -> Reason | None:
    rules = caller.definition.study.recruit
    if caller.row.state == "closed" or (
        rules.closes is not None and now_ms >= _milliseconds(rules.closes)
    ):
        return "closed"
    if caller.row.state == "paused":
        return "paused"
    if rules.limit is not None:
        filled = sessions.count_filled(conn, caller.row.id, pool_of(caller.kind), now_ms)
        if sum(cell.n_sessions for cell in filled) >= rules.limit:
            return "full"
    return None


def _milliseconds(moment: datetime.datetime) -> int:
    """A date without a time zone is meant in UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=datetime.UTC)
    return int(aware.timestamp() * 1000)


def _start(conn: Connection, context: Context, caller: _Caller, language: str) -> str:
    """Balanced inside this transaction: no other session of the study starts meanwhile."""
    now_ms, study = context.clock.now_ms(), caller.definition.study
    if caller.replaced is not None:
        sessions.change(conn, caller.replaced.id, reserved_until_ms=now_ms)
    number = sessions.next_number(conn, caller.row.id, pool_of(caller.kind))
    assigned = assign(conn, context, caller.row, caller.kind, number)
    assignment = assigned.assignment
    planned = context.definitions.plan(conn, caller.row.definition, assignment)
    step = progress(planned, (), assignment.arms)
    session_id = context.new_id()
    token = context.token_of(session_id)
    reservation_ms = study.reservation_minutes * 60_000
    first_ms = min(FIRST_RESERVATION_MS, reservation_ms)
    sessions.create(
        conn,
        Session(
            id=session_id,
            token_hash=token_hash(token),
            code_hash=code_hash(context, later_code(context, session_id)),
            study=caller.row.id,
            definition=caller.row.definition,
            link_kind=caller.kind,
            number=number,
            language=language,
            arms=assignment.arms,
            rows=assignment.rows,
            seed=assignment.seed,
            recruiter_hash=None if caller.kind == "preview" else caller.identity.hash,
            recruiter_extra={} if caller.kind == "preview" else caller.identity.extra,
            position=step.position,
            opened_ms=now_ms,
            head_hash=event_chain.origin(session_id),
            started_ms=now_ms,
            seen_ms=now_ms,
            reserved_until_ms=now_ms + first_ms,
            reservation_ms=reservation_ms,
        ),
    )
    assigned.store(conn, session_id)
    pass_over(conn, session_id, planned, step.skipped, run=0, now_ms=now_ms)
    if caller.kind == "personal":
        studies.use_link(conn, caller.link.token, session_id)
    return token


def pass_over(
    conn: Connection,
    session_id: str,
    planned: tuple[PlannedTrial, ...],
    skipped: tuple[int, ...],
    *,
    run: int,
    now_ms: int,
) -> list[ClosedTrial]:
    """Note the trials that a rule skips."""
    rows = [
        ClosedTrial(
            position=position,
            run=run,
            key=planned[position].key,
            status="skipped",
            attempts=0,
            submit_seq=None,
            answers={},
            opened_ms=None,
            closed_ms=now_ms,
        )
        for position in skipped
    ]
    for row in rows:
        sessions.close_trial(conn, session_id, row)
    return rows


# ------------------------------------------------------------------------------------- taking over


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionClaim:
    """`ack` and `head` are the current end of the server's chain; `position` is the trial to show.
    `untouched` is the state of the session while nothing has happened in it.
    """

    epoch: int
    ack: int
    head: str
    position: int
    untouched: Standing | None = None


def claim(conn: Connection, context: Context, *, token: str) -> SessionClaim:
    """Raise the epoch. Coming back to a session that has begun follows the study's `resume` policy.

    A claim whose answer was lost may be repeated: before the first event nothing has begun, and a
    restart that just happened has nothing left to restart.
    """
    standing = standing_of(conn, context, token, lock=True)
    session, position = standing.session, standing.session.position
    if session.state == "finished":
        return SessionClaim(
            epoch=session.epoch, ack=session.head_seq, head=session.head_hash, position=position
        )
    begun = session.epoch > 0 and session.head_seq > 0 and standing.step.outcome is None
    policy = standing.definition.study.resume
    if begun and policy == "forbid":
        raise Refusal("resume")
    if (
        begun
        and policy == "restart"
        and any(trial.status != "skipped" for trial in standing.trials)
    ):
        position = _restart(conn, context, standing)
    now_ms = context.clock.now_ms()
    held_ms = (
        session.reservation_ms
        if session.top_seq
        else min(FIRST_RESERVATION_MS, session.reservation_ms)
    )
    sessions.change(
        conn,
        session.id,
        epoch=session.epoch + 1,
        seen_ms=now_ms,
        reserved_until_ms=now_ms + held_ms,
    )
    untouched = standing if session.top_seq == 0 else None
    return SessionClaim(
        epoch=session.epoch + 1,
        ack=session.head_seq,
        head=session.head_hash,
        position=position,
        untouched=untouched,
    )


def _restart(conn: Connection, context: Context, standing: Standing) -> int:
    """Begin the same plan again. Earlier answers stay, under their run."""
    now_ms, run = context.clock.now_ms(), standing.session.run + 1
    step = progress(standing.plan, (), standing.session.arms)
    pass_over(conn, standing.session.id, standing.plan, step.skipped, run=run, now_ms=now_ms)
    sessions.change(
        conn,
        standing.session.id,
        run=run,
        run_after_seq=standing.session.head_seq,
        position=step.position,
        wrong_tries=0,
        tried_seq=0,
        opened_ms=now_ms,
    )
    return step.position
