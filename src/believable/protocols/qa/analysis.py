"""The analysis of `qa`: main outcomes and sections."""

from __future__ import annotations

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Section
from believable.analysis.numbers import counted
from believable.analysis.procedure import Verb
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.settled_plan import Plan
from believable.protocols.qa import DECLARATION
from believable.protocols.qa.annotated_signals import (
    TESTS,
    collect_annotators,
    repeated_recordings,
    task_traces,
)
from believable.protocols.qa.annotator_scores import gate_accuracy
from believable.protocols.qa.annotator_scoring import comparisons, score_annotators, together
from believable.protocols.qa.sections import (
    LAYOUTS,
    annotators_section,
    gate_section,
    groups_section,
    reliability_section,
    together_section,
)
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """`visual`, `auditory`, `task`: groups compared; `…:group`: the mean SDA of a group;
    `tests_agree:group`; `gate`.
    """
    scoring = score_annotators(data, plan, rng, full=False)
    outcomes: dict[str, Estimate | TestResult] = {}
    for what in scoring.parts:
        for group in scoring.collected.group_names:
            outcomes[f"{what}:{group}"] = scoring.mean(what, group, plan.level)
    outcomes |= comparisons(scoring, plan)
    outcomes |= {f"tests_agree:{group}": test for group, test in together(scoring, plan).items()}
    outcomes["gate"] = gate_accuracy(scoring.verdicts, level=plan.level)
    return outcomes


def clean(data: Data, plan: Plan) -> Data:
    """Earlier recordings of people who recorded a test again are on record as left out."""
    return data.with_drops(repeated_recordings(data, plan))


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    scoring = score_annotators(data, plan, rng)
    sections = [reliability_section(data, scoring, plan)]
    if len(scoring.collected.group_names) > 1:
        sections.append(groups_section(scoring, plan))
    if set(TESTS) <= set(scoring.tests):
        sections.append(together_section(scoring, plan))
    if scoring.verdicts:
        sections.append(gate_section(scoring, plan))
    sections.append(annotators_section(scoring, plan))
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
    tests = collect_annotators(data, plan).tests
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
    count = len(repeated_recordings(data, plan))
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


ANALYSIS = ProtocolAnalysis(
    declaration=DECLARATION,
    analyse=analyse,
    main=main,
    methods=methods,
    clean=clean,
    warnings=warnings,
)
