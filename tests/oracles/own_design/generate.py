"""Makes input.json: a simulated study of its own design (ratings, yes/no answers, choices between
two) as plain columns.

python tests/oracles/own_design/generate.py
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from believable.bundle.read import Bundle
from believable.protocols.templates import TEMPLATES
from believable.simulate import straight
from believable.study.load import load

HERE = Path(__file__).parent
#: Two-by-two tables for Fisher's test: the tea tasting, an empty cell, a large one.
TABLES = [[[3, 1], [1, 3]], [[7, 0], [2, 6]], [[40, 25], [22, 38]]]


def study(template: str, participants: int, seed: int) -> Bundle:
    definition = load(TEMPLATES[template].folder)
    return straight.bundle(definition, participants, np.random.default_rng(seed))


def columns(bundle: Bundle, question: str) -> dict[str, Any]:
    table = bundle["answers"]
    complete = set(
        bundle["participants"]["session"].values[
            bundle["participants"]["outcome"].values == "complete"
        ]
    )
    keep = [
        row
        for row, (name, who) in enumerate(
            zip(table["question"].values, table["session"].values, strict=True)
        )
        if name == question and who in complete
    ]
    return {
        "person": [table["session"].values[row] for row in keep],
        "group": [table["condition"].values[row] for row in keep],
        "stimulus": [table["stimulus"].values[row] for row in keep],
        "number": [
            None if np.isnan(v := table["value_number"].values[row]) else float(v) for row in keep
        ],
        "text": [table["value_text"].values[row] for row in keep],
    }


def choices(bundle: Bundle) -> dict[str, Any]:
    """Who stood where and which side was chosen, read from the tables by hand."""
    shown = {
        (str(row["session"]), row["position"], row["player"]): row["condition"]
        for row in bundle["shown"].rows()
    }
    complete = {
        row["session"] for row in bundle["participants"].rows() if row["outcome"] == "complete"
    }
    rows = [
        row
        for row in bundle["answers"].rows()
        if row["question"] == "chosen" and row["session"] in complete
    ]
    return {
        "person": [row["session"] for row in rows],
        "first": [shown[str(row["session"]), row["position"], 0] for row in rows],
        "second": [shown[str(row["session"]), row["position"], 1] for row in rows],
        "side": [row["value_text"] for row in rows],
    }


def main() -> None:
    clips, pairs = study("rate-clips", 24, 11), study("compare-agents", 30, 12)
    whole = {
        "humanness": columns(clips, "humanness"),
        "judgement": columns(clips, "judgement"),
        "chosen": choices(pairs),
        "fisher": TABLES,
    }
    (HERE / "input.json").write_text(
        json.dumps(whole, separators=(",", ":")) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
