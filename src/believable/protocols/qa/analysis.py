"""The analysis of `qa`: main outcomes and sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Finding, Section
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, estimate_words, listed
from believable.analysis.procedure import Verb
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.settled_plan import Plan
from believable.contracts.trial import outline
from believable.pages.qa import Qa
from believable.protocols.qa import DECLARATION
from believable.protocols.qa.annotated_signals import (
    EVERYBODY,
    TESTS,
    AnnotatorData,
    collected,
    repeated,
    task_traces,
)
from believable.protocols.qa.annotator_scores import (
    CELLS,
    LIMITS,
    AnnotatorTrace,
    GroupTask,
    Reliability,
    Score,
    Verdict,
    against,
    against_others,
    compared,
    gate_accuracy,
    mean_by_annotator,
    reliability,
    task_intervals,
    task_sda,
    verdicts,
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
from believable.stats.correlations import pearson_with_choice
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.means import mean_skewed, welch_t
from believable.stats.result import TestResult

LAYOUTS = Layouts(__file__)
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


def scored(
    data: Data, plan: Plan, rng: np.random.Generator, *, full: bool = True
) -> AnnotatorScoring:
    signals = collected(data, plan)
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
            compared(pair, rng, alternative=plan.alternative(TASK), level=plan.level)
            if len(pair) > 1
            else None
        ),
    )


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """`visual`, `auditory`, `task`: groups compared; `…:group`: the mean SDA of a group;
    `tests_agree:group`; `gate`.
    """
    scoring = scored(data, plan, rng, full=False)
    outcomes: dict[str, Estimate | TestResult] = {}
    for what in scoring.parts:
        for group in scoring.collected.group_names:
            outcomes[f"{what}:{group}"] = scoring.mean(what, group, plan.level)
    outcomes |= _comparisons(scoring, plan)
    outcomes |= {f"tests_agree:{group}": test for group, test in _together(scoring, plan).items()}
    outcomes["gate"] = gate_accuracy(scoring.verdicts, level=plan.level)
    return outcomes


def clean(data: Data, plan: Plan) -> Data:
    """Earlier recordings of people who recorded a test again are on record as left out."""
    return data.with_drops(repeated(data, plan))


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    scoring = scored(data, plan, rng)
    sections = [_reliability_section(data, scoring, plan)]
    if len(scoring.collected.group_names) > 1:
        sections.append(_groups_section(scoring, plan))
    if set(TESTS) <= set(scoring.tests):
        sections.append(_together_section(scoring, plan))
    if scoring.verdicts:
        sections.append(_gate_section(scoring, plan))
    sections.append(_annotators_section(scoring, plan))
    return tuple(sections)


def warnings(data: Data, plan: Plan) -> tuple[str, ...]:
    """Doubts about the data: missing quality tests, repeated recordings, and traces that never
    moved.
    """
    return (*_missing_tests(data, plan), *_repetitions(data, plan), *_resting_traces(data, plan))


def _missing_tests(data: Data, plan: Plan) -> tuple[str, ...]:
    """Without a quality test there is no gate. The reader has to know that it is missing, and
    why.
    """
    tests = collected(data, plan).tests
    missing = [test for test in TESTS if test not in tests]
    if not missing:
        return ()
    fix = (
        " Name the file of the test and its signal when you import: --visual FILE SIGNAL,"
        " --auditory FILE SIGNAL."
        if data.study is None
        else ""
    )
    outcome = (
        "so annotators have no gate score"
        if len(missing) == len(TESTS)
        else "so the gate rests on the other test"
    )
    return (
        (
            f"No trace follows the known signal of the {' or the '.join(missing)} test,"
            f" {outcome}.{fix}"
        ),
    )


def _repetitions(data: Data, plan: Plan) -> tuple[str, ...]:
    count = len(repeated(data, plan))
    if not count:
        return ()
    return (
        (
            f"{counted(count, 'recording')} left out: the annotator recorded the same stimulus"
            " again later, and the last one counts."
        ),
    )


def _resting_traces(data: Data, plan: Plan) -> tuple[str, ...]:
    """Traces at rest agree fully with each other, so an annotator who never moved may count as
    reliable.
    """
    task = task_traces(data, plan)
    resting = sum(bool((trace.bins == trace.bins[0]).all()) for trace in task if len(trace.bins))
    if 2 * resting <= len(task):
        return ()
    return (
        (
            f"Validity: {counted(resting, 'trace')} of {len(task)} on the task never moved. Traces"
            " at rest agree with each other throughout, so agreement on the task says nothing"
            " about these annotators."
        ),
    )


def methods(data: Data, plan: Plan, verb: Verb) -> str:
    be = verb("were", "will be")
    step = plan.option("bin_ms")
    return LAYOUTS.paragraph("methods.md", be=be, step=step, verb=verb, plan=plan)


def _comparisons(scoring: AnnotatorScoring, plan: Plan) -> dict[str, TestResult]:
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


def _together(scoring: AnnotatorScoring, plan: Plan) -> dict[str, TestResult]:
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


def _reliabilities(scoring: AnnotatorScoring, plan: Plan) -> list[tuple[str, Reliability]]:
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


def _reliability_section(data: Data, scoring: AnnotatorScoring, plan: Plan) -> Section:
    tables = [reliability_table(_reliabilities(scoring, plan), plan.level)]
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
            "The study screens out whoever fails the tests, so that the annotators were selected by"
            " the gate itself."
        )
    stated = str(plan.option("selection"))
    if stated:
        words.append(f"Selection of annotators: {stated}")
    return words


def _groups_section(scoring: AnnotatorScoring, plan: Plan) -> Section:
    names = scoring.collected.group_names[:2]
    tests = _comparisons(scoring, plan)
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


def _together_section(scoring: AnnotatorScoring, plan: Plan) -> Section:
    tests = _together(scoring, plan)
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


def _gate_section(scoring: AnnotatorScoring, plan: Plan) -> Section:
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


def _annotators_section(scoring: AnnotatorScoring, plan: Plan) -> Section:
    table = annotators_table(
        scoring.collected, scoring.tests, scoring.task, scoring.gate, scoring.verdicts
    )
    return LAYOUTS.section("annotators", tables=(table,))


ANALYSIS = ProtocolAnalysis(
    declaration=DECLARATION,
    analyse=analyse,
    main=main,
    methods=methods,
    clean=clean,
    warnings=warnings,
)
