"""A sequential study in its report: the same answers as while it ran, the path, the second line, and
hypotheses that the evidence judges.
"""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.analysis.evidence_section import NOT_FIXED, follow
from believable.analysis.preregistration import osf
from believable.analysis.registered import deviations, plan_hash, register, tree_of
from believable.analysis.resolution import resolve
from believable.analysis.run import prepare_data, run
from believable.bundle.read import Bundle
from believable.contracts.protocol import Protocol
from believable.core.clock import VirtualClock
from believable.protocols.hntt import HNTT
from believable.protocols.ladder import LADDER
from believable.simulate import straight
from believable.simulate.own_people import simulated_protocol
from believable.simulate.planted_truth import plant_truth
from believable.study.definition import Definition
from believable.study.load import load

RULE = "  about: these clips\n  stopping: {rule: sequential, until: both}\n"


def sequential(folder: Path, rule: str = RULE, ready: Protocol = HNTT) -> Definition:
    ready.copy(folder)
    file = folder / "study.yaml"
    text, n = re.subn(r"  stopping: .*\n", rule, file.read_text(encoding="utf-8"))
    assert n == 1
    file.write_text(text, encoding="utf-8")
    return load(folder, clock=VirtualClock())


@pytest.fixture(scope="module")
def definition(tmp_path_factory: pytest.TempPathFactory) -> Definition:
    return sequential(tmp_path_factory.mktemp("hntt") / "study")


def simulated(definition: Definition, n: int, skill: float) -> Bundle:
    truth = plant_truth(definition, simulated_protocol(definition), {"skill": skill})
    return straight.bundle(definition, n, np.random.default_rng(1), truth=truth)


def test_the_report_says_how_it_was_decided(definition: Definition) -> None:
    analysis = run(simulated(definition, 40, skill=2.0))
    section = next(part for part in analysis.sections if part.name == "evidence")
    words = " ".join(section.paragraphs)
    assert re.search(r"Recruiting ended with judge \d+", words)
    assert "distinguishable at judge" in words
    assert "the betting form, only about these 6 clips" in words
    path = analysis.table("evidence_path")
    assert len(path.rows) == max(row[1] for row in path.rows)
    assert {chart.kind for chart in section.charts} == {"lines"}


def test_hypotheses_rest_on_the_evidence(definition: Definition) -> None:
    analysis = run(simulated(definition, 40, skill=2.0))
    by_id = {hypothesis.id: hypothesis for hypothesis in analysis.hypotheses}
    assert (by_id["H1"].supported, by_id["H3"].supported) == (True, False)
    assert (by_id["H2"].supported, by_id["H2"].verdict) == (None, NOT_FIXED)


def test_before_the_answer_nothing_is_judged(definition: Definition) -> None:
    analysis = run(simulated(definition, 4, skill=0.0))
    assert all(hypothesis.supported is None for hypothesis in analysis.hypotheses)
    assert any("the stopping rule is not met" in words for words in analysis.warnings)


def test_exclusions_are_a_second_line(definition: Definition) -> None:
    bundle = simulated(definition, 60, skill=0.9)
    assert definition.study.analysis is not None
    plan = resolve(definition.study.analysis, definition.study)
    data = prepare_data(bundle, plan, definition.study)
    found = follow(data)
    assert found is not None
    assert found.second.judges == len(data)
    assert found.state.judges > found.second.judges, "reviewed texts are excluded later"


def test_a_changed_rule_is_a_deviation(definition: Definition, tmp_path: Path) -> None:
    other = sequential(tmp_path / "other", RULE.replace("both", "difference"))
    plans: list[Any] = []
    for one in (definition, other):
        assert one.study.analysis is not None
        plans.append(resolve(one.study.analysis, one.study))
    registered = register(plans[0], tmp_path, registered_on="2026-01-01T00:00:00+00:00")
    assert deviations(registered, plans[0]) == ()
    (found,) = deviations(registered, plans[1])
    assert "stopping rule: registered" in found.words
    assert "until both" in found.words
    assert found.touches("accuracy")


def test_other_rules_keep_the_keys_that_were_registered(tmp_path: Path) -> None:
    plain = sequential(tmp_path / "plain", "  stopping: {rule: after_exclusions, n: 50}\n")
    assert plain.study.analysis is not None
    plan = resolve(plain.study.analysis, plain.study)
    stopping = tree_of(plan)["plan"]["stopping"]
    assert stopping == {"rule": "after_exclusions", "n": 50, "at_least": None}
    assert len(plan_hash(plan)) == 64


def test_the_rule_is_in_the_preregistration(definition: Definition, tmp_path: Path) -> None:
    assert definition.study.analysis is not None
    plan = resolve(definition.study.analysis, definition.study)
    registered = register(plan, tmp_path, registered_on="2026-01-01T00:00:00+00:00")
    words = osf(definition, plan, registered, collected=None)
    assert "After every complete session the evidence is weighed" in words
    assert "the betting form" in words


#: People are chosen nearly always, whichever way round a hypothesis names the two.
LEADS: tuple[tuple[str, str, float | None, bool], ...] = (
    ("standin_human-standin_agent", "at_least", 0.2, True),
    ("standin_agent-standin_human", "at_most", -0.2, True),
    ("standin_agent-standin_human", "at_least", 0.1, False),
    ("standin_human-standin_agent", "equivalent", None, False),
)


def test_leads_rest_on_the_interval_that_holds_at_all_times(tmp_path: Path) -> None:
    definition = sequential(tmp_path / "ladder", RULE, LADDER)
    claims = [
        {"id": f"L{number}", "text": "T", "outcome": "lead", "about": about, "criterion": criterion}
        | ({} if value is None else {"value": value})
        for number, (about, criterion, value, _) in enumerate(LEADS)
    ]
    strength = {"id": "S", "text": "T", "outcome": "strength", "about": LEADS[0][0]}
    tree = copy.deepcopy(dict(definition.tree))
    tree["analysis"] = tree["analysis"] | {"hypotheses": [*claims, strength]}
    changed = Definition.from_json(replace(definition, tree=tree).to_json())
    truth = plant_truth(changed, simulated_protocol(changed), {"span": 8.0})
    bundle = straight.bundle(changed, 60, np.random.default_rng(1), truth=truth)
    judged = {hypothesis.id: hypothesis for hypothesis in run(bundle).hypotheses}
    supported = [judged[f"L{number}"].supported for number in range(len(LEADS))]
    assert supported == [expected for *_, expected in LEADS]
    assert judged["S"].supported is True
    assert "the interval that holds at all times" in judged["L0"].verdict
