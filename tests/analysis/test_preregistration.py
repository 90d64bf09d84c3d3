"""The plan as documents: both hold every hypothesis, rule, option and the hash."""

from __future__ import annotations

import copy
from itertools import pairwise

import pytest

from believable.analysis.plan import resolve
from believable.analysis.preregistration import aspredicted, detectable, osf
from believable.analysis.registered import register
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
        "equivalence shown within the margin", "interval contains 0.5", "answered a check wrongly", "0.25 of the median time",
        "Holm", "alpha = 0.05", "30 sessions after exclusions", "`resamples` = 2000", "margin 0.1", "panel (lab and online)",
        "in random order", "No data have been collected", registration.hash, "2027-02-01", "2,000 resamples",
    ):  # fmt: skip
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
