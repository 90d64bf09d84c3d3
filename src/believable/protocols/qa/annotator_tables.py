"""The results of `qa` as tables and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from believable.analysis.findings import (
    LOOSE_CELL,
    Cell,
    Chart,
    Column,
    Table,
    tested_cells,
    with_reason,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import level_words
from believable.protocols.qa.annotated_signals import AnnotatorData
from believable.protocols.qa.annotator_scores import (
    CELLS,
    Reliability,
    Score,
    Verdict,
    learning_slope,
)
from believable.stats.estimate import Estimate
from believable.stats.inputs import FloatArray
from believable.stats.result import TestResult

LAYOUTS = Layouts(__file__)


def reliability_table(reliabilities: Sequence[tuple[str, Reliability]], level: float) -> Table:
    """One row per test and group: all four metrics, Cronbach's α both ways."""
    rows = []
    notes: list[str] = []
    for test, reliability in reliabilities:
        notes += [f" {test}, {reliability.group}: {note}." for note in reliability.sda.notes]
        row: list[LOOSE_CELL] = [test, reliability.group, reliability.annotators]
        for estimate, half in (
            (reliability.sda, reliability.sda_half),
            (reliability.kappa, reliability.kappa_half),
        ):
            row += with_reason(estimate.reason, estimate.value, half, estimate.low, estimate.high)
        for estimate in (
            reliability.cronbach_time_items,
            reliability.cronbach_annotator_items,
            reliability.krippendorff,
        ):
            row += with_reason(estimate.reason, estimate.value)
        rows.append(row)
    return LAYOUTS.table("reliability", rows, level=level_words(level), notes="".join(notes))


def _test_cells(score: Score | None) -> tuple[LOOSE_CELL, ...]:
    if score is None:
        return with_reason("the test was not done", None, None, None, None)
    kappa, lag = (
        with_reason(score.kappa.reason, score.kappa.value),
        with_reason(score.lag.reason, score.lag.value),
    )
    return (score.sda, *kappa, *lag, *with_reason("too short", score.halves))


def annotators_table(
    collected: AnnotatorData,
    tests: Mapping[str, Sequence[Score]],
    task: Sequence[Score],
    gate: Mapping[str, float],
    verdicts: Sequence[Verdict],
) -> Table:
    """One row per annotator: scores, lag and learning."""
    by_test = {test: {score.annotator: score for score in scores} for test, scores in tests.items()}
    by_task: dict[str, list[Score]] = {}
    for trial in task:
        by_task.setdefault(trial.annotator, []).append(trial)
    cells = {verdict.annotator: verdict.cell for verdict in verdicts}
    rows = []
    for annotator, group in collected.groups.items():
        row: list[LOOSE_CELL] = [collected.named[annotator], annotator, group]
        for scores in by_test.values():
            row += _test_cells(scores.get(annotator))
        own = by_task.get(annotator, [])
        row += with_reason("no test was done", gate.get(annotator))
        row += with_reason(
            "nobody else annotated the same stimuli",
            float(np.mean([score.sda for score in own])) if own else None,
        )
        row += [len(own), *with_reason("fewer than three stimuli", learning_slope(own))]
        row += with_reason("test or task is missing", cells.get(annotator))
        rows.append(row)
    per_test = [
        column
        for test in by_test
        for column in (
            Column(name=f"{test}_sda", title=f"SDA {test}", form="number", digits=2),
            Column(name=f"{test}_kappa", title=f"κ {test}", form="number", digits=2),
            Column(
                name=f"{test}_lag_ms",
                title=f"Lag {test} (ms)",
                form="number",
                digits=0,
                about="The delay at which the trace fits best.",
            ),
            Column(
                name=f"{test}_learning",
                title=f"Learning {test}",
                form="number",
                digits=2,
                about="SDA of the second half minus the first.",
            ),
        )
    ]
    return LAYOUTS.table("annotators", rows, data_only=len(rows) > 60, per_test=per_test)


def cross_table(verdicts: Sequence[Verdict], groups: Sequence[str], threshold: float) -> Table:
    """Gate against task: how many annotators are in each named cell."""
    rows: list[tuple[Cell, ...]] = [
        (
            cell,
            *(
                sum(verdict.cell == cell and verdict.group == group for verdict in verdicts)
                for group in groups
            ),
            sum(verdict.cell == cell for verdict in verdicts),
        )
        for cell in CELLS
    ]
    return LAYOUTS.table(
        "gate_against_task",
        rows,
        by_group=(
            Column(name=f"group_{number}", title=group, form="integer")
            for number, group in enumerate(groups)
        ),
        threshold=threshold,
    )


def comparison_table(tests: Mapping[str, TestResult], names: Sequence[str], alpha: float) -> Table:
    """First group minus second on every test and on the task."""
    rows = []
    for name, test in tests.items():
        estimate, effect, reason = test.estimate, test.effect, test.reason
        ungraded = (
            "annotators share their gold standard" if effect is None and test.is_defined else reason
        )
        rows.append(
            (
                name,
                test.n,
                *with_reason(
                    reason,
                    *(
                        (None,) * 3
                        if estimate is None
                        else (estimate.value, estimate.low, estimate.high)
                    ),
                ),
                *with_reason(reason, test.statistic, test.df[0] if test.df else None, test.p_value),
                *with_reason(ungraded, None if effect is None else effect.value),
            )
        )
    return LAYOUTS.table(
        "groups",
        rows,
        marked=((n, "p_value") for n, test in enumerate(tests.values()) if test.significant(alpha)),
        names=" minus ".join(names),
    )


def together_table(tests: Mapping[str, TestResult], alpha: float) -> Table:
    """Visual with auditory SDA, per group."""
    return LAYOUTS.table(
        "tests_together",
        ((group, test.n, *tested_cells(test)) for group, test in tests.items()),
        marked=((n, "r") for n, test in enumerate(tests.values()) if test.significant(alpha)),
    )


def score_histogram(scores: Sequence[Score], width: float = 0.1) -> tuple[Table, Chart]:
    """How the SDA of single traces on the task is spread, per group."""
    edges = np.round(np.arange(-1, 1 + width / 2, width), 10)
    rows: list[tuple[Cell, ...]] = []
    for group in dict.fromkeys(score.group for score in scores):
        counts, _ = np.histogram(
            [score.sda for score in scores if score.group == group], bins=edges
        )
        rows += [
            (group, float(low), float(high), int(count))
            for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
    table = LAYOUTS.table("task_histogram", rows)
    chart = LAYOUTS.chart("task_histogram")
    return table, chart


def gate_scatter(
    verdicts: Sequence[Verdict],
    task: Mapping[str, Estimate],
    named: Mapping[str, str],
    threshold: float,
    level: float,
) -> tuple[Table, Chart]:
    """Every annotator's tests against the task, the latter with its interval over the annotator's
    stimuli.
    """
    rows = []
    for verdict in verdicts:
        mean = task[verdict.annotator]
        name, tests = named[verdict.annotator], (verdict.group, verdict.gate, verdict.task)
        rows.append(
            (name, *tests, *with_reason(mean.reason, mean.low, mean.high), mean.n, verdict.cell)
        )
    table = LAYOUTS.table("gate_scatter", rows, level=level_words(level))
    chart = LAYOUTS.chart("gate_scatter", threshold=threshold, level=level_words(level))
    return table, chart


def drawn_traces(
    collected: AnnotatorData, test: str, bin_ms: float, most: int
) -> tuple[Table, Chart]:
    """The traces of a test against the known signal, per group; the first annotators and the median
    of all.
    """
    rows: list[tuple[Cell, ...]] = []
    shown: dict[str, int] = {}
    traces = collected.tests[test]
    for group in dict.fromkeys(trace.group for trace in traces):
        mine = [trace for trace in traces if trace.group == group]
        shown[group] = min(most, len(mine))
        panel = f"{test}: {group}" if group != "all" else test
        for trace in mine[:most]:
            rows += _line(
                panel, collected.named[trace.annotator], "annotator", trace.values, bin_ms
            )
        length = min(len(trace.values) for trace in mine)
        middle = np.median([trace.values[:length] for trace in mine], axis=0)
        rows += _line(panel, "median", "median", middle, bin_ms)
        rows += _line(
            panel, "true signal", "true signal", collected.signals[mine[0].stimulus].values, bin_ms
        )
    table = LAYOUTS.table("{test}_traces", rows, test=test)
    counts = ", ".join(
        f"{group}: {shown[group]} of {sum(trace.group == group for trace in traces)}"
        for group in shown
    )
    chart = LAYOUTS.chart("{test}_traces", test=test, counts=counts)
    return table, chart


def _line(
    panel: str, name: str, kind: str, values: FloatArray, bin_ms: float
) -> list[tuple[Cell, ...]]:
    return [
        (panel, name, kind, index * bin_ms / 1000, float(value))
        for index, value in enumerate(values)
    ]
