"""The methods paragraph and the results paragraph, written from the records."""

from __future__ import annotations

from collections.abc import Sequence

from believable import __version__
from believable.analysis.data import Data
from believable.analysis.exclusions import BELOW, OVER
from believable.analysis.judged import criterion_words
from believable.analysis.plan import Plan
from believable.analysis.protocol import ProtocolAnalysis
from believable.analysis.records import Finding
from believable.analysis.registered import Deviation, Registration
from believable.analysis.stopping import stopping
from believable.analysis.words import counted, level_words, listed
from believable.study.declared import ExclusionRule

_MULTIPLICITY = {
    "none": "p values are not adjusted for the number of tests",
    "holm": "p values of the primary tests are adjusted by Holm's method",
    "benjamini_hochberg": "p values of the primary tests are adjusted by the method of Benjamini and Hochberg",
}


def methods(
    data: Data, plan: Plan, protocol: ProtocolAnalysis, registered: Registration | None, digest: str
) -> str:
    """How it was done, in full sentences."""
    parts = [_registration(registered, digest), protocol.methods(data, plan)]
    hypotheses = [
        f"{one.id}: {one.text.rstrip('.')} ({plan.declaration.outcome(one.outcome).title.lower()}; {criterion_words(one)})"
        for one in plan.declared.hypotheses
    ]
    if hypotheses:
        parts.append(f"Hypotheses. {'; '.join(hypotheses)}.")
    parts.append(_exclusions(plan.declared.exclusions))
    parts.append(stopping(data, plan).words)
    parts.append(
        f"Tests are two-sided unless stated, at alpha = {plan.alpha:g}; intervals are at {level_words(plan.level)};"
        f" {_MULTIPLICITY[plan.declared.multiplicity]}. Resampling used the seed {plan.seed}. Analysed with believable"
        f" {__version__}."
    )
    return " ".join(part for part in parts if part)


def results(
    data: Data,
    plan: Plan,
    findings: Sequence[Finding],
    registered: Registration | None,
    deviations: Sequence[Deviation],
) -> str:
    """What was found, in full sentences: what was declared first, in the order of the analysis, then the rest."""
    before = data.funnel[0].before if data.funnel else len(data)
    kind = "simulated sessions" if data.simulated else "sessions"
    parts = [f"Of {before:,} {kind}, {len(data):,} were analysed{_left_out(data)}."]
    confirmatory = [one.sentence for one in findings if one.status == "confirmatory"]
    exploratory = [one for one in findings if one.status == "exploratory"]
    parts += confirmatory
    if registered is None:
        parts.append("Nothing was preregistered, so that all results are exploratory.")
    elif deviations:
        parts.append(
            f"The analysis deviates from the registered plan in {counted(len(deviations), 'point')}."
        )
    declared = [one.sentence for one in exploratory if plan.rank(one.outcome) is not None]
    others = [one.sentence for one in exploratory if plan.rank(one.outcome) is None]
    if declared and registered is not None:
        parts.append("No longer confirmatory, because of a deviation:")
    parts += declared
    if not (confirmatory or declared):
        return " ".join([*parts, *others])
    # Sections that any protocol has, such as the time line of moments, have outcomes that no protocol declares.
    titles = {one.name: one.title.lower() for one in plan.declaration.outcomes}
    further = list(
        dict.fromkeys(
            titles.get(one.outcome, one.outcome) for one in exploratory if plan.rank(one.outcome) is None
        )
    )
    if further:
        parts.append(f"Exploratory results on {listed(further)} are in the sections below.")
    return " ".join(parts)


def rule_words(rule: ExclusionRule) -> str:
    """An exclusion rule as one says it."""
    if rule.rule == "failed_check":
        return (
            "answered a check wrongly" if rule.check is None else f"answered the check {rule.check!r} wrongly"
        )
    if rule.rule == "unanswered":
        return f"left more than {OVER if rule.over is None else rule.over:.0%} of the questions open"
    if rule.rule == "too_fast":
        return f"took less than {BELOW if rule.below is None else rule.below:.2g} of the median time"
    if rule.rule == "reviewed":
        what = {"trial": " (the trial is left out)", "answer": " (the text is left out)"}.get(
            rule.drops or "", ""
        )
        return f"gave a free text that a reviewer, blind to condition and correctness, excluded{what}"
    if rule.rule == "unreliable":
        return "failed the gate of the quality tests"
    return f"answered {rule.answer} with {listed([str(one) for one in rule.is_ or ()])}"


def _registration(registered: Registration | None, digest: str) -> str:
    if registered is None:
        return "The analysis was not preregistered."
    when = f" on {registered.registered_on[:10]}" if registered.registered_on else ""
    same = (
        "the plan analysed is the registered one"
        if registered.hash == digest
        else "the plan analysed deviates from it"
    )
    return f"The analysis was registered{when} (SHA-256 {registered.hash[:12]}…); {same}."


def _exclusions(rules: Sequence[ExclusionRule]) -> str:
    always = "Sessions that were incomplete, screened out, rejected or withdrawn were left out"
    if not rules:
        return f"{always}; no further exclusion rule was declared."
    return f"{always}, and, as declared, those who {'; or who '.join(rule_words(rule) for rule in rules)}."


def _left_out(data: Data) -> str:
    steps = [f"{step.before - step.after} {step.reason}" for step in data.funnel if step.before > step.after]
    return f" ({'; '.join(steps)})" if steps else ""
