"""The sections of the analysis of `qa`."""

from __future__ import annotations

from collections.abc import Sequence

from believable.analysis.data import Data
from believable.analysis.findings import Finding, Section
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, estimate_words, listed
from believable.analysis.settled_plan import Plan
from believable.contracts.trial import outline
from believable.pages.qa import Qa
from believable.protocols.qa import DECLARATION
from believable.protocols.qa.annotated_signals import EVERYBODY, AnnotatorData
from believable.protocols.qa.annotator_scores import CELLS, gate_accuracy, task_intervals
from believable.protocols.qa.annotator_scoring import (
    TASK,
    AnnotatorScoring,
    comparisons,
    reliabilities,
    together,
)
from believable.protocols.qa.annotator_tables import (
    annotators_table,
    comparison_table,
    cross_table,
    drawn_traces,
    gate_scatter,
    reliability_table,
    score_histogram,
    together_table,
)
from believable.stats.result import TestResult

LAYOUTS = Layouts(__file__)


def reliability_section(data: Data, scoring: AnnotatorScoring, plan: Plan) -> Section:
    tables = [reliability_table(reliabilities(scoring, plan), plan.level)]
    charts = []
    for test in scoring.collected.tests:
        table, chart = drawn_traces(
            scoring.collected, test, float(plan.option("bin_ms")), int(plan.option("drawn"))
        )
        tables.append(table)
        charts.append(chart)
    groups = listed(
        [
            f"{sum(own == group for own in scoring.collected.groups.values())}"
            f" {'' if group == EVERYBODY else group}".strip()
            for group in scoring.collected.group_names
        ]
    )
    words = [f"Annotators: {groups}."]
    words += _selection(data, plan)
    if scoring.alone:
        words.append(
            f"{counted(len(scoring.alone), 'trace')} of the task could not be judged:"
            " nobody else of the group annotated the same."
        )
    words += _ends_cut(scoring.collected, float(plan.option("bin_ms")))
    return LAYOUTS.section("reliability", paragraphs=words, tables=tables, charts=charts)


def _ends_cut(signals: AnnotatorData, bin_ms: float) -> list[str]:
    """The parts left out of the comparison, because traces and signals are cut to the shortest."""
    words = []
    for test, traces in signals.tests.items():
        lengths = [
            (len(trace.bins), len(signals.signals[trace.stimulus].values)) for trace in traces
        ]
        words += _cut_sentence(
            f"the {test} test",
            [abs(own - known) for own, known in lengths],
            "of it and the signal",
            bin_ms,
        )
    shortest: dict[tuple[str, str], int] = {}
    for trace in signals.task:
        key = trace.stimulus, trace.group
        shortest[key] = min(shortest.get(key, len(trace.bins)), len(trace.bins))
    lost = [len(trace.bins) - shortest[trace.stimulus, trace.group] for trace in signals.task]
    return words + _cut_sentence("the task", lost, "of its stimulus and group", bin_ms)


def _cut_sentence(where: str, bins_lost: Sequence[int], shortest: str, bin_ms: float) -> list[str]:
    cut = [lost for lost in bins_lost if lost]
    if not cut:
        return []
    return [
        f"{counted(len(cut), 'trace')} of {len(bins_lost)} on {where} are compared up to the end of"
        f" the shorter {shortest}; at most {max(cut) * bin_ms / 1000:g} s are cut."
    ]


def _selection(data: Data, plan: Plan) -> list[str]:
    """A group chosen by the tests looks better, or worse, on them: say so."""
    words: list[str] = []
    if any(rule.rule == "unreliable" for rule in plan.declared.exclusions):
        words.append(
            "Annotators who failed the tests were excluded, so that reliability on the tests is"
            " that of a selected group."
        )
    if data.study is not None and any(
        isinstance(entry.item, Qa) and entry.item.gate == "screen_out"
        for entry in outline(data.study.timeline)
    ):
        words.append(
            "The study screens out people who fail the tests: the annotators were selected by"
            " the gate itself."
        )
    stated = str(plan.option("selection"))
    if stated:
        words.append(f"Selection of annotators: {stated}")
    return words


def groups_section(scoring: AnnotatorScoring, plan: Plan) -> Section:
    names = scoring.collected.group_names[:2]
    tests = comparisons(scoring, plan)
    findings = tuple(_group_finding(what, test, scoring, plan) for what, test in tests.items())
    more = scoring.collected.group_names[2:]
    words = (
        (f"Further groups are in the tables, not in these tests: {listed(list(more))}.",)
        if more
        else ()
    )
    return LAYOUTS.section(
        "groups",
        paragraphs=words,
        findings=findings,
        tables=(comparison_table(tests, names, plan.alpha),),
    )


def _group_finding(what: str, test: TestResult, scoring: AnnotatorScoring, plan: Plan) -> Finding:
    first, second = scoring.collected.group_names[:2]
    means = [scoring.mean(what, group, plan.level) for group in (first, second)]
    where = "the task" if what == TASK else f"the {what} test"
    if test.estimate is None or test.estimate.value is None:
        sentence = f"SDA on {where}: the groups cannot be compared ({test.reason})."
    else:
        sentence = (
            f"The mean SDA on {where} is {estimate_words(means[0])} for {first} and"
            f" {estimate_words(means[1])} for {second} annotators ({test.n} in all); difference"
            f" {estimate_words(test.estimate)}."
            + "".join(f" The difference is that of {note}." for note in test.estimate.notes)
        )
    return Finding(
        outcome=what,
        title=DECLARATION.outcome(what).title,
        sentence=sentence,
        estimate=test.estimate,
        test=test,
    )


def together_section(scoring: AnnotatorScoring, plan: Plan) -> Section:
    tests = together(scoring, plan)
    findings = []
    for group, test in tests.items():
        r = test.estimate
        who, of = ("", "") if group == EVERYBODY else (f" among {group} annotators", f", {group}")
        if r is None or r.value is None:
            sentence = f"Visual and auditory SDA{who}: no correlation ({test.reason})."
        else:
            sentence = (
                f"Visual and auditory SDA{who} (n = {test.n}) have a correlation of r ="
                f" {estimate_words(r)}."
            )
            if "jackknife" in test.method:
                sentence += (
                    " The interval is that of the jackknife, as is p: neither takes the scores for"
                    " normal ones."
                )
        findings.append(
            Finding(
                outcome="tests_agree",
                title=DECLARATION.outcome("tests_agree").title + of,
                sentence=sentence,
                estimate=r,
                test=test,
                about="" if group == EVERYBODY else group,
            )
        )
    return LAYOUTS.section(
        "tests_agree", findings=findings, tables=(together_table(tests, plan.alpha),)
    )


def gate_section(scoring: AnnotatorScoring, plan: Plan) -> Section:
    threshold = float(plan.option("threshold"))
    share = gate_accuracy(scoring.verdicts, level=plan.level)
    counts = [
        f"{sum(verdict.cell == cell for verdict in scoring.verdicts)} {cell}" for cell in CELLS
    ]
    finding = Finding(
        outcome="gate",
        title=DECLARATION.outcome("gate").title,
        sentence=f"Tests and task agree on a share of {estimate_words(share)} of"
        f" {counted(len(scoring.verdicts), 'annotator')}: {listed(counts)}.",
        estimate=share,
    )
    spread, histogram = score_histogram(scoring.task)
    means = task_intervals(scoring.task, plan.level)
    points, scatter = gate_scatter(
        scoring.verdicts, means, scoring.collected.named, threshold, plan.level
    )
    cross = cross_table(scoring.verdicts, scoring.collected.group_names, threshold)
    return LAYOUTS.section(
        "gate", findings=(finding,), tables=(cross, spread, points), charts=(scatter, histogram)
    )


def annotators_section(scoring: AnnotatorScoring, plan: Plan) -> Section:
    table = annotators_table(
        scoring.collected, scoring.tests, scoring.task, scoring.gate, scoring.verdicts
    )
    return LAYOUTS.section("annotators", tables=(table,))
