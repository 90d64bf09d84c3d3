"""Cumulative link mixed models beside R's ordinal (`clmm`, through Rscript) in the same run.

    python bench/ordinal.py

Processor time on one thread on both sides, without starting R or reading the file; medians of
three runs. Exit code 1: less than five times as quick as clmm on a design, or another optimum;
2: no Rscript.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np  # noqa: E402  the variables above are read at import

from believable.stats.models import mixed_ordinal  # noqa: E402

#: Name, people, clips, formula.
DESIGNS = (
    ("people", 60, 12, "rating ~ condition + order + (1 | participant)"),
    ("people and clips", 60, 12, "rating ~ condition + order + (1 | participant) + (1 | clip)"),
    (
        "slopes of people",
        100,
        12,
        "rating ~ condition + (1 + condition | participant) + (1 | clip)",
    ),
    ("a large study", 300, 40, "rating ~ condition + order + (1 | participant) + (1 | clip)"),
)
FASTER, SAME_OPTIMUM = 5.0, 1e-3

SCRIPT = """
suppressMessages({library(ordinal); library(jsonlite)})
args <- commandArgs(TRUE)
d <- read.csv(args[1]); d$rating <- factor(d$rating, ordered = TRUE)
seconds <- function(expr) sum(system.time(expr)[c("user.self", "sys.self")])
times <- replicate(as.integer(args[3]), seconds(m <<- suppressWarnings(clmm(as.formula(args[2]), data = d))))
cat(toJSON(list(version = as.character(packageVersion("ordinal")), time = median(times),
  loglik = as.numeric(logLik(m)), beta = unname(m$beta)), digits = NA, auto_unbox = TRUE))
"""


def simulate(people: int, clips: int) -> dict[str, Any]:
    rng = np.random.default_rng(people)
    person, clip = (axis.ravel() for axis in np.indices((people, clips)))
    condition, order = clip % 2, (person + clip) % 3
    latent = (0.6 + rng.normal(0, 0.8, people)[person]) * condition - 0.2 * order
    latent += rng.normal(0, 1, people)[person] + rng.normal(0, 0.6, clips)[clip]
    latent += rng.logistic(size=len(person))
    return {
        "participant": [f"p{number}" for number in person],
        "clip": [f"c{number}" for number in clip],
        "condition": condition,
        "order": order,
        "rating": np.digitize(latent, (-1.8, -0.7, 0.2, 1.0, 1.9, 3.0)) + 1,
    }


def timed(formula: str, table: dict[str, Any]) -> tuple[float, Any]:
    """The median of three runs after one to warm up."""
    mixed_ordinal(formula, table)
    times = []
    for _ in range(3):
        start = time.process_time()
        model = mixed_ordinal(formula, table)
        times.append(time.process_time() - start)
    return sorted(times)[1], model


def in_r(rscript: str, formula: str, table: dict[str, Any], runs: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        script, file = Path(folder) / "fit.R", Path(folder) / "data.csv"
        with file.open("w", newline="") as opened:
            writer = csv.writer(opened)
            writer.writerow(table)
            writer.writerows(zip(*table.values(), strict=True))
        script.write_text(SCRIPT)
        run = subprocess.run(
            [rscript, str(script), str(file), formula, str(runs)],
            capture_output=True,
            text=True,
            check=True,
        )
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def main() -> int:
    rscript = shutil.which("Rscript")
    if rscript is None:
        print("Rscript is not installed: nothing to compare with")
        return 2
    print("| design | rows | ours, s | clmm, s | ratio | log-likelihood, ours − clmm |")
    print("|---|---|---|---|---|---|")
    good = True
    for name, people, clips, formula in DESIGNS:
        table = simulate(people, clips)
        ours, model = timed(formula, table)
        r = in_r(rscript, formula, table, 1 if people > 200 else 3)
        gap = model.log_likelihood - r["loglik"]
        ratio = r["time"] / ours
        good = good and ratio >= FASTER and gap > -SAME_OPTIMUM
        print(
            f"| {name} | {people * clips:,} | {ours:.3f} | {r['time']:.3f} | {ratio:.1f} |"
            f" {gap:+.1e} |"
        )
    print(f"ordinal {r['version']}; at least {FASTER:g} times as quick, same optimum:", end=" ")
    print("yes" if good else "NO")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
