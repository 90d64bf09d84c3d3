"""The results of `replay` as tables and charts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import (
    LOOSE_CELL,
    Cell,
    Chart,
    Column,
    Table,
    Undefined,
    table,
    with_reason,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import in_words, integer, level_words
from believable.protocols.replay.flag_models import FlagModel
from believable.protocols.replay.paired_outcomes import PairedOutcome, Preference
from believable.protocols.replay.watched_days import BY_DESIGN, WatchedDay, missing
from believable.stats.indices import pooled_unbelievable_rate
from believable.stats.means import mean_t
from believable.stats.models import MixedModel

LAYOUTS = Layouts(__file__)


def primary_table(outcomes: Mapping[str, tuple[str, PairedOutcome]], alpha: float) -> Table:
    """One row per paired outcome: both means, the difference, the test that the normality rule
    chose, the effect.
    """
    rows = []
    for title, pairs in outcomes.values():
        test, effect, difference = pairs.comparison.test, pairs.comparison.effect, pairs.difference
        normality = pairs.comparison.normality
        few = "fewer than two people have both values"
        means = (
            float(values.mean()) if len(values) else None for values in (pairs.ours, pairs.baseline)
        )
        rows.append(
            (
                title,
                len(pairs.people),
                *with_reason(few, *means),
                *with_reason(
                    difference.reason or few, difference.value, difference.low, difference.high
                ),
                *with_reason(normality.reason or few, normality.p_value),
                "paired t" if pairs.comparison.chosen == "paired_t" else "Wilcoxon",
                *with_reason(test.reason or few, test.statistic, test.p_value),
                *with_reason(effect.reason or few, effect.value, effect.low, effect.high),
            )
        )
    significant = [pairs.comparison.test.significant(alpha) for _, pairs in outcomes.values()]
    return LAYOUTS.table(
        "paired",
        rows,
        marked=((number, "p_value") for number, holds in enumerate(significant) if holds),
        level=level_words(1 - alpha),
    )


def rates_table(seen: Sequence[WatchedDay], conditions: Sequence[str], level: float) -> Table:
    """Tabulate the parts of the unbelievable rate per condition, with flags that it leaves out."""
    rows: list[tuple[LOOSE_CELL, ...]] = []
    notes: dict[str, None] = {}
    for condition in conditions:
        mine = [day for day in seen if day.condition == condition]
        f, a = [day.judged.f for day in mine], [day.judged.a for day in mine]
        pooled = pooled_unbelievable_rate(f, a, level=level)
        notes |= dict.fromkeys(f"{condition}: {note}." for note in pooled.notes)
        single = [day.judged.rate for day in mine if day.judged.rate is not None]
        rows.append(
            (
                condition,
                len(mine),
                sum(len(day.actions) for day in mine),
                sum(a),
                sum(f),
                *with_reason(pooled.reason, pooled.value, pooled.low, pooled.high),
                *with_reason("no action was viewed", mean_t(single, level=level).value),
                *(
                    sum(getattr(day.judged, name) for day in mine)
                    for name in ("raw_flags", "flags", "unseen", "unattached")
                ),
                sum(day.undone for day in mine),
                len(mine) - len(single),
            )
        )
    return LAYOUTS.table("rates", rows, notes=" ".join(notes))


def people_table(
    seen: Sequence[WatchedDay],
    values: Mapping[str, Mapping[tuple[str, int], float]],
    chosen: Mapping[str, str],
) -> Table:
    """One row per person and replay, for those who want to compute further."""
    names = tuple(values)
    rows = [
        (
            day.session,
            day.condition,
            day.scenario or None,
            day.place,
            *(values[name].get((day.session, day.position)) for name in names),
            day.judged.a,
            day.judged.f,
            *with_reason(day.judged.reason, day.judged.rate),
            day.judged.unseen,
            day.wall_ms / 1000,
            day.plan_opened,
            day.log_opened,
            chosen.get(day.session),
        )
        for day in seen
    ]
    return LAYOUTS.table(
        "replays",
        rows,
        ratings=(
            Column(name=name, title=name.capitalize(), form="number", digits=0) for name in names
        ),
    )


def ratings_table(
    seen: Sequence[WatchedDay],
    values: Mapping[str, Mapping[tuple[str, int], float]],
    conditions: Sequence[str],
    level: float,
) -> Table:
    """Means per condition, and how many are missing by design or were not answered."""
    rows = []
    for name, answered in values.items():
        for condition in conditions:
            mine = [day for day in seen if day.condition == condition]
            reasons = [missing(day, answered, needs_overlay=name == "adherence") for day in mine]
            numbers = np.array(
                [
                    answered[day.session, day.position]
                    for day, why in zip(mine, reasons, strict=True)
                    if why is None
                ]
            )
            mean = mean_t(numbers, level=level)
            spread = float(numbers.std(ddof=1)) if len(numbers) > 1 else None
            median = float(np.median(numbers)) if len(numbers) else None
            by_design = reasons.count(BY_DESIGN)
            figures = with_reason(
                mean.reason or "fewer than two answers",
                mean.value,
                spread,
                mean.low,
                mean.high,
                median,
            )
            rows.append(
                (
                    name,
                    condition,
                    len(numbers),
                    by_design,
                    len(mine) - len(numbers) - by_design,
                    *figures,
                )
            )
    return LAYOUTS.table("ratings", rows)


def ratings_chart() -> Chart:
    return LAYOUTS.chart("ratings")


def answers_table(
    seen: Sequence[WatchedDay], answered: Mapping[tuple[str, int], float], conditions: Sequence[str]
) -> tuple[Table, Chart]:
    """How often each point of the overall rating was chosen, per condition."""
    points = sorted({*range(1, 8), *(round(value) for value in answered.values())})
    rows: list[tuple[Cell, ...]] = []
    for condition in conditions:
        mine = [
            answered[day.session, day.position]
            for day in seen
            if day.condition == condition and (day.session, day.position) in answered
        ]
        rows += [
            (
                condition,
                str(point),
                sum(round(v) == point for v in mine),
                sum(round(v) == point for v in mine) / len(mine),
            )
            for point in points
            if mine
        ]
    table = LAYOUTS.table("believability_answers", rows)
    chart = LAYOUTS.chart("believability_answers")
    return table, chart


def preference_table(preference: Preference, ours: str, baseline: str) -> Table:
    share, reason = preference.test.estimate, preference.test.reason or "nobody decided"
    decided = preference.ours + preference.baseline
    cells = (None, None, None) if share is None else (share.value, share.low, share.high)
    rows = [
        (ours, preference.ours, *with_reason(reason, *cells, preference.test.p_value)),
        (
            baseline,
            preference.baseline,
            *with_reason(reason, preference.baseline / decided if decided else None),
            *with_reason("see the first row", None, None, None),
        ),
    ]
    if preference.undecided:
        rows.append(
            (
                "undecided",
                preference.undecided,
                *with_reason("not in the test", None, None, None, None),
            )
        )
    return LAYOUTS.table("preference", rows)


def term_words(name: str) -> str:
    """A term of a model as one says it: `condition[neurosymbolic]` is the condition
    neurosymbolic.
    """
    if name == "(Intercept)":
        return "intercept"
    return in_words(re.sub(r"(\w+)\[([^\]]+)\]", r"\1: \2", name))


def model_table(name: str, title: str, fitted: FlagModel) -> Table:
    """Odds ratios of the fixed effects; the standard deviations of the random ones below."""
    if fitted.model is None:
        columns = (
            Column(name="term", title="Term"),
            Column(name="odds_ratio", title="Odds ratio", form="number", digits=2),
        )
        return table(
            name, title, columns, [("condition", *with_reason(fitted.odds_ratio.reason, None))]
        )
    rows = []
    for term in fitted.model.terms:
        odds, log = term.odds_ratio, term.estimate
        ratio = (None, None, None) if odds is None else (odds.value, odds.low, odds.high)
        cells = (*ratio, log.value, log.se, log.statistic)
        why = log.reason or "the fit did not converge"
        freedom = (
            log.df[0]
            if log.df
            else Undefined(why if log.statistic is None else "z has no degrees of freedom")
        )
        rows.append(
            (
                term_words(term.name),
                *with_reason(why, *cells),
                freedom,
                *with_reason(why, log.p_value),
            )
        )
    sds = [
        f"SD of {term_words(effect.name)} between {effect.levels} levels of {effect.group}:"
        f" {effect.sd:.3f}"
        for effect in fitted.model.random
    ]
    method = (
        f"`{fitted.model.formula}`; {fitted.model.method}; {integer(fitted.viewed)} viewed actions"
    )
    note = ". ".join([method, *sds, *fitted.notes]) + "."
    return replace(LAYOUTS.table("flag_odds", rows, title=title, note=note), name=name)


def linear_table(model: MixedModel | str) -> Table:
    """The coefficients of the ratings with covariates."""
    if isinstance(model, str):
        return LAYOUTS.table(
            "ratings_explored", [("condition", *with_reason(model, *[None] * 4))], note=""
        )
    rows = [
        (term_words(term.name), *with_reason(e.reason, e.value, e.low, e.high, e.p_value))
        for term in model.terms
        for e in (term.estimate,)
    ]
    note = ". ".join([f"`{model.formula}`; {model.method}", *model.notes]) + "."
    return LAYOUTS.table("ratings_explored", rows, note=note)


def conduct_table(data: Data, seen: Sequence[WatchedDay], conditions: Sequence[str]) -> Table:
    """Tabulate how replays were watched: time in front of them, time on the page, overlays."""
    trials = data.table("trials")
    on_page = {
        (str(session), int(position)): float(rt_ms) / 1000
        for session, position, rt_ms, unknown in zip(
            trials["session"].values,
            trials["position"].values,
            trials["rt_ms"].values,
            trials["rt_ms"].missing,
            strict=True,
        )
        if not unknown
    }
    rows = []
    for condition in conditions:
        mine = [day for day in seen if day.condition == condition]
        spent = [
            on_page[day.session, day.position]
            for day in mine
            if (day.session, day.position) in on_page
        ]
        cells = [
            _of(np.median, [day.wall_ms / 1000 for day in mine]),
            _of(np.median, spent),
            _of(np.mean, [day.was_opened for day in mine]),
            _of(np.mean, [day.plan_opened for day in mine]),
            _of(np.mean, [day.log_opened for day in mine]),
        ]
        rows.append(
            (
                condition,
                len(mine),
                *with_reason("no times were recorded" if mine else "nobody watched it", *cells),
            )
        )
    return LAYOUTS.table("conduct", rows)


def _of(middle: Callable[[Sequence[float]], float], values: Sequence[float]) -> float | None:
    return float(middle(values)) if values else None
