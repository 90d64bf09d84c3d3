"""Findings against the plan and its registration: confirmatory or exploratory, adjusted, hypothesis by hypothesis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from believable.analysis.plan import Plan
from believable.analysis.records import Finding, Section, Status
from believable.analysis.registered import Deviation, Registration
from believable.analysis.words import p_words
from believable.stats.multiplicity import benjamini_hochberg, holm
from believable.study.declared import Hypothesis

_RULES = {"holm": holm, "benjamini_hochberg": benjamini_hochberg}
_NAMES = {"holm": "Holm's adjustment", "benjamini_hochberg": "the Benjamini–Hochberg adjustment"}


def judged(
    sections: Sequence[Section], plan: Plan, registered: Registration | None, deviations: Sequence[Deviation]
) -> tuple[Section, ...]:
    """The sections with every finding marked, adjusted and compared with its hypotheses."""
    findings = [finding for section in sections for finding in section.findings]
    adjusted = _adjusted(findings, plan)
    done = iter(
        _against_hypotheses(
            replace(one, status=_status(one, registered, deviations), p_adjusted=p),
            plan,
            family=len(adjusted),
        )
        for one, p in ((one, adjusted.get(place)) for place, one in enumerate(findings))
    )
    marked = []
    for section in sections:
        own = tuple(next(done) for _ in section.findings)
        status = _section_status(section, own)
        tables = tuple(
            table if table.status == "descriptive" else replace(table, status=status)
            for table in section.tables
        )
        marked.append(replace(section, findings=own, status=status, tables=tables))
    return tuple(marked)


def _status(finding: Finding, registered: Registration | None, deviations: Sequence[Deviation]) -> Status:
    if finding.status == "descriptive":
        return "descriptive"
    if registered is None or finding.outcome not in registered.outcomes:
        return "exploratory"
    equivalence = finding.kind == "equivalence"
    touched = any(one.touches(finding.outcome, equivalence=equivalence) for one in deviations)
    return "exploratory" if touched else "confirmatory"


def _section_status(section: Section, findings: Sequence[Finding]) -> Status:
    found = {one.status for one in findings}
    if "confirmatory" in found:
        return "confirmatory"
    return "exploratory" if "exploratory" in found else section.status


def _family(finding: Finding, plan: Plan) -> bool:
    """Whether a finding's p is one of the tests that the study is about. An equivalence test is one only where it is claimed."""
    if finding.test is None or finding.test.p_value is None or plan.rank(finding.outcome) != "primary":
        return False
    claimed = plan.hypotheses(finding.outcome, finding.about)
    if finding.kind == "equivalence":
        return any(one.criterion == "equivalent" for one in claimed)
    on_outcome = [one for one in plan.declared.hypotheses if one.outcome == finding.outcome]
    return not on_outcome or any(one.criterion == "significant" for one in claimed)


def _adjusted(findings: Sequence[Finding], plan: Plan) -> dict[int, float | None]:
    """The adjusted p by place of the finding; empty without a rule or with a single test."""
    places = [place for place, one in enumerate(findings) if _family(one, plan)]
    rule = _RULES.get(plan.declared.multiplicity)
    if rule is None or len(places) < 2:
        return {}
    tests = [findings[place].test for place in places]
    p_values = rule([None if test is None else test.p_value for test in tests])
    return dict(zip(places, p_values, strict=True))


def _against_hypotheses(finding: Finding, plan: Plan, *, family: int) -> Finding:
    sentence = finding.sentence
    if finding.p_adjusted is not None:
        name = _NAMES[plan.declared.multiplicity]
        sentence = f"{sentence} After {name} over {family} tests: {p_words(finding.p_adjusted)}."
    if finding.kind == "equivalence":
        sentence = f"{sentence} {_equivalence(finding, plan.alpha)}"
    claims = [
        one
        for one in plan.hypotheses(finding.outcome, finding.about)
        if (one.criterion == "equivalent") == (finding.kind == "equivalence")
    ]
    if not claims or finding.status == "descriptive":
        return replace(finding, sentence=sentence)
    verdicts = [supported(one, finding, plan.alpha) for one in claims]
    words = " ".join(_verdict(one, verdict) for one, verdict in zip(claims, verdicts, strict=True))
    return replace(
        finding,
        sentence=f"{sentence} {words}",
        hypothesis=", ".join(one.id for one in claims),
        supported=None if None in verdicts else all(verdicts),
    )


def supported(hypothesis: Hypothesis, finding: Finding, alpha: float) -> bool | None:
    """Whether the declared criterion is met; None where it cannot be judged."""
    estimate, value = finding.estimate, hypothesis.value
    if hypothesis.criterion in ("significant", "equivalent"):
        p = _decisive_p(finding)
        return None if p is None else p < alpha
    if estimate is None or estimate.value is None or value is None:
        return None
    if hypothesis.criterion in ("contains", "excludes"):
        if estimate.low is None:
            return None
        return estimate.contains(value) == (hypothesis.criterion == "contains")
    return estimate.value >= value if hypothesis.criterion == "at_least" else estimate.value <= value


def _equivalence(finding: Finding, alpha: float) -> str:
    """Said once, after the adjustment, so that no sentence claims what the adjusted test does not show."""
    p = _decisive_p(finding)
    if p is None:
        return f"Equivalence could not be tested ({finding.test.reason if finding.test is not None else 'no test'})."
    return "Equivalence is shown." if p < alpha else "Equivalence is not shown."


def _decisive_p(finding: Finding) -> float | None:
    if finding.p_adjusted is not None:
        return finding.p_adjusted
    return None if finding.test is None else finding.test.p_value


def _verdict(hypothesis: Hypothesis, verdict: bool | None) -> str:
    words = {True: "is met", False: "is not met", None: "cannot be judged"}[verdict]
    return f"The criterion of {hypothesis.id} ({criterion_words(hypothesis)}) {words}."


def criterion_words(hypothesis: Hypothesis) -> str:
    """A criterion as one says it."""
    value = "" if hypothesis.value is None else f"{hypothesis.value:g}"
    return {
        "significant": "p below alpha",
        "equivalent": "equivalence shown within the margin",
        "contains": f"interval contains {value}",
        "excludes": f"interval excludes {value}",
        "at_least": f"at least {value}",
        "at_most": f"at most {value}",
    }[hypothesis.criterion]
