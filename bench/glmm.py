"""A mixed logistic model of 40,000 rows × 2 crossed factors beside lme4 (through Rscript) in the
same run.

    python bench/glmm.py

lme4 runs twice: as called by default, on rows and on rows collapsed to counts (the fastest way to
call it). Processor time on one thread on both sides, without starting R or reading the file. Exit
code 1: slower than the faster call of lme4, coefficients off by more than its early stop explains,
or another optimum of the linear model; 2: no Rscript.
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
SPARSE = "rating ~ service + (1 | student) + (1 | teacher) + (1 | school)"
PUBLIC = "y ~ service + (1 | s) + (1 | d) + (1 | dept)"
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
s <- read.csv(args[2]); for (name in c("student", "teacher", "school")) s[[name]] <- factor(s[[name]])
sparse <- seconds(w <- lmer(rating ~ service + (1 | student) + (1 | teacher) + (1 | school), s))
linear <- seconds(l <- lmer(rating ~ condition + order + (1 | participant) + (1 | scenario), d))
data(InstEval); e <- droplevels(InstEval[InstEval$s %in% levels(InstEval$s)[1:300], ])
public <- median(replicate(3, seconds(v <<- lmer(y ~ service + (1 | s) + (1 | d) + (1 | dept), e))))
cat(toJSON(list(public = public, public_reml = REMLcrit(v),
  data = lapply(e[c("s", "d", "dept", "service", "y")], as.character),
  version = as.character(packageVersion("lme4")), rows = rows, collapsed = collapsed, linear = linear,
  sparse = sparse, sparse_reml = REMLcrit(w),
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


def simulate_sparse() -> dict[str, Any]:
    """Most levels never meet: 300 students rate some of 1,000 teachers of 14 schools."""
    rng = np.random.default_rng(3)
    student, teacher = rng.integers(0, 300, 7300), rng.integers(0, 1000, 7300)
    service = rng.integers(0, 2, 7300)
    rating = (
        3.2 + 0.1 * service + rng.normal(0, 0.32, 300)[student] + rng.normal(0, 0.5, 1000)[teacher]
    )
    rating += rng.normal(0, 0.1, 14)[teacher % 14] + rng.normal(0, 1.18, 7300)
    return {
        "student": student,
        "teacher": teacher,
        "school": teacher % 14,
        "service": service,
        "rating": rating,
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


def in_r(*tables: dict[str, Any]) -> dict[str, Any] | None:
    rscript = shutil.which("Rscript")
    if rscript is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        script, files = (
            Path(folder) / "fit.R",
            [Path(folder) / f"{number}.csv" for number in range(len(tables))],
        )
        for path, table in zip(files, tables, strict=True):
            with path.open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(table)
                writer.writerows(zip(*table.values(), strict=True))
        script.write_text(SCRIPT)
        run = subprocess.run(
            [rscript, str(script), *map(str, files)], capture_output=True, text=True, check=True
        )
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def main() -> int:
    # This file has the name of the library it measures: its folder must not hide the library.
    sys.path[:] = [
        entry for entry in sys.path if Path(entry).resolve() != Path(__file__).resolve().parent
    ]
    table = simulate()
    logistic_s, logistic = timed(mixed_logistic, FORMULA, table)
    linear_s, linear = timed(mixed_linear, RATING, table)
    print(
        f"{ROWS} rows, {PARTICIPANTS} participants × {SCENARIOS} scenarios; medians of 5 runs, CPU"
        " time"
    )
    print(f"mixed_logistic  {logistic_s:8.3f} s\nmixed_linear    {linear_s:8.3f} s")
    sparse_table = simulate_sparse()
    sparse_s, sparse = timed(mixed_linear, SPARSE, sparse_table)
    print(f"mixed_linear    {sparse_s:8.3f} s  (7,300 rows, 300 × 1,000 × 14 levels)")
    r = in_r(table, sparse_table)
    if r is None:
        print("Rscript is not installed: nothing to compare with")
        return 2
    print(
        f"lme4 {r['version']}: glmer on rows {r['rows']:.2f} s ({r['rows'] / logistic_s:.1f}×"
        f" ours), glmer on counts {r['collapsed']:.2f} s ({r['collapsed'] / logistic_s:.1f}×), lmer"
        f" {r['linear']:.2f} s ({r['linear'] / linear_s:.1f}×), sparse {r['sparse']:.2f} s"
        f" ({r['sparse'] / sparse_s:.1f}×)"
    )
    public_table = {name: r["data"][name] for name in ("s", "d", "dept", "service")}
    public_s, public = timed(
        mixed_linear, PUBLIC, public_table | {"y": [float(value) for value in r["data"]["y"]]}
    )
    print(
        f"lme4's InstEval, 300 students ({len(r['data']['y'])} rows): mixed_linear {public_s:.2f}"
        f" s, lmer {r['public']:.2f} s ({r['public'] / public_s:.1f}×)"
    )
    ours = [term.estimate.value or 0.0 for term in logistic.terms]
    gap = float(np.abs(np.subtract(ours, r["beta"])).max())
    pairs = ((linear, r["reml"]), (sparse, r["sparse_reml"]), (public, r["public_reml"]))
    criterion = max(abs(-2 * model.log_likelihood - theirs) for model, theirs in pairs)
    print(
        f"largest difference of a coefficient: {gap:.1e} from glmer's default (which stops early),"
        f" REML criterion {criterion:.1e} from lmer's"
    )
    quick = (
        logistic_s <= min(r["rows"], r["collapsed"])
        and linear_s <= r["linear"]
        and sparse_s <= r["sparse"]
    )
    quick = quick and public_s <= r["public"]
    equal = gap < EARLY_STOP and criterion < SAME_OPTIMUM
    print(
        f"not slower than lme4: {'yes' if quick else 'NO'}; same results:"
        f" {'yes' if equal else 'NO'}"
    )
    return 0 if quick and equal else 1


if __name__ == "__main__":
    sys.exit(main())
