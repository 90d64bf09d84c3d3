"""The numbers of the analysis of `qa`: scores, comparisons of groups, reliabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from believable.analysis.data import Data
from believable.analysis.settled_plan import Plan
from believable.protocols.qa.annotated_signals import TESTS, AnnotatorData, collect_annotators
from believable.protocols.qa.annotator_scores import (
    LIMITS,
    AnnotatorTrace,
    Reliability,
    Score,
    Verdict,
    against,
    against_others,
    mean_by_annotator,
    reliability,
    verdicts,
)
from believable.protocols.qa.group_agreement import GroupTask, compare_groups, task_sda
from believable.stats.correlations import pearson_with_choice
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.means import mean_skewed, welch_t
from believable.stats.result import TestResult

TASK = "task"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorScoring:
    """Everything the outcomes rest on: scores of the tests and of the task, each annotator's means,
    verdicts.
    """

    collected: AnnotatorData
    tests: Mapping[str, tuple[Score, ...]]
    task: tuple[Score, ...]
    alone: tuple[tuple[str, str, str], ...]
    gate: Mapping[str, float]
    task_means: Mapping[str, float]
    verdicts: tuple[Verdict, ...]
    #: Per group the mean SDA on the task, with an interval that knows about the shared gold
    #: standard.
    task_sda: Mapping[str, Estimate]
    #: The first two groups on the task; None if there are fewer.
    task_test: TestResult | None

    def mean(self, what: str, group: str, level: float) -> Estimate:
        """The mean SDA of a group."""
        if what == TASK:
            return self.task_sda[group]
        return mean_skewed(self.sda(what, group), level=level, limits=LIMITS)

    def sda(self, what: str, group: str) -> list[float]:
        """One number per annotator of a group: on a test, or the mean over the task's stimuli."""
        means = self.task_means if what == TASK else mean_by_annotator(self.tests.get(what, ()))
        return [
            value for annotator, value in means.items() if self.collected.groups[annotator] == group
        ]

    @property
    def parts(self) -> tuple[str, ...]:
        """What there are scores for."""
        return (*self.tests, *((TASK,) if self.task else ()))


def score_annotators(
    data: Data, plan: Plan, rng: np.random.Generator, *, full: bool = True
) -> AnnotatorScoring:
    signals = collect_annotators(data, plan)
    step = float(plan.option("bin_ms"))
    tests = {
        test: against(
            traces,
            [signals.signals[trace.stimulus].values for trace in traces],
            step_ms=step,
            detail="all" if full else "sda",
        )
        for test, traces in signals.tests.items()
    }
    task, alone = against_others(signals.task, step_ms=step, detail="kappa" if full else "sda")
    gate = mean_by_annotator([score for scores in tests.values() for score in scores])
    means = mean_by_annotator(task)
    threshold = float(plan.option("threshold"))
    groups = {
        group: GroupTask.of([score for score in signals.task if score.group == group])
        for group in (signals.group_names if task else ())
    }
    on_task = {group: task_sda(traces, rng, level=plan.level) for group, traces in groups.items()}
    pair = [(groups[group], on_task[group]) for group in list(groups)[:2]]
    return AnnotatorScoring(
        collected=signals,
        tests=tests,
        task=task,
        alone=alone,
        gate=gate,
        task_means=means,
        verdicts=verdicts(gate, means, signals.groups, threshold=threshold),
        task_sda=on_task,
        task_test=(
            compare_groups(pair, rng, alternative=plan.alternative(TASK), level=plan.level)
            if len(pair) > 1
            else None
        ),
    )


def comparisons(scoring: AnnotatorScoring, plan: Plan) -> dict[str, TestResult]:
    """First group minus second, over annotators; nothing if there are fewer than two groups."""
    names = scoring.collected.group_names
    if len(names) < 2:
        return {}
    tests = {
        what: welch_t(
            scoring.sda(what, names[0]),
            scoring.sda(what, names[1]),
            alternative=plan.alternative(what),
            level=plan.level,
        )
        for what in scoring.tests
    }
    if scoring.task_test is not None:
        tests[TASK] = scoring.task_test
    return tests


def together(scoring: AnnotatorScoring, plan: Plan) -> dict[str, TestResult]:
    """Visual with auditory SDA over the annotators of each group who did both."""
    if not set(TESTS) <= set(scoring.tests):
        return {}
    visual, auditory = (mean_by_annotator(scoring.tests[test]) for test in TESTS)
    tests: dict[str, TestResult] = {}
    for group in scoring.collected.group_names:
        people = [
            annotator
            for annotator in visual
            if annotator in auditory and scoring.collected.groups[annotator] == group
        ]
        tests[group] = pearson_with_choice(
            [visual[person] for person in people],
            [auditory[person] for person in people],
            level=plan.level,
        )
    return tests


def reliabilities(scoring: AnnotatorScoring, plan: Plan) -> list[tuple[str, Reliability]]:
    rows: list[tuple[str, Reliability]] = []
    for test, traces in scoring.collected.tests.items():
        for group in scoring.collected.group_names:
            mine = [trace for trace in traces if trace.group == group]
            if mine:
                scores = [score for score in scoring.tests[test] if score.group == group]
                rows.append((test, reliability(group, mine, scores, level=plan.level)))
    for group in scoring.collected.group_names:
        scores = [score for score in scoring.task if score.group == group]
        if scores:
            rows.append((TASK, _on_task(group, scoring, scores, plan)))
    return rows


def _on_task(
    group: str, scoring: AnnotatorScoring, scores: Sequence[Score], plan: Plan
) -> Reliability:
    """SDA and κ over annotators' means; the α's are means over stimuli."""
    kappas: dict[str, list[float]] = {}
    for score in scores:
        if score.kappa.value is not None:
            kappas.setdefault(score.annotator, []).append(score.kappa.value)
    by_stimulus: dict[str, list[AnnotatorTrace]] = {}
    for trace in scoring.collected.task:
        if trace.group == group:
            by_stimulus.setdefault(trace.stimulus, []).append(trace)
    each = [
        reliability(group, mine, [], level=plan.level)
        for mine in by_stimulus.values()
        if len(mine) > 1
    ]
    annotators = {score.annotator for score in scores}
    return Reliability(
        group=group,
        annotators=len(annotators),
        sda=scoring.task_sda[group],
        kappa=_mean_kappa([float(np.mean(values)) for values in kappas.values()], plan.level),
        cronbach_time_items=_mean_over_stimuli(
            [coefficients.cronbach_time_items for coefficients in each]
        ),
        cronbach_annotator_items=_mean_over_stimuli(
            [coefficients.cronbach_annotator_items for coefficients in each]
        ),
        krippendorff=_mean_over_stimuli([coefficients.krippendorff for coefficients in each]),
        sda_half=scoring.task_sda[group].half_width,
    )


def _mean_kappa(values: Sequence[float], level: float) -> Estimate:
    method = "mean κ over annotators"
    if not values:
        return undefined("no κ is defined", method=method, n=0, level=level)
    reason = "annotators share their gold standard; SDA has an interval that knows about it"
    return without_interval(
        float(np.mean(values)), reason, method=method, n=len(values), level=level
    )


def _mean_over_stimuli(estimates: Sequence[Estimate]) -> Estimate:
    values = [estimate.value for estimate in estimates if estimate.value is not None]
    method = "mean over stimuli"
    if not values:
        reason = estimates[0].reason if estimates else "no stimulus has two annotators"
        return undefined(reason or "undefined", method=method, n=0)
    return without_interval(
        float(np.mean(values)), "stimuli share their annotators", method=method, n=len(values)
    )
