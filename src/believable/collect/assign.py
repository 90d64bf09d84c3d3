"""The assignment of a new session: arms, orders, the agent to be judged, and clips of pools."""

from __future__ import annotations

from dataclasses import dataclass

from believable.collect.context import Context
from believable.collect.evidence import aim_arm, pair_policy
from believable.core.ids import keyed_hash
from believable.store import evidence, sessions
from believable.store.clip_draws import count_views, store_draw
from believable.store.engine import Connection
from believable.store.sessions import pool_of
from believable.store.studies import StudyRow
from believable.study.aimed_draw import AimedChoice
from believable.study.plan import Assignment, Cell, choose, session_seed
from believable.study.pool_draw import DrawnName, deal, needs_draw, with_draw


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAssignment:
    """An assignment with the draws behind it. `aimed` is None if assignment does not follow the
    evidence.
    """

    assignment: Assignment
    drawn: tuple[DrawnName, ...]
    aimed: AimedChoice | None

    def store(self, conn: Connection, session: str) -> None:
        """Store the draws with their probabilities."""
        store_draw(conn, session, self.drawn)
        if self.aimed is not None:
            evidence.put_draw(conn, session, self.aimed.agent, self.aimed.probability)


def assign(
    conn: Connection, context: Context, row: StudyRow, kind: str, number: int
) -> SessionAssignment:
    """Assign the session of this number. The caller holds the lock of the study, so that no other
    session of it starts meanwhile.
    """
    now_ms, kinds = context.clock.now_ms(), pool_of(kind)
    study = context.definitions.get(conn, row.definition).study
    filled = {
        Cell.of(cell.arms, cell.rows): cell.n_sessions
        for cell in sessions.count_filled(conn, row.id, kinds, now_ms)
    }
    # Simulated sessions are the same on every server; those of people must not be computed again by
    # strangers.
    secret = "" if kind == "simulated" else keyed_hash(context.key, "assignment", row.id)
    seed = session_seed(study, number, secret)
    aimed = aim_arm(conn, context, row.definition, (row.id, kind, seed), filled)
    arms = {} if aimed is None else {aimed[0]: aimed[1].agent}
    assignment = choose(study, filled, number, secret, arms)
    drawn: tuple[DrawnName, ...] = ()
    if needs_draw(study):
        views = count_views(conn, row.id, kinds, now_ms, fresh=study.draw == "fresh")
        policy = pair_policy(conn, context, study=row.id, definition=row.definition, link_kind=kind)
        drawn = deal(study, assignment, views, policy)
        assignment = with_draw(assignment, drawn)
    return SessionAssignment(
        assignment=assignment, drawn=drawn, aimed=None if aimed is None else aimed[1]
    )
