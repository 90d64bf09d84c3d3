"""Continuing later, on any device: a short code that leads back to the session."""

from __future__ import annotations

from dataclasses import dataclass

from believable.collect.context import Context, standing
from believable.collect.refusals import Refusal
from believable.core.errors import NotFound
from believable.core.ids import keyed_hash, normalise_code, spoken_code
from believable.store import limits, sessions
from believable.store.engine import Connection

#: Failed codes from one place within the window.
TRIES = 10
WINDOW_MS = 15 * 60_000


@dataclass(frozen=True, slots=True)
class Later:
    """What a participant takes along. `token` is the last part of their personal link."""

    code: str
    token: str


def later_code(context: Context, session_id: str) -> str:
    return spoken_code(context.key, "later", session_id)


def code_hash(context: Context, code: str) -> str:
    return keyed_hash(context.key, "later-code", code)


def later(conn: Connection, context: Context, *, token: str) -> Later:
    here = standing(conn, context, token)
    if here.definition.study.resume == "forbid" and here.session.state == "active":
        raise Refusal("resume")
    return Later(later_code(context, here.session.id), token)


def resume(conn: Connection, context: Context, *, code: str, who: str) -> str | NotFound:
    """The token behind a code. `who` (a network address) only slows down guessing and is kept as a keyed hash for an hour."""
    now_ms, guesser = context.clock.now_ms(), keyed_hash(context.key, "who", who)
    limits.check(conn, what="resume_code", who=guesser, limit=TRIES, window_ms=WINDOW_MS, now_ms=now_ms)
    found = sessions.by_code(conn, code_hash(context, normalise_code(code)))
    if found is None:
        limits.failed(conn, what="resume_code", who=guesser, now_ms=now_ms)
        return NotFound(
            "there is no session with this code. Compare it with what you noted: 10 letters and digits."
        )
    return context.token_of(found.id)
