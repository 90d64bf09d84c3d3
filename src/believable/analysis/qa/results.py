"""The analysis of `qa`: main outcomes and sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from believable.analysis.data import Data
from believable.analysis.plan import Plan
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.qa import tables
from believable.analysis.qa.collect import EVERYBODY, TESTS, Collected, collected, repeated
from believable.analysis.qa.scores import (
    CELLS,
    LIMITS,
    Annotated,
    Reliability,
    Score,
    Verdict,
    against,
    against_others,
    gate_accuracy,
    mean_by_annotator,
    reliability,
    verdicts,
)
from believable.analysis.qa.task import GroupTask, compared, task_sda
from believable.analysis.records import Finding, Section
from believable.analysis.words import counted, estimate_words, listed, p_words, test_words
from believable.stats.correlations import pearson_with_choice
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.means import mean_skewed, welch_t
from believable.stats.result import TestResult
from believable.study.declarations.qa import QA
from believable.study.outline import outline
from believable.study.records import Qa

ROLES, OPTIONS, OUTCOMES = QA.roles, QA.options, QA.outcomes
TASK = "task"


@dataclass(frozen=True, slots=True)
class Scored:
    """Everything the outcomes rest on: scores of the tests and of the task, each annotator's means, verdicts."""

    found: Collected
    tests: Mapping[str, tuple[Score, ...]]
    task: tuple[Score, ...]
    alone: tuple[tuple[str, str, str], ...]
    gate: Mapping[str, float]
    task_means: Mapping[str, float]
    verdicts: tuple[Verdict, ...]
    #: Per group the mean SDA on the task, with an interval that knows about the shared gold standard.
    task_sda: Mapping[str, Estimate]
    #: The first two groups on the task; None where there are no two.
    task_test: TestResult | None

    def mean(self, what: str, group: str, level: float) -> Estimate:
        """The mean SDA of a group."""
        if what == TASK:
            return self.task_sda[group]
        return mean_skewed(self.sda(what, group), level=level, limits=LIMITS)

    def sda(self, what: str, group: str) -> list[float]:
        """One number per annotator of a group: on a test, or the mean over the task's stimuli."""
        means = self.task_means if what == TASK else mean_by_annotator(self.tests.get(what, ()))
        return [value for annotator, value in means.items() if self.found.groups[annotator] == group]

    @property
    def parts(self) -> tuple[str, ...]:
        """What there are scores for."""
        return (*self.tests, *((TASK,) if self.task else ()))


def scored(data: Data, plan: Plan, rng: np.random.Generator, *, full: bool = True) -> Scored:
    found = collected(data, plan)
    step = float(plan.option("bin_ms"))
    tests = {
        test: tuple(
            against(one, found.signals[one.stimulus].values, step_ms=step, detail="all" if full else "sda")
            for one in traces
        )
        for test, traces in found.tests.items()
    }
    task, alone = against_others(found.task, step_ms=step, detail="kappa" if full else "sda")
    gate = mean_by_annotator([one for scores in tests.values() for one in scores])
    means = mean_by_annotator(task)
    threshold = float(plan.option("threshold"))
    groups = {
        group: GroupTask.of([one for one in found.task if one.group == group])
        for group in (found.group_names if task else ())
    }
    on_task = {group: task_sda(traces, rng, level=plan.level) for group, traces in groups.items()}
    pair = [(groups[group], on_task[group]) for group in list(groups)[:2]]
    return Scored(
        found,
        tests,
        task,
        alone,
        gate,
        means,
        verdicts(gate, means, found.groups, threshold=threshold),
        on_task,
        compared(pair, rng, alternative=plan.alternative(TASK), level=plan.level) if len(pair) > 1 else None,
    )


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """`visual`, `auditory`, `task`: groups compared; `…:group`: the mean SDA of a group; `tests_agree:group`; `gate`."""
    found = scored(data, plan, rng, full=False)
    outcomes: dict[str, Estimate | TestResult] = {}
    for what in found.parts:
        for group in found.found.group_names:
            outcomes[f"{what}:{group}"] = found.mean(what, group, plan.level)
    outcomes |= _comparisons(found, plan)
    outcomes |= {f"tests_agree:{group}": test for group, test in _together(found, plan).items()}
    outcomes["gate"] = gate_accuracy(found.verdicts, level=plan.level)
    return outcomes


def clean(data: Data, plan: Plan) -> Data:
    """Earlier recordings of people who recorded a test again are on record as left out."""
    return data.with_drops(repeated(data, plan))


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    found = scored(data, plan, rng)
    sections = [_reliability_section(data, found, plan)]
    if len(found.found.group_names) > 1:
        sections.append(_groups_section(found, plan))
    if set(TESTS) <= set(found.tests):
        sections.append(_together_section(found, plan))
    if found.verdicts:
        sections.append(_gate_section(found, plan))
    sections.append(_annotators_section(found, plan))
    return tuple(sections)


def methods(data: Data, plan: Plan) -> str:
    step = plan.option("bin_ms")
    return (
        f"Traces were resampled to bins of {step:g} ms (mean within a bin, held where nothing happened, 0 before the first"
        " input); the known signal was sampled at the beginning of each bin and both were cut to the shorter. Signed differential"
        " agreement (SDA) is the mean over steps of 1 where trace and signal move in the same direction and −1 elsewhere; Cohen's"
        " κ is that of the directions. Group values on the tests are means over annotators with t intervals corrected for"
        " skewness (Hall, 1992). On the task the gold standard of an annotator is the median of the other annotators' traces"
        " (each from 0 to 1) of the same stimulus and group; intervals of group means are BCa bootstrap intervals over"
        " annotators, with every gold standard computed again. Groups were compared by Welch's t test over annotators on the"
        " tests, and on the task by a t test with bootstrap standard errors, both groups at the size of the smaller one. An"
        " annotator is called"
        f" unreliable below a mean SDA of {plan.option('threshold'):g}."
    )


def _title(outcome: str) -> str:
    return next(one.title for one in OUTCOMES if one.name == outcome)


def _comparisons(found: Scored, plan: Plan) -> dict[str, TestResult]:
    """First group minus second, over annotators; nothing where there are no two groups."""
    names = found.found.group_names
    if len(names) < 2:
        return {}
    tests = {
        what: welch_t(
            found.sda(what, names[0]),
            found.sda(what, names[1]),
            alternative=plan.alternative(what),
            level=plan.level,
        )
        for what in found.tests
    }
    if found.task_test is not None:
        tests[TASK] = found.task_test
    return tests


def _together(found: Scored, plan: Plan) -> dict[str, TestResult]:
    """Visual with auditory SDA over the annotators of each group who did both."""
    if not set(TESTS) <= set(found.tests):
        return {}
    visual, auditory = (mean_by_annotator(found.tests[test]) for test in TESTS)
    tests: dict[str, TestResult] = {}
    for group in found.found.group_names:
        people = [one for one in visual if one in auditory and found.found.groups[one] == group]
        tests[group] = pearson_with_choice(
            [visual[one] for one in people], [auditory[one] for one in people], level=plan.level
        )
    return tests


def _reliabilities(found: Scored, plan: Plan) -> list[tuple[str, Reliability]]:
    made: list[tuple[str, Reliability]] = []
    for test, traces in found.found.tests.items():
        for group in found.found.group_names:
            mine = [one for one in traces if one.group == group]
            if mine:
                scores = [one for one in found.tests[test] if one.group == group]
                made.append((test, reliability(group, mine, scores, level=plan.level)))
    for group in found.found.group_names:
        scores = [one for one in found.task if one.group == group]
        if scores:
            made.append((TASK, _on_task(group, found, scores, plan)))
    return made


def _on_task(group: str, found: Scored, scores: Sequence[Score], plan: Plan) -> Reliability:
    """SDA and κ over annotators' means; the α's are means over stimuli."""
    kappas: dict[str, list[float]] = {}
    for one in scores:
        if one.kappa.value is not None:
            kappas.setdefault(one.annotator, []).append(one.kappa.value)
    by_stimulus: dict[str, list[Annotated]] = {}
    for trace in found.found.task:
        if trace.group == group:
            by_stimulus.setdefault(trace.stimulus, []).append(trace)
    each = [reliability(group, mine, [], level=plan.level) for mine in by_stimulus.values() if len(mine) > 1]
    annotators = {one.annotator for one in scores}
    return Reliability(
        group,
        len(annotators),
        found.task_sda[group],
        _mean_kappa([float(np.mean(values)) for values in kappas.values()], plan.level),
        _mean_over_stimuli([one.cronbach_time_items for one in each]),
        _mean_over_stimuli([one.cronbach_annotator_items for one in each]),
        _mean_over_stimuli([one.krippendorff for one in each]),
        found.task_sda[group].half_width,
    )


def _mean_kappa(values: Sequence[float], level: float) -> Estimate:
    method = "mean κ over annotators"
    if not values:
        return undefined("no κ is defined", method=method, n=0, level=level)
    reason = "annotators share their gold standard; SDA has an interval that knows about it"
    return without_interval(float(np.mean(values)), reason, method=method, n=len(values), level=level)


def _mean_over_stimuli(found: Sequence[Estimate]) -> Estimate:
    values = [one.value for one in found if one.value is not None]
    method = "mean over stimuli"
    if not values:
        reason = found[0].reason if found else "no stimulus has two annotators"
        return undefined(reason or "undefined", method=method, n=0)
    return without_interval(
        float(np.mean(values)), "stimuli share their annotators", method=method, n=len(values)
    )


def _reliability_section(data: Data, found: Scored, plan: Plan) -> Section:
    made = [tables.reliability_table(_reliabilities(found, plan), plan.level)]
    charts = []
    for test in found.found.tests:
        table, chart = tables.drawn_traces(
            found.found, test, float(plan.option("bin_ms")), int(plan.option("drawn"))
        )
        made.append(table)
        charts.append(chart)
    groups = listed(
        [
            f"{sum(one == group for one in found.found.groups.values())} {'' if group == EVERYBODY else group}".strip()
            for group in found.found.group_names
        ]
    )
    words = [f"Annotators: {groups}."]
    words += _selection(data, plan)
    if found.alone:
        words.append(
            f"{counted(len(found.alone), 'trace')} of the task could not be judged: nobody else of the group annotated the same."
        )
    return Section(
        "reliability", "How reliable are annotators?", tuple(words), (), tuple(made), tuple(charts)
    )


def _selection(data: Data, plan: Plan) -> list[str]:
    """Whoever is chosen by the tests looks better, or worse, on them: say so."""
    words: list[str] = []
    if any(rule.rule == "unreliable" for rule in plan.declared.exclusions):
        words.append(
            "Annotators who failed the tests were excluded, so that reliability on the tests is that of a selected group."
        )
    if data.study is not None and any(
        isinstance(entry.item, Qa) and entry.item.gate == "screen_out"
        for entry in outline(data.study.timeline)
    ):
        words.append(
            "The study screens out whoever fails the tests, so that the annotators were selected by the gate itself."
        )
    stated = str(plan.option("selection"))
    if stated:
        words.append(f"Selection of annotators: {stated}")
    return words


def _groups_section(found: Scored, plan: Plan) -> Section:
    names = found.found.group_names[:2]
    tests = _comparisons(found, plan)
    findings = tuple(_group_finding(what, test, found, plan) for what, test in tests.items())
    more = found.found.group_names[2:]
    words = (f"Further groups are in the tables, not in these tests: {listed(list(more))}.",) if more else ()
    return Section(
        "groups", "Do groups differ?", words, findings, (tables.comparison_table(tests, names, plan.alpha),)
    )


def _group_finding(what: str, test: TestResult, found: Scored, plan: Plan) -> Finding:
    first, second = found.found.group_names[:2]
    means = [found.mean(what, group, plan.level) for group in (first, second)]
    where = "the task" if what == TASK else f"the {what} test"
    if test.estimate is None or test.estimate.value is None:
        sentence = f"SDA on {where}: the groups cannot be compared ({test.reason})."
    else:
        sentence = (
            f"SDA on {where} is {estimate_words(means[0])} for {first} and {estimate_words(means[1])} for {second}; "
            f"difference {estimate_words(test.estimate)}; {test_words(test, 't')}; n = {test.n} annotators."
            + "".join(f" The difference is that of {note}." for note in test.estimate.notes)
        )  # fmt: skip
    return Finding(what, _title(what), sentence, "exploratory", estimate=test.estimate, test=test)


def _together_section(found: Scored, plan: Plan) -> Section:
    tests = _together(found, plan)
    findings = []
    for group, test in tests.items():
        r = test.estimate
        who, of = ("", "") if group == EVERYBODY else (f" among {group} annotators", f", {group}")
        if r is None or r.value is None:
            sentence = f"Visual and auditory SDA{who}: no correlation ({test.reason})."
        else:
            sentence = f"Visual and auditory SDA correlate{who}: r = {estimate_words(r)}, {p_words(test.p_value)}, n = {test.n}."
        findings.append(
            Finding(
                "tests_agree", _title("tests_agree") + of, sentence, "exploratory", estimate=r, test=test,
                about="" if group == EVERYBODY else group,
            )
        )  # fmt: skip
    return Section(
        "tests_agree",
        "Are two tests needed?",
        (),
        tuple(findings),
        (tables.together_table(tests, plan.alpha),),
    )


def _gate_section(found: Scored, plan: Plan) -> Section:
    threshold = float(plan.option("threshold"))
    share = gate_accuracy(found.verdicts, level=plan.level)
    counts = [f"{sum(one.cell == cell for one in found.verdicts)} {cell}" for cell in CELLS]
    finding = Finding(
        "gate",
        _title("gate"),
        f"Tests and task agree on {estimate_words(share)} of {len(found.verdicts)} annotators: {listed(counts)}.",
        "exploratory",
        estimate=share,
    )
    spread, histogram = tables.histogram(found.task)
    points, scatter = tables.gate_scatter(found.verdicts, found.found.named, threshold)
    cross = tables.cross_table(found.verdicts, found.found.group_names, threshold)
    words = (
        "Annotators of one group share most of their gold standard; the interval takes them as independent."
    )
    return Section(
        "gate",
        "Do the tests predict the task?",
        (words,),
        (finding,),
        (cross, spread, points),
        (scatter, histogram),
    )


def _annotators_section(found: Scored, plan: Plan) -> Section:
    table = tables.annotators_table(found.found, found.tests, found.task, found.gate, found.verdicts)
    words = (
        "Lag is the delay at which a trace fits the signal best; learning compares the second half of a test with the first,"
        " and on the task follows SDA over the order of stimuli."
    )
    return Section("annotators", "Annotator by annotator", (words,), (), (table,))


PROTOCOL = ProtocolAnalysis(QA, analyse, main, methods, clean)
