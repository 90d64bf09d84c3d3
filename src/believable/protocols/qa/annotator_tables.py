"""The results of `qa` as tables and charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from believable.analysis.findings import LOOSE_CELL, Cell, Chart, Column, Table, reasoned, table, tested_cells
from believable.analysis.numbers import level_words
from believable.protocols.qa.annotated_signals import AnnotatorData
from believable.protocols.qa.annotator_scores import CELLS, Reliability, Score, Verdict, learning_slope
from believable.stats.inputs import FloatArray
from believable.stats.result import TestResult

_GROUP = Column("group", "Group")


def reliability_table(reliabilities: Sequence[tuple[str, Reliability]], level: float) -> Table:
    """One row per test and group: all four metrics, Cronbach's α both ways."""
    rows = []
    for test, reliability in reliabilities:
        row: list[LOOSE_CELL] = [test, reliability.group, reliability.annotators]
        for estimate, half in ((reliability.sda, reliability.sda_half), (reliability.kappa, reliability.kappa_half)):
            row += reasoned(estimate.reason, estimate.value, half, estimate.low, estimate.high)
        for estimate in (
            reliability.cronbach_time_items, reliability.cronbach_annotator_items, reliability.krippendorff,
        ):  # fmt: skip
            row += reasoned(estimate.reason, estimate.value)
        rows.append(row)
    metric = [
        column
        for name, title in (("sda", "SDA"), ("kappa", "Cohen's κ"))
        for column in (
            Column(name, title, "number", 2, f"Mean of {title} over annotators."),
            Column(f"{name}_half", "±", "number", 2, "On tests: half of Student's t interval."),
            Column(f"{name}_low", "low", "number", 2, "On tests: t interval corrected for skewness (Hall)."),
            Column(f"{name}_high", "high", "number", 2, "On the task: BCa bootstrap over annotators."),
        )
    ]
    return table(
        "reliability",
        "Reliability of annotators",
        (
            Column("test", "Test", about="A quality test, or the task against the median of the others."),
            _GROUP,
            Column("n", "n", "integer", about="Annotators; on the task, traces."),
            *metric,
            Column(
                "cronbach_time_items", "Cronbach's α (time points as items)", "number", 2,
                "Time points are items, annotators are cases; on the task the mean over stimuli.",
            ),
            Column(
                "cronbach_annotator_items", "Cronbach's α (annotators as items)", "number", 2,
                "Annotators are items, time points are cases; on the task the mean over stimuli.",
            ),
            Column(
                "krippendorff", "Krippendorff's α", "number", 2,
                "Interval level, time points are units, traces cut to the shortest; on the task the mean over stimuli.",
            ),
        ),
        rows,
        note=f"Means over annotators. On tests ± is half of Student's t interval, as published tables have it, and the bounds at "
        f"{level_words(level)} are those of the t interval corrected for skewness (Hall); on the task, where annotators share "
        "their gold standard, both are of a BCa bootstrap over annotators. Cronbach's α with time points as items is what "
        "is usually published; it stays high whatever annotators do.",
    )  # fmt: skip


def _test_cells(score: Score | None) -> tuple[LOOSE_CELL, ...]:
    if score is None:
        return reasoned("the test was not done", None, None, None, None)
    kappa, lag = reasoned(score.kappa.reason, score.kappa.value), reasoned(score.lag.reason, score.lag.value)
    return (score.sda, *kappa, *lag, *reasoned("too short", score.halves))


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
        row += reasoned("no test was done", gate.get(annotator))
        row += reasoned(
            "nobody else annotated the same stimuli", float(np.mean([score.sda for score in own])) if own else None
        )
        row += [len(own), *reasoned("fewer than three stimuli", learning_slope(own))]
        row += reasoned("test or task is missing", cells.get(annotator))
        rows.append(row)
    per_test = [
        column
        for test in by_test
        for column in (
            Column(f"{test}_sda", f"SDA {test}", "number", 2),
            Column(f"{test}_kappa", f"κ {test}", "number", 2),
            Column(f"{test}_lag_ms", f"Lag {test} (ms)", "number", 0, "The delay at which the trace fits best."),
            Column(f"{test}_learning", f"Learning {test}", "number", 2, "SDA of the second half minus the first."),
        )
    ]
    return table(
        "annotators",
        "Annotators",
        (
            Column("annotator", "Annotator"),
            Column("session", "Session"),
            _GROUP,
            *per_test,
            Column("gate_sda", "Mean SDA of tests", "number", 2),
            Column("task_sda", "Mean SDA of task", "number", 2),
            Column("task_stimuli", "Stimuli", "integer"),
            Column("task_learning", "Learning per stimulus", "number", 3, "Slope of SDA over the order of stimuli."),
            Column("cell", "Gate and task"),
        ),
        rows,
        data_only=len(rows) > 60,
    )


def cross_table(verdicts: Sequence[Verdict], groups: Sequence[str], threshold: float) -> Table:
    """Gate against task: how many annotators are in each named cell."""
    rows: list[tuple[Cell, ...]] = [
        (cell, *(sum(verdict.cell == cell and verdict.group == group for verdict in verdicts) for group in groups),
         sum(verdict.cell == cell for verdict in verdicts))
        for cell in CELLS
    ]  # fmt: skip
    return Table(
        "gate_against_task",
        "Gate against task",
        (
            Column("cell", "Annotators who are"),
            *(Column(f"group_{number}", group, "integer") for number, group in enumerate(groups)),
            Column("all", "All", "integer"),
        ),
        tuple(rows),
        f"Unreliable: a mean SDA below {threshold:g}. Failed the gate only: unreliable on the tests, reliable on the task.",
    )


def comparison_table(tests: Mapping[str, TestResult], names: Sequence[str], alpha: float) -> Table:
    """First group minus second on every test and on the task."""
    rows = []
    for name, test in tests.items():
        estimate, effect, reason = test.estimate, test.effect, test.reason
        ungraded = "annotators share their gold standard" if effect is None and test.defined else reason
        rows.append(
            (
                name, test.n,
                *reasoned(reason, *((None,) * 3 if estimate is None else (estimate.value, estimate.low, estimate.high))),
                *reasoned(reason, test.statistic, test.df[0] if test.df else None, test.p_value),
                *reasoned(ungraded, None if effect is None else effect.value),
            )
        )  # fmt: skip
    return table(
        "groups",
        f"Groups compared: {' minus '.join(names)}",
        (
            Column("what", "SDA on"),
            Column("n", "n", "integer", about="Annotators."),
            Column("difference", "Difference", "number", 2, "Of the annotators' mean SDA."),
            Column("ci_low", "low", "number", 2),
            Column("ci_high", "high", "number", 2),
            Column("t", "t", "number", 2),
            Column("df", "df", "number", 1),
            Column("p_value", "p", "p"),
            Column("g", "g", "number", 2, "Hedges' g."),
        ),
        rows,
        note="Annotators are the units: on the tests Welch's t test over their means; on the task, where they share gold"
        " standards, a t test with bootstrap standard errors over annotators. Agreement with the median of the others depends on"
        " how many there are, so that there a larger group is represented by the mean over random subsets as large as the"
        " smaller group.",
        marked=((n, "p_value") for n, test in enumerate(tests.values()) if test.significant(alpha)),
    )


def together_table(tests: Mapping[str, TestResult], alpha: float) -> Table:
    """Visual with auditory SDA, per group."""
    return table(
        "tests_together",
        "Visual with auditory test",
        (
            _GROUP,
            Column("n", "n", "integer"),
            Column("r", "r", "number", 2, "Pearson's r of both SDAs."),
            Column("ci_low", "low", "number", 2, "Jackknife interval on the Fisher z scale."),
            Column("ci_high", "high", "number", 2),
            Column("p_value", "p", "p"),
        ),
        ((group, test.n, *tested_cells(test)) for group, test in tests.items()),
        marked=((n, "r") for n, test in enumerate(tests.values()) if test.significant(alpha)),
    )


def score_histogram(scores: Sequence[Score], width: float = 0.1) -> tuple[Table, Chart]:
    """How the SDA of single traces on the task is spread, per group."""
    edges = np.round(np.arange(-1, 1 + width / 2, width), 10)
    rows: list[tuple[Cell, ...]] = []
    for group in dict.fromkeys(score.group for score in scores):
        counts, _ = np.histogram([score.sda for score in scores if score.group == group], bins=edges)
        rows += [
            (group, float(low), float(high), int(count))
            for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
        ]
    table = Table(
        "task_histogram",
        "SDA on the task",
        (
            _GROUP,
            Column("low", "from", "number", 1),
            Column("high", "to", "number", 1),
            Column("count", "Traces", "integer"),
        ),
        tuple(rows),
        data_only=True,
    )
    chart = Chart(
        "task_histogram",
        "Agreement with the others on the task",
        "histogram",
        "task_histogram",
        {"from": "low", "to": "high", "count": "count", "facet": "group"},
        "SDA with the median of the others",
        "traces",
        "A panel for each group; bars count traces.",
        rules=(("x", 0.0, "half of the steps agree"),),
        x_range=(-1.0, 1.0),
    )
    return table, chart


def gate_scatter(verdicts: Sequence[Verdict], named: Mapping[str, str], threshold: float) -> tuple[Table, Chart]:
    """Every annotator's tests against the task."""
    table = Table(
        "gate_scatter",
        "Tests and task of every annotator",
        (
            Column("annotator", "Annotator"),
            _GROUP,
            Column("gate", "Tests", "number", 2),
            Column("task", "Task", "number", 2),
            Column("cell", "Gate and task"),
        ),
        tuple(
            (named[verdict.annotator], verdict.group, verdict.gate, verdict.task, verdict.cell) for verdict in verdicts
        ),
        data_only=True,
    )
    chart = Chart(
        "gate_scatter",
        "Do the tests tell who is reliable on the task?",
        "scatter",
        "gate_scatter",
        {"x": "gate", "y": "task", "colour": "group", "label": "annotator"},
        "mean SDA on the tests",
        "mean SDA on the task",
        "Upper right and lower left: tests and task agree.",
        rules=(("x", threshold, "gate"), ("y", threshold, "reliable on the task")),
    )
    return table, chart


def drawn_traces(collected: AnnotatorData, test: str, bin_ms: float, most: int) -> tuple[Table, Chart]:
    """The traces of a test against the known signal, per group; the first annotators and the median of all."""
    rows: list[tuple[Cell, ...]] = []
    shown: dict[str, int] = {}
    traces = collected.tests[test]
    for group in dict.fromkeys(trace.group for trace in traces):
        mine = [trace for trace in traces if trace.group == group]
        shown[group] = min(most, len(mine))
        panel = f"{test}: {group}" if group != "all" else test
        for trace in mine[:most]:
            rows += _line(panel, collected.named[trace.annotator], "annotator", trace.values, bin_ms)
        length = min(len(trace.values) for trace in mine)
        middle = np.median([trace.values[:length] for trace in mine], axis=0)
        rows += _line(panel, "median", "median", middle, bin_ms)
        rows += _line(panel, "true signal", "true signal", collected.signals[mine[0].stimulus].values, bin_ms)
    table = Table(
        f"{test}_traces",
        f"Traces of the {test} test",
        (
            Column("panel", "Test and group"),
            Column("line", "Line", about="An annotator, the median of all, or the true signal."),
            Column("kind", "Line"),
            Column("time_s", "time (s)", "number", 2),
            Column("value", "Value", "number", 3, "From the lowest to the highest value of the line."),
        ),
        tuple(rows),
        data_only=True,
    )
    counts = ", ".join(f"{group}: {shown[group]} of {sum(trace.group == group for trace in traces)}" for group in shown)
    chart = Chart(
        f"{test}_traces",
        f"Traces of the {test} test and the true signal",
        "lines",
        f"{test}_traces",
        {"x": "time_s", "y": "value", "colour": "kind", "label": "line", "facet": "panel"},
        "time (s)",
        "from lowest to highest",
        f"Annotators drawn: {counts}; the median is that of all.",
        y_range=(0.0, 1.0),
    )
    return table, chart


def _line(panel: str, name: str, kind: str, values: FloatArray, bin_ms: float) -> list[tuple[Cell, ...]]:
    return [(panel, name, kind, index * bin_ms / 1000, float(value)) for index, value in enumerate(values)]
