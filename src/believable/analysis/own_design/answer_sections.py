"""Measures that are questions: means of ratings and numbers, shares of answers, texts."""

from __future__ import annotations

from functools import partial

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
from believable.analysis.own_design.group_contrasts import Contrast, mean_contrast, share_contrast
from believable.analysis.own_design.measured_rows import (
    MeasuredRows,
    answers_as_words,
    answers_as_yes,
    gathered,
    person_means,
)
from believable.analysis.own_design.sampled_stimuli import (
    decide_contrast,
    decide_group,
    group_scopes,
    model_rows,
)
from believable.coding.coded_bundle import codebook_keys, codebooks, coded_responses, has_codes
from believable.coding.proportions import by_condition, proportions
from believable.stats.estimate import Estimate, mean_share, undefined, without_interval
from believable.stats.inputs import FloatArray
from believable.stats.means import mean_t
from believable.stats.result import Alternative
from believable.study.measures import BY_CONDITION

#: Scales with more values than this are drawn as a histogram with this number of bars.
MOST_VALUES, BARS = 11, 12
#: More texts than this are written as CSV only.
PRINTED_TEXTS = 40

ORDINAL = (
    "Ratings are ordered steps. The model treats the steps as equally wide; where that is doubtful,"
    " look at the column p ranks, which uses their order alone."
)


def mean_section(data: Data, context: MeasureContext) -> Section:
    """Ratings and numbers: means, distributions, differences."""
    rows = gathered(data, context.measure, context.source)
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
        paragraphs=(*words, *_not_grouped(rows, context)),
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


def _not_grouped(rows: MeasuredRows, context: MeasureContext) -> tuple[str, ...]:
    known = np.isin(rows.group.astype(str), context.groups)
    lost = int((~known).sum())
    if not lost:
        return ()
    return (f"{counted(lost, 'judgement')} about no single {context.measure.by} are not counted.",)


# ----------------------------------------------------------------------------------------------
# shares


def share_section(data: Data, context: MeasureContext) -> Section:
    """How often people answer yes, and how the odds of it differ."""
    rows = answers_as_yes(gathered(data, context.measure, context.source), context.measure.yes)
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
            *_not_grouped(rows, context),
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
                    *_share_columns(),
                ),
                cells,
            ),
            contrast_table(context, compared_pairs, "Odds ratio", ranks=False),
        ),
        charts=(_share_chart(context, f"{context.name}_groups", {"category": "group"}),),
    )


def _share_columns() -> tuple[Column, ...]:
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
    rows = gathered(data, context.measure, context.source)
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
            *_not_grouped(rows, context),
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
                    *_share_columns(),
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
                data_only=len(compared) > PRINTED_TEXTS,
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


# ----------------------------------------------------------------------------------------------
# texts


def text_section(data: Data, context: MeasureContext) -> Section:
    """The texts that people wrote, and how often each code was applied if the texts were coded."""
    rows = gathered(data, context.measure, context.source)
    known = rows.where(np.fromiter((bool(text) for text in rows.text), np.bool_, len(rows)))
    counts = [
        (group, len(np.unique(known.of(group).person)), len(known.of(group)))
        for group in context.groups
    ]
    texts = [
        (group, text) for group, text in zip(known.group.tolist(), known.text.tolist(), strict=True)
    ]
    coded = _coded_tables(data, context)
    return Section(
        name=context.name,
        title=context.title,
        paragraphs=(
            (
                f"{counted(len(known), 'text')}; {counted(len(rows) - len(known), 'question')} left"
                " open."
            ),
            *(
                ()
                if coded
                else ("They were not coded; `believable code` gives the shares of codes.",)
            ),
        ),
        tables=(
            table(
                f"{context.name}_groups",
                f"{context.title}: texts by {context.measure.by}",
                (
                    context.group_column,
                    Column(name="people", title="People", form="integer"),
                    Column(name="texts", title="Texts", form="integer"),
                ),
                counts,
            ),
            table(
                f"{context.name}_texts",
                f"{context.title}: what people wrote",
                (context.group_column, Column(name="text", title="Text")),
                texts,
                data_only=len(texts) > PRINTED_TEXTS,
                note="In the order of the sessions." if texts else "Nobody wrote anything.",
            ),
            *coded,
        ),
    )


def _coded_tables(data: Data, context: MeasureContext) -> tuple[Table, ...]:
    if context.measure.by != BY_CONDITION or data.study is None or not has_codes(data.bundle):
        return ()
    asked = {f"{trial}.{context.source.question}" for trial in context.source.trials}
    fitting = {book.id for book in data.study.codebooks if asked & set(book.of)}
    tables = []
    for codebook in codebooks(data.bundle):
        responses = [
            response
            for response in coded_responses(data.bundle, codebook)
            if response.judge in data.codes
        ]
        if not responses or codebook not in fitting:
            continue
        keys = [(name.code, name.direction) for name in codebook_keys(data.bundle, codebook)]
        shares = proportions(responses, by=by_condition, keys=keys, level=context.level)
        cells = [
            (
                part.group or "",
                part.code,
                part.direction or "",
                part.count,
                part.total,
                *estimate_cells(part.share),
            )
            for part in shares
            if part.group in context.groups
        ]
        tables.append(
            table(
                f"{context.name}_{codebook}",
                f"{context.title}: shares of codes ({codebook})",
                (
                    context.group_column,
                    Column(name="code", title="Code"),
                    Column(name="direction", title="Direction"),
                    Column(name="count", title="Count", form="integer"),
                    Column(name="total", title="Codes", form="integer"),
                    *_share_columns(),
                ),
                cells,
            )
        )
    return tuple(tables)
