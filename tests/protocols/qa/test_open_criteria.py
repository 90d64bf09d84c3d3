"""`qa`: a criterion of a correlation is judged by its interval, and what is cut off traces is
said.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from believable.analysis.findings import Analysis
from believable.analysis.run import prepare_data, run
from believable.contracts.registries import PROTOCOLS
from believable.protocols.qa.annotated_signals import collect_annotators
from believable.protocols.qa.sections import _ends_cut
from believable.simulate import straight
from believable.study.load import load
from validation.truth.studies import ready


@cache
def simulated() -> Any:
    definition = load(PROTOCOLS["qa"].folder)
    return definition, straight.bundle(definition, 26, np.random.default_rng(4))


def analysed() -> Analysis:
    definition, bundle = simulated()
    return run(bundle, plan=definition.study.analysis.model_copy(update={"stopping": None}))


def test_h2_is_decided_by_the_whole_interval() -> None:
    (h2,) = (row for row in analysed().hypotheses if row.id == "H2")
    verdicts = []
    for finding in h2.findings:
        low, high = (
            (finding.estimate.low, finding.estimate.high) if finding.estimate else (None, None)
        )
        verdicts.append(None if low is None or high is None or low <= 0.7 < high else high <= 0.7)
        assert "the jackknife" in finding.sentence
    assert [finding.supported for finding in h2.findings] == verdicts
    assert h2.criterion == "at most 0.7, by the whole interval"


def test_what_is_cut_off_longer_traces_is_counted() -> None:
    definition, plan = ready("qa")
    signals = collect_annotators(prepare_data(simulated()[1], plan, definition.study), plan)
    assert _ends_cut(signals, 250) == []
    first, *others = signals.task
    shorter = replace(signals, task=(replace(first, bins=first.bins[:-6]), *others))
    mine = sum((trace.stimulus, trace.group) == (first.stimulus, first.group) for trace in others)
    (sentence,) = _ends_cut(shorter, 250)
    assert (
        sentence
        == f"{mine} traces of {len(signals.task)} on the task are compared up to the end of the"
        " shorter of its stimulus and group; at most 1.5 s are cut."
    )
    test, traces = next(iter(signals.tests.items()))
    late = replace(traces[0], bins=traces[0].bins[:-2])
    (sentence,) = _ends_cut(
        replace(signals, tests={**signals.tests, test: (late, *traces[1:])}), 250
    )
    assert sentence.startswith(f"1 trace of {len(traces)} on the {test} test")
    assert sentence.endswith("at most 0.5 s are cut.")
