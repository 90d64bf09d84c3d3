"""Leaving a session: finally at its end, or to continue later on any device, with a short code that
leads back.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from believable.collect.context import Context, Refusal, Standing, check_epoch, standing_of
from believable.collect.evidence import weigh_session
from believable.collect.recruiting import redirect
from believable.core import ids
from believable.core.errors import BelievableError, Conflict, NotFound
from believable.core.ids import keyed_hash, normalise_code, opaque_name, spoken_code, token_hash
from believable.store import accounts, alarms, sessions
from believable.store.engine import Connection
from believable.store.sessions import POOLS, Session

#: What previews and rehearsals show instead of a code that a platform would pay for.
UNPAID_CODES = {"preview": "PREVIEW", "simulated": "SIMULATED"}


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """`receipt` is the head of the chain; `code` and `redirect` are None where the outcome has
    none.
    """

    outcome: str
    receipt: str
    code: str | None
    redirect: str | None


def finish(
    conn: Connection,
    context: Context,
    *,
    token: str,
    epoch: int,
    seq: int,
    head: str,
    query: Mapping[str, str],
) -> SessionEnd | Conflict:
    """End the session. Repeating the call gives the same result. `query` holds the recruiter's
    parameters, from the browser.
    """
    standing = standing_of(conn, context, token, lock=True)
    session = standing.session
    if session.state != "finished":
        check_epoch(session, epoch)
        if standing.step.outcome is None:
            raise Conflict(
                f"the session is at trial {session.position} and is not at its end. Go on with"
                " that trial."
            )
    if seq != session.head_seq or session.top_seq != session.head_seq:
        raise Conflict(
            f"stored without a gap is event {session.head_seq}, not {seq}. Send what is missing,"
            " then finish."
        )
    if head != session.head_hash:
        message = (
            f"session {session.id}: the browser's chain ends differently from the stored one at"
            f" event {seq}"
        )
        alarms.sound(
            conn,
            kind="chain_conflict",
            message=message,
            study=session.study,
            at_ms=context.clock.now_ms(),
        )
        return Conflict(
            f"the chain at event {seq} ends differently from what is stored. Reload the page and"
            " send again."
        )
    outcome = session.outcome or standing.step.outcome or "complete"
    if session.state != "finished":
        sessions.change(
            conn, session.id, state="finished", outcome=outcome, finished_ms=context.clock.now_ms()
        )
        if outcome == "complete":
            weigh_session(conn, context, session, standing.plan, standing.closed_pages)
    return result(context, standing, outcome, query)


def result(
    context: Context, standing: Standing, outcome: str, query: Mapping[str, str]
) -> SessionEnd:
    """The content of a finished session's last page; derived, so that it can be shown again at any
    time.
    """
    code = completion_code(context, standing, outcome)
    address = None
    trial = standing.plan[-1].trial
    if standing.session.link_kind in POOLS["real"]:
        address = redirect(
            trial, standing.definition.study.recruit, outcome, code=code, query=query
        )
    return SessionEnd(outcome, standing.session.head_hash, code, address)


def completion_code(context: Context, standing: Standing, outcome: str) -> str | None:
    """What this session's last page shows."""
    closing, session = standing.plan[-1].trial.closing, standing.session
    if closing is None or outcome not in closing.codes:
        return None
    if session.link_kind in UNPAID_CODES:
        return UNPAID_CODES[session.link_kind]
    return ids.completion_code(closing.codes[outcome], context.key, session.study, outcome)


#: Failed codes from one place within the window.
TRIES = 10
WINDOW_MS = 15 * 60_000


@dataclass(frozen=True, slots=True)
class ResumeTicket:
    """The data that a participant takes along. `token` is the last part of their personal link."""

    code: str
    token: str


def later_code(context: Context, session_id: str) -> str:
    return spoken_code(context.key, "later", session_id)


def code_hash(context: Context, code: str) -> str:
    return keyed_hash(context.key, "later-code", code)


def holder_mark(context: Context, token: str) -> str:
    """The mark of a session that a browser keeps after taking part, in addition to the session's
    address. An address can be seen by others.
    """
    return opaque_name(context.key, "holder", token_hash(token))


@dataclass(frozen=True, slots=True)
class PersonProof:
    """The proof of a caller about a session that has ended: the mark that the browser keeps, or the
    code. `who` (a network address) only slows down guessing.
    """

    mark: str = ""
    code: str = ""
    who: str = ""


def check_proof(
    conn: Connection, context: Context, session: Session, proof: PersonProof
) -> BelievableError | None:
    """Why not, or None. While a session runs, its address is enough: its owner writes into it
    anyway.
    """
    mark = holder_mark(context, context.token_of(session.id))
    if session.state != "finished" or secrets.compare_digest(proof.mark.encode(), mark.encode()):
        return None
    if not proof.code:
        return Refusal("code")
    found = resume(conn, context, code=proof.code, who=proof.who)
    if isinstance(found, str):
        return None if found == context.token_of(session.id) else Refusal("code")
    return found


def later(conn: Connection, context: Context, *, token: str, proof: PersonProof) -> ResumeTicket:
    standing = standing_of(conn, context, token)
    refused = check_proof(conn, context, standing.session, proof)
    if refused is not None:
        raise refused
    if standing.definition.study.resume == "forbid" and standing.session.state == "active":
        raise Refusal("resume")
    return ResumeTicket(later_code(context, standing.session.id), token)


def resume(conn: Connection, context: Context, *, code: str, who: str) -> str | NotFound:
    """The token behind a code. `who` (a network address) only slows down guessing and is kept as a
    keyed hash for an hour.
    """
    now_ms, guesser = context.clock.now_ms(), keyed_hash(context.key, "who", who)
    accounts.check_tries(
        conn, what="resume_code", who=guesser, limit=TRIES, window_ms=WINDOW_MS, now_ms=now_ms
    )
    session = sessions.by_code(conn, code_hash(context, normalise_code(code)))
    if session is None:
        accounts.note_failed_try(conn, what="resume_code", who=guesser, now_ms=now_ms)
        return NotFound(
            "there is no session with this code. Compare it with what you noted: 10 letters and"
            " digits."
        )
    return context.token_of(session.id)
