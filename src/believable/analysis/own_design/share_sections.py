"""Measures that are shares of answers: one share, or one per option."""

from __future__ import annotations

from functools import partial

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import (
    LOOSE_CELL,
    Chart,
    Column,
    Section,
    estimate_cells,
    estimate_columns,
    table,
)
from believable.analysis.numbers import estimate_words
from believable.analysis.own_design.contrast_tables import (
    MeasureContext,
    contrast_findings,
    contrast_table,
    contrasts,
    difference_words,
    group_findings,
)
from believable.analysis.own_design.group_contrasts import Contrast, share_contrast
from believable.analysis.own_design.measured_rows import (
    MeasuredRows,
    answers_as_words,
    answers_as_yes,
    gather_answers,
    person_means,
)
from believable.analysis.own_design.number_sections import not_grouped
from believable.analysis.own_design.sampled_stimuli import (
    decide_contrast,
    decide_group,
    group_scopes,
    model_rows,
)
from believable.stats.estimate import Estimate, mean_share, undefined, without_interval
from believable.stats.inputs import FloatArray
from believable.stats.result import Alternative

#: A table with more contrasts is written as CSV only.
PRINTED_CONTRASTS = 40


def share_section(data: Data, context: MeasureContext) -> Section:
    """How often people answer yes, and how the odds of it differ."""
    rows = answers_as_yes(
        gather_answers(data, context.measure, context.source), context.measure.yes
    )
    estimates = [share_of(rows.of(group), group, context.level) for group in context.groups]
    cells = [
        (
            group,
            estimate.n,
            len(own := rows.of(group)),
            int(own.number.sum()),
            *estimate_cells(estimate),
        )
        for group, estimate in zip(context.groups, estimates, strict=True)
    ]
    compared_pairs = contrasts(context, partial(_share_contrast, rows, context))
    decided = [
        decide_group(share, rows.of(group), context, (0.0, 1.0))
        for group, share in zip(context.groups, estimates, strict=True)
    ]
    counting = ", ".join(str(value) for value in context.measure.yes or ("ticked",))
    return Section(
        name=context.name,
        title=context.title,
        paragraphs=(
            (
                f"Answers that count: {counting}. A ratio above 1 says that they are more frequent"
                " in the first group."
            ),
            *not_grouped(rows, context),
        ),
        findings=(
            *group_findings(
                context,
                decided,
                lambda group, part: (
                    f"Share of {context.title.lower()}, {group}: {estimate_words(part)}."
                ),
                group_scopes(rows, context),
            ),
            *contrast_findings(
                context,
                compared_pairs,
                lambda contrast: difference_words(
                    context, contrast, "the odds ratio of {first} to {second}"
                ),
            ),
        ),
        tables=(
            table(
                f"{context.name}_groups",
                f"{context.title} by {context.measure.by}",
                (
                    context.group_column,
                    Column(name="people", title="People", form="integer"),
                    Column(name="answers", title="Answers", form="integer"),
                    Column(name="yes", title="Count", form="integer"),
                    *share_columns(),
                ),
                cells,
            ),
            contrast_table(context, compared_pairs, "Odds ratio", ranks=False),
        ),
        charts=(_share_chart(context, f"{context.name}_groups", {"category": "group"}),),
    )


def share_columns() -> tuple[Column, ...]:
    about = "mean of people's shares, Wilson interval with the effective number"
    value, low, high = estimate_columns("share", "Share", about=about)
    return tuple(
        Column(name=column.name, title=column.title, form="share", digits=1, about=column.about)
        for column in (value, low, high)
    )


def _share_chart(context: MeasureContext, name: str, use: dict[str, str]) -> Chart:
    return Chart(
        name=f"{name}_chart",
        title=f"{context.title} by {context.measure.by}",
        kind="points",
        table=name,
        use=use | {"value": "share", "low": "share_low", "high": "share_high"},
        x_title="Share of answers",
        caption="Points: shares; bars: their intervals over people.",
        x_range=(0, 1),
    )


def share_of(rows: MeasuredRows, group: str, level: float) -> Estimate:
    """The mean of people's shares: who answers often counts no more than the others."""
    method = "mean of people's shares, Wilson interval with the effective number"
    if not len(rows):
        return undefined(f"there is no answer about {group}", method=method, n=0, level=level)
    return mean_of_shares(person_means(rows)[1], method, level)


def mean_of_shares(shares: FloatArray, method: str, level: float) -> Estimate:
    if len(shares) < 2:
        return without_interval(
            float(shares[0]), "one person has no spread", method=method, n=1, level=level
        )
    low, high = mean_share(shares, level=level)
    return Estimate(
        value=float(shares.mean()), low=low, high=high, level=level, n=len(shares), method=method
    )


def shares_section(data: Data, context: MeasureContext) -> Section:
    """Every answer's share in every group, and the odds ratios of each answer."""
    rows = gather_answers(data, context.measure, context.source)
    ticks = context.source.shape == "ticks"
    answers = rows.item if ticks else answers_as_words(rows)
    listed = [str(option) for option in context.source.options]
    options = listed or sorted({str(answer) for answer in answers if answer is not None})
    known = np.fromiter((answer is not None for answer in answers), np.bool_, len(rows))
    rows, answers = rows.where(known), answers[known]
    cells: list[tuple[LOOSE_CELL, ...]] = []
    compared: list[tuple[LOOSE_CELL, ...]] = []
    for option in options:
        own = (
            rows.where(answers == option)
            if ticks
            else rows.with_numbers((answers == option).astype(np.float64))
        )
        for group in context.groups:
            part = own.of(group)
            cells.append(
                (
                    group,
                    option,
                    len(part),
                    int(part.number.sum()),
                    *estimate_cells(share_of(part, group, context.level)),
                )
            )
        compared_pairs = contrasts(context, partial(_share_contrast, own, context))
        compared += [
            (option, *row)
            for row in contrast_table(context, compared_pairs, "Odds ratio", ranks=False).rows
        ]
    columns = contrast_table(context, (), "Odds ratio", ranks=False).columns
    name = f"{context.name}_groups"
    return Section(
        name=context.name,
        title=context.title,
        paragraphs=(
            "All answers by group. To test one of them, name it in the plan: `yes: […]`.",
            *not_grouped(rows, context),
        ),
        tables=(
            table(
                name,
                f"{context.title} by {context.measure.by}",
                (
                    context.group_column,
                    Column(name="answer", title="Answer"),
                    Column(name="answers", title="Answers", form="integer"),
                    Column(name="count", title="Count", form="integer"),
                    *share_columns(),
                ),
                cells,
            ),
            table(
                f"{context.name}_contrasts",
                f"{context.title}: odds ratios between groups, answer by answer",
                (Column(name="answer", title="Answer"), *columns),
                compared,
                status="exploratory",
                note="p Holm is adjusted over the pairs of one answer.",
                data_only=len(compared) > PRINTED_CONTRASTS,
            ),
        ),
        charts=(_share_chart(context, name, {"category": "answer", "colour": "group"}),),
    )


def _share_contrast(
    rows: MeasuredRows, context: MeasureContext, first: str, second: str, side: Alternative
) -> Contrast:
    contrast = share_contrast(
        model_rows(rows, context), first, second, alternative=side, level=context.level
    )
    return decide_contrast(contrast, rows, context, odds=True)
