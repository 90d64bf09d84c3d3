"""The results of `replay` as tables and charts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Cell, Chart, Column, Table
from believable.analysis.numbers import in_words, level_words
from believable.protocols.replay.flag_outcomes import (
    BY_DESIGN,
    FlagModel,
    PairedOutcome,
    Preference,
    WatchedDay,
    missing,
)
from believable.stats.indices import pooled_unbelievable_rate
from believable.stats.means import mean_t
from believable.stats.models import MixedModel

_CONDITION = Column("condition", "Condition")


def primary_table(outcomes: Mapping[str, tuple[str, PairedOutcome]], alpha: float) -> Table:
    """One row per paired outcome: both means, the difference, the test that the normality rule chose, the effect."""
    rows: list[tuple[Cell, ...]] = []
    undefined: dict[tuple[int, str], str] = {}
    marked: set[tuple[int, str]] = set()
    for number, (title, pairs) in enumerate(outcomes.values()):
        test, effect, difference = pairs.comparison.test, pairs.comparison.effect, pairs.difference
        few = "fewer than two people have both values"
        row: dict[str, Cell] = {
            "outcome": title,
            "n": len(pairs.people),
            "ours": float(pairs.ours.mean()) if len(pairs.ours) else None,
            "baseline": float(pairs.baseline.mean()) if len(pairs.baseline) else None,
            "difference": difference.value,
            "ci_low": difference.low,
            "ci_high": difference.high,
            "normality_p": pairs.comparison.normality.p_value,
            "test": "paired t" if pairs.comparison.chosen == "paired_t" else "Wilcoxon",
            "statistic": test.statistic,
            "p_value": test.p_value,
            "dz": effect.value,
            "dz_low": effect.low,
            "dz_high": effect.high,
        }
        reasons = {
            "difference": difference.reason, "ci_low": difference.reason, "ci_high": difference.reason,
            "normality_p": pairs.comparison.normality.reason, "statistic": test.reason, "p_value": test.reason,
            "dz": effect.reason, "dz_low": effect.reason, "dz_high": effect.reason,
        }  # fmt: skip
        for name, cell in row.items():
            if cell is None:
                undefined[number, name] = reasons.get(name) or few
        if test.significant(alpha):
            marked.add((number, "p_value"))
        rows.append(tuple(row.values()))
    return Table(
        "paired",
        "Ours against the baseline, paired",
        (
            Column("outcome", "Outcome"),
            Column("n", "n", "integer", about="People with both values."),
            Column("ours", "Ours", "number", 2, "Mean of the condition of interest."),
            Column("baseline", "Baseline", "number", 2, "Mean of the condition compared with."),
            Column("difference", "Difference", "number", 2, "Mean of ours minus baseline."),
            Column("ci_low", "low", "number", 2, "Lower bound of the difference, t interval."),
            Column("ci_high", "high", "number", 2, "Upper bound of the difference, t interval."),
            Column("normality_p", "Shapiro–Wilk p", "p", about="Of the differences; below the limit: Wilcoxon."),
            Column("test", "Test", about="Chosen by the normality rule."),
            Column("statistic", "Statistic", "number", 2),
            Column("p_value", "p", "p"),
            Column("dz", "d", "number", 2, "Cohen's d of the paired differences."),
            Column("dz_low", "low", "number", 2),
            Column("dz_high", "high", "number", 2),
        ),
        tuple(rows),
        f"Ours minus baseline. Intervals at {level_words(1 - alpha)}: t for the difference, noncentral t for d.",
        undefined=undefined,
        marked=frozenset(marked),
    )


def rates_table(seen: Sequence[WatchedDay], conditions: Sequence[str], level: float) -> Table:
    """What the unbelievable rate is made of, per condition; flags that do not count in it are counted here."""
    rows: list[tuple[Cell, ...]] = []
    undefined: dict[tuple[int, str], str] = {}
    for number, condition in enumerate(conditions):
        mine = [day for day in seen if day.condition == condition]
        f, a = [day.judged.f for day in mine], [day.judged.a for day in mine]
        pooled = pooled_unbelievable_rate(f, a, level=level)
        single = [day.judged.rate for day in mine if day.judged.rate is not None]
        mean = mean_t(single, level=level)
        for name, cell in (("pooled", pooled.value), ("ci_low", pooled.low), ("ci_high", pooled.high)):
            if cell is None:
                undefined[number, name] = pooled.reason or "undefined"
        if mean.value is None:
            undefined[number, "mean"] = "no action was viewed"
        rows.append(
            (
                condition, len(mine), sum(len(day.actions) for day in mine), sum(a), sum(f), pooled.value, pooled.low,
                pooled.high, mean.value, sum(day.judged.raw_flags for day in mine), sum(day.judged.flags for day in mine),
                sum(day.judged.unseen for day in mine), sum(day.judged.unattached for day in mine),
                sum(day.undone for day in mine), len(mine) - len(single),
            )
        )  # fmt: skip
    return Table(
        "rates",
        "Viewed and flagged actions",
        (
            _CONDITION,
            Column("replays", "Replays", "integer", about="Replays watched."),
            Column("logged", "Logged", "integer", about="Logged actions of those replays, seen or not."),
            Column("viewed", "A", "integer", about="Viewed atomic actions."),
            Column("flagged", "F", "integer", about="Viewed actions flagged at least once."),
            Column("pooled", "100·ΣF/ΣA", "number", 2, "Flagged per 100 viewed actions, all people together."),
            Column("ci_low", "low", "number", 2, "Lower bound over people, Wilson with the effective number."),
            Column("ci_high", "high", "number", 2, "Upper bound over people."),
            Column("mean", "Mean of r", "number", 2, "Mean of the people's own rates."),
            Column("flags", "Flags", "integer", about="Flags set and not taken back."),
            Column("merged", "Merged", "integer", about="After flags near the same action were merged."),
            Column("unseen", "Unseen", "integer", about="Merged flags on actions never viewed; not in F."),
            Column("unattached", "No action", "integer", about="Flags with no action on screen or within reach."),
            Column("undone", "Taken back", "integer", about="Flags taken back."),
            Column("no_rate", "No rate", "integer", about="Replays of which no action was viewed: r is undefined."),
        ),
        tuple(rows),
        undefined=undefined,
    )


def people_table(
    seen: Sequence[WatchedDay], values: Mapping[str, Mapping[tuple[str, int], float]], chosen: Mapping[str, str]
) -> Table:
    """One row per person and replay, for those who want to compute further."""
    names = tuple(values)
    rows: list[tuple[Cell, ...]] = [
        (
            day.session, day.condition, day.scenario or None, day.place,
            *(values[name].get((day.session, day.position)) for name in names),
            day.judged.a, day.judged.f, day.judged.rate, day.judged.unseen, day.wall_ms / 1000, day.plan_opened, day.log_opened,
            chosen.get(day.session),
        )
        for day in seen
    ]  # fmt: skip
    return Table(
        "replays",
        "Every replay that was watched",
        (
            Column("session", "Participant"),
            _CONDITION,
            Column("scenario", "Scenario"),
            Column("place", "Order", "integer", about="1: watched first."),
            *(Column(name, name.capitalize(), "number", 0) for name in names),
            Column("viewed", "A", "integer"),
            Column("flagged", "F", "integer"),
            Column("rate", "r", "number", 2),
            Column("unseen", "Unseen", "integer"),
            Column("watched_s", "Watched (s)", "number", 1, "Wall time while it played."),
            Column("plan_opened", "Plan opened", "integer"),
            Column("log_opened", "Log opened", "integer"),
            Column("preferred", "Preferred"),
        ),
        tuple(rows),
        undefined={(number, "rate"): day.judged.reason for number, day in enumerate(seen) if day.judged.rate is None},
        data_only=True,
    )


def ratings_table(
    seen: Sequence[WatchedDay],
    values: Mapping[str, Mapping[tuple[str, int], float]],
    conditions: Sequence[str],
    level: float,
) -> Table:
    """Means per condition, and how many are missing by design or were not answered."""
    rows: list[tuple[Cell, ...]] = []
    undefined: dict[tuple[int, str], str] = {}
    for name, answered in values.items():
        for condition in conditions:
            mine = [day for day in seen if day.condition == condition]
            reasons = [missing(day, answered, needs_overlay=name == "adherence") for day in mine]
            numbers = np.array(
                [answered[day.session, day.position] for day, why in zip(mine, reasons, strict=True) if why is None]
            )
            mean = mean_t(numbers, level=level)
            spread = float(numbers.std(ddof=1)) if len(numbers) > 1 else None
            median = float(np.median(numbers)) if len(numbers) else None
            by_design = reasons.count(BY_DESIGN)
            row = (name, condition, len(numbers), by_design, len(mine) - len(numbers) - by_design, mean.value, spread, mean.low,
                   mean.high, median)  # fmt: skip
            for place, column in ((5, "mean"), (6, "sd"), (7, "ci_low"), (8, "ci_high"), (9, "median")):
                if row[place] is None:
                    undefined[len(rows), column] = mean.reason or "fewer than two answers"
            rows.append(row)
    return Table(
        "ratings",
        "Ratings by condition",
        (
            Column("outcome", "Rating"),
            _CONDITION,
            Column("n", "n", "integer"),
            Column("by_design", "Missing by design", "integer", about="The overlay was never opened."),
            Column("unanswered", "Not answered", "integer"),
            Column("mean", "Mean", "number", 2),
            Column("sd", "SD", "number", 2),
            Column("ci_low", "low", "number", 2, "Lower bound of the mean, t interval."),
            Column("ci_high", "high", "number", 2, "Upper bound of the mean, t interval."),
            Column("median", "Median", "number", 1),
        ),
        tuple(rows),
        undefined=undefined,
    )


def ratings_chart() -> Chart:
    return Chart(
        "ratings",
        "Ratings by condition",
        "points",
        "ratings",
        {"category": "outcome", "value": "mean", "low": "ci_low", "high": "ci_high", "colour": "condition"},
        "mean rating (1 to 7)",
        "",
        "Points are means, bars their t intervals.",
        x_range=(1.0, 7.0),
    )


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
            (condition, str(point), sum(round(v) == point for v in mine), sum(round(v) == point for v in mine) / len(mine))
            for point in points
            if mine
        ]  # fmt: skip
    table = Table(
        "believability_answers",
        "Overall believability, answer by answer",
        (_CONDITION, Column("answer", "Answer"), Column("n", "n", "integer"), Column("share", "Share", "share")),
        tuple(rows),
        data_only=True,
    )
    chart = Chart(
        "believability_answers",
        "Overall believability",
        "stacked",
        "believability_answers",
        {"category": "condition", "value": "share", "colour": "answer"},
        "share of answers",
        "",
        "1 not at all believable, 4 moderately, 7 extremely.",
    )
    return table, chart


def preference_table(preference: Preference, ours: str, baseline: str) -> Table:
    share = preference.test.estimate
    reason = preference.test.reason or "nobody decided"
    decided = preference.ours + preference.baseline
    cells: tuple[Cell, ...] = (None, None, None) if share is None else (share.value, share.low, share.high)
    return Table(
        "preference",
        "Preference",
        (
            Column("preferred", "Preferred"),
            Column("n", "n", "integer"),
            Column("share", "Share", "share", 1, "Of those who decided."),
            Column("ci_low", "low", "share", 1, "Clopper–Pearson."),
            Column("ci_high", "high", "share", 1, "Clopper–Pearson."),
            Column("p_value", "p", "p", about="Exact binomial test against one half."),
        ),
        (
            (ours, preference.ours, *cells, preference.test.p_value),
            (baseline, preference.baseline, preference.baseline / decided if decided else None, None, None, None),
            *(((("undecided"), preference.undecided, None, None, None, None),) if preference.undecided else ()),
        ),
        undefined={(0, name): reason for name in ("share", "ci_low", "ci_high", "p_value") if not decided}
        | {(1, name): "see the first row" for name in ("ci_low", "ci_high", "p_value")}
        | ({(1, "share"): reason} if not decided else {})
        | {(2, name): "not in the test" for name in ("share", "ci_low", "ci_high", "p_value") if preference.undecided},
    )


def term_words(name: str) -> str:
    """A term of a model as one says it: `condition[standin_agent]` is the condition standin agent."""
    if name == "(Intercept)":
        return "intercept"
    return in_words(re.sub(r"(\w+)\[([^\]]+)\]", r"\1: \2", name))


def model_table(name: str, title: str, fitted: FlagModel) -> Table:
    """Odds ratios of the fixed effects; the standard deviations of the random ones below."""
    if fitted.model is None:
        return Table(
            name, title, (Column("term", "Term"), Column("odds_ratio", "Odds ratio", "number", 2)), (("condition", None),),
            undefined={(0, "odds_ratio"): fitted.odds_ratio.reason or "undefined"},
        )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    undefined: dict[tuple[int, str], str] = {}
    for term in fitted.model.terms:
        odds, log = term.odds_ratio, term.estimate
        row: tuple[Cell, ...] = (
            term_words(term.name), *((None, None, None) if odds is None else (odds.value, odds.low, odds.high)),
            log.value, log.se, log.statistic, log.p_value,
        )  # fmt: skip
        for place, column in enumerate(("odds_ratio", "ci_low", "ci_high", "log_odds", "se", "z", "p_value"), start=1):
            if row[place] is None:
                undefined[len(rows), column] = log.reason or "the fit did not converge"
        rows.append(row)
    sds = [f"SD {effect.group} {effect.sd:.3f} ({effect.levels} levels)" for effect in fitted.model.random]
    method = f"`{fitted.model.formula}`; {fitted.model.method}; {fitted.viewed} viewed actions"
    return Table(
        name,
        title,
        (
            Column("term", "Term"),
            Column("odds_ratio", "Odds ratio", "number", 2),
            Column("ci_low", "low", "number", 2),
            Column("ci_high", "high", "number", 2),
            Column("log_odds", "Log odds", "number", 3),
            Column("se", "SE", "number", 3),
            Column("z", "z", "number", 2),
            Column("p_value", "p", "p"),
        ),
        tuple(rows),
        ". ".join([method, *sds, *fitted.notes]) + ".",
        undefined=undefined,
    )


def linear_table(name: str, title: str, model: MixedModel | str) -> Table:
    columns = (
        Column("term", "Term"),
        Column("estimate", "Estimate", "number", 2),
        Column("ci_low", "low", "number", 2),
        Column("ci_high", "high", "number", 2),
        Column("p_value", "p", "p"),
    )
    if isinstance(model, str):
        nothing = {(0, column.name): model for column in columns[1:]}
        return Table(
            name, title, columns, (("condition", None, None, None, None),), status="exploratory", undefined=nothing
        )
    rows = tuple(
        (term_words(t.name), t.estimate.value, t.estimate.low, t.estimate.high, t.estimate.p_value) for t in model.terms
    )
    undefined = {
        (number, column.name): model.terms[number].estimate.reason or "undefined"
        for number, row in enumerate(rows)
        for column, cell in zip(columns, row, strict=True)
        if cell is None
    }
    note = ". ".join([f"`{model.formula}`; {model.method}", *model.notes]) + "."
    return Table(name, title, columns, rows, note, "exploratory", undefined)


def conduct_table(data: Data, seen: Sequence[WatchedDay], conditions: Sequence[str]) -> Table:
    """How replays were watched: time in front of them, time on the page, what was opened beside them."""
    trials = data.table("trials")
    on_page = {
        (str(session), int(position)): float(rt_ms) / 1000
        for session, position, rt_ms, unknown in zip(
            trials["session"].values, trials["position"].values, trials["rt_ms"].values, trials["rt_ms"].missing, strict=True
        )
        if not unknown
    }  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    undefined: dict[tuple[int, str], str] = {}
    for condition in conditions:
        mine = [day for day in seen if day.condition == condition]
        spent = [on_page[day.session, day.position] for day in mine if (day.session, day.position) in on_page]
        row: dict[str, Cell] = {
            "condition": condition,
            "replays": len(mine),
            "watched_s": float(np.median([day.wall_ms / 1000 for day in mine])) if mine else None,
            "page_s": float(np.median(spent)) if spent else None,
            "opened": sum(day.opened for day in mine) / len(mine) if mine else None,
            "plan": float(np.mean([day.plan_opened for day in mine])) if mine else None,
            "log": float(np.mean([day.log_opened for day in mine])) if mine else None,
        }
        for name, cell in row.items():
            if cell is None:
                undefined[len(rows), name] = "nobody watched it" if not mine else "no times were recorded"
        rows.append(tuple(row.values()))
    return Table(
        "conduct",
        "How replays were watched",
        (
            _CONDITION,
            Column("replays", "Replays", "integer"),
            Column("watched_s", "Played (s)", "number", 1, "Median wall time while the replay played."),
            Column("page_s", "On the page (s)", "number", 1, "Median time from showing the page to leaving it."),
            Column("opened", "Overlay opened", "share", 0, "Share of replays with plan or log opened."),
            Column("plan", "Plan openings", "number", 2, "Mean number of times."),
            Column("log", "Log openings", "number", 2, "Mean number of times."),
        ),
        tuple(rows),
        undefined=undefined,
    )
