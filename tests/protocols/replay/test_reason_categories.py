"""Coded reasons of flags by condition."""

from __future__ import annotations

from typing import Any

import pytest

from believable.analysis import data as analysis_data
from believable.analysis.data import Data
from believable.analysis.resolution import default_plan
from believable.analysis.settled_plan import Plan
from believable.bundle.memory import bundle
from believable.protocols.replay.reason_categories import categories

CODES = ("goal_inconsistency", "environment_rule")


def coded(*, codes: bool = True) -> tuple[Data, Plan]:
    """Eight people with a flag in each condition: goals in the baseline, rules in ours, but for one
    person.
    """
    rows: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("participants", "flags", "codes", "code_final")
    }
    number = 0
    for person in range(8):
        session = f"s{person}"
        rows["participants"].append({"session": session})
        for position, condition in enumerate(("baseline", "ours")):
            number += 1
            rows["flags"].append(
                {
                    "session": session,
                    "position": position,
                    "media_ms": 5.0,
                    "action": "a",
                    "reason": "because",
                }
            )
            code = CODES[position if person else 0]
            rows["code_final"].append(
                {
                    "codebook": "reasons",
                    "response": number,
                    "code": code,
                    "how": "agreed",
                    "round": 1,
                    "version": 1,
                    "sample": "single",
                    "session": session,
                    "position": position,
                    "condition": condition,
                }
            )
    rows["codes"] = [
        {
            "codebook": "reasons",
            "version": 1,
            "kind": "code",
            "code": code,
            "label": code.replace("_", " "),
            "direction": False,
            "side": False,
            "other": False,
        }
        for code in CODES
    ]
    if not codes:
        del rows["codes"], rows["code_final"]
    plan = default_plan("replay", None)
    return analysis_data.load(bundle(rows), plan, None), plan


def test_shares_by_condition_add_up() -> None:
    section = categories(*coded())
    assert section is not None
    table = next(table for table in section.tables if table.name == "categories")
    rows = {(row[0], row[1]): row for row in table.rows}
    assert rows["goal inconsistency", "baseline"][2:5] == (8, 8, 1.0)
    assert rows["goal inconsistency", "ours"][2:4] == (1, 8)
    assert rows["environment rule", "ours"][4] == pytest.approx(7 / 8)
    assert section.paragraphs == (
        "16 of 16 flags with a reason (100\u202f%) were coded, 0 of them discarded by the coders.",
    )


def test_differences_are_tested_and_say_how() -> None:
    section = categories(*coded())
    assert section is not None
    tests = next(table for table in section.tables if table.name == "category_tests")
    assert len(tests.rows) == 2
    assert "baseline: 8 of 8" in str(tests.rows[0][1])
    assert tests.status == "exploratory"


def test_nothing_coded_gives_no_section() -> None:
    assert categories(*coded(codes=False)) is None
