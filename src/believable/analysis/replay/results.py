"""The analysis of `replay`: main outcomes and sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from believable.analysis.data import Data
from believable.analysis.plan import Plan
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.records import Finding, Section
from believable.analysis.replay import collect, tables
from believable.analysis.replay.categories import categories
from believable.analysis.replay.collect import Watched
from believable.analysis.replay.outcomes import (
    FlagModel,
    Paired,
    Preference,
    explored_flags,
    explored_ratings,
    flag_model,
    paired,
    preference,
    rates,
    values_by_person,
)
from believable.analysis.words import counted, estimate_words, fixed, p_words, test_words
from believable.stats.estimate import Estimate
from believable.stats.models import MixedModel
from believable.stats.result import TestResult
from believable.study.declarations.replay import REPLAY

ROLES, OPTIONS, OUTCOMES = REPLAY.roles, REPLAY.options, REPLAY.outcomes
ADHERENCE = "adherence"
RATED = ("believability", "coherence", ADHERENCE)
PAIRED = ("believability", "rate", "coherence", ADHERENCE)


@dataclass(frozen=True, slots=True)
class Judgements:
    """Everything the outcomes rest on. `values` maps outcomes to numbers by session and position."""

    ours: str
    baseline: str
    seen: tuple[Watched, ...]
    values: Mapping[str, Mapping[tuple[str, int], float]]
    chosen: Mapping[str, str]
    #: Ratings of plan adherence by people who never opened plan or log: not among the values.
    blind_ratings: int = 0

    @property
    def conditions(self) -> tuple[str, ...]:
        others = dict.fromkeys(one.condition for one in self.seen)
        return tuple(dict.fromkeys([self.ours, self.baseline, *others]))


def judgements(data: Data, plan: Plan) -> Judgements:
    ours, baseline = collect.contrast(data, plan)
    seen = collect.watched(data, plan)
    values = {role: collect.ratings(data, role) for role in RATED if data.has(role)}
    values["rate"] = rates(seen)
    blind = 0
    if ADHERENCE in values:
        counting = collect.of_opened(values[ADHERENCE], seen)
        blind = len(values[ADHERENCE]) - len(counting)
        values[ADHERENCE] = counting
    return Judgements(ours, baseline, seen, values, collect.preferences(data, seen), blind)


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """The declared outcomes; `…_difference` is the mean difference with its interval, beside the test of the same name."""
    found = judgements(data, plan)
    outcomes: dict[str, Estimate | TestResult] = {}
    for name, one in _paired(found, plan, ("believability", "rate")).items():
        outcomes[name] = one.comparison.test
        outcomes[f"{name}_difference"] = one.difference
    outcomes["odds"] = flag_model(found.seen, found.ours, found.baseline, level=plan.level).odds_ratio
    outcomes["preference"] = _preference(found, plan).test
    return outcomes


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    found = judgements(data, plan)
    outcomes = _paired(found, plan, PAIRED)
    model = flag_model(found.seen, found.ours, found.baseline, level=plan.level)
    sections = [
        _primary(found, outcomes, model, plan),
        _secondary(found, outcomes, plan),
        _explored(data, found, plan),
    ]
    coded = categories(data, plan)
    return (*sections, coded) if coded is not None else tuple(sections)


def methods(data: Data, plan: Plan) -> str:
    seeing = collect.seeing_of(plan)
    reach = f"{seeing.reach_ms / 1000:g} s"
    return (
        "An atomic action counts as viewed when the watched intervals contain its start or at least "
        f"{100 * seeing.least_share:g} % of it and it was on screen for {seeing.least_screen_ms:g} ms of wall time; the"
        " unbelievable rate is 100 times the viewed actions flagged at least once, divided by the viewed actions. Flags on one"
        f" action within {reach} of replay time merge; a flag on a moment belongs to the action on screen, else to the nearest"
        f" within {reach}. Ratings and rates were compared within people by a paired t test, or by the Wilcoxon signed-rank test"
        f" where Shapiro–Wilk rejects normal differences at {plan.option('normality_alpha'):g}; Cohen's d is that of the paired"
        " differences. Flags were modelled by a mixed-effects logistic regression with random intercepts of participants and"
        " scenarios (scenarios as fixed effect where there are fewer than five). Preference was tested by an exact binomial test."
    )


def _paired(found: Judgements, plan: Plan, names: Sequence[str]) -> dict[str, Paired]:
    return {
        name: paired(
            values_by_person(found.seen, found.values[name]),
            found.ours,
            found.baseline,
            alternative=plan.alternative(name),
            normality_alpha=float(plan.option("normality_alpha")),
            level=plan.level,
        )
        for name in names
        if name in found.values
    }


def _preference(found: Judgements, plan: Plan) -> Preference:
    return preference(
        found.chosen, found.ours, found.baseline, alternative=plan.alternative("preference"), level=plan.level
    )


def _title(outcome: str) -> str:
    return next(one.title for one in OUTCOMES if one.name == outcome)


def _primary(found: Judgements, outcomes: Mapping[str, Paired], model: FlagModel, plan: Plan) -> Section:
    chosen = _preference(found, plan)
    findings = [
        _paired_finding(name, outcomes[name], found) for name in ("believability", "rate") if name in outcomes
    ]
    findings.append(_odds_finding(model, found))
    findings.append(_preference_finding(chosen, found))
    rows = {name: (_title(name), outcomes[name]) for name in ("believability", "rate") if name in outcomes}
    answers, chart = tables.answers_table(found.seen, found.values["believability"], found.conditions)
    made = [
        tables.primary_table(rows, plan.alpha),
        tables.rates_table(found.seen, found.conditions, plan.level),
        tables.preference_table(chosen, found.ours, found.baseline),
        tables.model_table("flag_model", "Odds of a flag", model),
        answers,
        tables.people_table(found.seen, found.values, found.chosen),
    ]
    return Section(
        "primary",
        "Is it believed?",
        (
            f"{counted(len({one.session for one in found.seen}), 'person', 'people')} watched "
            f"{counted(len(found.seen), 'replay')}. Differences are {found.ours} minus {found.baseline}.",
        ),
        tuple(findings),
        tuple(made),
        (chart,),
    )


def _paired_finding(name: str, one: Paired, found: Judgements) -> Finding:
    what = "has" if name == "rate" else "is rated"
    unit = " flagged per 100 viewed actions" if name == "rate" else ""
    test, symbol = one.comparison.test, "t" if one.comparison.chosen == "paired_t" else "W"
    if not len(one.people):
        sentence = f"{_title(name)}: nobody has both values, so the conditions cannot be compared."
    else:
        rule = (
            f"Shapiro–Wilk on the differences, {p_words(one.comparison.normality.p_value)}"
            if one.comparison.normality.defined
            else f"no normality test: {one.comparison.normality.reason}"
        )
        sentence = (
            f"{_title(name)}: {found.ours} {what} {fixed(float(one.ours.mean()))} and {found.baseline} "
            f"{fixed(float(one.baseline.mean()))}{unit}; difference {estimate_words(one.difference)}; {test_words(test, symbol)} "
            f"({rule}); d = {estimate_words(one.comparison.effect)}; n = {len(one.people)}."
        )  # fmt: skip
    return Finding(name, _title(name), sentence, "exploratory", estimate=one.difference, test=test)


def _odds_finding(model: FlagModel, found: Judgements) -> Finding:
    odds = model.odds_ratio
    notes = f" Note: {'; '.join(model.notes)}." if model.notes else ""
    p = f", {p_words(odds.p_value)}" if odds.p_value is not None else ""
    sentence = (
        f"The odds that a viewed action is flagged are, for {found.ours} against {found.baseline}, "
        f"{estimate_words(odds)}{p}.{notes}"
        if odds.value is not None
        else f"The odds ratio of a flag is undefined ({odds.reason})."
    )
    test = None
    if odds.statistic is not None and odds.p_value is not None:
        test = TestResult(odds.statistic, odds.p_value, odds.n, "Wald test of the odds ratio", estimate=odds)
    return Finding("odds", _title("odds"), sentence, "exploratory", estimate=odds, test=test)


def _preference_finding(chosen: Preference, found: Judgements) -> Finding:
    share = chosen.test.estimate
    decided = chosen.ours + chosen.baseline
    left = (
        f" {counted(chosen.undecided, 'person', 'people')} preferred neither or both."
        if chosen.undecided
        else ""
    )
    sentence = (
        f"{chosen.ours} of {decided} who decided prefer {found.ours} over {found.baseline}: share "
        f"{estimate_words(share)}, {p_words(chosen.test.p_value)} ({chosen.test.method}).{left}"
        if decided and share is not None
        else f"Preference: nobody decided, so there is no share.{left}"
    )
    return Finding(
        "preference", _title("preference"), sentence, "exploratory", estimate=share, test=chosen.test
    )


def _secondary(found: Judgements, outcomes: Mapping[str, Paired], plan: Plan) -> Section:
    rated = {name: found.values[name] for name in RATED if name in found.values}
    rows = {name: (_title(name), outcomes[name]) for name in ("coherence", ADHERENCE) if name in outcomes}
    findings = tuple(_paired_finding(name, one, found) for name, (_, one) in rows.items())
    table = tables.primary_table(rows, plan.alpha)
    made = [tables.ratings_table(found.seen, rated, found.conditions, plan.level)]
    if rows:
        made.append(replace(table, name="secondary", title="Secondary ratings, paired"))
    words = []
    if ADHERENCE in found.values:
        words.append(
            "Plan adherence is asked only of people who opened plan or log; elsewhere it is missing by design."
        )
    if found.blind_ratings:
        words.append(
            f"Left out: {counted(found.blind_ratings, 'rating')} of plan adherence, since neither plan nor log was opened"
            " beside the replay, as recorded."
        )
    return Section("ratings", "Ratings", tuple(words), findings, tuple(made), (tables.ratings_chart(),))


def _explored(data: Data, found: Judgements, plan: Plan) -> Section:
    """Order of watching, overlay and experience as covariates: exploratory by nature."""
    known = _experience(data)
    ratings = explored_ratings(
        found.seen,
        found.values["believability"],
        found.ours,
        found.baseline,
        experience=known,
        level=plan.level,
    )
    flags = explored_flags(found.seen, found.ours, found.baseline, experience=known, level=plan.level)
    findings = [
        one
        for one in (
            _covariate(ratings, "order", "later", "watched second rather than first"),
            _covariate(ratings, "overlay", "overlay", "watched with plan or log opened rather than closed"),
        )
        if one is not None
    ]
    explored = tables.model_table("flags_explored", "Odds of a flag with covariates", flags)
    words = (
        "`later` is 1 for the replay watched second, `overlay` 1 where plan or log were opened beside it; `experience` is the"
        " answer about prior experience."
    )
    return Section(
        "explored",
        "Order, overlay and experience",
        (words,),
        tuple(findings),
        (
            tables.linear_table("ratings_explored", "Overall believability with covariates", ratings),
            explored,
            tables.conduct_table(data, found.seen, found.conditions),
        ),
        status="exploratory",
    )


def _experience(data: Data) -> dict[str, float]:
    """Prior experience by session, where it was asked and answered with a number."""
    if not data.has("experience"):
        return {}
    answers = data.number_by_session("experience")
    return {
        session: float(value) for session, value in zip(data.sessions, answers, strict=True) if value == value
    }


def _covariate(model: MixedModel | str, outcome: str, term: str, words: str) -> Finding | None:
    if isinstance(model, str) or term not in {one.name for one in model.terms}:
        return None
    effect = model.term(term).estimate
    test = None
    if effect.statistic is not None and effect.p_value is not None:
        test = TestResult(
            effect.statistic,
            effect.p_value,
            effect.n,
            "t test of the coefficient",
            effect.df,
            estimate=effect,
        )
    sentence = (
        f"Overall believability of a replay {words}, condition held fixed, differs by {estimate_words(effect)}, "
        f"{p_words(effect.p_value)} (exploratory)."
    )
    return Finding(outcome, _title(outcome), sentence, "exploratory", estimate=effect, test=test)


PROTOCOL = ProtocolAnalysis(REPLAY, analyse, main, methods)
