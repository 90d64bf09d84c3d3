"""A mixed logistic model of 40,000 rows × 2 crossed factors beside lme4 (through Rscript) in the same run.

    python bench/glmm.py

lme4 runs twice: as called by default, on rows and on rows collapsed to counts (the fastest way to call it). Processor
time on one thread on both sides, without starting R or reading the file. Exit code 1: slower than the faster call of
lme4, coefficients off by more than its early stop explains, or another optimum of the linear model; 2: no Rscript.
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
from scipy.special import expit  # noqa: E402

from believable.stats.models import mixed_linear, mixed_logistic  # noqa: E402

ROWS, PARTICIPANTS, SCENARIOS = 40_000, 400, 60
EARLY_STOP, SAME_OPTIMUM = 5e-3, 1e-4  # largest differences of a coefficient, of the REML criterion
FORMULA = "flag ~ condition + order + (1 | participant) + (1 | scenario)"
RATING = "rating ~ condition + order + (1 | participant) + (1 | scenario)"

SCRIPT = """
suppressMessages({library(lme4); library(jsonlite)})
args <- commandArgs(TRUE)
d <- read.csv(args[1]); d$participant <- factor(d$participant); d$scenario <- factor(d$scenario)
seconds <- function(expr) sum(system.time(expr)[c("user.self", "sys.self")])
rows <- seconds(glmer(flag ~ condition + order + (1 | participant) + (1 | scenario), d, binomial))
d$n <- 1
collapsed <- seconds({
  k <- aggregate(cbind(flag, n) ~ participant + scenario + condition + order, d, sum)
  m <- glmer(cbind(flag, n - flag) ~ condition + order + (1 | participant) + (1 | scenario), k, binomial) })
linear <- seconds(l <- lmer(rating ~ condition + order + (1 | participant) + (1 | scenario), d))
cat(toJSON(list(version = as.character(packageVersion("lme4")), rows = rows, collapsed = collapsed, linear = linear,
  beta = unname(fixef(m)), linear_beta = unname(fixef(l)), reml = REMLcrit(l)), digits = NA, auto_unbox = TRUE))
"""


def simulate() -> dict[str, Any]:
    rng = np.random.default_rng(13)
    person, scene = rng.integers(0, PARTICIPANTS, ROWS), rng.integers(0, SCENARIOS, ROWS)
    condition, order = rng.integers(0, 2, (2, ROWS))
    eta = -1 + 0.6 * condition + 0.2 * order + rng.normal(0, 0.7, PARTICIPANTS)[person]
    eta += rng.normal(0, 0.4, SCENARIOS)[scene]
    return {
        "participant": person,
        "scenario": scene,
        "condition": condition,
        "order": order,
        "flag": (rng.random(ROWS) < expit(eta)).astype(int),
        "rating": eta + rng.normal(size=ROWS),
    }


def timed(function: Any, formula: str, table: dict[str, Any]) -> tuple[float, Any]:
    """The median of five runs after one to warm up."""
    function(formula, table)
    times = []
    for _ in range(5):
        start = time.process_time()
        model = function(formula, table)
        times.append(time.process_time() - start)
    return sorted(times)[2], model


def in_r(table: dict[str, Any]) -> dict[str, Any] | None:
    rscript = shutil.which("Rscript")
    if rscript is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        data, script = Path(folder) / "data.csv", Path(folder) / "fit.R"
        with data.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            writer.writerows(zip(*table.values(), strict=True))
        script.write_text(SCRIPT)
        run = subprocess.run([rscript, str(script), str(data)], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def main() -> int:
    # This file has the name of the library it measures: its folder must not hide the library.
    sys.path[:] = [entry for entry in sys.path if Path(entry).resolve() != Path(__file__).resolve().parent]
    table = simulate()
    logistic_s, logistic = timed(mixed_logistic, FORMULA, table)
    linear_s, linear = timed(mixed_linear, RATING, table)
    print(f"{ROWS} rows, {PARTICIPANTS} participants × {SCENARIOS} scenarios; medians of 5 runs, CPU time")
    print(f"mixed_logistic  {logistic_s:8.3f} s\nmixed_linear    {linear_s:8.3f} s")
    r = in_r(table)
    if r is None:
        print("Rscript is not installed: nothing to compare with")
        return 2
    print(
        f"lme4 {r['version']}: glmer on rows {r['rows']:.2f} s ({r['rows'] / logistic_s:.1f}× ours), "
        f"glmer on counts {r['collapsed']:.2f} s ({r['collapsed'] / logistic_s:.1f}×), "
        f"lmer {r['linear']:.2f} s ({r['linear'] / linear_s:.1f}×)"
    )
    ours = [term.estimate.value or 0.0 for term in logistic.terms]
    gap = float(np.abs(np.subtract(ours, r["beta"])).max())
    criterion = abs(-2 * linear.log_likelihood - r["reml"])
    print(
        f"largest difference of a coefficient: {gap:.1e} from glmer's default (which stops early), REML criterion "
        f"{criterion:.1e} from lmer's"
    )
    quick = logistic_s <= min(r["rows"], r["collapsed"]) and linear_s <= r["linear"]
    equal = gap < EARLY_STOP and criterion < SAME_OPTIMUM
    print(f"not slower than lme4: {'yes' if quick else 'NO'}; same results: {'yes' if equal else 'NO'}")
    return 0 if quick and equal else 1


if __name__ == "__main__":
    sys.exit(main())
