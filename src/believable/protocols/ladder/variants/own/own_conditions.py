"""What follows from the author's own conditions: pairs, hypotheses, and the number of trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from believable.recordings.movement import measure_movement as measure

__all__ = ["changes", "measure"]

#: Names of conditions that show people.
PEOPLE = ("people", "human", "person")
#: About so many pairs a judge can look at.
TRIALS = 10
#: Two agents that differ by less than this lead are as good as equal, unless the author says
#: otherwise.
MARGIN = 0.1


def changes(conditions: Sequence[str], scenarios: Sequence[str]) -> Mapping[str, Any]:
    """The changes of the study file for clips of these conditions, each in all these scenarios."""
    pairs = len(conditions) * (len(conditions) - 1) // 2
    people = next((name for name in PEOPLE if name in conditions), None)
    return {
        "conditions": list(conditions),
        "stimuli": [
            {
                "id": f"{scenario}_{condition}",
                "file": f"stimuli/{scenario}_{condition}.mp4",
                "condition": condition,
                "scenario": scenario,
            }
            for scenario in scenarios
            for condition in conditions
        ],
        "timeline": {"trials": _block(pairs, len(conditions), len(scenarios))},
        "analysis": {
            "roles": {"people": people},
            "hypotheses": _hypotheses(conditions, people),
            "tests": {"lead": {"margin": MARGIN}},
        },
    }


def _block(pairs: int, conditions: int, scenarios: int) -> Mapping[str, Any]:
    """Each judge sees about ten pairs, and no clip twice: a condition meets each other one once a
    pass.
    """
    if pairs > TRIALS:
        return {"order": "latin_square", "sample": TRIALS}
    passes = max(1, min(TRIALS // pairs, scenarios // max(conditions - 1, 1)))
    order = "latin_square" if pairs > 1 else "random"
    return {"order": order, "sample": None, "repeat": passes}


def _hypotheses(conditions: Sequence[str], people: str | None) -> list[Mapping[str, Any]]:
    if people is not None:
        agents = [name for name in conditions if name != people]
        return [
            {
                "id": f"H{number}",
                "text": f"{agent} is told from {people}.",
                "outcome": "strength",
                "about": f"{agent}-{people}",
            }
            for number, agent in enumerate(agents, start=1)
        ]
    first, second = conditions[:2]
    return [
        {
            "id": "H1",
            "text": f"{first} is taken for a person more often than {second}, or less often.",
            "outcome": "strength",
            "about": f"{first}-{second}",
        },
        {
            "id": "H2",
            "text": f"{first} and {second} are equally human-like, within the margin.",
            "outcome": "lead",
            "about": f"{first}-{second}",
            "criterion": "equivalent",
        },
        {
            "id": "H3",
            "text": f"{first} does not fall behind {second} by more than the margin.",
            "outcome": "lead",
            "about": f"{first}-{second}",
            "criterion": "at_least",
            "value": -MARGIN,
        },
    ]
