"""The stopping rule: what it asks for and how far collecting is."""

from __future__ import annotations

import pytest

from believable.analysis.stopping import stopping
from believable.study.declared import ExclusionRule, Stopping


def fast_one(tables):
    tables["participants"][0]["duration_ms"] = 1000
    tables["participants"][1].update(state="active", outcome=None)


@pytest.mark.parametrize(("rule", "reached"), [("complete", 9), ("after_exclusions", 8)])
def test_complete_sessions_and_those_after_exclusions(studies, rule, reached):
    made = studies.judges(10, change=fast_one)
    for n, met in ((reached, True), (reached + 1, False)):
        data, plan = studies.data_of(
            made, stopping=Stopping(rule=rule, n=n), exclusions=(ExclusionRule(rule="too_fast"),)
        )
        found = stopping(data, plan)
        assert (found.target, found.reached, found.met) == (n, reached, met)


def test_mean_experience(studies):
    made = studies.ratings(12)
    data, plan = studies.data_of(made, stopping=Stopping(rule="experience", at_least=1.5, n=12))
    assert stopping(data, plan).met
    data, plan = studies.data_of(made, stopping=Stopping(rule="experience", at_least=1.5, n=13))
    assert stopping(data, plan).met is False
    data, plan = studies.data_of(made, stopping=Stopping(rule="experience", at_least=5))
    found = stopping(data, plan)
    assert found.met is False
    assert found.words.startswith("Declared: stop at a mean experience of 5; it is ")


def test_no_rule(studies):
    data, plan = studies.data_of(studies.judges(3), stopping=None)
    assert stopping(data, plan).met is None
