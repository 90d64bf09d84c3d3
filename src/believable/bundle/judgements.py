"""The table to begin an analysis with: one tidy row per judgement, with everything about it that
otherwise takes a join.

It holds nothing that the other tables do not: arms are those of the participants, seconds from the
trials, and the choice in a comparison from the positions of the stimuli.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from believable.bundle.tables import BundleTable, Cell, Row, arm_field, declare_table
from believable.study.definition import Definition
from believable.study.own_design import SIDES

#: Answers that are no judgement: a ticked box of the consent page.
_NO_JUDGEMENT = "consent"

JUDGEMENTS = declare_table("judgements")
_COLUMNS = frozenset(JUDGEMENTS.columns)


def judgement_table(definitions: Iterable[Definition]) -> BundleTable:
    """The table with a column per arm of any definition."""
    arms = dict.fromkeys(arm for definition in definitions for arm in definition.study.arms)
    return JUDGEMENTS.with_fields([arm_field(arm) for arm in arms])


def judgement_rows(
    participant: Row,
    trials: Sequence[Row],
    answers: Sequence[Row],
    shown: Sequence[Row],
    exclusions: Sequence[Row],
) -> Iterator[Row]:
    """The judgements of one session, from its rows in the other tables."""
    latest = max((int(row["run"] or 0) for row in trials), default=0)
    seconds = {
        row["position"]: _seconds(row.get("rt_ms")) for row in trials if row["run"] == latest
    }
    stood: dict[Cell, list[Row]] = {}
    for row in shown:
        if row["run"] == latest:
            stood.setdefault(row["position"], []).append(row)
    left_out = {
        (row.get("trial_key"), row.get("question"), row.get("player"))
        for row in exclusions
        if row["scope"] == "answer"
    }
    arms = {name: cell for name, cell in participant.items() if name.startswith("arm_")}
    for row in answers:
        open_answer = row.get("value_text") is None and row.get("value_number") is None
        if row["run"] != latest or row["kind"] == _NO_JUDGEMENT or open_answer:
            continue
        key = row.get("trial_key"), row.get("question"), row.get("player")
        columns = {name: cell for name, cell in row.items() if name in _COLUMNS}
        yield (
            columns
            | _choice_cells(row, stood.get(row["position"], []))
            | {
                "seconds": seconds.get(row["position"]),
                "included": bool(participant["included"]) and key not in left_out,
            }
            | arms
        )


def _seconds(rt_ms: Cell) -> float | None:
    return None if rt_ms is None else float(rt_ms) / 1000


def _choice_cells(answer: Row, stood: Sequence[Row]) -> dict[str, Cell]:
    """The chosen stimulus, if the answer names one of several on the page."""
    value = answer.get("value_text")
    if len(stood) < 2 or answer.get("player") is not None or not isinstance(value, str):
        return {}
    named = SIDES.get(value)
    chosen = next(
        (row for row in stood if row["player"] == named or row.get("label") == value), None
    )
    if chosen is None:
        return {}
    others = [
        str(row["condition"]) for row in stood if row is not chosen and row["condition"] is not None
    ]
    return {
        "chosen_condition": chosen["condition"],
        "chosen_stimulus": chosen["stimulus"],
        "chosen_stimulus_digest": chosen.get("stimulus_digest"),
        "other_conditions": "+".join(others) or None,
    }
