"""The methods paragraph and the results paragraph, written from the records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from believable import __version__
from believable.analysis.data import Data, durations_ms
from believable.analysis.exclusions import BELOW, OVER
from believable.analysis.findings import JudgedHypothesis
from believable.analysis.numbers import counted, in_words, integer, level_words, listed, share
from believable.analysis.procedure import collecting, future, past, study_paragraphs, wording
from believable.analysis.protocol import ProtocolAnalysis
from believable.analysis.registered import Deviation, Registration
from believable.analysis.settled_plan import Plan, criterion_words
from believable.analysis.verdicts import JudgedFindings, Restraint, for_scope, stopping
from believable.study.declaration import ExclusionRule

_MULTIPLICITY = {
    "none": "p values are not adjusted for the number of tests",
    "holm": "p values of the primary tests are adjusted by Holm's method",
    "benjamini_hochberg": (
        "p values of the primary tests are adjusted by the method of Benjamini and Hochberg"
    ),
}


def methods(
    data: Data,
    plan: Plan,
    protocol: ProtocolAnalysis,
    registered: Registration | None,
    digest: str,
    differences: Sequence[Deviation] = (),
    unjudged: str = "",
    *,
    asked: str = "",
) -> str:
    """The methods in paragraphs: the study, computations, hypotheses, exclusions, inference.
    `asked`: the wording of the questions in every version.
    """
    study = data.study
    parts = []
    if study is not None:
        parts += study_paragraphs(
            study, durations_ms(data.bundle), past, future if data.simulated else past
        )
        parts.append(asked or wording(study, plan, past))
    parts.append(collecting(data))
    parts.append(protocol.methods(data, plan, past))
    if unjudged:
        parts.append(f"{unjudged[0].upper()}{unjudged[1:]}; until then every test is two-sided.")
    elif plan.declared.hypotheses:
        lines = [
            f"{hypothesis.id}: {_sentence(hypothesis.text)} The criterion was"
            f" {criterion_words(hypothesis)}"
            f" ({plan.declaration.outcome(hypothesis.outcome).title.lower()})."
            for hypothesis in plan.declared.hypotheses
        ]
        were = "was" if len(lines) == 1 else "were"
        parts.append(
            " ".join(
                [f"{counted(len(lines), 'hypothesis', 'hypotheses')} {were} declared.", *lines]
            )
        )
    registration = _registration(registered, digest, differences)
    parts.append(
        " ".join([registration, _exclusions(plan.declared.exclusions), stopping(data, plan).words])
    )
    parts.append(
        f"Tests are two-sided unless stated, at alpha = {plan.alpha:g}; intervals are at"
        f" {level_words(plan.level)}; {_MULTIPLICITY[plan.declared.multiplicity]}. Resampling used"
        f" the seed {plan.seed}. Analysed with believable {__version__}."
    )
    return in_words("\n\n".join(part for part in parts if part))


def results(
    data: Data,
    plan: Plan,
    judgement: JudgedFindings,
    restraint: Restraint,
    registered: Registration | None,
    deviations: Sequence[Deviation],
) -> str:
    """The results in short paragraphs: the analysed sample, hypothesis by hypothesis, other
    declared outcomes, the rest.
    """
    parts = [_analysed_sentence(data), restraint.words]
    if registered is None:
        parts.append("Nothing was preregistered, so that all results are exploratory.")
    parts += [_of_hypothesis(hypothesis) for hypothesis in judgement.hypotheses]
    findings = [finding for section in judgement.sections for finding in section.findings]
    spoken = {id(finding) for hypothesis in judgement.hypotheses for finding in hypothesis.findings}
    rest = [
        finding
        for finding in findings
        if id(finding) not in spoken and finding.status != "descriptive"
    ]
    titles = {outcome.name: outcome.title for outcome in plan.declaration.outcomes}
    claimed = {hypothesis.outcome for hypothesis in plan.declared.hypotheses}
    for rank in ("primary", "secondary"):
        for outcome in dict.fromkeys(finding.outcome for finding in rest if finding.rank == rank):
            sentences = [finding.sentence for finding in rest if finding.outcome == outcome]
            parts.append(" ".join([_lead(titles[outcome], rank, outcome in claimed), *sentences]))
    parts.append(_deviating(deviations))
    # Sections that any protocol has, such as that of moments, have outcomes that no protocol
    # declares.
    others = dict.fromkeys(
        titles.get(finding.outcome, section.title).lower()
        for section in judgement.sections
        for finding in section.findings
        if finding.rank is None and finding.status != "descriptive" and id(finding) not in spoken
    )
    if others:
        parts.append(f"Exploratory results on {listed(list(others))} are in the sections below.")
    methods_named = dict.fromkeys(
        finding.test.method for finding in findings if finding.test is not None
    )
    return in_words(_named_once("\n\n".join(part for part in parts if part), methods_named))


def _named_once(text: str, names: Iterable[str]) -> str:
    """The text with each test's name in brackets at its first mention; later the statistic
    identifies it.
    """
    for name in names:
        first, bracket, rest = text.partition(f" ({name})")
        text = first + bracket + rest.replace(bracket, "") if bracket else text
    return text


def _lead(title: str, rank: str, claimed: bool) -> str:
    if claimed:
        return f"{title} beyond the hypotheses:"
    return f"{title} was declared as a {rank} outcome, without a hypothesis."


def _analysed_sentence(data: Data) -> str:
    before = data.funnel[0].before if data.funnel else len(data)
    kind = "simulated session" if data.simulated else "session"
    if not before:
        return f"There is no {kind}."
    were = "was" if len(data) == 1 else "were"
    return (
        f"Of {counted(before, kind)}, {integer(len(data))} {were}"
        f" analysed{_left_out(data)}.{_left_out_beside(data)}"
    )


def _of_hypothesis(hypothesis: JudgedHypothesis) -> str:
    """A lead sentence with the verdict, then the numbers it rests on."""
    secondary = " (secondary)" if hypothesis.rank == "secondary" else ""
    lead = f"{hypothesis.id}{secondary}, {_quote(hypothesis.text)}, {_verdict(hypothesis)}."
    return " ".join([lead, *(finding.sentence for finding in hypothesis.findings)])


def _verdict(hypothesis: JudgedHypothesis) -> str:
    if hypothesis.supported is None:
        return (
            f"is {hypothesis.verdict}"
            if hypothesis.verdict.startswith("not")
            else hypothesis.verdict
        )
    without = "" if hypothesis.supported else "not "
    scope = for_scope(hypothesis.findings)
    return f"is {without}supported{scope}: the criterion ({hypothesis.criterion}) is {without}met"


def _quote(text: str) -> str:
    return f"“{text.rstrip('.')}”"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."


def _deviating(deviations: Sequence[Deviation]) -> str:
    of_data = sum(deviation.field.startswith("data.") for deviation in deviations)
    parts = [
        f"{what} deviates from the registered plan in {counted(count, 'point')}."
        for what, count in (("The analysis", len(deviations) - of_data), ("Collecting", of_data))
        if count
    ]
    return " ".join(parts)


def rule_words(rule: ExclusionRule) -> str:
    """An exclusion rule as one says it."""
    if rule.rule == "failed_check":
        return (
            "answered a check wrongly"
            if rule.check is None
            else f"answered the check {rule.check!r} wrongly"
        )
    if rule.rule == "unanswered":
        return (
            f"left more than {share(OVER if rule.over is None else rule.over, 0)} of the questions"
            " open"
        )
    if rule.rule == "too_fast":
        return (
            f"took less than {BELOW if rule.below is None else rule.below:.2g} of the median time"
        )
    if rule.rule == "reviewed":
        what = {"trial": " (the trial is left out)", "answer": " (the text is left out)"}.get(
            rule.drops or "", ""
        )
        return (
            f"gave a free text that a reviewer, blind to condition and correctness, excluded{what}"
        )
    if rule.rule == "unreliable":
        return "failed the gate of the quality tests"
    return f"answered {rule.answer} with {listed([str(value) for value in rule.is_ or ()])}"


def _registration(
    registered: Registration | None, digest: str, differences: Sequence[Deviation]
) -> str:
    if registered is None:
        return "The analysis was not preregistered."
    when = f" on {registered.registered_on[:10]}" if registered.registered_on else ""
    same = (
        "the plan analysed is the registered one"
        if registered.hash == digest
        else "the plan analysed deviates from it"
    )
    if registered.hash == digest and differences:
        same += f", and collecting deviates from it in {counted(len(differences), 'point')}"
    return f"The analysis was registered{when} (SHA-256 {registered.hash[:12]}…); {same}."


def _exclusions(rules: Sequence[ExclusionRule]) -> str:
    always = "Sessions that were incomplete, screened out, rejected or withdrawn were left out"
    if not rules:
        return f"{always}; no further exclusion rule was declared."
    return (
        f"{always}, and, as declared, those who"
        f" {'; or who '.join(rule_words(rule) for rule in rules)}."
    )


def _left_out(data: Data) -> str:
    steps = [
        f"{step.before - step.after} {step.reason}"
        for step in data.funnel
        if step.before > step.after and not step.branch
    ]
    return f" ({'; '.join(steps)})" if steps else ""


def _left_out_beside(data: Data) -> str:
    """Counts in other units than sessions, in a separate sentence: these numbers are not part of
    another sum.
    """
    steps = [
        f"{step.before - step.after} of {step.before} {step.branch} {step.unit} ({step.reason})"
        for step in data.funnel
        if step.before > step.after and step.branch
    ]
    return f" Left out beforehand: {listed(steps)}." if steps else ""
