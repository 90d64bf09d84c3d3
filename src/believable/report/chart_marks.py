"""One drawing per kind of chart: its marks and their positions. Colours and sizes are taken from
the canvas, data from `ChartRows`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from believable.report.chart_canvas import (
    DASHES,
    FEW_STEPS,
    HEAT_ROW_PX,
    LANE_PX,
    MOST_WRITTEN_CELLS,
    POINTER_ONLY,
    ROW_PX,
    Canvas,
    Spec,
    are_levels,
    category_axis,
    colour,
    cut_off,
    offset,
    places,
    shape,
    tooltip,
    value_axis,
)
from believable.report.chart_rows import ChartRows

# ----------------------------------------------------------------------------------------------
# kinds


def points(plot: ChartRows, canvas: Canvas) -> Spec:
    place = {"y": category_axis(plot, "category")} | offset(plot, canvas, "category")
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
    place = {"y": category_axis(plot, "category")} | offset(plot, canvas, "category")
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
    x = value_axis(plot, "x", grid=False) if plot.is_numeric("x") else _words_along(plot, "x")
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
    x = value_axis(plot, "x", grid=True) if plot.is_numeric("x") else _words_along(plot, "x")
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
        hues = [canvas.theme.hues[place] for place in places(values, canvas.hues)]
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


def stacked_bars(plot: ChartRows, canvas: Canvas) -> Spec:
    in_a_row = {"columns": len(plot.values("colour"))} if are_levels(plot.values("colour")) else {}
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
    "stacked": stacked_bars,
}
