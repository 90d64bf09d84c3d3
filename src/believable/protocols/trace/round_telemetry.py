"""The events of the rounds and the annotations: telemetry in the same windows, and its relation to
the trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from believable.analysis.data import Data
from believable.analysis.findings import LOOSE_CELL, Cell, Finding, Section, Table, tested_cells
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import in_words, number
from believable.analysis.settled_plan import Plan
from believable.analysis.trace_windows import Cleaning, Windowed, tool_title
from believable.bundle.read import ColumnTable
from believable.protocols.trace.trace_cleaning import Pair, cleaning_of
from believable.stats.correlations import within_correlation
from believable.stats.inputs import FloatArray

LAYOUTS = Layouts(__file__)

TELEMETRY = "telemetry"
TIME = "t_ms"
EVENTS = "events"
#: Columns that say which row it is, places and directions, whose means over a window say nothing.
_NOT_MEASURED = frozenset({"position", "run", "seq", TIME, "frame", "tick", "move_x", "move_y"})
_NOT_AVERAGED = ("_x", "_y", "_heading_deg")

#: The number of channels drawn with a trace.
DRAWN = 2


@dataclass(frozen=True, slots=True, eq=False)
class Channel:
    """One telemetry channel of one round, averaged over the trace's windows; NaN where a window
    holds nothing.
    """

    name: str
    trace: Windowed
    values: FloatArray


def overlay_telemetry(data: Data, plan: Plan, pairs: Sequence[Pair]) -> Section | None:
    """Telemetry over traces; None where the bundle has none."""
    if TELEMETRY not in data.bundle.tables or not len(data.table(TELEMETRY)):
        return None
    cleaning = cleaning_of(plan)
    channels = tuple(_channels(data, plan, pairs, cleaning))
    if not channels:
        return None
    table = _relate(channels, plan)
    drawn = _drawn(pairs, channels, cleaning, _strongest(table))
    chart = LAYOUTS.chart("telemetry", drawn=DRAWN)
    return LAYOUTS.section(
        "telemetry",
        findings=_findings(table),
        tables=(table, drawn),
        charts=(chart,) if drawn.rows else (),
    )


def in_windows(t_ms: FloatArray, values: FloatArray, count: int, window_ms: float) -> FloatArray:
    """The mean of the samples in each window; NaN in empty windows."""
    place = (t_ms // window_ms).astype(np.int64)
    inside = (place >= 0) & (place < count) & np.isfinite(values)
    sums = np.bincount(place[inside], values[inside], minlength=count)
    sizes = np.bincount(place[inside], minlength=count)
    return np.asarray(np.divide(sums, sizes, out=np.full(count, np.nan), where=sizes > 0))


def per_window(t_ms: FloatArray, count: int, window_ms: float) -> FloatArray:
    """How many of these moments lie in each window."""
    place = (t_ms // window_ms).astype(np.int64)
    inside = place[(place >= 0) & (place < count)]
    return np.bincount(inside, minlength=count).astype(np.float64)


def _events(table: ColumnTable) -> dict[str, np.ndarray[tuple[int], np.dtype[np.bool_]]]:
    """What happened, by name: in which rows of the table."""
    if EVENTS not in table.columns:
        return {}
    moments: dict[str, list[int]] = {}
    column = table[EVENTS]
    for row in np.flatnonzero(~column.missing).tolist():
        for name in str(column.values[row]).split():
            moments.setdefault(name, []).append(row)
    masks = {}
    for name in sorted(moments):
        masks[name] = np.zeros(len(table), dtype=np.bool_)
        masks[name][moments[name]] = True
    return masks


def _channels(
    data: Data, plan: Plan, pairs: Sequence[Pair], cleaning: Cleaning
) -> Iterator[Channel]:
    table = data.table(TELEMETRY)
    rounds = _rounds(data, plan, table)
    names = [
        name
        for name, column in table.columns.items()
        if column.field.type in ("number", "integer", "boolean")
        and not column.missing.all()
        and name not in _NOT_MEASURED
        and not name.endswith(_NOT_AVERAGED)
    ]
    times = table[TIME].values.astype(np.float64)
    events = _events(table)
    for pair in pairs:
        for place, trace in ((1, pair.first), (2, pair.second)):
            rows = rounds.get((pair.session, place))
            if rows is None:
                continue
            for name in names:
                column = table[name]
                values = np.where(
                    column.missing[rows], np.nan, column.values[rows].astype(np.float64)
                )
                yield Channel(
                    name.replace("_", " "),
                    trace,
                    in_windows(times[rows], values, len(trace.values), cleaning.window_ms),
                )
            for name, happened in events.items():
                counts = per_window(
                    times[rows][happened[rows]], len(trace.values), cleaning.window_ms
                )
                yield Channel(f"event: {name.replace('_', ' ')}", trace, counts)


def _rounds(
    data: Data, plan: Plan, table: ColumnTable
) -> dict[tuple[str, int], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    """Rows of each session's first, second … round: rounds are numbered by their position in the
    session.
    """
    sessions, positions = table["session"].values, table["position"].values
    code = data.code_of(table)
    order = np.lexsort((positions, code))
    if not len(order):
        return {}
    cuts = np.flatnonzero((np.diff(code[order]) != 0) | (np.diff(positions[order]) != 0)) + 1
    counted: dict[str, int] = {}
    rounds: dict[tuple[str, int], np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
    for rows in np.split(order, cuts):
        session = str(sessions[rows[0]])
        counted[session] = counted.get(session, 0) + 1
        rounds[session, counted[session]] = rows
    return rounds


def _relate(channels: Sequence[Channel], plan: Plan) -> Table:
    rows: list[tuple[LOOSE_CELL, ...]] = []
    tools: tuple[str, ...] = tuple(
        dict.fromkeys(channel.trace.annotation.tool for channel in channels)
    )
    for name in dict.fromkeys(channel.name for channel in channels):
        for tool in tools:
            mine = [
                channel
                for channel in channels
                if channel.name == name and channel.trace.annotation.tool == tool
            ]
            known = [np.isfinite(measure.values) for measure in mine]
            trace = np.concatenate(
                [measure.trace.values[ok] for measure, ok in zip(mine, known, strict=True)]
            )
            values = np.concatenate(
                [measure.values[ok] for measure, ok in zip(mine, known, strict=True)]
            )
            rounds = np.repeat(np.arange(len(mine)), [int(ok.sum()) for ok in known])
            test = within_correlation(trace, values, rounds.tolist(), level=plan.level)
            rows.append((name, tool_title(tool), len(mine), *tested_cells(test)))
    return LAYOUTS.table("telemetry_correlations", rows)


def _findings(table: Table) -> tuple[Finding, ...]:
    known = [row for row in table.rows if isinstance(row[3], float)]
    if not known:
        return ()
    strongest = max(known, key=lambda row: abs(float(row[3] or 0)))
    r = number(float(strongest[3] or 0), 3)
    return (
        Finding(
            outcome="telemetry",
            title="Strongest telemetry channel",
            sentence=f"Within rounds, the trace goes most with {strongest[0]} ({strongest[1]}):"
            f" r = {r} over {strongest[2]} rounds (exploratory).",
        ),
    )


def _strongest(table: Table) -> frozenset[str]:
    """The channels most related to the trace, by either tool: more lines would be hard to
    distinguish.
    """
    known = [row for row in table.rows if isinstance(row[3], float)]
    ranked = sorted(known, key=lambda row: -abs(float(row[3] or 0)))
    return frozenset(list(dict.fromkeys(str(row[0]) for row in ranked))[:DRAWN])


def _drawn(
    pairs: Sequence[Pair], channels: Sequence[Channel], cleaning: Cleaning, names: frozenset[str]
) -> Table:
    """One participant of each tool, the first in whose rounds something happened: both traces and
    these channels, each from its lowest to its highest value. More panels, or more lines in one,
    could not be read.
    """
    rows: list[tuple[Cell, ...]] = []
    by_trace: dict[int, list[Channel]] = {}
    for channel in channels:
        if channel.name not in names or _flat(channel.values):
            continue
        by_trace.setdefault(id(channel.trace), []).append(channel)
    for tool in dict.fromkeys(pair.tool for pair in pairs):
        own = [pair for pair in pairs if pair.tool == tool]
        eventful = [
            pair for pair in own if id(pair.first) in by_trace and id(pair.second) in by_trace
        ]
        for pair in (eventful or own)[:1]:
            for place, trace in ((1, pair.first), (2, pair.second)):
                panel = f"{tool_title(tool)}, round {place}: {in_words(trace.annotation.condition)}"
                lines = [("trace", trace.values)]
                lines += [
                    (measure.name, _from_0_to_1(measure.values))
                    for measure in by_trace.get(id(trace), [])
                ]
                for name, values in lines:
                    rows += [
                        (panel, name, (index + 0.5) * cleaning.window_ms / 1000, float(value))
                        for index, value in enumerate(values)
                        if np.isfinite(value)
                    ]
    return LAYOUTS.table("telemetry_examples", rows)


def _flat(values: FloatArray) -> bool:
    known = values[np.isfinite(values)]
    return not len(known) or bool(known.min() == known.max())


def _from_0_to_1(values: FloatArray) -> FloatArray:
    known = values[np.isfinite(values)]
    return np.asarray((values - known.min()) / (known.max() - known.min()))
