"""Findings against plan and registration: status, adjusted p, criteria."""

from __future__ import annotations

import pytest

from believable.analysis.judged import judged, supported
from believable.analysis.plan import resolve
from believable.analysis.records import Finding, Section, Table
from believable.analysis.registered import Deviation, register
from believable.stats.estimate import Estimate, undefined
from believable.stats.result import TestResult
from believable.study.declared import Hypothesis


def plan_of(studies, **fields):
    tree = {**studies.COMPARING, "analysis": {**studies.COMPARING["analysis"], **fields}}
    study = studies.definition_of(tree).study
    return resolve(study.analysis, study)


def finding(outcome, p=None, *, kind="estimate", low=0.4, high=0.6, **more):
    test = None if p is None else TestResult(1.0, p, 10, "test")
    estimate = Estimate(0.5, low, high, 0.95, 10, "mean")
    return Finding(
        outcome, outcome, "It is so.", "exploratory", estimate, test, kind=kind, about="agent", **more
    )


FOUND = (
    Section(
        "one", "One", (), (finding("accuracy", 0.03), finding("accuracy", 0.04, kind="equivalence"), finding("median_accuracy")),
        (Table("t", "T", (), (), status="exploratory"), Table("d", "D", (), ())),
    ),
    Section("two", "Two", (), (finding("uncertainty"), finding("strength"))),
)  # fmt: skip


def test_without_a_registration_everything_is_exploratory(studies):
    sections = judged(FOUND, plan_of(studies), None, ())
    assert {one.status for section in sections for one in section.findings} == {"exploratory"}


def test_registered_outcomes_are_confirmatory_unless_a_deviation_touches_them(studies, tmp_path):
    plan = plan_of(studies)
    registration = register(plan, tmp_path, registered_on="2027-01-01")
    first, second = judged(FOUND, plan, registration, ())
    assert [one.status for one in first.findings] == ["confirmatory"] * 3
    assert [one.status for one in second.findings] == ["confirmatory", "exploratory"]
    assert (first.status, first.tables[0].status, first.tables[1].status) == (
        "confirmatory",
        "confirmatory",
        "descriptive",
    )
    margin = Deviation("tests.accuracy.margin", "…", frozenset({"accuracy"}), equivalence_only=True)
    first, _ = judged(FOUND, plan, registration, (margin,))
    assert [one.status for one in first.findings] == ["confirmatory", "exploratory", "confirmatory"]
    first, second = judged(FOUND, plan, registration, (Deviation("alpha", "…"),))
    assert {one.status for one in (*first.findings, *second.findings)} == {"exploratory"}


def test_primary_tests_are_adjusted_together(studies):
    first, second = judged(FOUND, plan_of(studies), None, ())
    assert [one.p_adjusted for one in first.findings] == [pytest.approx(0.06), pytest.approx(0.06), None]
    assert "After Holm's adjustment over 2 tests: p = .060." in first.findings[0].sentence
    assert second.findings[0].p_adjusted is None
    first, _ = judged(FOUND, plan_of(studies, multiplicity="benjamini_hochberg"), None, ())
    assert first.findings[0].p_adjusted == pytest.approx(0.04)
    first, _ = judged(FOUND, plan_of(studies, multiplicity="none"), None, ())
    assert first.findings[0].p_adjusted is None
    assert first.findings[0].supported is True


def test_hypotheses_meet_their_findings(studies):
    first, _ = judged(FOUND, plan_of(studies), None, ())
    assert [(one.hypothesis, one.supported) for one in first.findings] == [
        ("H1", False),
        ("H3", False),
        ("H2", True),
    ]
    assert first.findings[2].sentence.endswith("The criterion of H2 (interval contains 0.5) is met.")


def test_an_equivalence_test_counts_only_where_it_is_claimed(studies):
    hypotheses = studies.COMPARING["analysis"]["hypotheses"][:1]
    first, _ = judged(FOUND, plan_of(studies, hypotheses=hypotheses), None, ())
    assert [one.p_adjusted for one in first.findings] == [None, None, None], (
        "one test is left, so nothing to adjust"
    )


@pytest.mark.parametrize(
    ("criterion", "value", "verdict"),
    [("contains", 0.5, True), ("contains", 0.7, False), ("excludes", 0.7, True), ("at_least", 0.5, True),
     ("at_least", 0.6, False), ("at_most", 0.4, False)],
)  # fmt: skip
def test_criteria(criterion, value, verdict):
    hypothesis = Hypothesis(id="H", text="x", outcome="o", criterion=criterion, value=value)
    assert supported(hypothesis, finding("o"), 0.05) is verdict
    nothing = Finding("o", "o", "x", "exploratory", undefined("no data", method="m", n=0))
    assert supported(hypothesis, nothing, 0.05) is None


def test_significance_cannot_be_judged_without_a_test():
    assert supported(Hypothesis(id="H", text="x", outcome="o"), finding("o"), 0.05) is None


def test_equivalence_is_claimed_only_after_the_adjustment(studies):
    (first, _) = judged(FOUND, plan_of(studies), None, ())
    sentence = first.findings[1].sentence
    assert first.findings[1].test.p_value < 0.05 < first.findings[1].p_adjusted
    assert "Equivalence is not shown." in sentence
    assert "Equivalence is shown" not in sentence
    (first, _) = judged(FOUND, plan_of(studies, multiplicity="none"), None, ())
    assert "Equivalence is shown." in first.findings[1].sentence
