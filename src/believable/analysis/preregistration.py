"""The declared plan as documents to register: in the shape of the OSF form and of AsPredicted, both from the same records."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from believable import __version__
from believable.analysis.data import load
from believable.analysis.numbers import counted, in_words, level_words, listed, number
from believable.analysis.paragraphs import rule_words
from believable.analysis.power_record import PowerRecord, power_words
from believable.analysis.procedure import design, future, recruiting, stimuli, wording
from believable.analysis.registered import Registration
from believable.analysis.settled_plan import Plan, criterion_words
from believable.bundle.memory import bundle
from believable.stats import power
from believable.study.declaration import Hypothesis
from believable.study.definition import Definition
from believable.study.records import Study, Text

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
_UNTIL_THEN = "Until then the software shows no test and judges no hypothesis."
_WANTED = 0.8


def osf(
    definition: Definition,
    plan: Plan,
    registration: Registration,
    *,
    collected: int | None,
    powered: PowerRecord | None = None,
) -> str:
    """The plan under the headings of the OSF preregistration form. `collected` is the number of real sessions so far,
    `powered` what was simulated beforehand."""
    study = definition.study
    parts: list[tuple[int, str, Sequence[str]]] = [
        (2, "Study information", ()),
        (3, "Title", [_words(study.title, study)]),
        (3, "Description", [plan.declaration.about, _stimuli(definition)]),
        (3, "Hypotheses", _hypotheses(plan)),
        (2, "Design plan", ()),
        (3, "Study type", [_type(study)]),
        (3, "Blinding", [_BLINDING]),
        (3, "Study design", [_design(study)]),
        (3, "Randomization", [_seed(study)]),
        (2, "Sampling plan", ()),
        (3, "Existing data", [_existing(collected)]),
        (3, "Data collection procedures", [" ".join(recruiting(study, future))]),
        (3, "Sample size", [_sample_size(plan)]),
        (3, "Sample size rationale", _rationale(plan, registration, powered)),
        (3, "Stopping rule", [_stopping(plan)]),
        (2, "Variables", ()),
        (3, "Manipulated variables", [_design(study)]),
        (3, "Measured variables", list(_measured(study, plan))),
        (3, "Indices", [f"{outcome.title}: {outcome.about}" for outcome in plan.declaration.outcomes if plan.rank(outcome.name)]),
        (2, "Analysis plan", ()),
        (3, "Statistical models", list(_tests(definition, plan))),
        (3, "Transformations", list(_options(plan)) or ["None."]),
        (3, "Inference criteria", [_inference(plan)]),
        (3, "Data exclusion", _exclusions(plan)),
        (3, "Missing data", ["A missing answer stays missing and is counted; nothing is imputed."]),
        (3, "Exploratory analysis", [_exploratory(plan)]),
        (2, "Other", [_record(registration)]),
        *([(2, "References", [source.words for source in plan.cites])] if plan.cites else ()),
    ]  # fmt: skip
    return _document(f"Preregistration: {_words(study.title, study)}", parts)


def aspredicted(
    definition: Definition,
    plan: Plan,
    registration: Registration,
    *,
    collected: int | None,
    powered: PowerRecord | None = None,
) -> str:
    """The plan under the questions of AsPredicted."""
    study, secondary = definition.study, plan.declared.outcomes.secondary
    parts: list[tuple[int, str, Sequence[str]]] = [
        (2, "1. Data collection: have any data been collected?", [_existing(collected)]),
        (2, "2. Hypotheses: what is asked or expected?", _hypotheses(plan)),
        (2, "3. Dependent variables: how are they measured?", list(_measured(study, plan))),
        (2, "4. Conditions: how many, and who sees which?", [_design(study), _seed(study), _stimuli(definition)]),
        (2, "5. Analyses: which ones exactly?", [*_tests(definition, plan), *_options(plan), _inference(plan)]),
        (2, "6. Outliers and exclusions: exact rules", _exclusions(plan)),
        (2, "7. Sample size: how many, and how is that decided?", [
            _sample_size(plan), _stopping(plan), *_rationale(plan, registration, powered),
        ]),
        (2, "8. Anything else?", [
            f"Secondary outcomes: {listed([plan.declaration.outcome(name).title.lower() for name in secondary]) or 'none'}.",
            _exploratory(plan),
        ]),
        (2, "9. Name and type of study", [f"{_words(study.title, study)}. {_type(study)}", _record(registration)]),
        *([(2, "References", [source.words for source in plan.cites])] if plan.cites else ()),
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
    return in_words("\n".join(lines))


# ---------------------------------------------------------------------------------------------- the study


def _words(text: Text, study: Study) -> str:
    return text.in_language(study.languages[0])


def _type(study: Study) -> str:
    return (
        "Experiment: stimuli or arms are assigned by the researcher's software."
        if study.arms or study.conditions
        else "Survey."
    )


def _stimuli(definition: Definition) -> str:
    lengths = {
        name: float(medium.duration_ms) for name, medium in definition.media.items() if medium.duration_ms is not None
    }
    return " ".join(stimuli(definition.study, lengths, future))


def _design(study: Study) -> str:
    return " ".join(design(study, future)) or "Nothing is varied."


def _seed(study: Study) -> str:
    return f"Everything left to chance follows from the seed {study.seed}; sides and clip orders are drawn anew for each session."


def _existing(collected: int | None) -> str:
    if collected is None:
        return "No data have been collected for this study: it has not been served yet."
    if collected == 0:
        return "No data have been collected for this study."
    return f"{counted(collected, 'real session')} had begun when this was written."


# ---------------------------------------------------------------------------------------------- the plan


def _hypotheses(plan: Plan) -> list[str]:
    if not plan.declared.hypotheses:
        return ["No hypothesis is declared; everything is exploratory."]
    return [_hypothesis(hypothesis, plan) for hypothesis in plan.declared.hypotheses]


def _hypothesis(hypothesis: Hypothesis, plan: Plan) -> str:
    direction = {"two_sided": "two-sided", "greater": "directional, greater", "less": "directional, less"}[
        hypothesis.direction
    ]
    about = f", {hypothesis.about}" if hypothesis.about else ""
    title = plan.declaration.outcome(hypothesis.outcome).title
    return (
        f"**{hypothesis.id}** ({direction}): {hypothesis.text}"
        f" Outcome: {title.lower()}{about}. Supported if: {criterion_words(hypothesis)}."
    )


def _measured(study: Study, plan: Plan) -> Iterator[str]:
    for rank, names in (("Primary", plan.declared.outcomes.primary), ("Secondary", plan.declared.outcomes.secondary)):
        for name in names:
            outcome = plan.declaration.outcome(name)
            yield f"{rank}: {outcome.title}. {outcome.about}"
    yield wording(study, plan, future)


def _tests(definition: Definition, plan: Plan) -> Iterator[str]:
    nobody = load(bundle({}, definition), plan, definition.study)
    whole = in_words(plan.analysis.methods(nobody, plan, future))
    yield whole
    for outcome in plan.declaration.outcomes:
        if plan.rank(outcome.name) is None:
            continue
        options = [
            f"{_said(test.about)}: {_value(plan.test_option(outcome.name, test.name))}." for test in outcome.tests
        ]
        words = f"{outcome.title}: {outcome.about}"
        if options or in_words(words) not in whole:
            yield " ".join([words, *options])


def _options(plan: Plan) -> Iterator[str]:
    for option in plan.declaration.options:
        value = _value(plan.option(option.name))
        if value:
            yield f"{_said(option.about)}: {value}."


def _said(about: str) -> str:
    """What an option is about, to be followed by its value."""
    return about.rstrip(".").partition(";")[0]


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_value(part) for part in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else in_words(str(value))


def _inference(plan: Plan) -> str:
    return (
        f"Tests are two-sided unless a hypothesis says otherwise, at alpha = {plan.alpha:g}; intervals are at"
        f" {level_words(plan.level)}. {_MULTIPLICITY[plan.declared.multiplicity]}"
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
        return f"Collecting ends when the respondents' mean experience reaches {rule.at_least or 3:g}{least}. {_UNTIL_THEN}"
    what = "remain after exclusions" if rule.rule == "after_exclusions" else "are complete"
    return f"Collecting ends when {rule.n} sessions {what}. {_UNTIL_THEN}"


def _rationale(plan: Plan, registration: Registration, powered: PowerRecord | None) -> list[str]:
    """What was computed: by simulation, and by formula where the main test has one."""
    rule = plan.declared.stopping
    if rule is None or rule.n is None or rule.n < 3 or not plan.declaration.t_test:
        return power_words(powered, plan, registration.hash)
    effect = detectable(rule.n, plan.alpha)
    by_formula = (
        f"With {rule.n} sessions, a two-sided t test over participants at alpha = {plan.alpha:g} has power {_WANTED:g} for a"
        f" standardised mean difference of {number(effect)} or more."
    )
    return [by_formula, *(power_words(powered, plan, registration.hash) if powered is not None else ())]


def detectable(n: int, alpha: float, wanted: float = _WANTED) -> float:
    """The smallest standardised difference that a t test over n participants detects with that power."""
    low, high = 1e-3, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if not power.paired_t(middle, n=n, alpha=alpha).power < wanted else (middle, high)
    return high


def _exploratory(plan: Plan) -> str:
    others = [outcome.title.lower() for outcome in plan.declaration.outcomes if plan.rank(outcome.name) is None]
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
