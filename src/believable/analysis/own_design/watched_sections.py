"""Measures that are taken while watching: flags per viewed action, and traces."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from believable.analysis.data import Data, TraceLine
from believable.analysis.findings import (
    LOOSE_CELL,
    Chart,
    Column,
    Section,
    Table,
    estimate_cells,
    estimate_columns,
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
from believable.analysis.own_design.group_contrasts import count_contrast
from believable.analysis.own_design.measured_rows import MeasuredRows, groups
from believable.analysis.own_design.number_sections import numbers_section
from believable.analysis.own_design.sampled_stimuli import decide_contrast, group_scopes, model_rows
from believable.analysis.viewed_actions import (
    LoggedActions,
    actions_by_stimulus,
    flags_by_page,
    judge_actions,
    stretches_by_page,
)
from believable.contracts.registries import INSTRUMENTS
from believable.stats.indices import pooled_unbelievable_rate
from believable.stats.inputs import FloatArray
from believable.stats.means import mean_t
from believable.traces.resample import normalise, resample

#: A mean trace has one value per this number of milliseconds of the medium.
BIN_MS = 1000
#: The beginning and the end of a trace, for its change.
FIFTH = 0.2
_MS_PER_MINUTE = 60_000


def flags_section(data: Data, context: MeasureContext) -> Section:
    """Flagged of the viewed actions; where no actions are logged, flags per minute watched."""
    rows, flagged, viewed, minutes = _flag_rows(data, context)
    if not viewed.sum() and len(rows):
        known = minutes > 0
        rate = np.divide(flagged, minutes, out=np.full(len(flagged), np.nan), where=known)
        words = "No actions are logged for these stimuli: flags are counted per minute watched."
        return numbers_section(
            rows.with_numbers(rate).where(known), context, "Flags per minute", (words,)
        )
    estimates = []
    cells: list[tuple[LOOSE_CELL, ...]] = []
    for group in context.groups:
        own = rows.group == group
        people, codes = np.unique(rows.person[own], return_inverse=True)
        of_person = [
            np.bincount(codes, weights=counts[own], minlength=len(people))
            for counts in (flagged, viewed)
        ]
        estimate = pooled_unbelievable_rate(*of_person, level=context.level)
        estimates.append(estimate)
        cells.append(
            (
                group,
                len(people),
                int(viewed[own].sum()),
                int(flagged[own].sum()),
                *estimate_cells(estimate),
            )
        )
    compared = contrasts(
        context,
        lambda a, b, side: decide_contrast(
            count_contrast(
                model_rows(rows.with_numbers(flagged), context),
                viewed,
                a,
                b,
                alternative=side,
                level=context.level,
            ),
            rows.with_numbers(flagged),
            context,
            viewed,
            odds=True,
        ),
    )
    return Section(
        name=context.name,
        title=context.title,
        paragraphs=(
            (
                "Of the actions that a person saw, those flagged at least once. A ratio above 1"
                " says that the first group is flagged more often."
            ),
        ),
        findings=(
            *group_findings(
                context,
                estimates,
                lambda group, rate: (
                    f"{context.title}, {group}: {estimate_words(rate)} flagged per 100 viewed"
                    " actions."
                ),
                group_scopes(rows, context, decided=False),
            ),
            *contrast_findings(
                context,
                compared,
                lambda contrast: difference_words(
                    context, contrast, "the odds ratio of a flag, {first} to {second},"
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
                    Column(name="viewed", title="Viewed actions", form="integer"),
                    Column(name="flagged", title="Flagged", form="integer"),
                    *estimate_columns(
                        "rate",
                        "Per 100",
                        about="flagged per 100 viewed actions, Wilson interval over people",
                    ),
                ),
                cells,
            ),
            contrast_table(context, compared, "Odds ratio", ranks=False),
        ),
        charts=(
            Chart(
                name=f"{context.name}_rates",
                title=f"{context.title} by {context.measure.by}",
                kind="points",
                table=f"{context.name}_groups",
                use={"category": "group", "value": "rate", "low": "rate_low", "high": "rate_high"},
                x_title="Flagged per 100 viewed actions",
                caption="Points: pooled rates; bars: their intervals over people.",
            ),
        ),
    )


def _flag_rows(
    data: Data, context: MeasureContext
) -> tuple[MeasuredRows, FloatArray, FloatArray, FloatArray]:
    """One row per watched page, with flagged and viewed actions (or single flags if no actions are
    logged) and minutes watched.
    """
    actions = actions_by_stimulus(data)
    played, _ = stretches_by_page(data)
    flags, _ = flags_by_page(data)
    table_ = data.table("trials")
    done = np.isin(table_["trial"].values.astype(str), context.source.trials) & (
        table_["status"].values == "done"
    )
    rows = np.flatnonzero(done)
    person = data.code_of(table_)[rows]
    stimulus = table_["stimulus"].values[rows]
    flagged, viewed, minutes = (np.zeros(len(rows)) for _ in range(3))
    for place, row in enumerate(rows.tolist()):
        key = str(table_["session"].values[row]), int(table_["position"].values[row])
        stretches = played.get(key)
        marks = flags.get(key, [])
        minutes[place] = 0.0 if stretches is None else stretches.wall_ms / _MS_PER_MINUTE
        log = actions.get(str(stimulus[place]), LoggedActions.of([], [], []))
        if stretches is not None and len(log):
            seen = judge_actions(log, stretches, marks)
            flagged[place], viewed[place] = seen.f, seen.a
        else:
            flagged[place] = len(marks)
    nothing = np.full(len(rows), None, dtype=object)
    group = groups(data, context.measure, person, table_["condition"].values[rows])
    return (
        MeasuredRows(
            person=person,
            group=group,
            stimulus=stimulus,
            item=nothing,
            number=np.full(len(rows), np.nan),
            text=nothing,
        ),
        flagged,
        viewed,
        minutes,
    )


# ----------------------------------------------------------------------------------------------
# traces


def trace_section(data: Data, context: MeasureContext) -> Section:
    """A number per trace, compared between groups, and the mean trace of each group over time."""
    lines = [line for line in data.traces(*context.source.trials) if len(line.media_ms)]
    untouched = len(data.traces(*context.source.trials)) - len(lines)
    played, _ = stretches_by_page(data)
    ends_ms = [
        float(played[key].to_ms.max()) if (key := (line.session, line.position)) in played else 0.0
        for line in lines
    ]
    grids = [_grid(line, end_ms, context) for line, end_ms in zip(lines, ends_ms, strict=True)]
    person = np.array([line.code for line in lines], dtype=np.int64)
    condition = np.array([line.condition for line in lines] or [None], dtype=object)[: len(lines)]
    stimulus = np.array([line.stimulus for line in lines] or [None], dtype=object)[: len(lines)]
    nothing = np.full(len(lines), None, dtype=object)
    summary = np.array(
        [_summary(grid, context.measure.summary) for grid in grids], dtype=np.float64
    )
    group = groups(data, context.measure, person, condition)
    rows = MeasuredRows(
        person=person, group=group, stimulus=stimulus, item=nothing, number=summary, text=nothing
    )
    what = "Mean" if context.measure.summary == "mean" else "Change"
    words = [_scale_words(context)]
    if untouched:
        words.append(f"{counted(untouched, 'trace')} without any input are not counted.")
    section = numbers_section(rows, context, what, tuple(words))
    over_time = _over_time(grids, rows, context)
    chart = Chart(
        name=f"{context.name}_over_time_chart",
        title=f"{context.title} over time",
        kind="lines",
        table=f"{context.name}_over_time",
        use={"x": "at_s", "y": "mean", "low": "mean_low", "high": "mean_high", "colour": "group"},
        x_title="Seconds of the medium",
        y_title=context.title,
        caption=(
            "Lines: means of people's traces; bands: t intervals over people, second by second."
        ),
    )
    return Section(
        name=section.name,
        title=section.title,
        paragraphs=section.paragraphs,
        findings=section.findings,
        tables=(*section.tables, over_time),
        charts=(*section.charts, chart) if over_time.rows else section.charts,
    )


def _marks(context: MeasureContext) -> bool:
    """Whether the instrument leaves marks, and no lasting value."""
    return any(stream.kind == "trace.mark" for stream in INSTRUMENTS[context.source.kind].streams)


def _is_unbounded(context: MeasureContext) -> bool:
    """Whether a trace counts notches, without a zero or an end that people share."""
    return INSTRUMENTS[context.source.kind].records[0].type == "integer" and not _marks(context)


def _scale_words(context: MeasureContext) -> str:
    if _marks(context):
        return (
            "Marks count 1 and −1 in the second in which they are made, and 0 where there is none."
        )
    if _is_unbounded(context):
        return (
            "Each trace is scaled from its least value, 0, to its greatest, 1: its notches have no"
            " unit that people share."
        )
    return "Values are those of the scale that people moved."


def _grid(line: TraceLine, watched_ms: float, context: MeasureContext) -> FloatArray:
    """The trace second by second, to the end of the watched part."""
    end_ms = max(float(line.media_ms.max()) + 1, watched_ms)
    grid = resample(
        line.media_ms,
        line.value,
        step_ms=BIN_MS,
        duration_ms=end_ms,
        fill="zero" if _marks(context) else "hold",
    )
    return normalise(grid, constant=0.5) if _is_unbounded(context) else grid


def _summary(grid: FloatArray, summary: str) -> float:
    if summary == "mean":
        return float(grid.mean())
    part = max(1, round(FIFTH * len(grid)))
    return float(grid[-part:].mean() - grid[:part].mean())


def _over_time(grids: Sequence[FloatArray], rows: MeasuredRows, context: MeasureContext) -> Table:
    """Means of people's traces by second and group. Traces of one person in a group are averaged
    first.
    """
    cells: list[tuple[LOOSE_CELL, ...]] = []
    for group in context.groups:
        own = np.flatnonzero(rows.group == group).tolist()
        longest = max((len(grids[place]) for place in own), default=0)
        for second in range(longest):
            by_person: dict[int, list[float]] = {}
            for place in own:
                if second < len(grids[place]):
                    by_person.setdefault(int(rows.person[place]), []).append(
                        float(grids[place][second])
                    )
            means = [float(np.mean(values)) for values in by_person.values()]
            estimate = mean_t(means, level=context.level)
            cells.append((group, second * BIN_MS / 1000, len(means), *estimate_cells(estimate)))
    return table(
        f"{context.name}_over_time",
        f"{context.title} over time",
        (
            context.group_column,
            Column(name="at_s", title="Second", form="number", digits=0),
            Column(name="people", title="People", form="integer"),
            *estimate_columns("mean", "Mean", about="mean of people's traces, t interval"),
        ),
        cells,
        data_only=True,
    )
