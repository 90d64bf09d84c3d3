"""Measures that are texts: the answers themselves, and their codes."""

from __future__ import annotations

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import Column, Section, Table, estimate_cells, table
from believable.analysis.numbers import counted
from believable.analysis.own_design.contrast_tables import MeasureContext
from believable.analysis.own_design.measured_rows import gather_answers
from believable.analysis.own_design.share_sections import share_columns
from believable.coding.coded_bundle import codebook_keys, codebooks, coded_responses, has_codes
from believable.coding.proportions import by_condition, proportions
from believable.study.measures import BY_CONDITION

#: More texts than this are written as CSV only.
PRINTED_TEXTS = 40


def text_section(data: Data, context: MeasureContext) -> Section:
    """The texts that people wrote, and how often each code was applied if the texts were coded."""
    rows = gather_answers(data, context.measure, context.source)
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
                    *share_columns(),
                ),
                cells,
            )
        )
    return tuple(tables)
