"""Findings against the plan and its registration: confirmatory or exploratory, adjusted, hypothesis
by hypothesis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from believable.analysis.data import Data
from believable.analysis.evidence_section import follow, state_sentence
from believable.analysis.exclusions import ALWAYS
from believable.analysis.findings import Finding, JudgedHypothesis, Section, Status, Table
from believable.analysis.numbers import (
    counted,
    integer,
    interval_words,
    listed,
    number,
    p_equals,
    statistic_words,
)
from believable.analysis.registered import Deviation, Registration
from believable.analysis.settled_plan import Plan, criterion_words
from believable.stats.result import benjamini_hochberg, holm, no_result
from believable.study.declaration import Hypothesis

_RULES = {"holm": holm, "benjamini_hochberg": benjamini_hochberg}
_NAMES = {"holm": "Holm's adjustment", "benjamini_hochberg": "the Benjamini–Hochberg adjustment"}

#: Headings of columns that hold the statistic of a test.
_STATISTICS = frozenset(("t", "z", "z or t", "t or z", "z or k", "F", "U", "W", "χ²", "Statistic"))
#: Why a cell is empty while data are being collected.
HELD_BACK = "held back until the stopping rule is met"
#: The mean experience that ends collecting where the rule names none: the middle of a five-point
#: scale.
MEAN_EXPERIENCE = 3.0


@dataclass(frozen=True, slots=True)
class StoppingState:
    """`target` and `reached` count sessions, or are the mean experience. `met` is None without a
    rule.
    """

    words: str
    target: float | None
    reached: float | None
    met: bool | None


def stopping(data: Data, plan: Plan) -> StoppingState:
    """The progress of data collection."""
    rule = plan.declared.stopping
    if rule is None:
        return StoppingState("No stopping rule was declared.", None, None, None)
    if rule.rule == "sequential":
        found = follow(data)
        met = None if found is None else found.reached_at is not None
        return StoppingState(state_sentence(found), None, None, met)
    if rule.rule == "experience":
        return _by_experience(data, rule.at_least or MEAN_EXPERIENCE, rule.n or 0)
    reached = len(data) if rule.rule == "after_exclusions" else _complete(data)
    target = rule.n or 0
    kind = "sessions after exclusions" if rule.rule == "after_exclusions" else "complete sessions"
    words = f"Declared: stop at {integer(target)} {kind}; there are {integer(reached)}."
    return StoppingState(words, target, reached, reached >= target)


def _complete(data: Data) -> int:
    """Complete sessions, whatever the plan's own rules leave out afterwards."""
    later = {
        drop.session
        for drop in data.drops
        if drop.level == "session" and drop.reason not in (*ALWAYS, "simulated")
    }
    return len(data) + len(later - {""})


def _by_experience(data: Data, target: float, least: int) -> StoppingState:
    if not data.plan.roles.get("experience"):
        return StoppingState(
            "Declared: stop at a mean experience, but nobody was asked for it.", target, None, None
        )
    experience = data.number_by_session("experience")
    known = experience[~np.isnan(experience)]
    also = f" from at least {counted(least, 'respondent')}" if least else ""
    if not len(known):
        return StoppingState(
            f"Declared: stop at a mean experience of {target:g}{also}; there is no answer yet.",
            target,
            None,
            False,
        )
    mean = float(known.mean())
    met = mean >= target and len(data) >= least
    now = f"it is {number(mean)} with {counted(len(known), 'respondent')}"
    words = f"Declared: stop at a mean experience of {target:g}{also}; {now}."
    return StoppingState(words, target, mean, met)


@dataclass(frozen=True, slots=True)
class Restraint:
    """What must not be said yet: why hypotheses are not judged (`why` in a few words), and why
    tests are not shown. Empty if they may be shown.
    """

    verdicts: str = ""
    tests: str = ""
    why: str = "the stopping rule is not met"

    @property
    def words(self) -> str:
        """For a reader who looks for them."""
        return " ".join(part for part in (self.verdicts, self.tests) if part)


#: Nothing is held back: for simulated studies that ask how often a criterion is met.
UNRESTRAINED = Restraint()


def restraint_of(state: StoppingState, *, simulated: bool, ended: bool = False) -> Restraint:
    """Before the stopping rule is met no hypothesis is judged, and the tests of hypotheses are not
    shown. Of people's data no test is shown, since looking at tests on the way makes every later p
    too small. `ended`: collecting has ended without meeting the rule, so that tests are shown that
    no hypothesis speaks of.
    """
    if state.met is not False:
        return UNRESTRAINED
    verdicts = f"No hypothesis is judged, because the stopping rule is not met. {state.words}"
    if simulated or ended:
        return Restraint(f"{verdicts} The tests of hypotheses are not shown.")
    return Restraint(
        verdicts,
        "Tests and p values are shown when it is met, or when collecting is declared ended.",
    )


@dataclass(frozen=True, slots=True)
class JudgedFindings:
    """The sections with every finding marked, and every declared hypothesis with what became of
    it.
    """

    sections: tuple[Section, ...]
    hypotheses: tuple[JudgedHypothesis, ...]


def judge_findings(
    sections: Sequence[Section],
    plan: Plan,
    registered: Registration | None,
    deviations: Sequence[Deviation],
    restraint: Restraint = UNRESTRAINED,
    missing: str = "",
) -> JudgedFindings:
    """Every finding marked, adjusted and worded, and every hypothesis compared with the findings it
    speaks of.

    missing   why data may give no result at all, such as a condition that no participant saw
    """
    findings = [finding for section in sections for finding in section.findings]
    adjusted = _adjust(findings, plan)
    done = iter(
        _add_texts(
            replace(
                finding,
                status=_status(finding, registered, deviations),
                rank=plan.rank(finding.outcome),
                p_adjusted=adjusted.get(place),
            ),
            plan,
            restraint,
            family=len(adjusted),
        )
        for place, finding in enumerate(findings)
    )
    marked = []
    for section in sections:
        own = tuple(next(done) for _ in section.findings)
        status = _section_status(section, own)
        tables = tuple(
            table if table.status == "descriptive" else replace(table, status=status)
            for table in section.tables
        )
        untested = bool(
            restraint.tests or (restraint.verdicts and any(finding.hypothesis for finding in own))
        )
        tables = tuple(_restrain(table, restraint, untested=untested) for table in tables)
        marked.append(replace(section, findings=own, status=status, tables=tables))
    results = [finding for section in marked for finding in section.findings]
    hypotheses = [
        _judge(
            hypothesis,
            results=results,
            plan=plan,
            registered=registered,
            deviations=deviations,
            restraint=restraint,
            missing=missing,
        )
        for hypothesis in plan.declared.hypotheses
    ]
    ranked = sorted(hypotheses, key=lambda hypothesis: hypothesis.rank != "primary")
    return JudgedFindings(tuple(marked), tuple(ranked))


def _judge(
    hypothesis: Hypothesis,
    results: Sequence[Finding],
    plan: Plan,
    registered: Registration | None,
    deviations: Sequence[Deviation],
    restraint: Restraint,
    missing: str,
) -> JudgedHypothesis:
    outcome = plan.declaration.outcome(hypothesis.outcome)
    own = tuple(
        finding for finding in results if hypothesis.id in (finding.hypothesis or "").split(", ")
    )
    criterion = criterion_words(hypothesis)
    # The minus sign of a contrast, so that both names are read as names.
    about = f" ({hypothesis.about.replace('-', ' − ')})" if hypothesis.about else ""
    verdicts = [is_supported(hypothesis, finding, plan) for finding in own]
    verdict = None if restraint.verdicts or not own or None in verdicts else all(verdicts)
    if restraint.verdicts and own:
        words = f"not judged: {restraint.why}"
    elif verdict is None:
        nothing = f"there is no result on {outcome.title.lower()}{about}"
        words = f"cannot be judged, because {_why_not(hypothesis, own, missing) or nothing}"
    else:
        words = f"{'met' if verdict else 'not met'}{for_scope(own)}: {criterion}"
    blank = Finding(outcome=hypothesis.outcome, title=outcome.title, sentence="")
    return JudgedHypothesis(
        id=hypothesis.id,
        text=hypothesis.text,
        title=f"{outcome.title}{about}",
        unit=(
            outcome.part_unit
            if outcome.part_unit and hypothesis.about and "-" not in hypothesis.about
            else outcome.unit
        ),
        rank=plan.rank(hypothesis.outcome) or "primary",
        status=own[0].status if own else _status(blank, registered, deviations),
        criterion=criterion,
        findings=own,
        supported=verdict,
        verdict=words,
    )


def for_scope(findings: Sequence[Finding]) -> str:
    """` for these six clips`, if verdicts on these findings are limited to them."""
    scopes = dict.fromkeys(finding.scope for finding in findings if finding.scope)
    return f" for {listed(list(scopes))}" if scopes else ""


def _why_not(hypothesis: Hypothesis, findings: Sequence[Finding], missing: str) -> str:
    """Why a criterion cannot be compared with results: they are undefined, or there are none."""
    for finding in findings:
        by_test = hypothesis.criterion in ("significant", "equivalent")
        record = finding.test if by_test else finding.estimate
        if record is not None and record.reason:
            return record.reason
        if (
            not by_test
            and finding.estimate is not None
            and finding.estimate.low == finding.estimate.high
        ):
            return "its interval has no width"
        if hypothesis.criterion in ("at_least", "at_most") and finding.estimate is not None:
            return (
                f"the data leave it open: its {interval_words(finding.estimate)} contains"
                f" {hypothesis.value:g}"
            )
    return missing


def _restrain(table: Table, restraint: Restraint, *, untested: bool) -> Table:
    """A table whose verdicts, statistics, p values and marks of significance are held back as far
    as they must. `untested`: tests are not shown.
    """
    hidden = [
        place
        for place, column in enumerate(table.columns)
        if (restraint.verdicts and column.claims)
        or (
            untested
            and (column.form == "p" or (column.form == "number" and column.title in _STATISTICS))
        )
    ]
    if not hidden:
        return table
    rows = tuple(
        tuple(None if place in hidden else cell for place, cell in enumerate(row))
        for row in table.rows
    )
    undefined = dict(table.undefined) | {
        (row, table.columns[place].name): HELD_BACK for row in range(len(rows)) for place in hidden
    }
    return replace(
        table, rows=rows, undefined=undefined, marked=frozenset() if untested else table.marked
    )


def _status(
    finding: Finding, registered: Registration | None, deviations: Sequence[Deviation]
) -> Status:
    if finding.status == "descriptive":
        return "descriptive"
    if registered is None or finding.outcome not in registered.outcomes:
        return "exploratory"
    equivalence = finding.kind == "equivalence"
    touched = any(
        deviation.touches(finding.outcome, equivalence=equivalence) for deviation in deviations
    )
    return "exploratory" if touched else "confirmatory"


def _section_status(section: Section, findings: Sequence[Finding]) -> Status:
    statuses = {finding.status for finding in findings}
    if "confirmatory" in statuses:
        return "confirmatory"
    return "exploratory" if "exploratory" in statuses else section.status


def _family(finding: Finding, plan: Plan) -> bool:
    """Whether a finding's p is one of the tests that the study is about. An equivalence test counts
    as one only if it is claimed.
    """
    if (
        finding.test is None
        or finding.test.p_value is None
        or plan.rank(finding.outcome) != "primary"
    ):
        return False
    claimed = plan.hypotheses(finding.outcome, finding.about)
    if finding.kind == "equivalence":
        return any(hypothesis.criterion == "equivalent" for hypothesis in claimed)
    on_outcome = [
        hypothesis
        for hypothesis in plan.declared.hypotheses
        if hypothesis.outcome == finding.outcome
    ]
    return not on_outcome or any(hypothesis.criterion == "significant" for hypothesis in claimed)


def _adjust(findings: Sequence[Finding], plan: Plan) -> dict[int, float | None]:
    """The adjusted p by place of the finding; empty without a rule or with a single test."""
    places = [place for place, finding in enumerate(findings) if _family(finding, plan)]
    rule = _RULES.get(plan.declared.multiplicity)
    if rule is None or len(places) < 2:
        return {}
    tests = [findings[place].test for place in places]
    p_values = rule([None if test is None else test.p_value for test in tests])
    return dict(zip(places, p_values, strict=True))


def _add_texts(finding: Finding, plan: Plan, restraint: Restraint, *, family: int) -> Finding:
    """The finding with its test, conclusion and hypotheses, as far as they may be said."""
    sentences = [finding.sentence]
    claims = [
        hypothesis
        for hypothesis in plan.hypotheses(finding.outcome, finding.about)
        if (hypothesis.criterion == "equivalent") == (finding.kind == "equivalence")
        and finding.status != "descriptive"
    ]
    # A p value judges a hypothesis in the eyes of its reader, whatever is said next to it.
    untested = bool(restraint.tests or (restraint.verdicts and claims))
    if finding.test is not None and not untested:
        sentences.append(_test_sentence(finding, plan, family, judging=not restraint.verdicts))
    if finding.conclusion and not restraint.verdicts:
        sentences.append(
            f"For {finding.scope}: {finding.conclusion}" if finding.scope else finding.conclusion
        )
    verdicts = [is_supported(claim, finding, plan) for claim in claims]
    silent = restraint.verdicts or not claims or None in verdicts
    worded = replace(
        finding,
        sentence=" ".join(sentences),
        hypothesis=", ".join(claim.id for claim in claims) or None,
        supported=None if silent else all(verdicts),
    )
    return _remove_test(worded) if untested else worded


def _remove_test(finding: Finding) -> Finding:
    """Without the test; an effect size is no test, so that its record stays."""
    estimate, test = finding.estimate, finding.test
    if estimate is not None:
        estimate = replace(estimate, statistic=None, df=(), p_value=None)
    if test is not None and test.effect is not None:
        effect = replace(test.effect, statistic=None, df=(), p_value=None)
        test = no_result(
            HELD_BACK,
            method=test.method,
            n=test.n,
            alternative=test.alternative,
            estimate=estimate,
            effect=effect,
        )
    else:
        test = None
    return replace(finding, estimate=estimate, test=test, p_adjusted=None)


def _test_sentence(finding: Finding, plan: Plan, family: int, *, judging: bool) -> str:
    """The test as a sentence, and its conclusion."""
    test = finding.test
    if test is None or test.p_value is None:
        reason = "" if test is None else test.reason
        what = (
            "Equivalence could not be tested"
            if finding.kind == "equivalence"
            else "There is no test"
        )
        return f"{what}{for_scope([finding])} ({reason})."
    adjusted = ""
    if finding.p_adjusted is not None:
        adjusted = (
            f"; after {_NAMES[plan.declared.multiplicity]} over {family} tests"
            f" {p_equals(finding.p_adjusted)}"
        )
    words = f"Test{for_scope([finding])}: {statistic_words(test)} ({test.method}){adjusted}"
    if not judging:
        return f"{words}."
    shown = (_decisive_p(finding) or 0.0) < plan.alpha
    if finding.kind == "equivalence":
        return f"{words}: equivalence is {'' if shown else 'not '}shown."
    meaning = (
        finding.direction.meaning(finding.estimate)
        if finding.direction is not None and shown
        else ""
    )
    return (
        f"{words}: {'' if shown else 'not '}significant at"
        f" {plan.alpha:g}{': ' + meaning if meaning else ''}."
    )


def is_supported(hypothesis: Hypothesis, finding: Finding, plan: Plan) -> bool | None:
    """Whether the declared criterion is met; None if it cannot be judged. An interval decides: one
    that has no width decides nothing, and one that contains the value of `at_least` or `at_most`
    leaves it open.
    """
    estimate, value = finding.estimate, hypothesis.value
    if hypothesis.criterion in ("significant", "equivalent"):
        p = _decisive_p(finding)
        return None if p is None else p < plan.alpha and _as_expected(hypothesis, finding, plan)
    if estimate is None or estimate.value is None or value is None:
        return None
    if estimate.low is None or estimate.high is None or estimate.low == estimate.high:
        return None
    if hypothesis.criterion in ("contains", "excludes"):
        return estimate.contains(value) == (hypothesis.criterion == "contains")
    if hypothesis.criterion == "at_least":
        return True if estimate.low >= value else False if estimate.high < value else None
    return True if estimate.high <= value else False if estimate.low > value else None


def undefined_because(hypothesis: Hypothesis, finding: Finding) -> str:
    """Why the data cannot judge the criterion; empty if they can, or if the interval leaves it
    open.
    """
    estimate, test = finding.estimate, finding.test
    if hypothesis.criterion in ("significant", "equivalent"):
        if _decisive_p(finding) is not None:
            return ""
        reasons = (
            None if test is None else test.reason,
            None if estimate is None else estimate.reason,
        )
        return next((reason for reason in reasons if reason), "there was no test")
    if estimate is None:
        return "there was no estimate"
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return estimate.reason or "there was no interval"
    return "the interval has no width" if estimate.low == estimate.high else ""


def _as_expected(hypothesis: Hypothesis, finding: Finding, plan: Plan) -> bool:
    """A test of both sides also rejects where the estimate lies on the side that the hypothesis
    does not speak of.
    """
    if hypothesis.expects is None:
        return True
    no_effect = plan.declaration.outcome(hypothesis.outcome).no_effect
    value = None if finding.estimate is None else finding.estimate.value
    if value is None or no_effect is None:
        return False
    return value > no_effect if hypothesis.expects == "greater" else value < no_effect


def _decisive_p(finding: Finding) -> float | None:
    if finding.p_adjusted is not None:
        return finding.p_adjusted
    return None if finding.test is None else finding.test.p_value
