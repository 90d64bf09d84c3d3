"""Figures of agents: learning curves with the spread over seeds, and measures side by side with
their intervals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from believable.analysis.findings import Chart, Column, Table
from believable.core.errors import InvalidInput
from believable.core.whole_files import whole_file
from believable.report.colours import LIGHT
from believable.report.figure_files import inline_svg, picture, specification, still
from believable.stats.estimate import Estimate

#: Of a curve: after this number of decisions, mean, standard deviation over seeds.
MeanPoint = tuple[int, float, float]


def curve_figure(
    curves: Mapping[str, Sequence[MeanPoint]], title: str, y_title: str
) -> tuple[Table, Chart]:
    """A line for each agent with a band of one standard deviation over seeds."""
    columns = (
        Column(name="agent", title="Agent"),
        Column(name="decisions", title="Decisions", form="integer"),
        Column(name="mean", title=y_title, form="number"),
        Column(name="low", title="Mean − SD", form="number"),
        Column(name="high", title="Mean + SD", form="number"),
    )
    rows = tuple(
        (agent, decisions, mean, mean - sd, mean + sd)
        for agent, points in curves.items()
        for decisions, mean, sd in points
    )
    use = {"x": "decisions", "y": "mean", "low": "low", "high": "high", "colour": "agent"}
    chart = Chart(
        name="curves",
        title=title,
        kind="lines",
        table="curves",
        use=use,
        x_title="Decisions",
        y_title=y_title,
    )
    return Table(name="curves", title=title, columns=columns, rows=rows, data_only=True), chart


def measures_figure(
    measures: Mapping[str, Mapping[str, Estimate]], names: Sequence[str]
) -> tuple[Table, Chart]:
    """Shares of each agent with their intervals, in one figure."""
    columns = (
        Column(name="measure", title="Measure"),
        Column(name="agent", title="Agent"),
        Column(name="value", title="Share", form="number"),
        Column(name="low", title="Low", form="number"),
        Column(name="high", title="High", form="number"),
    )
    rows = tuple(
        (name, agent, estimates[name].value, estimates[name].low, estimates[name].high)
        for name in names
        for agent, estimates in measures.items()
        if estimates[name].value is not None
    )
    use = {"category": "measure", "value": "value", "low": "low", "high": "high", "colour": "agent"}
    chart = Chart(
        name="measures",
        title="How the agents move",
        kind="points",
        table="measures",
        use=use,
        x_title="Share",
        y_title="",
        x_range=(0, 1),
    )
    return Table(name="measures", title="How the agents move", columns=columns, rows=rows), chart


def write_figure(file: Path, table: Table, chart: Chart) -> None:
    """As SVG or PNG, by the ending of the file."""
    form = file.suffix.removeprefix(".").lower()
    if form not in ("svg", "png"):
        raise InvalidInput(
            f"--figure: expected a file that ends in .svg or .png, got {file.name!r}."
        )
    hues = {str(name): number for number, name in enumerate(dict.fromkeys(table.column("agent")))}
    drawing = inline_svg(still(specification(chart, [table], LIGHT, hues)))
    with whole_file(file) as draft:
        draft.write_bytes(picture(drawing, "svg" if form == "svg" else "png", LIGHT))
