"""Taking over: the tab or device that claims last is the one that writes."""

from __future__ import annotations

from dataclasses import dataclass

from believable.collect.context import Context, Standing, standing
from believable.collect.join import pass_over
from believable.collect.refusals import Refusal
from believable.store import sessions
from believable.store.engine import Connection
from believable.study.progress import progress


@dataclass(frozen=True, slots=True)
class Claimed:
    """`ack` and `head` are where the server's chain stands; `position` is the trial to show."""

    epoch: int
    ack: int
    head: str
    position: int


def claim(conn: Connection, context: Context, *, token: str) -> Claimed:
    """Raise the epoch. Coming back to a session that has begun follows the study's `resume` policy.

    A claim whose answer was lost may be repeated: before the first event nothing has begun, and a restart that just
    happened has nothing left to restart.
    """
    here = standing(conn, context, token, lock=True)
    session, position = here.session, here.session.position
    if session.state == "finished":
        return Claimed(session.epoch, session.head_seq, session.head_hash, position)
    begun = session.epoch > 0 and session.head_seq > 0 and here.step.outcome is None
    policy = here.definition.study.resume
    if begun and policy == "forbid":
        raise Refusal("resume")
    if begun and policy == "restart" and any(trial.status != "skipped" for trial in here.trials):
        position = _restart(conn, context, here)
    now_ms = context.clock.now_ms()
    sessions.change(
        conn,
        session.id,
        epoch=session.epoch + 1,
        seen_ms=now_ms,
        reserved_until_ms=now_ms + session.reservation_ms,
    )
    return Claimed(session.epoch + 1, session.head_seq, session.head_hash, position)


def _restart(conn: Connection, context: Context, here: Standing) -> int:
    """Begin the same plan again. What was answered before stays, under its run."""
    now_ms, run = context.clock.now_ms(), here.session.run + 1
    step = progress(here.plan, (), here.session.arms)
    pass_over(conn, here.session.id, here.plan, step.skipped, run=run, now_ms=now_ms)
    sessions.change(
        conn,
        here.session.id,
        run=run,
        run_after_seq=here.session.head_seq,
        position=step.position,
        wrong_tries=0,
        tried_seq=0,
        opened_ms=now_ms,
    )
    return step.position
