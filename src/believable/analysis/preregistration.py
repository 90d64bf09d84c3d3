"""The declared plan as documents to register: in the shape of the OSF form and of AsPredicted, both from the same records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from believable import __version__
from believable.analysis.data import load
from believable.analysis.judged import criterion_words
from believable.analysis.paragraphs import rule_words
from believable.analysis.plan import Plan
from believable.analysis.protocols import PROTOCOL_ANALYSES
from believable.analysis.registered import Registration
from believable.analysis.words import counted, listed
from believable.bundle.memory import bundle
from believable.stats import power
from believable.study.declared import Hypothesis
from believable.study.definition import Definition
from believable.study.outline import outline
from believable.study.records import Block, Study, Text

_MULTIPLICITY = {
    "none": "p values are not adjusted.",
    "holm": "p values of the primary tests are adjusted together by Holm's method.",
    "benjamini_hochberg": "p values of the primary tests are adjusted together by the method of Benjamini and Hochberg.",
}
_STANDARD = (
    "Sessions that are incomplete, screened out, rejected or withdrawn are always left out; every exclusion is listed with its"
    " reason."
)
_BLINDING = (
    "Participants do not learn conditions, arms, scenarios or file names; reviewers of free text learn neither condition nor"
    " whether an answer was right."
)
#: Protocols whose main test is a t test over participants, so that a detectable effect follows from the sample size alone.
_T_TESTS = ("replay", "hntt")
_WANTED = 0.8


def osf(definition: Definition, plan: Plan, registration: Registration, *, collected: int | None) -> str:
    """The plan under the headings of the OSF preregistration form. `collected` is the number of real sessions so far."""
    study = definition.study
    parts: list[tuple[int, str, Sequence[str]]] = [
        (2, "Study information", ()),
        (3, "Title", [_words(study.title, study)]),
        (3, "Description", [plan.declaration.about, _shown(study)]),
        (3, "Hypotheses", _hypotheses(plan)),
        (2, "Design plan", ()),
        (3, "Study type", [_type(study)]),
        (3, "Blinding", [_BLINDING]),
        (3, "Study design", [_design(study)]),
        (3, "Randomization", list(_randomization(study))),
        (2, "Sampling plan", ()),
        (3, "Existing data", [_existing(collected)]),
        (3, "Data collection procedures", [_recruiting(study)]),
        (3, "Sample size", [_sample_size(plan)]),
        (3, "Sample size rationale", [_rationale(plan)]),
        (3, "Stopping rule", [_stopping(plan)]),
        (2, "Variables", ()),
        (3, "Manipulated variables", [_manipulated(study)]),
        (3, "Measured variables", list(_measured(plan))),
        (3, "Indices", [f"{one.title}: {one.about}" for one in plan.declaration.outcomes if plan.rank(one.name)]),
        (2, "Analysis plan", ()),
        (3, "Statistical models", list(_tests(definition, plan))),
        (3, "Transformations", list(_options(plan))),
        (3, "Inference criteria", [_inference(plan)]),
        (3, "Data exclusion", _exclusions(plan)),
        (3, "Missing data", ["A missing answer stays missing and is counted; nothing is imputed."]),
        (3, "Exploratory analysis", [_exploratory(plan)]),
        (2, "Other", [_record(registration)]),
    ]  # fmt: skip
    return _document(f"Preregistration: {_words(study.title, study)}", parts)


def aspredicted(
    definition: Definition, plan: Plan, registration: Registration, *, collected: int | None
) -> str:
    """The plan under the questions of AsPredicted."""
    study, secondary = definition.study, plan.declared.outcomes.secondary
    parts: list[tuple[int, str, Sequence[str]]] = [
        (2, "1. Data collection: have any data been collected?", [_existing(collected)]),
        (2, "2. Hypotheses: what is asked or expected?", _hypotheses(plan)),
        (2, "3. Dependent variables: how are they measured?", list(_measured(plan))),
        (2, "4. Conditions: how many, and who sees which?", [_design(study), *_randomization(study)]),
        (2, "5. Analyses: which ones exactly?", [*_tests(definition, plan), *_options(plan), _inference(plan)]),
        (2, "6. Outliers and exclusions: exact rules", _exclusions(plan)),
        (2, "7. Sample size: how many, and how is that decided?", [_sample_size(plan), _stopping(plan), _rationale(plan)]),
        (2, "8. Anything else?", [
            f"Secondary outcomes: {listed([plan.declaration.outcome(one).title.lower() for one in secondary]) or 'none'}.",
            _exploratory(plan),
        ]),
        (2, "9. Name and type of study", [f"{_words(study.title, study)}. {_type(study)}", _record(registration)]),
    ]  # fmt: skip
    return _document(f"AsPredicted: {_words(study.title, study)}", parts)


def _document(title: str, parts: Sequence[tuple[int, str, Sequence[str]]]) -> str:
    lines = [f"# {title}", ""]
    for level, heading, words in parts:
        lines += [f"{'#' * level} {heading}", ""]
        texts = [text for text in words if text]
        if len(texts) > 1:
            lines += [*(f"- {text}" for text in texts), ""]
        elif texts:
            lines += [texts[0], ""]
    return "\n".join(lines)


# ---------------------------------------------------------------------------------------------- the study


def _words(text: Text, study: Study) -> str:
    return text.in_language(study.languages[0])


def _shown(study: Study) -> str:
    stimuli = counted(len(study.stimuli), "stimulus", "stimuli")
    stand_ins = " They are stand-ins made by code, for demonstration." if study.demonstration else ""
    return (
        f"{stimuli} of {counted(len(study.conditions), 'condition')} ({listed(study.conditions)}).{stand_ins}"
    )


def _type(study: Study) -> str:
    return (
        "Experiment: stimuli or arms are assigned by the researcher's software."
        if study.arms or study.conditions
        else "Survey."
    )


def _design(study: Study) -> str:
    between = [f"{name} ({listed(levels)})" for name, levels in study.arms.items()]
    parts = [f"Between participants: {listed(between)}." if between else "No factor between participants."]
    if study.conditions:
        parts.append(f"Within participants: condition of the stimuli ({listed(study.conditions)}).")
    if study.scenarios:
        parts.append(f"Scenarios: {listed(study.scenarios)}.")
    return " ".join(parts)


def _randomization(study: Study) -> Iterator[str]:
    if study.arms:
        yield "Arms are assigned at random to the level with the fewest completed sessions."
    orders = {
        "random": "in random order",
        "latin_square": "in the orders of a Latin square",
        "fixed": "in a fixed order",
    }
    for entry in outline(study.timeline):
        if isinstance(entry.item, Block):
            over = f"runs over {entry.item.over}" if entry.item.over else "runs its parts"
            sample = f", {entry.item.sample} of them drawn" if entry.item.sample else ""
            yield f"The block {entry.item.id!r} {over} {orders[entry.item.order]}{sample}."
    yield f"Everything left to chance follows from the seed {study.seed}; sides and clip orders are drawn anew for each session."


def _existing(collected: int | None) -> str:
    if collected is None:
        return "No data have been collected for this study: it has not been served yet."
    if collected == 0:
        return "No data have been collected for this study."
    return f"{counted(collected, 'real session')} had begun when this was written."


def _recruiting(study: Study) -> str:
    platform = study.recruit.platform
    source = "an open link" if platform == "none" else f"the platform {platform}"
    desktop = " Phones and tablets are turned away." if study.recruit.desktop_only else ""
    repeats = " Who comes again is refused." if study.recruit.repeats == "refuse" else ""
    return f"Participants come through {source}.{desktop}{repeats}"


def _manipulated(study: Study) -> str:
    return _design(study)


# ---------------------------------------------------------------------------------------------- the plan


def _hypotheses(plan: Plan) -> list[str]:
    if not plan.declared.hypotheses:
        return ["No hypothesis is declared; everything is exploratory."]
    return [_hypothesis(one, plan) for one in plan.declared.hypotheses]


def _hypothesis(one: Hypothesis, plan: Plan) -> str:
    direction = {"two_sided": "two-sided", "greater": "directional, greater", "less": "directional, less"}[
        one.direction
    ]
    about = f", {one.about}" if one.about else ""
    title = plan.declaration.outcome(one.outcome).title
    return f"**{one.id}** ({direction}): {one.text} Outcome: {title.lower()}{about}. Supported if: {criterion_words(one)}."


def _measured(plan: Plan) -> Iterator[str]:
    for rank, names in (
        ("Primary", plan.declared.outcomes.primary),
        ("Secondary", plan.declared.outcomes.secondary),
    ):
        for name in names:
            outcome = plan.declaration.outcome(name)
            yield f"{rank}: {outcome.title}. {outcome.about}"
    for role in plan.declaration.roles:
        if plan.roles[role.name] and role.of == "question":
            yield f"Question {listed(plan.roles[role.name])}: {role.about}"


def _tests(definition: Definition, plan: Plan) -> Iterator[str]:
    nobody = load(bundle({}, definition), plan, definition.study)
    yield PROTOCOL_ANALYSES[plan.protocol].methods(nobody, plan)
    for outcome in plan.declaration.outcomes:
        if plan.rank(outcome.name) is None:
            continue
        options = [f"{one.name} {_value(plan.test_option(outcome.name, one.name))}" for one in outcome.tests]
        yield f"{outcome.title}: {outcome.about}{f' ({listed(options)})' if options else ''}"


def _options(plan: Plan) -> Iterator[str]:
    for option in plan.declaration.options:
        yield f"`{option.name}` = {_value(plan.option(option.name))}. {option.about}"


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_value(one) for one in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _inference(plan: Plan) -> str:
    return (
        f"Tests are two-sided unless a hypothesis says otherwise, at alpha = {plan.alpha:g}; intervals are at"
        f" {100 * plan.level:g} %. {_MULTIPLICITY[plan.declared.multiplicity]}"
    )


def _exclusions(plan: Plan) -> list[str]:
    return [_STANDARD, *(f"Left out are those who {rule_words(rule)}." for rule in plan.declared.exclusions)]


def _sample_size(plan: Plan) -> str:
    rule = plan.declared.stopping
    if rule is None or rule.n is None:
        return "No number of sessions is declared."
    kind = "sessions after exclusions" if rule.rule == "after_exclusions" else "complete sessions"
    return f"{rule.n} {kind}."


def _stopping(plan: Plan) -> str:
    rule = plan.declared.stopping
    if rule is None:
        return "No stopping rule is declared."
    if rule.rule == "experience":
        least = f", with at least {counted(rule.n, 'respondent')}" if rule.n else ""
        return f"Collecting ends when the respondents' mean experience reaches {rule.at_least or 3:g}{least}."
    what = "remain after exclusions" if rule.rule == "after_exclusions" else "are complete"
    return f"Collecting ends when {rule.n} sessions {what}. No test is run before."


def _rationale(plan: Plan) -> str:
    rule = plan.declared.stopping
    if rule is None or rule.n is None or rule.n < 3 or plan.protocol not in _T_TESTS:
        return "Power was looked at by simulating the whole study (`believable power`)."
    effect = detectable(rule.n, plan.alpha)
    return (
        f"With {rule.n} sessions, a two-sided t test over participants at alpha = {plan.alpha:g} has power {_WANTED:g} for a"
        f" standardised mean difference of {effect:.2f} or more."
    )


def detectable(n: int, alpha: float, wanted: float = _WANTED) -> float:
    """The smallest standardised difference that a t test over n participants detects with that power."""
    low, high = 1e-3, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (low, middle) if not power.paired_t(middle, n=n, alpha=alpha).power < wanted else (middle, high)
        )
    return high


def _exploratory(plan: Plan) -> str:
    others = [one.title.lower() for one in plan.declaration.outcomes if plan.rank(one.name) is None]
    return (
        f"Reported as exploratory: {listed(others)}."
        if others
        else "Whatever is not listed here is reported as exploratory."
    )


def _record(registration: Registration) -> str:
    return (
        f"SHA-256 of the plan (`plan.json`): `{registration.hash}`. Written on {registration.registered_on} by believable"
        f" {__version__}. Results are marked confirmatory or exploratory against this hash, and deviations from it are listed."
    )
