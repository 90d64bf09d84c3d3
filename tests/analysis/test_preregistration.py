"""The plan as documents: both hold every hypothesis, rule, option and the hash."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import pairwise

import pytest

from believable.analysis.power_record import PowerRecord, SimulatedPower, read_power, write_power
from believable.analysis.preregistration import aspredicted, detectable, osf
from believable.analysis.registered import plan_hash, register
from believable.analysis.resolution import resolve
from believable.core.errors import InvalidInput
from believable.stats.power import paired_t


@pytest.fixture(params=[osf, aspredicted], ids=["osf", "aspredicted"])
def document(request, studies, tmp_path):
    tree = copy.deepcopy(studies.COMPARING)
    tree["arms"] = {"panel": ["lab", "online"]}
    tree["analysis"]["exclusions"] = [{"rule": "failed_check"}, {"rule": "too_fast", "below": 0.25}]
    definition = studies.definition_of(tree)
    plan = resolve(definition.study.analysis, definition.study)
    registration = register(plan, tmp_path, registered_on="2027-02-01T00:00:00+00:00")
    return request.param(definition, plan, registration, collected=0), plan, registration


def test_nothing_of_the_plan_is_missing(document):
    text, plan, registration = document
    for hypothesis in plan.declared.hypotheses:
        assert f"**{hypothesis.id}**" in text
        assert hypothesis.text in text
    for words in (
        "equivalence shown within the margin",
        "interval contains 0.5",
        "answered a check wrongly",
        "0.25 of the median time",
        "Holm",
        "alpha = 0.05",
        "30 sessions after exclusions",
        "Bootstrap resamples: 2000.",
        "Equivalence margin around chance, on the accuracy scale: 0.1.",
        "Between participants the panel will differ (lab and online)",
        "in an order drawn anew for each participant",
        "No data have been collected",
        registration.hash,
        "2027-02-01",
        "2,000 resamples",
    ):
        assert words in text, words


def test_headings_follow_each_other_and_hold_something(document):
    text, *_ = document
    lines = [line for line in text.splitlines() if line]
    for line, after in pairwise(lines):
        if line.startswith("### "):
            assert not after.startswith("#"), f"{line} is empty"


def test_data_that_exist_are_admitted(studies, tmp_path):
    definition = studies.definition_of(studies.COMPARING)
    plan = resolve(definition.study.analysis, definition.study)
    registration = register(plan, tmp_path, registered_on="2027-02-01")
    assert "12 real sessions had begun" in osf(definition, plan, registration, collected=12)
    assert "has not been served yet" in osf(definition, plan, registration, collected=None)


def test_the_detectable_effect_is_the_one_with_that_power():
    effect = detectable(34, 0.05)
    assert paired_t(effect, n=34).power == pytest.approx(0.8, abs=1e-6)
    assert effect == pytest.approx(0.4952, abs=1e-3)


def test_power_is_not_said_to_have_been_looked_at(studies, tmp_path):
    tree = copy.deepcopy(studies.RATING)
    definition = studies.definition_of(tree)
    plan = resolve(definition.study.analysis, definition.study)
    registration = register(plan, tmp_path, registered_on="2027-02-01")
    text = osf(definition, plan, registration, collected=0)
    assert "Power was" not in text
    assert "No computation of power is part of this plan." in text


def test_power_that_was_simulated_is_quoted_with_its_numbers_and_day(studies, tmp_path):
    definition = studies.definition_of(studies.COMPARING)
    plan = resolve(definition.study.analysis, definition.study)
    registration = register(plan, tmp_path, registered_on="2027-02-01")
    first = plan.declared.hypotheses[0].id
    points = (
        SimulatedPower(
            participants=30, what=first, met=210, judged=500, share=0.42, low=0.377, high=0.464
        ),
        SimulatedPower(
            participants=60, what=first, met=410, judged=500, share=0.82, low=0.784, high=0.851
        ),
    )
    record = PowerRecord(
        simulated_on="2027-01-15T09:00:00+00:00",
        plan=plan_hash(plan),
        studies=500,
        seed=1,
        assumed=("share of right answers 0.6",),
        points=points,
    )
    assert read_power(tmp_path) is None
    write_power(tmp_path, record)
    assert read_power(tmp_path) == record
    for document in (osf, aspredicted):
        text = document(definition, plan, registration, collected=0, powered=read_power(tmp_path))
        assert (
            "simulated on 2027-01-15, 500 times for each number of participants (30 and 60)" in text
        )
        assert "Assumed were: share of right answers 0.6." in text
        assert "30 participants 0.42 [0.38, 0.46]; 60 participants 0.82 [0.78, 0.85]." in text
    changed = osf(
        definition, plan, registration, collected=0, powered=replace(record, plan="another")
    )
    assert "for another form of this plan" in changed
    assert "0.82" not in changed
    (tmp_path / "power.json").write_text("{}")
    with pytest.raises(InvalidInput, match=r"power\.json: expected what `believable power` writes"):
        read_power(tmp_path)
