"""One drawing per kind of chart: its marks and their positions. Colours and sizes are taken from
the canvas, data from `ChartRows`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
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


# ----------------------------------------------------------------------------------------------
# channels


def colour(plot: ChartRows, canvas: Canvas, **legend_more: Any) -> Spec:
    """The colour channel: the report's colour of each name, steps for many numbers, or the first
    hue.
    """
    theme = canvas.theme
    if not plot.has("colour"):
        return {"value": theme.hues[0]}
    values = plot.values("colour")
    legend = {"title": plot.title("colour") or None, **legend_more}
    if plot.measured("colour") and len(values) > MOST_HUES:
        scale: Spec = {"type": "quantize", "range": list(theme.steps[1:])}
        return {"field": "colour", "type": "quantitative", "scale": scale, "legend": legend}
    if (
        plot.chart.kind == "stacked"
        and _are_levels(values)
        and 3 <= len(values) <= len(theme.split)
    ):
        levels: Spec = {
            "domain": sorted(values, key=float),
            "range": _levels(theme.split, len(values)),
        }
        return {"field": "colour", "type": "nominal", "scale": levels, "legend": legend}
    scale = {
        "domain": values,
        "range": [theme.hues[place] for place in _places(values, canvas.hues)],
    }
    return {"field": "colour", "type": "nominal", "scale": scale, "legend": legend}


def _are_levels(values: list[Any]) -> bool:
    """Whether these are the points of a scale, as numbers or as digits."""
    return all(isinstance(value, int | float) or str(value).isdigit() for value in values)


def _levels(colours: tuple[str, ...], n: int) -> list[str]:
    """This number of levels of an ordered answer, from one end of the colours to the other."""
    last = len(colours) - 1
    return [colours[round(last * place / (n - 1))] for place in range(n)]


def _places(values: list[Any], hues: Mapping[str, int]) -> list[int]:
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


def _offset(plot: ChartRows, canvas: Canvas, role: str) -> Spec:
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


# ----------------------------------------------------------------------------------------------
# kinds


def points(plot: ChartRows, canvas: Canvas) -> Spec:
    place = {"y": category_axis(plot, "category")} | _offset(plot, canvas, "category")
    hue, value = colour(plot, canvas), value_axis(plot, "value", grid=True)
    dot: Spec = {"type": "point", "filled": True, "size": 85, "opacity": 1}
    layers: list[Spec] = []
    if plot.has("low") and plot.has("high"):
        line = {"type": "rule", "strokeWidth": 2.2, "strokeCap": "round"}
        low = value_axis(plot, "low", grid=True)
        low["axis"]["title"] = value["axis"]["title"]
        layers.append(
            {
                "mark": line,
                "encoding": {"x": low, "x2": {"field": "high"}, "color": hue}
                | place
                | tooltip(plot),
            }
        )
    layers.append(
        {
            "mark": dot,
            "encoding": {"x": value, "color": hue, "shape": shape(plot)} | place | tooltip(plot),
        }
    )
    return {"layer": layers}


def bars(plot: ChartRows, canvas: Canvas) -> Spec:
    place = {"y": category_axis(plot, "category")} | _offset(plot, canvas, "category")
    bar: Spec = {
        "type": "bar",
        "cornerRadiusEnd": 2,
        "height": {"band": 1 if "yOffset" in place else 0.62},
    }
    value = value_axis(plot, "value", zero=True, grid=True)
    layers: list[Spec] = [
        {
            "mark": bar,
            "encoding": {"x": value, "color": colour(plot, canvas)} | place | tooltip(plot),
        }
    ]
    if plot.has("low") and plot.has("high"):
        line = {"type": "rule", "strokeWidth": 1.6, "color": canvas.theme.ink}
        low = value_axis(plot, "low", zero=True)
        low["axis"]["title"] = value["axis"]["title"]
        if "yOffset" in place:
            place = place | {"yOffset": place["yOffset"] | {"bandPosition": 0.5}}
        layers.append(
            {"mark": line, "encoding": {"x": low, "x2": {"field": "high"}} | place | tooltip(plot)}
        )
    return {"layer": layers}


def lines(plot: ChartRows, canvas: Canvas, interpolate: str = "linear") -> Spec:
    symbol = {
        "symbolType": "stroke",
        "symbolOpacity": 1,
        "symbolStrokeWidth": 2.5,
        "symbolSize": 260,
    }
    hue = colour(plot, canvas, **symbol)
    x = value_axis(plot, "x", grid=False) if plot.measured("x") else _words_along(plot, "x")
    y = value_axis(plot, "y", side="y", grid=True)
    clip = cut_off(plot, ("x",), ("y", "low", "high"))
    layers: list[Spec] = []
    if plot.has("low") and plot.has("high"):
        band = {
            "type": "area",
            "fillOpacity": 0.18,
            "interpolate": interpolate,
            "clip": clip,
            "line": False,
        }
        low = value_axis(plot, "low", side="y", grid=True)
        low["axis"]["title"] = y["axis"]["title"]
        layers.append(
            {"mark": band, "encoding": {"x": x, "y": low, "y2": {"field": "high"}, "color": hue}}
        )
    line: Spec = {
        "type": "line",
        "strokeWidth": 2,
        "interpolate": interpolate,
        "clip": clip,
        "invalid": "break-paths-show-path-domains",
    }
    encoding: Spec = {"x": x, "y": y, "color": hue}
    if plot.has("colour") and 1 < len(plot.values("colour")) <= len(DASHES):
        scale = {
            "domain": plot.values("colour"),
            "range": list(DASHES[: len(plot.values("colour"))]),
        }
        encoding["strokeDash"] = {
            "field": "colour",
            "type": "nominal",
            "scale": scale,
            "legend": {"title": plot.title("colour") or None, **symbol},
        }
    if plot.has("label") and plot.has("colour"):
        encoding |= _one_line_each(plot)
    layers.append({"mark": line, "encoding": encoding})
    few = len(plot.values("x")) <= FEW_STEPS
    dot: Spec = {
        "type": "point",
        "filled": True,
        "size": 46 if few else 60,
        "opacity": 1 if few else 0,
    }
    dots: Spec = {"mark": dot, "encoding": {"x": x, "y": y, "color": hue} | tooltip(plot)}
    layers.append(dots if few else dots | {"name": POINTER_ONLY})
    return {"layer": layers}


def _one_line_each(plot: ChartRows) -> Spec:
    """One line per label, such as each annotator, in the colour of its kind: thin where a kind has
    several, else strong.
    """
    several = [
        kind
        for kind in plot.values("colour")
        if len({(row.get("facet"), row["label"]) for row in plot.rows if row.get("colour") == kind})
        > len({row.get("facet") for row in plot.rows if row.get("colour") == kind})
    ]

    def by_kind(many: float, single: float) -> Spec:
        return {
            "condition": {"test": {"field": "colour", "oneOf": several}, "value": many},
            "value": single,
        }

    return {
        "detail": {"field": "label", "type": "nominal"},
        "strokeWidth": by_kind(1.2, 3.2),
        "strokeOpacity": by_kind(0.55, 1.0),
    }


def steps(plot: ChartRows, canvas: Canvas) -> Spec:
    return lines(plot, canvas, "step")


def scatter(plot: ChartRows, canvas: Canvas) -> Spec:
    x = value_axis(plot, "x", grid=True) if plot.measured("x") else _words_along(plot, "x")
    encoding = {
        "x": x,
        "y": value_axis(plot, "y", side="y", grid=True),
        "color": colour(plot, canvas),
        "shape": shape(plot),
    }
    clip = cut_off(plot, ("x",), ("y", "low", "high"))
    layers: list[Spec] = []
    if plot.has("low") and plot.has("high"):
        line = {"type": "rule", "strokeWidth": 1.2, "opacity": 0.5, "clip": clip}
        low = value_axis(plot, "low", side="y", grid=True)
        low["axis"]["title"] = encoding["y"]["axis"]["title"]
        bar = {"x": x, "y": low, "y2": {"field": "high"}, "color": encoding["color"]}
        layers.append({"mark": line, "encoding": bar | tooltip(plot)})
    dot = {"type": "point", "filled": True, "size": 55, "opacity": 0.75, "clip": clip}
    return {"layer": [*layers, {"mark": dot, "encoding": encoding | tooltip(plot)}]}


def histogram(plot: ChartRows, canvas: Canvas) -> Spec:
    x = value_axis(plot, "from", grid=False) | {"bin": {"binned": True}}
    encoding = {
        "x": x,
        "x2": {"field": "to"},
        "y": value_axis(plot, "count", zero=True, side="y", grid=True) | {"stack": "zero"},
        "color": colour(plot, canvas),
    }
    bar = {"type": "bar", "binSpacing": 1}
    return {"layer": [{"mark": bar, "encoding": encoding | tooltip(plot)}]}


def heat(plot: ChartRows, canvas: Canvas) -> Spec:
    low, high = plot.span("value")
    split = low < 0 < high
    theme = canvas.theme
    reach = max(abs(low), abs(high))
    domain = [-reach, reach] if split else [low, high]
    grounds, inks = (theme.split, theme.split_ink) if split else (theme.steps, theme.steps_ink)
    canvas.height_px = max(len(plot.values("y")), 1) * HEAT_ROW_PX
    place = {
        "x": _words_along(plot, "x"),
        "y": {
            "field": "y",
            "type": "ordinal",
            "sort": plot.values("y"),
            "axis": {"title": plot.chart.y_title or plot.title("y"), "grid": False},
        },
    }
    written = len(plot.rows) <= MOST_WRITTEN_CELLS
    legend: Spec | None = (
        None
        if written
        else {"title": plot.title("value"), "format": plot.format("value") or ".2~f"}
    )
    ground = {"type": "quantize", "domain": domain, "range": list(grounds)}
    ink = {"type": "quantize", "domain": domain, "range": list(inks)}
    shown = "label" if plot.has("label") else "value"
    text: Spec = (
        {"field": shown}
        if shown == "label"
        else {"field": "value", "type": "quantitative", "format": ".2f"}
    )
    boxes = {"color": {"field": "value", "type": "quantitative", "scale": ground, "legend": legend}}
    words = {
        "color": {"field": "value", "type": "quantitative", "scale": ink, "legend": None},
        "text": text,
    }
    layers: list[Spec] = [
        {
            "mark": {"type": "rect", "stroke": theme.ground, "strokeWidth": 2},
            "encoding": place | boxes | tooltip(plot),
        }
    ]
    if written:
        layers.append(
            {"mark": {"type": "text", "fontSize": 11.5}, "encoding": place | words | tooltip(plot)}
        )
    return {"layer": layers, "resolve": {"scale": {"color": "independent"}}}


def spans(plot: ChartRows, canvas: Canvas) -> Spec:
    canvas.height_px = max(len(plot.values("lane")), 1) * LANE_PX
    lane = {
        "y": {
            "field": "lane",
            "type": "nominal",
            "sort": plot.values("lane"),
            "axis": {"title": plot.chart.y_title or None, "grid": False},
        }
    }
    start = value_axis(plot, "from", grid=True)
    hue = colour(plot, canvas) if plot.has("colour") else _span_colour(plot, canvas)
    encoding: Spec = lane | {"x": start, "color": hue} | tooltip(plot)
    if plot.values("link"):
        encoding["href"] = {"condition": {"test": "datum.link", "field": "link"}, "value": ""}
    clip = cut_off(plot, ("from", "to"), ())
    bar: Spec = {
        "type": "bar",
        "invalid": None,
        "height": {"band": 0.6},
        "cornerRadius": 2,
        "stroke": canvas.theme.ground,
        "strokeWidth": 0.6,
        "clip": clip,
    }
    tick: Spec = {
        "type": "tick",
        "invalid": None,
        "thickness": 2.5,
        "height": {"band": 0.75},
        "clip": clip,
    }
    layers: list[Spec] = []
    for wanted, own in _by_value(plot, canvas, hue):
        long, short = (
            f"{span} && {wanted}" for span in ("datum.to > datum.from", "!(datum.to > datum.from)")
        )
        quiet = {"fillOpacity": 0.5} if own == {"value": canvas.theme.hues[6]} else {}
        layers += [
            {
                "transform": [{"filter": long}],
                "mark": bar | quiet,
                "encoding": encoding | {"x2": {"field": "to"}, "color": own},
            },
            {"transform": [{"filter": short}], "mark": tick, "encoding": encoding | {"color": own}},
        ]
    return {"layer": layers}


def _by_value(plot: ChartRows, canvas: Canvas, hue: Spec) -> list[tuple[str, Spec]]:
    """Spans without a value, such as plans and flags alongside rated actions, are drawn in grey."""
    if plot.has("colour") or not plot.values("value"):
        return [("true", hue)]
    return [
        ("isValid(datum.value)", hue),
        ("!isValid(datum.value)", {"value": canvas.theme.hues[6]}),
    ]


def _span_colour(plot: ChartRows, canvas: Canvas) -> Spec:
    """By value, where any span has one."""
    values = plot.values("value")
    if not values:
        return {"value": canvas.theme.hues[0]}
    field: Spec = {
        "field": "value",
        "legend": {"title": plot.title("value"), "format": plot.format("value") or "~g"},
    }
    if all(isinstance(value, str) for value in values):
        hues = [canvas.theme.hues[place] for place in _places(values, canvas.hues)]
        field |= {
            "type": "nominal",
            "scale": {"domain": values, "range": hues},
            "legend": {"title": plot.title("value")},
        }
    else:
        low, high = plot.span("value")
        domain = [low, high] if low < high else [0, high or 1]
        steps = list(canvas.theme.steps[1:])
        field |= {
            "type": "quantitative",
            "scale": {"type": "quantize", "domain": domain, "range": steps},
        }
    return field


def stacked(plot: ChartRows, canvas: Canvas) -> Spec:
    in_a_row = {"columns": len(plot.values("colour"))} if _are_levels(plot.values("colour")) else {}
    rows = max(len(plot.values("category")), 1)
    canvas.height_px = rows * ROW_PX
    order = {name: place for place, name in enumerate(plot.values("colour"))}
    plot = replace(
        plot, rows=tuple({**row, "order": order.get(row["colour"], 0)} for row in plot.rows)
    )
    value = value_axis(plot, "value", zero=True, grid=True) | {"stack": "zero"}
    encoding: Spec = {
        "y": category_axis(plot, "category"),
        "x": value,
        "color": colour(plot, canvas, **in_a_row),
        "order": {"field": "order", "type": "quantitative"},
    }
    bar: Spec = {
        "type": "bar",
        "height": {"band": 0.7},
        "stroke": canvas.theme.ground,
        "strokeWidth": 1,
    }
    layer = {"data": {"values": list(plot.rows)}, "mark": bar, "encoding": encoding | tooltip(plot)}
    return {"layer": [layer]}


def _words_along(plot: ChartRows, role: str) -> Spec:
    """Names or few levels along x, upright."""
    axis: Spec = {"title": plot.chart.x_title or plot.title(role), "labelAngle": 0, "grid": False}
    return {"field": role, "type": "ordinal", "sort": plot.values(role), "axis": axis}


DRAWERS: Mapping[str, Callable[[ChartRows, Canvas], Spec]] = {
    "points": points,
    "bars": bars,
    "lines": lines,
    "steps": steps,
    "scatter": scatter,
    "histogram": histogram,
    "heat": heat,
    "spans": spans,
    "stacked": stacked,
}
