"""Measures that are ratings and numbers: means, distributions, differences."""

from __future__ import annotations

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import (
    LOOSE_CELL,
    Chart,
    Column,
    Section,
    Table,
    Undefined,
    estimate_cells,
    estimate_columns,
    number_or,
    table,
)
from believable.analysis.numbers import counted, estimate_words
from believable.analysis.own_design.contrast_tables import (
    MeasureContext,
    contrast_findings,
    contrast_table,
    contrasts,
    difference_words,
    group_findings,
)
from believable.analysis.own_design.group_contrasts import mean_contrast
from believable.analysis.own_design.measured_rows import MeasuredRows, gather_answers, person_means
from believable.analysis.own_design.sampled_stimuli import (
    decide_contrast,
    decide_group,
    group_scopes,
    model_rows,
)
from believable.stats.estimate import Estimate, undefined
from believable.stats.means import mean_t

#: Scales with more values than this are drawn as a histogram with this number of bars.
MOST_VALUES, BARS = 11, 12

ORDINAL = (
    "Ratings are ordered steps. The model treats the steps as equally wide; where that is doubtful,"
    " look at the column p ranks, which uses their order alone."
)


def mean_section(data: Data, context: MeasureContext) -> Section:
    """Ratings and numbers: means, distributions, differences."""
    rows = gather_answers(data, context.measure, context.source)
    known = rows.where(~np.isnan(rows.number))
    lost = len(rows) - len(known)
    notes = [f"{counted(lost, 'answer')} left open are not counted."] if lost else []
    ordinal = context.source.scale[1] is not None and len(context.source.options) > 0
    return numbers_section(known, context, "Mean", (*notes, *((ORDINAL,) if ordinal else ())))


def numbers_section(
    rows: MeasuredRows, context: MeasureContext, what: str, words: tuple[str, ...]
) -> Section:
    """A section about numbers, one per judgement."""
    estimates = [mean_of(rows.of(group), group, context.level) for group in context.groups]
    cells: list[tuple[LOOSE_CELL, ...]] = []
    for group, estimate in zip(context.groups, estimates, strict=True):
        own = rows.of(group).number
        none = f"there is no judgement of {group}"
        cells.append(
            (
                group,
                estimate.n,
                len(own),
                *estimate_cells(estimate),
                number_or(
                    float(own.std(ddof=1)) if len(own) > 1 else None,
                    none if not len(own) else "one judgement",
                ),
                *(
                    number_or(float(f(own)) if len(own) else None, none)
                    for f in (np.median, np.min, np.max)
                ),
            )
        )
    modelled = model_rows(rows, context)
    compared_pairs = contrasts(
        context,
        lambda a, b, side: decide_contrast(
            mean_contrast(modelled, a, b, alternative=side, level=context.level), rows, context
        ),
    )
    decided = [
        decide_group(mean, rows.of(group), context)
        for group, mean in zip(context.groups, estimates, strict=True)
    ]
    spread_table, spread_chart = _distribution(rows, context)
    low, high = context.source.scale
    return Section(
        name=context.name,
        title=context.title,
        paragraphs=(*words, *not_grouped(rows, context)),
        findings=(
            *group_findings(
                context,
                decided,
                lambda group, mean: (
                    f"{what} of {context.title.lower()}, {group}: {estimate_words(mean)}."
                ),
                group_scopes(rows, context),
            ),
            *contrast_findings(
                context,
                compared_pairs,
                lambda contrast: difference_words(context, contrast, "{first} minus {second}"),
            ),
        ),
        tables=(
            table(
                f"{context.name}_groups",
                f"{context.title} by {context.measure.by}",
                (
                    context.group_column,
                    Column(name="people", title="People", form="integer"),
                    Column(name="judgements", title="Judgements", form="integer"),
                    *estimate_columns("mean", what, about="mean of people's means, t interval"),
                    Column(
                        name="sd", title="SD", form="number", digits=2, about="of single judgements"
                    ),
                    Column(name="median", title="Median", form="number", digits=2),
                    Column(name="least", title="Least", form="number", digits=2),
                    Column(name="most", title="Most", form="number", digits=2),
                ),
                cells,
            ),
            contrast_table(context, compared_pairs, "Difference", ranks=True),
            spread_table,
        ),
        charts=(
            Chart(
                name=f"{context.name}_means",
                title=f"{context.title}: mean by {context.measure.by}",
                kind="points",
                table=f"{context.name}_groups",
                use={"category": "group", "value": "mean", "low": "mean_low", "high": "mean_high"},
                x_title=context.title,
                caption="Points: means of people's means; bars: their intervals.",
                x_range=(low, high) if low is not None and high is not None else None,
            ),
            spread_chart,
        ),
    )


def mean_of(rows: MeasuredRows, group: str, level: float) -> Estimate:
    if not len(rows):
        return undefined(
            f"there is no judgement of {group}", method="mean, t interval", n=0, level=level
        )
    return mean_t(person_means(rows)[1], level=level)


def _distribution(rows: MeasuredRows, context: MeasureContext) -> tuple[Table, Chart]:
    """How often each value was chosen; of numbers without steps a histogram."""
    name, title = f"{context.name}_values", f"{context.title}: distribution"
    steps = [float(option) for option in context.source.options if isinstance(option, int)]
    values = sorted(set(rows.number.tolist()) | set(steps))
    columns = (
        context.group_column,
        Column(name="count", title="Judgements", form="integer"),
        Column(name="share", title="Share", form="share", digits=1),
    )
    if len(values) <= MOST_VALUES:
        cells = []
        for group in context.groups:
            own = rows.of(group).number
            cells += [
                (group, int((own == v).sum()), _part((own == v).sum(), len(own)), f"{v:g}")
                for v in values
            ]
        shares = table(
            name, title, (*columns, Column(name="value", title="Answer")), cells, data_only=True
        )
        caption = "Share of the judgements of each group that chose each value."
        use = {"category": "group", "value": "share", "colour": "value"}
        return shares, Chart(
            name=name,
            title=title,
            kind="stacked",
            table=name,
            use=use,
            x_title="Share of judgements",
            caption=caption,
        )
    edges = np.linspace(min(values), max(values), BARS + 1)
    bars = []
    for group in context.groups:
        own = rows.of(group).number
        for low, high, count in zip(
            edges[:-1], edges[1:], np.histogram(own, edges)[0], strict=True
        ):
            bars.append((group, int(count), _part(int(count), len(own)), float(low), float(high)))
    limits = (
        Column(name="low", title="From", form="number"),
        Column(name="high", title="To", form="number"),
    )
    use = {"from": "low", "to": "high", "count": "count", "facet": "group"}
    return (
        table(name, title, (*columns, *limits), bars, data_only=True),
        Chart(
            name=name,
            title=title,
            kind="histogram",
            table=name,
            use=use,
            x_title=context.title,
            caption="Judgements of each group.",
        ),
    )


def _part(count: float, total: int) -> LOOSE_CELL:
    return float(count) / total if total else Undefined("there is no judgement")


def not_grouped(rows: MeasuredRows, context: MeasureContext) -> tuple[str, ...]:
    known = np.isin(rows.group.astype(str), context.groups)
    lost = int((~known).sum())
    if not lost:
        return ()
    return (f"{counted(lost, 'judgement')} about no single {context.measure.by} are not counted.",)
