"""Findings against plan and registration: status, adjusted p, criteria."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from believable.analysis.findings import Column, Finding, Section, Table
from believable.analysis.registered import Deviation, canonical, register
from believable.analysis.resolution import resolve
from believable.analysis.verdicts import (
    HELD_BACK,
    StoppingState,
    is_supported,
    judge_findings,
    restraint_of,
    stopping,
)
from believable.contracts.registries import PROTOCOLS
from believable.stats.estimate import Estimate, undefined
from believable.stats.result import TestResult
from believable.study.declaration import ExclusionRule, Hypothesis, Stopping
from believable.study.load import load


def plan_of(studies, **fields):
    tree = {**studies.COMPARING, "analysis": {**studies.COMPARING["analysis"], **fields}}
    study = studies.definition_of(tree).study
    return resolve(study.analysis, study)


def finding(outcome, p=None, *, kind="estimate", low=0.4, high=0.6, **more):
    test = (
        None if p is None else TestResult(statistic=1.0, p_value=p, n=10, method="test", symbol="t")
    )
    estimate = Estimate(value=0.5, low=low, high=high, level=0.95, n=10, method="mean")
    return Finding(
        outcome=outcome,
        title=outcome,
        sentence="It is so.",
        estimate=estimate,
        test=test,
        kind=kind,
        about="agent",
        **more,
    )


FOUND = (
    Section(
        name="one",
        title="One",
        paragraphs=(),
        findings=(
            finding("accuracy", 0.03),
            finding("accuracy", 0.04, kind="equivalence"),
            finding("median_accuracy"),
        ),
        tables=(
            Table(name="t", title="T", columns=(), rows=(), status="exploratory"),
            Table(name="d", title="D", columns=(), rows=()),
        ),
    ),
    Section(
        name="two",
        title="Two",
        paragraphs=(),
        findings=(finding("uncertainty"), finding("strength")),
    ),
)


def test_without_a_registration_everything_is_exploratory(studies):
    sections = judge_findings(FOUND, plan_of(studies), None, ()).sections
    assert {one.status for section in sections for one in section.findings} == {"exploratory"}


def test_registered_outcomes_are_confirmatory_unless_a_deviation_touches_them(studies, tmp_path):
    plan = plan_of(studies)
    registration = register(plan, tmp_path, registered_on="2027-01-01")
    first, second = judge_findings(FOUND, plan, registration, ()).sections
    assert [one.status for one in first.findings] == ["confirmatory"] * 3
    assert [one.status for one in second.findings] == ["confirmatory", "exploratory"]
    assert (first.status, first.tables[0].status, first.tables[1].status) == (
        "confirmatory",
        "confirmatory",
        "descriptive",
    )
    margin = Deviation("tests.accuracy.margin", "…", frozenset({"accuracy"}), equivalence_only=True)
    first, _ = judge_findings(FOUND, plan, registration, (margin,)).sections
    assert [one.status for one in first.findings] == ["confirmatory", "exploratory", "confirmatory"]
    first, second = judge_findings(FOUND, plan, registration, (Deviation("alpha", "…"),)).sections
    assert {one.status for one in (*first.findings, *second.findings)} == {"exploratory"}


def test_primary_tests_are_adjusted_together(studies):
    first, second = judge_findings(FOUND, plan_of(studies), None, ()).sections
    assert [one.p_adjusted for one in first.findings] == [
        pytest.approx(0.06),
        pytest.approx(0.06),
        None,
    ]
    assert (
        "; after Holm's adjustment over 2 tests p = .060: not significant at 0.05."
        in first.findings[0].sentence
    )
    assert second.findings[0].p_adjusted is None
    first, _ = judge_findings(
        FOUND, plan_of(studies, multiplicity="benjamini_hochberg"), None, ()
    ).sections
    assert first.findings[0].p_adjusted == pytest.approx(0.04)
    first, _ = judge_findings(FOUND, plan_of(studies, multiplicity="none"), None, ()).sections
    assert first.findings[0].p_adjusted is None
    assert first.findings[0].supported is True


def test_hypotheses_meet_their_findings(studies):
    first, _ = judge_findings(FOUND, plan_of(studies), None, ()).sections
    assert [(one.hypothesis, one.supported) for one in first.findings] == [
        ("H1", False),
        ("H3", False),
        ("H2", True),
    ]
    rows = judge_findings(FOUND, plan_of(studies), None, ()).hypotheses
    assert [(row.id, row.verdict) for row in rows] == [
        ("H1", "not met: p below alpha"),
        ("H2", "met: interval contains 0.5"),
        ("H3", "not met: equivalence shown within the margin"),
    ]


def test_before_the_stopping_rule_is_met_nothing_is_judged_and_no_test_of_people_shown(studies):
    state = StoppingState("Declared: stop at 30 sessions; there are 2.", 30, 2, False)
    simulated = judge_findings(
        FOUND, plan_of(studies), None, (), restraint_of(state, simulated=True)
    )
    assert all(
        finding.supported is None for section in simulated.sections for finding in section.findings
    )
    assert {row.verdict for row in simulated.hypotheses} == {
        "not judged: the stopping rule is not met"
    }
    sentences = " ".join(
        finding.sentence for section in simulated.sections for finding in section.findings
    )
    assert "p = .0" not in sentences, "a p value judges in the eyes of its reader"
    assert "significant" not in sentences
    assert "equivalence is" not in sentences
    people = judge_findings(FOUND, plan_of(studies), None, (), restraint_of(state, simulated=False))
    assert all(finding.test is None for section in people.sections for finding in section.findings)
    assert "p = " not in " ".join(
        finding.sentence for section in people.sections for finding in section.findings
    )
    explored = Section(
        name="three", title="Three", paragraphs=(), findings=(finding("strength", 0.02),)
    )
    for simulated_, ended in ((True, False), (False, True)):
        restraint = restraint_of(state, simulated=simulated_, ended=ended)
        later = judge_findings([*FOUND, explored], plan_of(studies), None, (), restraint)
        shown = [
            one.outcome
            for section in later.sections
            for one in section.findings
            if one.test is not None
        ]
        assert shown == ["strength"], "no hypothesis speaks of it"
        assert "p = .020" in later.sections[2].findings[0].sentence
        assert {row.supported for row in later.hypotheses} == {None}
        assert all(
            one.test is None and one.p_adjusted is None
            for row in later.hypotheses
            for one in row.findings
        )


def test_columns_of_tests_and_verdicts_are_held_back(studies):
    columns = (
        Column(name="p", title="p", form="p"),
        Column(name="t", title="t", form="number"),
        Column(name="verdict", title="Verdict", claims=True),
    )
    section = Section(
        name="s",
        title="S",
        tables=(
            Table(
                name="x",
                title="X",
                columns=columns,
                rows=((0.01, 3.0, "passes"),),
                marked=frozenset({(0, "p")}),
            ),
        ),
    )
    state = StoppingState("Declared: stop at 30 sessions; there are 2.", 30, 2, False)
    for simulated, row in ((True, (0.01, 3.0, None)), (False, (None, None, None))):
        restraint = restraint_of(state, simulated=simulated)
        table = (
            judge_findings([section], plan_of(studies), None, (), restraint).sections[0].tables[0]
        )
        assert table.rows == (row,)
        assert table.undefined[0, "verdict"] == HELD_BACK
        assert bool(table.marked) == simulated


def test_tables_next_to_a_hypothesis_that_is_not_judged_show_no_p(studies):
    columns = (
        Column(name="p", title="p", form="p"),
        Column(name="statistic", title="Statistic", form="number"),
        Column(name="mean", title="Mean", form="number"),
    )
    table = Table(
        name="x", title="X", columns=columns, rows=((0.01, 3.0, 0.7),), marked=frozenset({(0, "p")})
    )
    state = StoppingState("Declared: stop at 30 sessions; there are 2.", 30, 2, False)
    sections = [
        Section(name="s", title="S", findings=(finding("accuracy", 0.03),), tables=(table,)),
        Section(name="o", title="O", tables=(table,)),
    ]
    first, other = judge_findings(
        sections, plan_of(studies), None, (), restraint_of(state, simulated=True)
    ).sections
    assert first.tables[0].rows == ((None, None, 0.7),)
    assert not first.tables[0].marked
    assert other.tables[0].rows == table.rows


def test_what_a_published_rule_says_waits_for_the_stopping_rule(studies):
    verdict = Finding(
        outcome="median_accuracy",
        title="m",
        sentence="The median is .5.",
        conclusion="The agent passes.",
    )
    section = Section(name="s", title="S", findings=(verdict,))
    state = StoppingState("Declared: stop at 30 sessions; there are 2.", 30, 2, False)
    early = judge_findings(
        [section], plan_of(studies), None, (), restraint_of(state, simulated=True)
    )
    assert early.sections[0].findings[0].sentence == "The median is .5."
    assert (
        judge_findings([section], plan_of(studies), None, ())
        .sections[0]
        .findings[0]
        .sentence.endswith("The agent passes.")
    )


def test_an_equivalence_test_counts_only_where_it_is_claimed(studies):
    hypotheses = studies.COMPARING["analysis"]["hypotheses"][:1]
    first, _ = judge_findings(FOUND, plan_of(studies, hypotheses=hypotheses), None, ()).sections
    assert [one.p_adjusted for one in first.findings] == [None, None, None], (
        "one test is left, so nothing to adjust"
    )


@pytest.mark.parametrize(
    ("criterion", "value", "verdict"),
    [
        ("contains", 0.5, True),
        ("contains", 0.7, False),
        ("excludes", 0.7, True),
        ("at_least", 0.4, True),
        ("at_least", 0.5, None),
        ("at_least", 0.61, False),
        ("at_most", 0.6, True),
        ("at_most", 0.5, None),
        ("at_most", 0.39, False),
    ],
)
def test_criteria(studies, criterion, value, verdict):
    hypothesis = Hypothesis(id="H", text="x", outcome="o", criterion=criterion, value=value)
    assert is_supported(hypothesis, finding("o"), plan_of(studies)) is verdict
    nothing = Finding(
        outcome="o", title="o", sentence="x", estimate=undefined("no data", method="m", n=0)
    )
    assert is_supported(hypothesis, nothing, plan_of(studies)) is None


@pytest.mark.parametrize("criterion", ["contains", "excludes", "at_least", "at_most"])
def test_an_interval_without_width_decides_nothing(studies, criterion):
    hypothesis = Hypothesis(id="H", text="x", outcome="o", criterion=criterion, value=0.5)
    assert is_supported(hypothesis, finding("o", low=0.5, high=0.5), plan_of(studies)) is None


def test_a_point_criterion_is_open_if_the_interval_contains_its_value(studies):
    """r = .73 with [-.19, .97] and the criterion "at most .7": neither met nor missed."""
    claim = {"id": "H", "text": "x", "outcome": "uncertainty", "criterion": "at_most", "value": 0.7}
    estimate = Estimate(value=0.73, low=-0.19, high=0.97, level=0.95, n=26, method="r")
    found = Section(
        name="s",
        title="S",
        findings=(
            Finding(outcome="uncertainty", title="r", sentence="It is so.", estimate=estimate),
        ),
    )
    (row,) = judge_findings([found], plan_of(studies, hypotheses=[claim]), None, ()).hypotheses
    assert row.supported is None
    assert row.criterion == "at most 0.7, by the whole interval"
    words = row.verdict.replace("\N{NARROW NO-BREAK SPACE}", " ").replace("\N{NO-BREAK SPACE}", " ")
    assert (
        words == "cannot be judged, because the data leave it open: its 95 % CI [−0.19, 0.97]"
        " contains 0.7"
    )
    flat = Section(
        name="s",
        title="S",
        findings=(
            Finding(
                outcome="uncertainty",
                title="r",
                sentence="It is so.",
                estimate=Estimate(value=0.5, low=0.5, high=0.5, level=0.95, n=26, method="r"),
            ),
        ),
    )
    (row,) = judge_findings([flat], plan_of(studies, hypotheses=[claim]), None, ()).hypotheses
    assert row.verdict == "cannot be judged, because its interval has no width"


def test_significance_cannot_be_judged_without_a_test(studies):
    assert (
        is_supported(Hypothesis(id="H", text="x", outcome="o"), finding("o"), plan_of(studies))
        is None
    )


def protocol_plan(protocol):
    study = load(PROTOCOLS[protocol].folder).study
    return resolve(study.analysis, study)


@pytest.mark.parametrize(("r", "needed"), [(0.3, True), (0.82, False)])
def test_two_tests_of_annotators_are_needed_unless_one_stands_for_the_other(r, needed):
    """As in the paper: scores that agree speak against the hypothesis, not for it."""
    plan = protocol_plan("qa")
    (hypothesis,) = (one for one in plan.declared.hypotheses if one.outcome == "tests_agree")
    agreement = Finding(
        outcome="tests_agree",
        title="r",
        sentence="x",
        estimate=Estimate(value=r, low=r - 0.02, high=r + 0.02, level=0.95, n=40, method="Pearson"),
    )
    assert is_supported(hypothesis, agreement, plan) is needed


@pytest.mark.parametrize(
    ("protocol", "name"), [("replay", "H1"), ("replay", "H2"), ("qa", "H1"), ("trace", "H1")]
)
def test_a_directional_hypothesis_is_not_met_by_an_effect_on_the_other_side(protocol, name):
    """The test looks at both sides; "more believable" is not shown by ratings that are
    significantly lower.
    """
    plan = protocol_plan(protocol)
    (hypothesis,) = (one for one in plan.declared.hypotheses if one.id == name)
    assert hypothesis.direction == "two_sided"
    as_said = 1 if hypothesis.expects == "greater" else -1
    for side, p, verdict in (
        (as_said, 0.001, True),
        (-as_said, 0.001, False),
        (as_said, 0.5, False),
    ):
        test = TestResult(statistic=3.0 * side, p_value=p, n=30, method="test", symbol="t")
        estimate = Estimate(
            value=0.5 * side,
            low=0.5 * side - 0.1,
            high=0.5 * side + 0.1,
            level=0.95,
            n=30,
            method="difference",
        )
        result = Finding(
            outcome=hypothesis.outcome,
            title="x",
            sentence="It is so.",
            estimate=estimate,
            test=test,
        )
        row, *_ = (
            row
            for row in judge_findings(
                [Section(name="s", title="S", findings=(result,))], plan, None, ()
            ).hypotheses
            if row.id == hypothesis.id
        )
        assert row.supported is verdict
    assert row.criterion.startswith("p below alpha and an estimate ")


def test_hypotheses_that_say_more_or_fewer_declare_a_side():
    """Every hypothesis of a shipped study whose words have a side has it in its criterion, too."""
    for protocol in ("trace", "replay", "clips", "hntt", "qa"):
        for hypothesis in protocol_plan(protocol).declared.hypotheses:
            if re.search(r"\b(more|fewer|less|higher|lower|better)\b", hypothesis.text):
                assert hypothesis.expects or hypothesis.direction != "two_sided", hypothesis.text


def test_a_plan_registered_before_sides_could_be_expected_keeps_its_hash(studies):
    assert "expects" not in canonical(plan_of(studies))
    assert '"expects": "greater"' in canonical(protocol_plan("qa"))


def test_equivalence_is_claimed_only_after_the_adjustment(studies):
    first, _ = judge_findings(FOUND, plan_of(studies), None, ()).sections
    sentence = first.findings[1].sentence
    assert first.findings[1].test.p_value < 0.05 < first.findings[1].p_adjusted
    assert sentence.endswith("equivalence is not shown.")
    first, _ = judge_findings(FOUND, plan_of(studies, multiplicity="none"), None, ()).sections
    assert first.findings[1].sentence.endswith("equivalence is shown.")


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


def test_what_is_held_back_leaves_no_p_value_in_any_record(studies):
    """Records are written to files as well: a p value there would be read there."""
    measured = Estimate(
        value=0.5,
        low=0.4,
        high=0.6,
        level=0.95,
        n=10,
        method="mean",
        statistic=2.0,
        df=(9.0,),
        p_value=0.04,
    )
    test = replace(
        TestResult(statistic=2.0, p_value=0.04, n=10, method="test", symbol="t"), effect=measured
    )
    one = replace(finding("accuracy"), estimate=measured, test=test)
    restraint = restraint_of(StoppingState("Declared.", 10, 3, False), simulated=False)
    (section,) = judge_findings(
        (Section(name="s", title="S", paragraphs=(), findings=(one,)),),
        plan_of(studies),
        None,
        (),
        restraint,
    ).sections
    (held,) = section.findings
    for record in (held.estimate, held.test.effect):
        assert (record.value, record.statistic, record.df, record.p_value) == (0.5, None, (), None)
    assert (held.test.p_value, held.p_adjusted) == (None, None)


def test_outcomes_without_a_rank_are_no_part_of_the_family(studies):
    plan = plan_of(studies, hypotheses=[], multiplicity="holm", outcomes={"primary": ["accuracy"]})
    rows = tuple(finding(outcome, 0.03) for outcome in ("accuracy", "accuracy", "strength"))
    (section,) = judge_findings(
        (Section(name="s", title="S", paragraphs=(), findings=rows),), plan, None, ()
    ).sections
    assert plan.rank("strength") is None
    assert [one.p_adjusted for one in section.findings] == [
        pytest.approx(0.06),
        pytest.approx(0.06),
        None,
    ]
