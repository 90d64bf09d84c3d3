"""Coming in: who may take part, and how a session starts or continues."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from believable.bundle.records import ClosedTrial
from believable.collect import recruit
from believable.collect.context import Context
from believable.collect.later import code_hash, later_code
from believable.collect.recruit import Identity
from believable.collect.refusals import Reason, Refusal
from believable.core import chain
from believable.core.errors import InvalidInput
from believable.core.ids import token_hash
from believable.core.registry import did_you_mean
from believable.store import links, sessions, studies, trials
from believable.store.engine import Connection
from believable.store.links import Link
from believable.store.pools import pool_of
from believable.store.sessions import Session
from believable.store.studies import StudyRow
from believable.study.assign import Cell, choose
from believable.study.definition import Definition
from believable.study.plan import PlannedTrial, plan
from believable.study.platforms import id_parameter
from believable.study.progress import progress
from believable.study.records import Study


@dataclass(frozen=True, slots=True)
class Landing:
    """What the first page needs. `refusal` says why there is no way in; `resumes` that a session of this person goes on."""

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
class Joined:
    token: str
    resumed: bool


@dataclass(frozen=True, slots=True)
class _Caller:
    """Somebody at the door."""

    link: Link
    row: StudyRow
    definition: Definition
    identity: Identity
    kind: str
    existing: Session | None


def landing(conn: Connection, context: Context, *, link: str, query: Mapping[str, str]) -> Landing:
    """Look without touching: link previews and prefetchers create nothing."""
    caller = _caller(conn, context, link, query, lock=False)
    reason = _reason(conn, context, caller, desktop=True)
    study = caller.definition.study
    return Landing(
        caller.row.id,
        caller.definition,
        caller.kind,
        reason,
        study.languages,
        previews=caller.identity.previews,
        resumes=caller.existing is not None and reason is None,
    )


def join(
    conn: Connection, context: Context, *, link: str, query: Mapping[str, str], language: str, desktop: bool
) -> Joined:
    """Start a session, or go on with the one this person has."""
    caller = _caller(conn, context, link, query, lock=True)
    languages = caller.definition.study.languages
    if language not in languages:
        raise InvalidInput(f"language: this study has no {language!r}. {did_you_mean(language, languages)}")
    reason = _reason(conn, context, caller, desktop=desktop)
    if reason is not None:
        raise Refusal(reason)
    if caller.existing is not None:
        return Joined(context.token_of(caller.existing.id), resumed=True)
    return Joined(_start(conn, context, caller, language), resumed=False)


def _caller(
    conn: Connection, context: Context, link_token: str, query: Mapping[str, str], *, lock: bool
) -> _Caller:
    link = links.get(conn, link_token)
    row = studies.get(conn, link.study, lock=lock)
    definition = context.definitions.get(conn, row.definition)
    identity = recruit.identify(definition.study.recruit, query, key=context.key, study_id=row.id)
    kind = "preview" if identity.previews else link.kind
    existing = None
    if kind == "personal" and link.used_by is not None:
        existing = sessions.by_id(conn, link.used_by)
    elif kind != "preview" and identity.hash is not None:
        existing = sessions.by_recruiter(conn, row.id, identity.hash, pool_of(kind))
    return _Caller(link, row, definition, identity, kind, existing)


def _reason(conn: Connection, context: Context, caller: _Caller, *, desktop: bool) -> Reason | None:
    """Why not, or None. Somebody who has a session keeps it, whatever happened to the study since."""
    study = caller.definition.study
    if caller.existing is not None:
        return _reason_against_repeat(context, conn, caller, caller.existing)
    if caller.kind == "personal" and caller.link.used_by is not None:
        return "withdrawn" if sessions.is_withdrawn(conn, caller.link.used_by) else "used"
    if study.recruit.desktop_only and not desktop:
        return "desktop"
    if caller.kind in ("preview", "simulated"):
        return None  # researchers look and rehearse before opening, and after closing
    if caller.kind == "open" and id_parameter(study.recruit) and caller.identity.hash is None:
        return "identity"
    return _reason_of_study(conn, caller, context.clock.now_ms())


def _reason_against_repeat(
    context: Context, conn: Connection, caller: _Caller, existing: Session
) -> Reason | None:
    if caller.definition.study.recruit.repeats == "refuse":
        return "used" if caller.kind == "personal" else "taken"
    pinned = context.definitions.get(conn, existing.definition).study
    if pinned.resume == "forbid" and existing.state == "active" and existing.head_seq > 0:
        return "resume"
    return None


def _reason_of_study(conn: Connection, caller: _Caller, now_ms: int) -> Reason | None:
    rules = caller.definition.study.recruit
    if caller.row.state == "closed" or (rules.closes is not None and now_ms >= _milliseconds(rules.closes)):
        return "closed"
    if caller.row.state == "paused":
        return "paused"
    if rules.limit is not None:
        filled = sessions.filled(conn, caller.row.id, pool_of(caller.kind), now_ms)
        if sum(cell.n_sessions for cell in filled) >= rules.limit:
            return "full"
    return None


def _milliseconds(moment: datetime.datetime) -> int:
    """A date without a time zone is meant in UTC."""
    aware = moment if moment.tzinfo is not None else moment.replace(tzinfo=datetime.UTC)
    return int(aware.timestamp() * 1000)


def _start(conn: Connection, context: Context, caller: _Caller, language: str) -> str:
    """Balanced inside this transaction: nobody else starts a session of the study meanwhile."""
    now_ms, study, kinds = context.clock.now_ms(), caller.definition.study, pool_of(caller.kind)
    number = sessions.next_number(conn, caller.row.id, kinds)
    filled = {
        Cell.of(cell.arms, cell.rows): cell.n_sessions
        for cell in sessions.filled(conn, caller.row.id, kinds, now_ms)
    }
    assignment = choose(study, filled, number)
    planned = plan(study, assignment)
    step = progress(planned, (), assignment.arms)
    session_id = context.new_id()
    token = context.token_of(session_id)
    reservation_ms = study.reservation_minutes * 60_000
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
            state="active",
            outcome=None,
            position=step.position,
            run=0,
            run_after_seq=0,
            wrong_tries=0,
            tried_seq=0,
            opened_ms=now_ms,
            epoch=0,
            head_seq=0,
            head_hash=chain.origin(session_id),
            top_seq=0,
            started_ms=now_ms,
            seen_ms=now_ms,
            reserved_until_ms=now_ms + reservation_ms,
            reservation_ms=reservation_ms,
            finished_ms=None,
            rejected=False,
        ),
    )
    pass_over(conn, session_id, planned, step.skipped, run=0, now_ms=now_ms)
    if caller.kind == "personal":
        links.use(conn, caller.link.token, session_id)
    return token


def pass_over(
    conn: Connection,
    session_id: str,
    planned: tuple[PlannedTrial, ...],
    skipped: tuple[int, ...],
    *,
    run: int,
    now_ms: int,
) -> None:
    """Note the trials that a rule skips."""
    for position in skipped:
        row = ClosedTrial(position, run, planned[position].key, "skipped", 0, None, {}, None, now_ms)
        trials.close(conn, session_id, row)
