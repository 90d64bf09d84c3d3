"""`check` warns of an exclusion rule that removes more than a fifth of the sessions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from believable.bundle import memory
from believable.core.nodes import from_plain
from believable.protocols.templates import TEMPLATES
from believable.simulate import exclusion_forecast, straight
from believable.study.declaration import ExclusionRule
from believable.study.load import load

SESSIONS = 40


@pytest.mark.parametrize(("failing", "warns"), [(0, False), (8, False), (9, True), (40, True)])
def test_more_than_a_fifth_is_too_many(
    failing: int, warns: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    definition = load(TEMPLATES["rate-clips"].folder)
    assert definition.study.analysis is not None
    rules = {"exclusions": (ExclusionRule(rule="failed_check"),)}
    plan = definition.study.analysis.model_copy(update=rules)
    definition = replace(definition, study=definition.study.model_copy(update={"analysis": plan}))
    tables: dict[str, list[dict[str, Any]]] = {
        "participants": [{"session": f"s{number:02}"} for number in range(SESSIONS)],
        "answers": [
            {
                "session": f"s{number:02}",
                "trial": "attend",
                "question": "q",
                "kind": "choice",
                "correct": number >= failing,
            }
            for number in range(SESSIONS)
        ],
    }
    monkeypatch.setattr(straight, "bundle", lambda *_, **__: memory.bundle(tables, definition))
    problems = exclusion_forecast.exclusion_problems(definition, from_plain({}))
    expected = (
        [f"the rule 'failed_check' removes {failing} of {SESSIONS} complete simulated sessions."]
        if warns
        else []
    )
    assert [problem.message for problem in problems] == expected
    assert {problem.severity for problem in problems} <= {"warning"}
