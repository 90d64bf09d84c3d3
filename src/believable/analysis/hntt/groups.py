"""Groups of judges against each other, by the study's arms; and agents against agents, where such pairs were judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from believable.analysis.cells import (
    LOOSE_CELL,
    Undefined,
    estimate_cells,
    estimate_columns,
    number_or,
    table,
)
from believable.analysis.data import Data
from believable.analysis.hntt import measures
from believable.analysis.hntt.judgements import Against, Judgements, ObjectArray
from believable.analysis.plan import Plan
from believable.analysis.records import Column, Finding, Section
from believable.analysis.words import fixed, p_words
from believable.stats.inputs import FloatArray
from believable.stats.location import mann_whitney
from believable.stats.result import TestResult


@dataclass(frozen=True, slots=True)
class PerJudge:
    """One number per session, NaN where the judge has none."""

    name: str
    title: str
    values: FloatArray


def per_judge(data: Data, judged: Judgements, found: Sequence[Against]) -> tuple[PerJudge, ...]:
    """What judges can be compared by: accuracy over all agents, mean uncertainty, the share choosing one agent over another."""
    n = len(data)
    judge = np.concatenate([one.judge for one in found]) if found else np.empty(0, np.int64)
    correct = np.concatenate([one.correct for one in found]).astype(float) if found else np.empty(0)
    unsure = np.concatenate([one.uncertainty for one in found]) if found else np.empty(0)
    known = ~np.isnan(unsure)
    made = [PerJudge("accuracy", "Accuracy", _means(judge, correct, n))]
    if known.any():
        made.append(PerJudge("uncertainty", "Uncertainty", _means(judge[known], unsure[known], n)))
    for first, second in _agent_pairs(judged, [one.agent for one in found]):
        chose, own = _chose(judged, first, second)
        made.append(
            PerJudge(f"{first}_over_{second}", f"{first} over {second}", _means(judged.judge[own], chose, n))
        )
    return tuple(made)


def _means(judge: np.ndarray, values: FloatArray, n: int) -> FloatArray:
    count = np.bincount(judge, minlength=n)
    means = np.full(n, np.nan)
    means[count > 0] = np.bincount(judge, weights=values, minlength=n)[count > 0] / count[count > 0]
    return means


def _agent_pairs(judged: Judgements, agents: Sequence[str]) -> Iterator[tuple[str, str]]:
    for first, second in combinations(sorted(agents), 2):
        if _chose(judged, first, second)[1].any():
            yield first, second


def _chose(judged: Judgements, first: str, second: str) -> tuple[FloatArray, np.ndarray]:
    """Whether `first` was chosen, in trials that showed exactly these two; and which trials those are."""
    straight, crossed = (
        (judged.first == a) & (judged.second == b) for a, b in ((first, second), (second, first))
    )
    own = straight | crossed
    chosen = np.where(straight, judged.chose_first, ~judged.chose_first)
    return chosen[own].astype(np.float64), own


def agents_section(data: Data, judged: Judgements, found: Sequence[Against], plan: Plan) -> Section | None:
    """Agents compared with each other directly."""
    shares = [one for one in per_judge(data, judged, found) if "_over_" in one.name]
    if not shares:
        return None
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for one in shares:
        known = one.values[~np.isnan(one.values)]
        test = measures.against_chance(known, level=plan.level)
        mean = measures.mean_accuracy(known, level=plan.level)
        sd = number_or(float(known.std(ddof=1)) if len(known) > 1 else None, "one judge has no spread")
        rows.append(
            (one.title, len(known), *estimate_cells(mean), sd, number_or(test.p_value, test.reason or ""))
        )
    return Section(
        "agents", "Agents against each other", ("Judges also saw two agents side by side, and chose the one that is more"
        " like a human.",),
        tables=(
            table(
                "agents", "Share of judges' choices",
                (Column("pair", "Pair"), Column("judges", "Judges", "integer"),
                 *estimate_columns("share", "Mean share", about="mean over judges; Wilson interval with the effective number"),
                 Column("sd", "SD", "number"), Column("p", "p", "p", about="t test over judges against 0.5, two-sided")),
                rows, status="exploratory",
            ),
        ),
    )  # fmt: skip


def groups_section(data: Data, judged: Judgements, found: Sequence[Against], plan: Plan) -> Section | None:
    """Judges of different arms compared: each measure by a two-sided Mann–Whitney test for every two levels."""
    arms = (
        ()
        if data.study is None
        else tuple(name for name, levels in data.study.arms.items() if len(levels) > 1)
    )
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings: list[Finding] = []
    for arm in arms:
        level_of = data.arm(arm)
        for one in per_judge(data, judged, found):
            for first, second in combinations(_levels(level_of), 2):
                row, finding = _compared(arm, one, level_of, first, second, plan)
                rows.append(row)
                findings.append(finding)
    if not rows:
        return None
    return Section(
        "groups", "Groups of judges",
        ("Mann–Whitney tests, two-sided. U is the smaller of the two possible values.",), tuple(findings),
        (
            table(
                "groups", "Judges compared by arm",
                (Column("arm", "Arm"), Column("measure", "Measure"), Column("first", "First"), Column("second", "Second"),
                 Column("n_first", "n", "integer"), Column("n_second", "n", "integer"), Column("mean_first", "Mean", "number"),
                 Column("sd_first", "SD", "number"), Column("mean_second", "Mean", "number"), Column("sd_second", "SD", "number"),
                 Column("u", "U", "number", 1), Column("p", "p", "p", about="two-sided"),
                 *estimate_columns("delta", "Cliff's δ")),
                rows, status="exploratory",
            ),
        ),
    )  # fmt: skip


def _levels(level_of: ObjectArray) -> list[str]:
    return sorted({str(one) for one in level_of if one is not None})


def _compared(
    arm: str, one: PerJudge, level_of: ObjectArray, first: str, second: str, plan: Plan
) -> tuple[tuple[LOOSE_CELL, ...], Finding]:
    known = ~np.isnan(one.values)
    a, b = (one.values[known & (level_of == level)] for level in (first, second))
    test = mann_whitney(a, b, level=plan.level)
    u = smaller_u(test, len(a), len(b))
    none = test.reason or "undefined"
    effect = estimate_cells(test.effect) if test.effect is not None else (Undefined(none),) * 3
    row = (arm, one.title, first, second, len(a), len(b), *_mean_sd(a), *_mean_sd(b), number_or(u, none),
           number_or(test.p_value, none), *effect)  # fmt: skip
    told = (
        "could not be tested"
        if u is None
        else f"U = {fixed(u, 1)}, {p_words(test.p_value)}, two-sided; {test.method}"
    )
    sentence = (
        f"{one.title} of judges in {arm} {first} (mean {fixed(_value(a))}, n = {len(a)}) against {second}"
        f" (mean {fixed(_value(b))}, n = {len(b)}): {told}."
    )
    return row, Finding(
        "groups", f"{one.title}, {first} against {second}", sentence, "exploratory", None, test, about=arm
    )


def smaller_u(test: TestResult, m: int, n: int) -> float | None:
    """U as tables print it: the smaller of the two."""
    return None if test.statistic is None else min(test.statistic, m * n - test.statistic)


def _mean_sd(values: FloatArray) -> tuple[LOOSE_CELL, LOOSE_CELL]:
    sd = float(values.std(ddof=1)) if len(values) > 1 else None
    return number_or(_value(values), "nobody"), number_or(sd, "no spread")


def _value(values: FloatArray) -> float | None:
    return float(values.mean()) if len(values) else None
