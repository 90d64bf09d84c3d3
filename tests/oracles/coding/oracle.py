"""Cohen's κ of every code × direction, pooled over sides and per side, by scikit-learn.

    python oracle.py input.json output.json          scikit-learn 1.6 or later

`input.json` holds what two coders said about 55 texts; `python oracle.py --make input.json` wrote
it once.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import sklearn
from sklearn.metrics import cohen_kappa_score

CODES = {
    "smoothness": True,
    "goal": True,
    "collision": True,
    "receptivity": True,
    "non_mechanistic": True,
    "intuition": False,
    "self_reference": False,
    "other": False,
}
SIDES = ("more", "less")


def make(path: Path) -> None:
    rng = random.Random(55)
    pairs = [
        (code, direction)
        for code, directed in CODES.items()
        for direction in (("+", "-") if directed else (None,))
    ]
    marks: dict[str, dict[str, list[list[str | None]]]] = {}
    for number in range(1, 56):
        truth = [
            [*rng.choice(pairs[:-1]), side]
            for side in SIDES
            for _ in range(rng.choice((0, 1, 1, 2)))
        ]
        kim = [label for label in truth if rng.random() > 0.1]
        lee = [
            label if rng.random() > 0.12 else [*rng.choice(pairs[:-1]), label[2]] for label in truth
        ]
        marks[str(number)] = {"kim": kim, "lee": lee}
    path.write_text(json.dumps({"marks": marks}) + "\n")


def kappa(
    marks: dict[str, Any], code: str, direction: str | None, sides: tuple[str, ...]
) -> float | None:
    units = [
        [int([code, direction, side] in both[coder]) for coder in ("kim", "lee")]
        for both in marks.values()
        for side in sides
    ]
    a, b = [one for one, _ in units], [other for _, other in units]
    if len({*a, *b}) < 2:
        return None
    return float(cohen_kappa_score(a, b))


def main(source: Path, target: Path) -> None:
    marks = json.loads(source.read_text())["marks"]
    found: dict[str, float | None] = {}
    for code, directed in CODES.items():
        for direction in ("+", "-") if directed else (None,):
            name = f"{code} {direction or ''}".strip()
            found[name] = kappa(marks, code, direction, SIDES)
            for side in SIDES:
                found[" ".join(f"{code} {direction or ''} {side}".strip().split(" "))] = kappa(
                    marks, code, direction, (side,)
                )
    target.write_text(
        json.dumps({"tool": f"scikit-learn {sklearn.__version__}", "kappa": found}, indent=1) + "\n"
    )


if __name__ == "__main__":
    if sys.argv[1] == "--make":
        make(Path(sys.argv[2]))
    else:
        main(Path(sys.argv[1]), Path(sys.argv[2]))
