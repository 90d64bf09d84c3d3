"""The stopping rule `sequential` while a study runs: a session is weighed in the transaction that
closes it, and recruiting ends once the rule says so.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from believable.collect.context import Context
from believable.contracts.submission import ClosedPage
from believable.contracts.trial import PlannedTrial
from believable.core.seeds import generator
from believable.store import evidence, sessions, studies
from believable.store.engine import Connection
from believable.store.sessions import Session
from believable.study.aimed_draw import AimedChoice, aim, aim_several
from believable.study.evidence_state import ENDING, EvidenceState, has_ended, new_verdicts, weigh
from believable.study.judge_shares import judgements, share_of
from believable.study.levels import pair_of
from believable.study.plan import Cell
from believable.study.pool_draw import DrawnLevel, LevelPolicy, LevelRequest, least_viewed
from believable.study.sequential_design import SequentialDesign


def evidence_state(
    conn: Connection, context: Context, *, study: str, definition: str, pool: str
) -> EvidenceState | None:
    """The state by the rule of this definition; None if it has none."""
    design = context.definitions.sequential(conn, definition)
    if design is None:
        return None
    stored = evidence.get_shares(conn, study, pool)
    reached = evidence.get_verdicts(conn, study, pool)
    return weigh(design, stored.by_agent, stored.judges, reached)


def is_stopped(
    conn: Connection, context: Context, *, study: str, definition: str, link_kind: str
) -> bool:
    """Whether the rule has ended recruiting."""
    pool = evidence.weighed_pool(link_kind)
    if pool is None:
        return False
    design = context.definitions.sequential(conn, definition)
    return design is not None and has_ended(
        design, evidence.count_judges(conn, study, pool), evidence.get_verdicts(conn, study, pool)
    )


def aim_arm(
    conn: Connection,
    context: Context,
    definition: str,
    session: tuple[str, str, int],
    filled: Mapping[Cell, int],
) -> tuple[str, AimedChoice] | None:
    """The arm and the agent of a new session, if assignment follows the evidence: one with the
    fewest judges among those without an answer, or with a small chance any. `session`: study, kind
    of link, and a seed. Judges under way count, so that many who join at once are spread.
    """
    study, link_kind, seed = session
    design, pool = (
        context.definitions.sequential(conn, definition),
        evidence.weighed_pool(link_kind),
    )
    if design is None or not design.aimed_arm or pool is None:
        return None
    views = dict.fromkeys(design.names, 0)
    for cell, n_sessions in filled.items():
        views[dict(cell.arms)[design.aimed_arm]] += n_sessions
    decided = _answered_names(conn, design, study, pool)
    choice = aim(views, decided & set(views), generator(seed, "aimed"))
    return design.aimed_arm, choice


def pair_policy(
    conn: Connection, context: Context, *, study: str, definition: str, link_kind: str
) -> LevelPolicy:
    """How the levels of blocks are drawn for a new session. If assignment follows the evidence: the
    pairs with the fewest views among those without an answer, each with a small chance any; then
    the others. Pairs that are not weighed count as answered.
    """
    design = context.definitions.sequential(conn, definition)
    pool = evidence.weighed_pool(link_kind)
    if design is None or not design.aimed_block or pool is None:
        return least_viewed
    decided = _answered_names(conn, design, study, pool)
    open_pairs = {frozenset(pair_of(name)) for name in set(design.names) - decided}
    block = design.aimed_block

    def draw_pairs(request: LevelRequest, rng: random.Random) -> Sequence[DrawnLevel]:
        if request.block.id != block:
            return least_viewed(request, rng)
        views = {name: round(request.views.get(name, 0)) for name in request.names}
        answered = [name for name in views if frozenset(pair_of(name)) not in open_pairs]
        return [
            DrawnLevel(choice.agent, choice.probability)
            for choice in aim_several(views, answered, request.count, rng)
        ]

    return draw_pairs


def _answered_names(conn: Connection, design: SequentialDesign, study: str, pool: str) -> set[str]:
    """The agents or pairs that have their answer."""
    return {
        given.agent
        for given in evidence.get_verdicts(conn, study, pool)
        if given.verdict in ENDING[design.until]
    }


def weigh_session(
    conn: Connection,
    context: Context,
    session: Session,
    planned: Sequence[PlannedTrial],
    closed: Sequence[ClosedPage],
) -> None:
    """Weigh a session that has just been completed. Its answers never decide whether it counts."""
    pool = evidence.weighed_pool(session.link_kind)
    if pool is None:
        return
    definition = studies.get(conn, session.study).definition
    design = context.definitions.sequential(conn, definition)
    if design is None:
        return
    if not evidence.count_judges(conn, session.study, pool):
        _weigh_earlier(conn, context, design, session, pool)
    _put(conn, context, design, session, (planned, closed))
    stored = evidence.get_shares(conn, session.study, pool)
    reached = evidence.get_verdicts(conn, session.study, pool)
    verdicts = new_verdicts(design, stored.by_agent, stored.judges, reached)
    evidence.put_verdicts(
        conn, session.study, pool, verdicts, definition=definition, at_ms=context.clock.now_ms()
    )


def _put(
    conn: Connection,
    context: Context,
    design: SequentialDesign,
    session: Session,
    pages: tuple[Sequence[PlannedTrial], Sequence[ClosedPage]],
) -> None:
    """Keep the shares of a session. `pages`: its plan, and its closed pages."""
    stimuli = {
        stimulus.id: stimulus
        for stimulus in context.definitions.get(conn, session.definition).study.stimuli
    }
    judged = judgements(design.question, *pages, stimuli)
    shares = {
        part.contrast.name: share
        for part in design.contrasts
        if (share := share_of(part.contrast, design.question, judged)) is not None
    }
    pool = evidence.weighed_pool(session.link_kind)
    if pool is not None:
        evidence.put_shares(conn, session=session.id, study=session.study, pool=pool, shares=shares)


def _weigh_earlier(
    conn: Connection, context: Context, design: SequentialDesign, session: Session, pool: str
) -> None:
    """Sessions that were completed before the rule was declared count, too."""
    for name in evidence.unweighed_sessions(conn, session.study, pool):
        earlier = sessions.by_id(conn, name)
        if earlier is None or name == session.id:
            continue
        planned = context.definitions.plan_of(conn, earlier)
        trials = sessions.closed_trials(conn, name, earlier.run)
        closed = [
            ClosedPage(trial.position, trial.status, trial.answers)  # type: ignore[arg-type]
            for trial in trials
        ]
        _put(conn, context, design, earlier, (planned, closed))
