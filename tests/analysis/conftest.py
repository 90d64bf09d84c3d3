"""Datasets made for tests: in-memory bundles of small studies whose truth is known."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from believable.analysis.data import Data, load
from believable.analysis.findings import Table
from believable.analysis.resolution import resolve
from believable.analysis.result_files import table_csv
from believable.analysis.run import study_of
from believable.analysis.settled_plan import Plan
from believable.bundle.memory import bundle
from believable.bundle.read import Bundle
from believable.core.nodes import from_plain
from believable.study.definition import Definition
from believable.study.reading import read_study

GOLDEN = Path(__file__).parents[1] / "protocols" / "golden"

WORDS = ("never_heard", "aware", "sometimes", "regularly", "other")

COMPARING: dict[str, Any] = {
    "believable": 1,
    "title": "Which is more human?",
    "seed": 7,
    "conditions": ["human", "agent"],
    "stimuli": [
        {
            "id": f"{who[0]}{place}",
            "file": f"{who[0]}{place}.mp4",
            "condition": who,
            "scenario": f"s{place}",
        }
        for place in range(6)
        for who in ("human", "agent")
    ],
    "timeline": [
        {
            "form": {
                "id": "familiarity",
                "questions": [
                    {"id": name, "prompt": name, "choice": {"options": list(WORDS)}}
                    for name in ("game", "genre")
                ],
            }
        },
        {
            "block": {
                "id": "trials",
                "over": "scenario",
                "order": "random",
                "each": [
                    {
                        "compare": {
                            "id": "pairs",
                            "of": [{"condition": "human"}, {"condition": "agent"}],
                            "ask": [
                                {"id": "which", "prompt": "Which?", "preference": {"forced": True}},
                                {"id": "why", "prompt": "Why?", "long_text": None},
                                {"id": "certainty", "prompt": "How certain?", "certainty": None},
                            ],
                        }
                    }
                ],
            }
        },
        {"finish": {"text": "Thank you."}},
    ],
    "analysis": {
        "protocol": "hntt",
        "hypotheses": [
            {"id": "H1", "text": "Judges tell them apart.", "outcome": "accuracy"},
            {
                "id": "H2",
                "text": "The agent passes.",
                "outcome": "median_accuracy",
                "criterion": "contains",
                "value": 0.5,
            },
            {
                "id": "H3",
                "text": "Accuracy is chance.",
                "outcome": "accuracy",
                "criterion": "equivalent",
            },
        ],
        "outcomes": {"primary": ["accuracy", "median_accuracy"], "secondary": ["uncertainty"]},
        "tests": {"accuracy": {"margin": 0.1}},
        # Simulating what the pass criterion can tell takes most of the time; few studies do.
        "options": {"resamples": 2000, "criterion_studies": 20},
        "stopping": {"rule": "after_exclusions", "n": 30},
    },
}

RATING: dict[str, Any] = {
    "believable": 1,
    "title": "Human or artificial?",
    "seed": 8,
    "conditions": ["human", "imitation", "artificial"],
    "stimuli": [
        {
            "id": f"{who[0]}{place}",
            "file": f"{who[0]}{place}.mp4",
            "condition": who,
            "scenario": f"s{place}",
        }
        for place in range(4)
        for who in ("human", "imitation", "artificial")
    ],
    "timeline": [
        {
            "form": {
                "id": "about",
                "questions": [
                    {"id": "experience", "prompt": "How often?", "likert": {"points": 5}}
                ],
            }
        },
        {
            "block": {
                "id": "pages",
                "over": "scenario",
                "order": "random",
                "each": [
                    {
                        "group": {
                            "id": "page",
                            "clips": 3,
                            "rate": [
                                {"id": "rating", "prompt": "Who?", "clip_rating": None},
                                {
                                    "id": "viewed",
                                    "prompt": "Views?",
                                    "number": {"min": 1, "max": 3},
                                },
                                {
                                    "id": "comment",
                                    "prompt": "Why?",
                                    "text": None,
                                    "required": False,
                                },
                                {"id": "how_human", "prompt": "How?", "likert": {"points": 10}},
                            ],
                        }
                    }
                ],
            }
        },
        {"finish": {"text": "Thank you."}},
    ],
    "analysis": {
        "protocol": "clips",
        "hypotheses": [
            {
                "id": "H1",
                "text": "Imitation is as believable as human.",
                "outcome": "contrast",
                "about": "human-imitation",
                "criterion": "equivalent",
            },
            {
                "id": "H2",
                "text": "Respondents are experienced.",
                "outcome": "confidence",
                "criterion": "at_least",
                "value": 0.6,
            },
        ],
        "outcomes": {
            "primary": ["contrast", "confidence", "believability"],
            "secondary": ["recall"],
        },
        "tests": {"contrast": {"margin": 0.1}},
        "options": {"resamples": 2000},
        "stopping": {"rule": "experience", "at_least": 3},
    },
}


def definition_of(tree: dict[str, Any]) -> Definition:
    reading = read_study(from_plain(tree), file="study.yaml")
    assert not reading.problems, [str(problem) for problem in reading.problems]
    return Definition(study=reading.study, tree=tree)


def judges_bundle(
    n: int,
    *,
    seed: int = 1,
    accuracy: float = 0.7,
    agents: Sequence[str] = ("agent",),
    tree: dict[str, Any] | None = None,
    change: Callable[[dict[str, list[dict[str, Any]]]], None] = lambda tables: None,
    simulated: bool = True,
) -> Bundle:
    """Judges who choose the human with a chance around `accuracy`; sides, certainty and familiarity
    at random.
    """
    rng = np.random.default_rng(seed)
    tables: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("participants", "answers", "shown", "exclusions")
    }
    for number in range(n):
        session = f"j{number:04d}"
        tables["participants"].append(
            {
                "session": session,
                "duration_ms": int(rng.integers(600_000, 1_200_000)),
                "started_on": "2027-03-01",
            }
        )
        chance = rng.beta(accuracy * 12, (1 - accuracy) * 12)
        for place, name in enumerate(("game", "genre")):
            row = {
                "session": session,
                "trial": "familiarity",
                "question": name,
                "kind": "choice",
                "trial_key": "familiarity",
            }
            tables["answers"].append(
                row | {"value_text": WORDS[int(rng.integers(0, 5 if place else 4))]}
            )
        for position, scenario in enumerate(rng.permutation(6).tolist(), start=1):
            agent = agents[(number + position) % len(agents)]
            human_side = int(rng.integers(0, 2))
            for player in (0, 1):
                who = "human" if player == human_side else agent
                page = {
                    "session": session,
                    "trial": "pairs",
                    "trial_key": f"trials.{position}.pairs",
                    "position": position,
                }
                shown = {
                    "condition": who,
                    "scenario": f"s{scenario}",
                    "stimulus": f"{who[0]}{scenario}",
                }
                tables["shown"].append(page | shown | {"player": player, "label": "AB"[player]})
            right = rng.random() < chance
            chosen = human_side if right else 1 - human_side
            tables["answers"] += [
                page
                | {
                    "question": "which",
                    "kind": "preference",
                    "value_text": ("first", "second")[chosen],
                },
                page
                | {
                    "question": "why",
                    "kind": "long_text",
                    "value_text": f"It moved like {session}.",
                },
                page
                | {
                    "question": "certainty",
                    "kind": "certainty",
                    "value_number": int(rng.integers(1, 6)),
                },
            ]
    change(tables)
    return bundle(tables, definition_of(tree or COMPARING), simulated=simulated)


def ratings_bundle(
    n: int,
    *,
    seed: int = 1,
    tree: dict[str, Any] | None = None,
    change: Callable[[dict[str, list[dict[str, Any]]]], None] = lambda tables: None,
) -> Bundle:
    """Respondents for whom human and imitation look alike and artificial does not; pages of one
    clip of each type.
    """
    rng = np.random.default_rng(seed)
    chances = {
        "human": (0.35, 0.3, 0.1, 0.15, 0.1),
        "imitation": (0.3, 0.3, 0.15, 0.15, 0.1),
        "artificial": (0.1, 0.15, 0.15, 0.3, 0.3),
    }
    tables: dict[str, list[dict[str, Any]]] = {
        name: [] for name in ("participants", "answers", "shown", "exclusions")
    }
    for number in range(n):
        session = f"r{number:04d}"
        tables["participants"].append(
            {"session": session, "duration_ms": int(rng.integers(600_000, 1_200_000))}
        )
        tables["answers"].append(
            {
                "session": session,
                "trial": "about",
                "trial_key": "about",
                "question": "experience",
                "kind": "likert",
                "value_number": int(rng.integers(1, 6)),
            }
        )
        for position in range(1, 5):
            for player, type_ in enumerate(
                rng.permutation(["human", "imitation", "artificial"]).tolist()
            ):
                clip = {
                    "session": session,
                    "trial": "page",
                    "trial_key": f"pages.{position}.page",
                    "position": position,
                    "player": player,
                    "condition": type_,
                    "scenario": f"s{position - 1}",
                    "stimulus": f"{type_[0]}{position - 1}",
                }
                rating = int(rng.choice(5, p=chances[type_])) + 1
                views = int(rng.integers(1, 4))
                tables["shown"].append(clip | {"views": views})
                tables["answers"] += [
                    clip | {"question": "rating", "kind": "clip_rating", "value_number": rating},
                    clip
                    | {
                        "question": "viewed",
                        "kind": "number",
                        "value_number": views if rng.random() < 0.9 else 3,
                    },
                    clip
                    | {
                        "question": "comment",
                        "kind": "text",
                        "value_text": "It stopped." if rng.random() < 0.1 else None,
                    },
                ]
                if rating >= 4:
                    tables["answers"].append(
                        clip
                        | {
                            "question": "how_human",
                            "kind": "likert",
                            "value_number": int(rng.integers(1, 11)),
                        }
                    )
    change(tables)
    return bundle(tables, definition_of(tree or RATING))


def data_of(made: Bundle, **changes: Any) -> tuple[Data, Plan]:
    """The data and the plan of a bundle, the plan with some fields changed."""
    study = study_of(made)[1]
    assert study is not None
    assert study.analysis is not None
    plan = resolve(study.analysis.model_copy(update=changes), study)
    return load(made, plan, study), plan


@pytest.fixture(scope="session")
def studies() -> SimpleNamespace:
    """Makers of datasets: judges, ratings; their study trees; definition_of, data_of."""
    return SimpleNamespace(
        judges=judges_bundle,
        ratings=ratings_bundle,
        COMPARING=COMPARING,
        RATING=RATING,
        definition_of=definition_of,
        data_of=data_of,
    )


@pytest.fixture(scope="session")
def same_as_golden() -> Callable[[str, Table], None]:
    """Compare a table with its golden file, numbers to 9 digits. UPDATE_GOLDEN=1 writes the file
    anew; look at it then.
    """

    def compare(protocol: str, table: Table) -> None:
        path = GOLDEN / protocol / f"{table.name}.csv"
        text = table_csv(table)
        if os.environ.get("UPDATE_GOLDEN"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        expected = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"))))
        found = list(csv.reader(io.StringIO(text)))
        assert len(found) == len(expected), f"{table.name}: rows"
        for row, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
            for column, (cell, wanted) in enumerate(zip(mine, theirs, strict=True)):
                assert _same(cell, wanted), (
                    f"{table.name}, row {row}, {expected[0][column]}: {cell!r}, golden {wanted!r}"
                )

    return compare


def _same(cell: str, wanted: str) -> bool:
    try:
        return float(cell) == pytest.approx(float(wanted), rel=1e-9, abs=1e-12)
    except ValueError:
        return cell == wanted
