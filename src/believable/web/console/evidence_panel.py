"""The running evidence of a sequential study on the monitor: blinded until a researcher unblinds
the results, which is logged.
"""

from __future__ import annotations

import hashlib
import math
import string
from typing import Any

from believable.collect.context import Context
from believable.collect.evidence import evidence_state
from believable.store import evidence, review
from believable.store.engine import Connection
from believable.store.studies import StudyRow
from believable.study.evidence_state import AgentState, EvidenceState, weigh

UNTIL_WORDS = {
    "difference": "until distinguishable",
    "equivalence": "until the margin is decided",
    "both": "until distinguishable or inside the margin",
}


def evidence_picture(
    conn: Connection, context: Context, study: StudyRow, pool: str
) -> dict[str, Any] | None:
    """The data that page and script show; None without the rule `sequential`, and for previews."""
    if pool not in evidence.WEIGHED:
        return None
    state = evidence_state(conn, context, study=study.id, definition=study.definition, pool=pool)
    if state is None:
        return None
    kept = evidence.get_shares(conn, study.id, pool, included_only=True)
    second = weigh(state.design, kept.by_agent, kept.judges)
    opened = review.first_unblinding(conn, study.id, pool) is not None
    names = {name: name for name in state.design.names} if opened else letters(study, state)
    return {
        "words": state.words,
        "stopped": state.is_stopped,
        "judges": state.judges,
        "most": state.design.most,
        "until": UNTIL_WORDS[state.design.until],
        "margin": state.design.margin,
        "alpha": state.design.alpha,
        "blinded": not opened,
        "unit": state.design.unit.capitalize(),
        "aimed": bool(state.design.aimed_arm or state.design.aimed_block),
        "forms": sorted({part.form_words for part in state.design.contrasts}),
        "agents": sorted(
            (
                _agent(names[agent.name], agent, after)
                for agent, after in zip(state.agents, second.agents, strict=True)
            ),
            key=lambda shown: str(shown["name"]),
        ),
    }


def letters(study: StudyRow, state: EvidenceState) -> dict[str, str]:
    """The agents as letters, in an order that reveals nothing."""
    drawn = sorted(
        state.design.names,
        key=lambda name: hashlib.sha256(f"{study.definition} {name}".encode()).digest(),
    )
    unit = state.design.unit.capitalize()
    return {
        name: f"{unit} {string.ascii_uppercase[place]}" if place < 26 else f"{unit} {place + 1}"
        for place, name in enumerate(drawn)
    }


def _agent(name: str, agent: AgentState, after: AgentState) -> dict[str, Any]:
    shown = agent.evidence
    return {
        "name": name,
        "n": shown.n,
        "words": agent.words,
        "decided": agent.decided is not None,
        "different": _fill_share(shown.log_different, shown.threshold),
        "equivalent": _fill_share(shown.log_equivalent, shown.threshold),
        "interval": _interval_words(agent),
        "second": f"{_interval_words(after)}, {after.evidence.n} judges",
    }


def _fill_share(log_evidence: float, threshold: float) -> float:
    """The evidence as a share of what an answer takes, on the log scale; for a bar."""
    if not math.isfinite(log_evidence):
        return 0.0
    return round(min(max(log_evidence / threshold, 0.0), 1.0), 4)


def _interval_words(agent: AgentState) -> str:
    mean = agent.evidence.mean
    if mean.value is None or mean.low is None or mean.high is None:
        return "–"
    return f"{mean.value:.2f} [{mean.low:.2f}, {mean.high:.2f}]"
