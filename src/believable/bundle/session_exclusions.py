"""Why a session, or an answer in it, should not be analysed, as far as the session itself and
decisions about it say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from believable.bundle.session_records import CollectedSession, DecisionRecord, SessionRecord, day
from believable.bundle.tables import Cell, Row
from believable.contracts.trial import PlannedTrial
from believable.study.records import clip_of


def exclusion_rows(collected: CollectedSession, planned: Sequence[PlannedTrial]) -> Iterator[Row]:
    """The rows of one session in the exclusions table, without those that follow from the declared
    plan.
    """
    session = collected.session
    if session.state != "finished":
        at = planned[session.position].key if session.position < len(planned) else ""
        yield _exclusion(session, "incomplete", f"stopped at {at}" if at else "")
    elif session.outcome != "complete":
        yield _exclusion(session, str(session.outcome), "")
    if session.rejected:
        yield _decision_row(session, "rejected", _last(collected.decisions, "reject"))
    if session.excluded:
        yield _decision_row(session, "excluded", _last(collected.decisions, "exclude"))
    for decision in _standing_text_exclusions(collected.decisions):
        trial_key, _, target = decision.target.rpartition("/")
        question, player = clip_of(target)
        yield _decision_row(session, "text_excluded", decision) | {
            "scope": "answer",
            "trial_key": trial_key,
            "question": question,
            "player": player,
        }


def _standing_text_exclusions(decisions: Sequence[DecisionRecord]) -> list[DecisionRecord]:
    """Decisions are never overwritten: the latest about an answer counts."""
    latest = {decision.target: decision for decision in decisions if decision.target}
    return [decision for decision in latest.values() if decision.kind == "exclude_text"]


def _last(decisions: Sequence[DecisionRecord], kind: str) -> DecisionRecord | None:
    return next((decision for decision in reversed(decisions) if decision.kind == kind), None)


def _decision_row(
    session: SessionRecord, reason: str, decision: DecisionRecord | None
) -> dict[str, Cell]:
    """An exclusion by a person: their words, who they are, when, and whether they knew the
    conditions.
    """
    if decision is None:
        return _exclusion(session, reason, "")
    return _exclusion(session, reason, decision.reason) | {
        "decided_by": decision.user or None,
        "decided_on": None if decision.at_ms is None else day(decision.at_ms),
        "decided_blind": decision.blind,
    }


def _exclusion(session: SessionRecord, reason: str, detail: str) -> dict[str, Cell]:
    return {
        "session": session.id,
        "scope": "session",
        "reason": reason,
        "detail": detail or None,
        "count": 1,
        "applied": True,
    }
