"""The end: a receipt and a completion code, only when every event is stored and the chains agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from believable.collect.context import Context, Standing, check_epoch, standing
from believable.collect.recruit import redirect
from believable.core.errors import Conflict
from believable.core.ids import spoken_code
from believable.store import alarms, sessions
from believable.store.engine import Connection
from believable.store.pools import POOLS
from believable.study.records import Finish

#: What previews and rehearsals show instead of a code that a platform would pay for.
UNPAID_CODES = {"preview": "PREVIEW", "simulated": "SIMULATED"}


@dataclass(frozen=True, slots=True)
class Finished:
    """`receipt` is the head of the chain; `code` and `redirect` are None where the outcome has none."""

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
) -> Finished | Conflict:
    """End the session. Repeating the call gives the same result. `query` holds the recruiter's parameters, from the browser."""
    here = standing(conn, context, token, lock=True)
    session = here.session
    if session.state != "finished":
        check_epoch(session, epoch)
        if here.step.outcome is None:
            raise Conflict(
                f"the session stands at trial {session.position} and is not at its end. Go on with that trial."
            )
    if seq != session.head_seq or session.top_seq != session.head_seq:
        raise Conflict(
            f"stored without a gap is event {session.head_seq}, not {seq}. Send what is missing, then finish."
        )
    if head != session.head_hash:
        message = (
            f"session {session.id}: the browser's chain ends differently from the stored one at event {seq}"
        )
        alarms.sound(
            conn, kind="chain_conflict", message=message, study=session.study, at_ms=context.clock.now_ms()
        )
        return Conflict(
            f"the chain at event {seq} ends differently from what is stored. Reload the page and send again."
        )
    outcome = session.outcome or here.step.outcome or "complete"
    if session.state != "finished":
        sessions.change(
            conn, session.id, state="finished", outcome=outcome, finished_ms=context.clock.now_ms()
        )
    return result(context, here, outcome, query)


def result(context: Context, here: Standing, outcome: str, query: Mapping[str, str]) -> Finished:
    """What a finished session's last page shows; derived, so that it can be shown again at any time."""
    code = completion_code(context, here, outcome)
    address = None
    trial = here.plan[-1].trial
    if here.session.link_kind in POOLS["real"] and isinstance(trial, Finish):
        address = redirect(trial, here.definition.study.recruit, outcome, code=code, query=query)
    return Finished(outcome, here.session.head_hash, code, address)


def completion_code(context: Context, here: Standing, outcome: str) -> str | None:
    """One per study and outcome, the same for everybody, as recruiting platforms expect it."""
    trial, session = here.plan[-1].trial, here.session
    if not isinstance(trial, Finish) or outcome == "declined":
        return None
    if session.link_kind in UNPAID_CODES:
        return UNPAID_CODES[session.link_kind]
    given: str = getattr(trial.codes, outcome)
    return spoken_code(context.key, "completion", session.study, outcome) if given == "auto" else given
