"""Write the three simulated crossed designs beside this file. Run once; the files are committed."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from scipy.special import expit

DESIGNS = (("small", 24, 8, 960, 11), ("medium", 100, 20, 8000, 12), ("large", 400, 60, 40_000, 13))


def rows(participants: int, scenarios: int, count: int, seed: int) -> list[str]:
    rng = np.random.default_rng(seed)
    person, scene = rng.integers(0, participants, count), rng.integers(0, scenarios, count)
    condition, order = rng.integers(0, 2, count), rng.integers(0, 2, count)
    by_person, by_scene = rng.normal(0, 0.7, participants), rng.normal(0, 0.4, scenarios)
    slope = rng.normal(0, 0.5, participants)
    eta = -1 + (0.6 + slope[person]) * condition + 0.2 * order + by_person[person] + by_scene[scene]
    flag = (rng.random(count) < expit(eta)).astype(int)
    rating = np.round(4 + eta + rng.normal(size=count), 3)
    return [
        f"{p},{s},{c},{o},{f},{r}"
        for p, s, c, o, f, r in zip(person, scene, condition, order, flag, rating, strict=True)
    ]


if __name__ == "__main__":
    for name, participants, scenarios, count, seed in DESIGNS:
        lines = [
            "participant,scenario,condition,order,flag,rating",
            *rows(participants, scenarios, count, seed),
        ]
        data = gzip.compress("\n".join([*lines, ""]).encode(), mtime=0)
        (Path(__file__).parent / f"{name}.csv.gz").write_bytes(data)
