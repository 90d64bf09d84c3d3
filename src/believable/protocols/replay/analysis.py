"""The analysis of `replay`: main outcomes and sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Finding, Section, Table
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, estimate_words, level_words, number
from believable.analysis.procedure import Verb
from believable.analysis.protocol import Main, ProtocolAnalysis
from believable.analysis.settled_plan import Plan
from believable.analysis.viewed_actions import seeing_of
from believable.protocols.replay import DECLARATION
from believable.protocols.replay.character_verdicts import (
    DayVerdict,
    day_verdicts,
    decide_section,
    decision_table,
)
from believable.protocols.replay.day_tables import (
    answers_table,
    conduct_table,
    linear_table,
    model_table,
    people_table,
    preference_table,
    primary_table,
    rates_table,
    ratings_chart,
    ratings_table,
)
from believable.protocols.replay.flag_models import (
    CONDITION,
    FLAG_FORMULAS,
    FlagModel,
    explored_flags,
    explored_ratings,
    flag_model,
)
from believable.protocols.replay.noticed_violations import noticed_section
from believable.protocols.replay.paired_outcomes import (
    PairedOutcome,
    Preference,
    paired_difference,
    preference,
)
from believable.protocols.replay.reason_categories import categories
from believable.protocols.replay.watched_days import (
    WatchedDay,
    contrast,
    of_opened,
    preferences,
    rates,
    ratings_by_page,
    values_by_person,
    watched_replays,
)
from believable.stats.estimate import Estimate
from believable.stats.models import MixedModel
from believable.stats.result import TestResult

LAYOUTS = Layouts(__file__)

ADHERENCE = "adherence"
RATED = ("believability", "coherence", ADHERENCE)
#: The name of the effect size of a paired test, by the letter of the test.
EFFECT_NAMES = {"t": "d", "W": "rank-biserial r", "z": "rank-biserial r"}
PAIRED = ("believability", "rate", "coherence", ADHERENCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class DayJudgements:
    """Everything the outcomes rest on. `values` maps outcomes to numbers by session and
    position.
    """

    ours: str
    baseline: str
    seen: tuple[WatchedDay, ...]
    values: Mapping[str, Mapping[tuple[str, int], float]]
    chosen: Mapping[str, str]
    #: Ratings of plan adherence by people who never opened plan or log: not among the values.
    blind_ratings: int = 0

    @property
    def conditions(self) -> tuple[str, ...]:
        others = dict.fromkeys(day.condition for day in self.seen)
        return tuple(dict.fromkeys([self.ours, self.baseline, *others]))


def judgements(data: Data, plan: Plan) -> DayJudgements:
    ours, baseline = contrast(data, plan)
    seen = watched_replays(data, plan)
    values = {role: ratings_by_page(data, role, seen) for role in RATED if data.has(role)}
    values["rate"] = rates(seen)
    blind = 0
    if ADHERENCE in values:
        counting = of_opened(values[ADHERENCE], seen)
        blind = len(values[ADHERENCE]) - len(counting)
        values[ADHERENCE] = counting
    return DayJudgements(
        ours=ours,
        baseline=baseline,
        seen=seen,
        values=values,
        chosen=preferences(data, seen),
        blind_ratings=blind,
    )


def main(data: Data, plan: Plan, rng: np.random.Generator) -> Main:
    """The declared outcomes; `…_difference` is the mean difference with its interval, in
    addition to the test of the same name.
    """
    judged = judgements(data, plan)
    outcomes: dict[str, Estimate | TestResult] = {}
    for name, pairs in _pair_outcomes(judged, plan, ("believability", "rate")).items():
        outcomes[name] = pairs.comparison.test
        outcomes[f"{name}_difference"] = pairs.difference
    outcomes["odds"] = _flag_model(judged, plan, str(plan.option("flag_model"))).odds_ratio
    outcomes["preference"] = _preference(judged, plan).test
    if plan.over == "judges":
        return outcomes
    for name, verdict in _verdicts(judged, plan).items():
        if verdict.test.estimate is None or name not in outcomes:
            continue
        outcomes[name] = verdict.test.estimate if name == "odds" else verdict.test
        if f"{name}_difference" in outcomes:
            outcomes[f"{name}_difference"] = verdict.test.estimate
    return outcomes


def _verdicts(judged: DayJudgements, plan: Plan) -> dict[str, DayVerdict]:
    return day_verdicts(
        judged.seen, judged.values, judged.chosen, judged.ours, judged.baseline, plan
    )


def analyse(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    judged = judgements(data, plan)
    outcomes = _pair_outcomes(judged, plan, PAIRED)
    verdicts = _verdicts(judged, plan)
    sections = [
        decide_section(section, verdicts, judged.ours, judged.baseline)
        for section in (
            _primary(data, judged, outcomes, _flag_models(judged, plan), plan),
            _secondary(judged, outcomes, plan),
            _explore(data, judged, plan),
        )
    ]
    if plan.over == "both":
        titles = {outcome.name: outcome.title for outcome in DECLARATION.outcomes}
        decision = decision_table(tuple(verdicts.values()), titles)
        sections[0] = replace(sections[0], tables=(decision, *sections[0].tables))
    noticing = noticed_section(
        data, judged.seen, judged.values["believability"], judged.conditions, plan
    )
    return (
        *sections,
        *(section for section in (noticing, categories(data, plan)) if section is not None),
    )


def methods(data: Data, plan: Plan, verb: Verb) -> str:
    seeing = seeing_of(plan)
    reach, be = f"{seeing.reach_ms / 1000:g} s", verb("were", "will be")
    return LAYOUTS.paragraph(
        "methods.md",
        level_words=level_words,
        seeing=seeing,
        reach=reach,
        be=be,
        plan=plan,
        verb=verb,
    )


def _pair_outcomes(
    judged: DayJudgements, plan: Plan, names: Sequence[str]
) -> dict[str, PairedOutcome]:
    return {
        name: paired_difference(
            values_by_person(judged.seen, judged.values[name]),
            judged.ours,
            judged.baseline,
            alternative=plan.alternative(name),
            normality_alpha=float(plan.option("normality_alpha")),
            level=plan.level,
        )
        for name in names
        if name in judged.values
    }


def _flag_models(judged: DayJudgements, plan: Plan) -> tuple[FlagModel, FlagModel]:
    """The model that judges, as declared, and the other one."""
    judging = str(plan.option("flag_model"))
    (other,) = (kind for kind in FLAG_FORMULAS if kind != judging)
    return _flag_model(judged, plan, judging), _flag_model(judged, plan, other)


def _flag_model(judged: DayJudgements, plan: Plan, effects: str) -> FlagModel:
    return flag_model(judged.seen, judged.ours, judged.baseline, effects=effects, level=plan.level)


def _preference(judged: DayJudgements, plan: Plan) -> Preference:
    return preference(
        judged.chosen,
        judged.ours,
        judged.baseline,
        alternative=plan.alternative("preference"),
        level=plan.level,
    )


def why_table(data: Data, judged: DayJudgements) -> tuple[Table, ...]:
    """Return people's reasons for their preference, if they were asked."""
    if not data.has("why"):
        return ()
    written = dict(zip(data.sessions, data.text_by_session("why"), strict=True))
    rows = sorted(
        (judged.chosen.get(session, "none"), str(text).strip())
        for session, text in written.items()
        if text is not None and str(text).strip()
    )
    reasons = LAYOUTS.table("why", rows, data_only=not rows)
    return (reasons,)


def _primary(
    data: Data,
    judged: DayJudgements,
    outcomes: Mapping[str, PairedOutcome],
    models: tuple[FlagModel, FlagModel],
    plan: Plan,
) -> Section:
    model, other = models
    chosen = _preference(judged, plan)
    findings = [
        _paired_finding(name, outcomes[name], judged)
        for name in ("believability", "rate")
        if name in outcomes
    ]
    findings.append(_odds_finding(model, other, judged))
    findings.append(_preference_finding(chosen, judged))
    rows = {
        name: (DECLARATION.outcome(name).title, outcomes[name])
        for name in ("believability", "rate")
        if name in outcomes
    }
    answers, chart = answers_table(judged.seen, judged.values["believability"], judged.conditions)
    results = [
        primary_table(rows, plan.alpha),
        rates_table(judged.seen, judged.conditions, plan.level),
        preference_table(chosen, judged.ours, judged.baseline),
        model_table("flag_model", "Odds of a flag", model),
        model_table("flag_model_beside", f"Odds of a flag, {_of_effects(other)}", other),
        *why_table(data, judged),
        answers,
        people_table(judged.seen, judged.values, judged.chosen),
    ]
    return LAYOUTS.section(
        "primary",
        paragraphs=(
            (
                f"{counted(len({day.session for day in judged.seen}), 'person', 'people')} watched"
                f" {counted(len(judged.seen), 'replay')}. Differences are {judged.ours} minus"
                f" {judged.baseline}."
            ),
        ),
        findings=tuple(findings),
        tables=tuple(results),
        charts=(chart,),
    )


def _paired_finding(name: str, pairs: PairedOutcome, judged: DayJudgements) -> Finding:
    unit = " flagged per 100 viewed actions" if name == "rate" else ""
    test = pairs.comparison.test
    if not len(pairs.people):
        sentence = (
            f"{DECLARATION.outcome(name).title}: nobody has both values, so the conditions cannot"
            " be compared."
        )
    else:
        sentence = (
            f"{DECLARATION.outcome(name).title}: {counted(len(pairs.people), 'person', 'people')}"
            f" gave {judged.ours} a mean of {number(float(pairs.ours.mean()))} and"
            f" {judged.baseline} {number(float(pairs.baseline.mean()))}{unit}; mean difference"
            f" {estimate_words(pairs.difference)}."
        )
        if test.effect is not None and test.effect.value is not None:
            sentence += (
                f" Effect size: {EFFECT_NAMES.get(test.symbol, 'd')} ="
                f" {estimate_words(test.effect)}."
            )
    return Finding(
        outcome=name,
        title=DECLARATION.outcome(name).title,
        sentence=sentence,
        estimate=pairs.difference,
        test=test,
    )


def _differs(model: FlagModel) -> bool:
    return model.model is not None and f"1 + {CONDITION} |" in model.model.formula


def _of_effects(model: FlagModel) -> str:
    return (
        "an effect that differs between participants"
        if _differs(model)
        else "one effect for everybody"
    )


def _odds_finding(model: FlagModel, other: FlagModel, judged: DayJudgements) -> Finding:
    odds, other_odds = model.odds_ratio, other.odds_ratio
    also = (
        f" With {_of_effects(other)}: {estimate_words(other_odds)}."
        if other_odds.value is not None
        else ""
    )
    notes = f" Note: {'; '.join(model.notes)}." if model.notes else ""
    if model.model is not None and not _differs(model):
        notes += (
            " If the effect differs between people, this model finds effects that are not there too"
            " often."
        )
    sentence = (
        f"The odds ratio of a flag on a viewed action, {judged.ours} against {judged.baseline}, is"
        f" {estimate_words(odds)} ({_of_effects(model)}).{also}{notes}"
        if odds.value is not None
        else f"The odds ratio of a flag is undefined ({odds.reason})."
    )
    test = None
    if odds.statistic is not None and odds.p_value is not None:
        test = TestResult(
            statistic=odds.statistic,
            p_value=odds.p_value,
            n=odds.n,
            method="Wald test of the odds ratio",
            df=odds.df,
            estimate=odds,
            symbol="t" if odds.df else "z",
        )
    return Finding(
        outcome="odds",
        title=DECLARATION.outcome("odds").title,
        sentence=sentence,
        estimate=odds,
        test=test,
    )


def _preference_finding(chosen: Preference, judged: DayJudgements) -> Finding:
    share = chosen.test.estimate
    decided = chosen.ours + chosen.baseline
    left = (
        f" {counted(chosen.undecided, 'person', 'people')} preferred neither or both."
        if chosen.undecided
        else ""
    )
    sentence = (
        f"Of {counted(decided, 'person', 'people')} who decided, {chosen.ours} preferred"
        f" {judged.ours} over {judged.baseline}: a share of {estimate_words(share)}.{left}"
        if decided and share is not None
        else f"Preference: nobody decided, so there is no share.{left}"
    )
    return Finding(
        outcome="preference",
        title=DECLARATION.outcome("preference").title,
        sentence=sentence,
        estimate=share,
        test=chosen.test,
    )


def _secondary(judged: DayJudgements, outcomes: Mapping[str, PairedOutcome], plan: Plan) -> Section:
    rated = {name: judged.values[name] for name in RATED if name in judged.values}
    rows = {
        name: (DECLARATION.outcome(name).title, outcomes[name])
        for name in ("coherence", ADHERENCE)
        if name in outcomes
    }
    findings = tuple(_paired_finding(name, pairs, judged) for name, (_, pairs) in rows.items())
    paired_table = primary_table(rows, plan.alpha)
    tables = [ratings_table(judged.seen, rated, judged.conditions, plan.level)]
    if rows:
        tables.append(replace(paired_table, name="secondary", title="Secondary ratings, paired"))
    words = []
    if ADHERENCE in judged.values:
        words.append(
            "Plan adherence is asked only of people who opened plan or log; elsewhere it is missing"
            " by design."
        )
    if judged.blind_ratings:
        words.append(
            f"Left out: {counted(judged.blind_ratings, 'rating')} of plan adherence, since neither"
            " plan nor log was opened beside the replay, as recorded."
        )
    return LAYOUTS.section(
        "ratings", paragraphs=words, findings=findings, tables=tables, charts=(ratings_chart(),)
    )


def _explore(data: Data, judged: DayJudgements, plan: Plan) -> Section:
    """Order of watching, overlay and experience as covariates: exploratory by nature."""
    known = _experience(data)
    ratings = explored_ratings(
        judged.seen,
        judged.values["believability"],
        judged.ours,
        judged.baseline,
        experience=known,
        level=plan.level,
    )
    flags = explored_flags(
        judged.seen, judged.ours, judged.baseline, experience=known, level=plan.level
    )
    findings = [
        finding
        for finding in (
            _covariate(ratings, "order", "later", "watched second rather than first"),
            _covariate(
                ratings, "overlay", "overlay", "watched with plan or log opened rather than closed"
            ),
        )
        if finding is not None
    ]
    explored = model_table("flags_explored", "Odds of a flag with covariates", flags)
    return LAYOUTS.section(
        "explored",
        findings=findings,
        tables=(
            linear_table(ratings),
            explored,
            conduct_table(data, judged.seen, judged.conditions),
        ),
    )


def _experience(data: Data) -> dict[str, float]:
    """Return prior experience by session, if it was answered with a number."""
    if not data.has("experience"):
        return {}
    answers = data.number_by_session("experience")
    return {
        session: float(value)
        for session, value in zip(data.sessions, answers, strict=True)
        if value == value
    }


def _covariate(model: MixedModel | str, outcome: str, term: str, words: str) -> Finding | None:
    if isinstance(model, str) or term not in {term.name for term in model.terms}:
        return None
    effect = model.term(term).estimate
    test = None
    if effect.statistic is not None and effect.p_value is not None:
        test = TestResult(
            statistic=effect.statistic,
            p_value=effect.p_value,
            n=effect.n,
            method="t test of the coefficient",
            df=effect.df,
            estimate=effect,
            symbol="t",
        )
    sentence = (
        f"At the same condition, the believability of a replay {words} is different by"
        f" {estimate_words(effect)}."
    )
    return Finding(
        outcome=outcome,
        title=DECLARATION.outcome(outcome).title,
        sentence=sentence,
        estimate=effect,
        test=test,
    )


ANALYSIS = ProtocolAnalysis(declaration=DECLARATION, analyse=analyse, main=main, methods=methods)
