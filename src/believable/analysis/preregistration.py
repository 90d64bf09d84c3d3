"""The declared plan as documents to register: in the shape of the OSF form and of AsPredicted, both
from the same records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path

from believable import __version__
from believable.analysis.data import load
from believable.analysis.evidence_section import rule_sentence
from believable.analysis.numbers import counted, in_words, level_words, listed, number
from believable.analysis.paragraphs import rule_words
from believable.analysis.power_record import PowerRecord, power_words
from believable.analysis.procedure import design, future, recruiting, stimuli, wording
from believable.analysis.registered import Registration
from believable.analysis.settled_plan import Plan, criterion_words
from believable.bundle.memory import bundle
from believable.core.documents import document
from believable.stats import power
from believable.study.declaration import Hypothesis
from believable.study.definition import Definition
from believable.study.records import Study
from believable.study.sequential_design import sequential_design

_TEMPLATES = Path(__file__).with_name("templates")
_STANDARD = (
    "Sessions that are incomplete, screened out, rejected or withdrawn are always left out; every"
    " exclusion is listed with its reason."
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
    form: str = "osf.md",
) -> str:
    """The plan under the headings of the OSF preregistration form. `collected` is the number of
    real sessions to date, `powered` the earlier simulation.
    """
    study, declaration = definition.study, plan.declaration
    written = document(
        _TEMPLATES / form,
        said=_list_texts,
        study=study,
        plan=plan,
        registration=registration,
        version=__version__,
        title=study.title.in_language(study.languages[0]),
        level=level_words(plan.level),
        stimuli=_stimuli(definition),
        design=" ".join(design(study, future)) or "Nothing is varied.",
        existing=_existing(collected),
        recruiting=" ".join(recruiting(study, future)),
        hypotheses=_hypotheses(plan),
        measured=list(_measure_paragraphs(study, plan)),
        indices=[
            f"{outcome.title}: {outcome.about}"
            for outcome in declaration.outcomes
            if plan.rank(outcome.name)
        ],
        tests=list(_tests(definition, plan)),
        options=list(_options(plan)),
        exclusions=[
            _STANDARD,
            *(f"Left out are those who {rule_words(rule)}." for rule in plan.declared.exclusions),
        ],
        sample_size=_sample_size(plan),
        rationale=_rationale(plan, registration, powered),
        stopping=_stopping(study, plan),
        secondary=listed(
            [declaration.outcome(name).title.lower() for name in plan.declared.outcomes.secondary]
        ),
        others=_others(plan),
    )
    # A heading without words is followed by the next one.
    return in_words(re.sub(r"\n{3,}", "\n\n", written).rstrip("\n") + "\n")


#: The plan under the questions of AsPredicted.
aspredicted = partial(osf, form="aspredicted.md")


def _list_texts(texts: Iterable[str]) -> str:
    """One text is a paragraph, several are a list; empty ones are left out."""
    said = [text for text in texts if text]
    return "\n".join(f"- {text}" for text in said) if len(said) > 1 else "".join(said)


# ---------------------------------------------------------------------------------------------- the
# study


def _stimuli(definition: Definition) -> str:
    lengths = {
        name: float(medium.duration_ms)
        for name, medium in definition.media.items()
        if medium.duration_ms is not None
    }
    return " ".join(stimuli(definition.study, lengths, future))


def _existing(collected: int | None) -> str:
    if collected is None:
        return "No data have been collected for this study: it has not been served yet."
    if collected == 0:
        return "No data have been collected for this study."
    return f"{counted(collected, 'real session')} had begun when this was written."


# ---------------------------------------------------------------------------------------------- the
# plan


def _hypotheses(plan: Plan) -> list[str]:
    if not plan.declared.hypotheses:
        return ["No hypothesis is declared; everything is exploratory."]
    return [_hypothesis(hypothesis, plan) for hypothesis in plan.declared.hypotheses]


def _hypothesis(hypothesis: Hypothesis, plan: Plan) -> str:
    direction = {
        "two_sided": "two-sided",
        "greater": "directional, greater",
        "less": "directional, less",
    }[hypothesis.direction]
    if hypothesis.expects is not None:
        direction = f"directional, {hypothesis.expects}; test two-sided"
    about = f", {hypothesis.about}" if hypothesis.about else ""
    title = plan.declaration.outcome(hypothesis.outcome).title
    return (
        f"**{hypothesis.id}** ({direction}): {hypothesis.text}"
        f" Outcome: {title.lower()}{about}. Supported if: {criterion_words(hypothesis)}."
    )


def _measure_paragraphs(study: Study, plan: Plan) -> Iterator[str]:
    for rank, names in (
        ("Primary", plan.declared.outcomes.primary),
        ("Secondary", plan.declared.outcomes.secondary),
    ):
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
            f"{_about_sentence(test.about)}: {_value(plan.test_option(outcome.name, test.name))}."
            for test in outcome.tests
        ]
        words = f"{outcome.title}: {outcome.about}"
        if options or in_words(words) not in whole:
            yield " ".join([words, *options])


def _options(plan: Plan) -> Iterator[str]:
    for option in plan.declaration.options:
        value = _value(plan.option(option.name))
        if value:
            yield f"{_about_sentence(option.about)}: {value}."


def _about_sentence(about: str) -> str:
    """What an option is about, to be followed by its value."""
    return about.rstrip(".").partition(";")[0]


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(_value(part) for part in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else in_words(str(value))


def _others(plan: Plan) -> str:
    """Outcomes that were not declared; whether some can be reported at all is known when there are
    data.
    """
    rest = [other for other in plan.declaration.outcomes if plan.rank(other.name) is None]
    always = listed([other.title.lower() for other in rest if not other.needs])
    depending = listed(
        [f"{other.title.lower()} (needs {other.needs})" for other in rest if other.needs]
    )
    return "; where the data have what it takes, ".join(filter(None, (always, depending)))


def _sample_size(plan: Plan) -> str:
    rule = plan.declared.stopping
    if rule is None or rule.n is None:
        return "No number of sessions is declared."
    if rule.rule == "sequential":
        return f"{rule.n} judges at most; the evidence may end collecting earlier."
    kind = "sessions after exclusions" if rule.rule == "after_exclusions" else "complete sessions"
    return f"{rule.n} {kind}."


def _stopping(study: Study, plan: Plan) -> str:
    rule = plan.declared.stopping
    if rule is None:
        return "No stopping rule is declared."
    if (design := sequential_design(study)) is not None:
        return f"{rule_sentence(design)} Until then the software judges no hypothesis."
    if rule.rule == "experience":
        least = f", with at least {counted(rule.n, 'respondent')}" if rule.n else ""
        return (
            "Collecting ends when the respondents' mean experience reaches"
            f" {rule.at_least or 3:g}{least}. {_UNTIL_THEN}"
        )
    what = "remain after exclusions" if rule.rule == "after_exclusions" else "are complete"
    return f"Collecting ends when {rule.n} sessions {what}. {_UNTIL_THEN}"


def _rationale(plan: Plan, registration: Registration, powered: PowerRecord | None) -> list[str]:
    """The computed power: by simulation, and by formula if the main test has one."""
    rule = plan.declared.stopping
    if rule is None or rule.n is None or rule.n < 3 or not plan.declaration.t_test:
        return power_words(powered, plan, registration.hash)
    effect = detectable(rule.n, plan.alpha)
    by_formula = (
        f"With {rule.n} sessions, a two-sided t test over participants at alpha = {plan.alpha:g}"
        f" has power {_WANTED:g} for a standardised mean difference of {number(effect)} or more."
    )
    return [
        by_formula,
        *(power_words(powered, plan, registration.hash) if powered is not None else ()),
    ]


def detectable(n: int, alpha: float, wanted: float = _WANTED) -> float:
    """The smallest standardised difference that a t test over n participants detects with that
    power.
    """
    low, high = 1e-3, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (
            (low, middle)
            if not power.paired_t(middle, n=n, alpha=alpha).power < wanted
            else (middle, high)
        )
    return high
