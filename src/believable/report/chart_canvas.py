"""The canvas of a chart: colours, positions and axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from believable.report.chart_rows import MOST_HUES, ChartRows
from believable.report.colours import Theme

Spec = dict[str, Any]
#: Kinds whose categories go down and whose values go right.
LYING = frozenset({"points", "bars", "stacked"})
ROW_PX = 30
OFFSET_PX = 17
HEAT_ROW_PX = 30
LANE_PX = 34
#: More cells than this speak by colour and legend only.
MOST_WRITTEN_CELLS = 150
#: With at most this number of steps along x a line also shows its points.
FEW_STEPS = 15
#: A layer that is there to be pointed at; pictures go without it.
POINTER_ONLY = "pointer_only"
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
SHAPES = (
    "circle",
    "diamond",
    "square",
    "triangle-up",
    "cross",
    "triangle-down",
    "stroke",
    "triangle-right",
)


@dataclass(slots=True)
class Canvas:
    """The canvas of a chart: its area and its style. Kinds that stack rows set their own height."""

    theme: Theme
    hues: Mapping[str, int]
    width_px: int
    height_px: int


def colour(plot: ChartRows, canvas: Canvas, **legend_more: Any) -> Spec:
    """The colour channel: the report's colour of each name, steps for many numbers, or the first
    hue.
    """
    theme = canvas.theme
    if not plot.has("colour"):
        return {"value": theme.hues[0]}
    values = plot.values("colour")
    legend = {"title": plot.title("colour") or None, **legend_more}
    if plot.is_numeric("colour") and len(values) > MOST_HUES:
        scale: Spec = {"type": "quantize", "range": list(theme.steps[1:])}
        return {"field": "colour", "type": "quantitative", "scale": scale, "legend": legend}
    if plot.chart.kind == "stacked" and are_levels(values) and 3 <= len(values) <= len(theme.split):
        levels: Spec = {
            "domain": sorted(values, key=float),
            "range": _levels(theme.split, len(values)),
        }
        return {"field": "colour", "type": "nominal", "scale": levels, "legend": legend}
    scale = {
        "domain": values,
        "range": [theme.hues[place] for place in places(values, canvas.hues)],
    }
    return {"field": "colour", "type": "nominal", "scale": scale, "legend": legend}


def are_levels(values: list[Any]) -> bool:
    """Whether these are the points of a scale, as numbers or as digits."""
    return all(isinstance(value, int | float) or str(value).isdigit() for value in values)


def _levels(colours: tuple[str, ...], n: int) -> list[str]:
    """This number of levels of an ordered answer, from one end of the colours to the other."""
    last = len(colours) - 1
    return [colours[round(last * place / (n - 1))] for place in range(n)]


def places(values: list[Any], hues: Mapping[str, int]) -> list[int]:
    """Indices in the palette; the report's own if they differ, else counted from zero for this
    figure.
    """
    known = [hues.get(str(value), place) % MOST_HUES for place, value in enumerate(values)]
    return (
        known
        if len(set(known)) == len(known)
        else [place % MOST_HUES for place in range(len(values))]
    )


def shape(plot: ChartRows) -> Spec:
    """The same distinction once more, for readers who do not see colours."""
    values = plot.values("colour")
    if not plot.has("colour") or len(values) > len(SHAPES):
        return {"value": "circle"}
    scale = {"domain": values, "range": list(SHAPES[: len(values)])}
    return {
        "field": "colour",
        "type": "nominal",
        "scale": scale,
        "legend": {"title": plot.title("colour") or None},
    }


def value_axis(
    plot: ChartRows, role: str, *, zero: bool = False, side: str = "x", **axis: Any
) -> Spec:
    """A measured axis with the chart's words and range."""
    chart = plot.chart
    lying = chart.kind in LYING
    wanted = (
        (chart.x_range or chart.y_range)
        if lying
        else (chart.x_range if side == "x" else chart.y_range)
    )
    words = (
        (chart.x_title or chart.y_title)
        if lying
        else (chart.x_title if side == "x" else chart.y_title)
    )
    scale: Spec = {"zero": zero, "nice": wanted is None}
    if wanted is not None:
        scale["domain"] = list(wanted)
    drawn_axis: Spec = {"title": words or plot.title(role), "tickCount": 6, **axis}
    if side == "x" and not lying and (levels := _few_whole(plot.values(role))):
        drawn_axis |= {"values": levels, "format": "d"}
    if plot.format(role):
        drawn_axis["format"] = plot.format(role)
    return {"field": role, "type": "quantitative", "scale": scale, "axis": drawn_axis}


def _few_whole(values: list[Any]) -> list[int]:
    """The levels of something counted, such as years or answers: nothing lies between them. Else
    none.
    """
    whole = sorted(value for value in values if type(value) is int)
    return whole if len(whole) == len(values) <= FEW_STEPS else []


def category_axis(plot: ChartRows, role: str) -> Spec:
    words = plot.chart.y_title if plot.chart.x_title else ""
    axis = {"title": words or None, "grid": False}
    return {"field": role, "type": "nominal", "sort": plot.values(role), "axis": axis}


def tooltip(plot: ChartRows) -> Spec:
    return {"tooltip": list(plot.tooltip)} if plot.tooltip else {}


def offset(plot: ChartRows, canvas: Canvas, role: str) -> Spec:
    """Rows side by side where colours share a category; sets the height."""
    values = plot.values("colour") if plot.has("colour") else []
    rows = max(len(plot.values(role)), 1)
    pairs = {(row.get(role), row.get("colour")) for row in plot.rows}
    shared = len(pairs) > rows
    canvas.height_px = rows * (ROW_PX + (OFFSET_PX * (len(values) - 1) if shared else 0))
    return (
        {
            "yOffset": {
                "field": "colour",
                "type": "nominal",
                "sort": values,
                "scale": {"paddingInner": 0.15, "paddingOuter": 0.4},
            }
        }
        if shared
        else {}
    )


def cut_off(plot: ChartRows, along: tuple[str, ...], up: tuple[str, ...]) -> bool:
    """Whether something reaches beyond the ranges of the axes. Only then: cutting each mark makes
    large pictures slow.
    """
    wanted = ((plot.chart.x_range, along), (plot.chart.y_range, up))
    return any(
        limits is not None and not limits[0] <= value <= limits[1]
        for limits, roles in wanted
        for role in roles
        if plot.has(role)
        for value in plot.span(role)
    )
