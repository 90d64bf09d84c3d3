"""One drawing per kind of chart: what stands where. Colours and sizes come from the canvas, data from `Drawn`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from believable.report.colours import Theme
from believable.report.drawn import MOST_HUES, Drawn

Spec = dict[str, Any]

#: Kinds whose categories go down and whose values go right.
LYING = frozenset({"points", "bars", "stacked"})

ROW_PX = 30
OFFSET_PX = 17
HEAT_ROW_PX = 30
LANE_PX = 34
#: More cells than this speak by colour and legend only.
MOST_WRITTEN_CELLS = 150
#: With so few steps along x a line also shows its points.
FEW_STEPS = 15
#: A layer that is there to be pointed at; pictures go without it.
POINTER_ONLY = "pointer_only"
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
SHAPES = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "stroke", "triangle-right")


@dataclass(slots=True)
class Canvas:
    """Where and with what a chart is drawn. Kinds that stack rows set their own height."""

    theme: Theme
    hues: Mapping[str, int]
    width_px: int
    height_px: int


# ---------------------------------------------------------------------------------------------- channels


def colour(one: Drawn, canvas: Canvas, **legend_more: Any) -> Spec:
    """The colour channel: the report's colour of each name, steps for many numbers, or the first hue."""
    theme = canvas.theme
    if not one.has("colour"):
        return {"value": theme.hues[0]}
    values = one.values("colour")
    legend = {"title": one.title("colour") or None, **legend_more}
    if one.measured("colour") and len(values) > MOST_HUES:
        scale: Spec = {"type": "quantize", "range": list(theme.steps[1:])}
        return {"field": "colour", "type": "quantitative", "scale": scale, "legend": legend}
    if one.chart.kind == "stacked" and _are_levels(values) and 3 <= len(values) <= len(theme.split):
        levels: Spec = {"domain": sorted(values, key=float), "range": _levels(theme.split, len(values))}
        return {"field": "colour", "type": "nominal", "scale": levels, "legend": legend}
    scale = {"domain": values, "range": [theme.hues[place] for place in _places(values, canvas.hues)]}
    return {"field": "colour", "type": "nominal", "scale": scale, "legend": legend}


def _are_levels(values: list[Any]) -> bool:
    """Whether these are the points of a scale, as numbers or as digits."""
    return all(isinstance(value, int | float) or str(value).isdigit() for value in values)


def _levels(colours: tuple[str, ...], n: int) -> list[str]:
    """So many levels of an ordered answer, from one end of the colours to the other."""
    last = len(colours) - 1
    return [colours[round(last * place / (n - 1))] for place in range(n)]


def _places(values: list[Any], hues: Mapping[str, int]) -> list[int]:
    """Places in the palette; the report's own where they differ, else counted afresh for this figure."""
    known = [hues.get(str(value), place) % MOST_HUES for place, value in enumerate(values)]
    return known if len(set(known)) == len(known) else [place % MOST_HUES for place in range(len(values))]


def shape(one: Drawn) -> Spec:
    """The same distinction once more, for readers who do not see colours."""
    values = one.values("colour")
    if not one.has("colour") or len(values) > len(SHAPES):
        return {"value": "circle"}
    scale = {"domain": values, "range": list(SHAPES[: len(values)])}
    return {
        "field": "colour",
        "type": "nominal",
        "scale": scale,
        "legend": {"title": one.title("colour") or None},
    }


def value_axis(one: Drawn, role: str, *, zero: bool = False, side: str = "x", **axis: Any) -> Spec:
    """A measured axis with the chart's words and range."""
    chart = one.chart
    lying = chart.kind in LYING
    wanted = (chart.x_range or chart.y_range) if lying else (chart.x_range if side == "x" else chart.y_range)
    words = (chart.x_title or chart.y_title) if lying else (chart.x_title if side == "x" else chart.y_title)
    scale: Spec = {"zero": zero, "nice": wanted is None}
    if wanted is not None:
        scale["domain"] = list(wanted)
    drawn_axis: Spec = {"title": words or one.title(role), "tickCount": 6, **axis}
    if side == "x" and not lying and (levels := _few_whole(one.values(role))):
        drawn_axis |= {"values": levels, "format": "d"}
    if one.format(role):
        drawn_axis["format"] = one.format(role)
    return {"field": role, "type": "quantitative", "scale": scale, "axis": drawn_axis}


def _few_whole(values: list[Any]) -> list[int]:
    """The levels of something counted, such as years or answers: nothing lies between them. Else none."""
    whole = sorted(value for value in values if type(value) is int)
    return whole if len(whole) == len(values) <= FEW_STEPS else []


def category_axis(one: Drawn, role: str) -> Spec:
    words = one.chart.y_title if one.chart.x_title else ""
    axis = {"title": words or None, "grid": False}
    return {"field": role, "type": "nominal", "sort": one.values(role), "axis": axis}


def told(one: Drawn) -> Spec:
    return {"tooltip": list(one.told)} if one.told else {}


def _offset(one: Drawn, canvas: Canvas, role: str) -> Spec:
    """Rows side by side where colours share a category; sets the height."""
    values = one.values("colour") if one.has("colour") else []
    rows = max(len(one.values(role)), 1)
    pairs = {(row.get(role), row.get("colour")) for row in one.rows}
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


def cut_off(one: Drawn, along: tuple[str, ...], up: tuple[str, ...]) -> bool:
    """Whether something reaches beyond the ranges of the axes. Only then: cutting each mark makes large pictures slow."""
    wanted = ((one.chart.x_range, along), (one.chart.y_range, up))
    return any(
        limits is not None and not limits[0] <= value <= limits[1]
        for limits, roles in wanted
        for role in roles
        if one.has(role)
        for value in one.span(role)
    )


# ---------------------------------------------------------------------------------------------- kinds


def points(one: Drawn, canvas: Canvas) -> Spec:
    place = {"y": category_axis(one, "category")} | _offset(one, canvas, "category")
    hue, value = colour(one, canvas), value_axis(one, "value", grid=True)
    dot: Spec = {"type": "point", "filled": True, "size": 85, "opacity": 1}
    layers: list[Spec] = []
    if one.has("low") and one.has("high"):
        line = {"type": "rule", "strokeWidth": 2.2, "strokeCap": "round"}
        low = value_axis(one, "low", grid=True)
        low["axis"]["title"] = value["axis"]["title"]
        layers.append(
            {"mark": line, "encoding": {"x": low, "x2": {"field": "high"}, "color": hue} | place | told(one)}
        )
    layers.append(
        {"mark": dot, "encoding": {"x": value, "color": hue, "shape": shape(one)} | place | told(one)}
    )
    return {"layer": layers}


def bars(one: Drawn, canvas: Canvas) -> Spec:
    place = {"y": category_axis(one, "category")} | _offset(one, canvas, "category")
    bar: Spec = {"type": "bar", "cornerRadiusEnd": 2, "height": {"band": 1 if "yOffset" in place else 0.62}}
    value = value_axis(one, "value", zero=True, grid=True)
    layers: list[Spec] = [
        {"mark": bar, "encoding": {"x": value, "color": colour(one, canvas)} | place | told(one)}
    ]
    if one.has("low") and one.has("high"):
        line = {"type": "rule", "strokeWidth": 1.6, "color": canvas.theme.ink}
        low = value_axis(one, "low", zero=True)
        low["axis"]["title"] = value["axis"]["title"]
        if "yOffset" in place:
            place = place | {"yOffset": place["yOffset"] | {"bandPosition": 0.5}}
        layers.append({"mark": line, "encoding": {"x": low, "x2": {"field": "high"}} | place | told(one)})
    return {"layer": layers}


def lines(one: Drawn, canvas: Canvas, interpolate: str = "linear") -> Spec:
    symbol = {"symbolType": "stroke", "symbolOpacity": 1, "symbolStrokeWidth": 2.5, "symbolSize": 260}
    hue = colour(one, canvas, **symbol)
    x = value_axis(one, "x", grid=False) if one.measured("x") else _words_along(one, "x")
    y = value_axis(one, "y", side="y", grid=True)
    clip = cut_off(one, ("x",), ("y", "low", "high"))
    layers: list[Spec] = []
    if one.has("low") and one.has("high"):
        band = {"type": "area", "fillOpacity": 0.18, "interpolate": interpolate, "clip": clip, "line": False}
        low = value_axis(one, "low", side="y", grid=True)
        low["axis"]["title"] = y["axis"]["title"]
        layers.append({"mark": band, "encoding": {"x": x, "y": low, "y2": {"field": "high"}, "color": hue}})
    line: Spec = {
        "type": "line",
        "strokeWidth": 2,
        "interpolate": interpolate,
        "clip": clip,
        "invalid": "break-paths-show-path-domains",
    }
    encoding: Spec = {"x": x, "y": y, "color": hue}
    if one.has("colour") and 1 < len(one.values("colour")) <= len(DASHES):
        scale = {"domain": one.values("colour"), "range": list(DASHES[: len(one.values("colour"))])}
        encoding["strokeDash"] = {
            "field": "colour", "type": "nominal", "scale": scale, "legend": {"title": one.title("colour") or None, **symbol},
        }  # fmt: skip
    if one.has("label") and one.has("colour"):
        encoding |= _one_line_each(one)
    layers.append({"mark": line, "encoding": encoding})
    few = len(one.values("x")) <= FEW_STEPS
    dot: Spec = {"type": "point", "filled": True, "size": 46 if few else 60, "opacity": 1 if few else 0}
    dots: Spec = {"mark": dot, "encoding": {"x": x, "y": y, "color": hue} | told(one)}
    layers.append(dots if few else dots | {"name": POINTER_ONLY})
    return {"layer": layers}


def _one_line_each(one: Drawn) -> Spec:
    """One line per label, such as each annotator, in the colour of its kind: thin where a kind has several, else strong."""
    several = [
        kind
        for kind in one.values("colour")
        if len({(row.get("facet"), row["label"]) for row in one.rows if row.get("colour") == kind})
        > len({row.get("facet") for row in one.rows if row.get("colour") == kind})
    ]

    def by_kind(many: float, single: float) -> Spec:
        return {"condition": {"test": {"field": "colour", "oneOf": several}, "value": many}, "value": single}

    return {
        "detail": {"field": "label", "type": "nominal"},
        "strokeWidth": by_kind(1.2, 3.2),
        "strokeOpacity": by_kind(0.55, 1.0),
    }


def steps(one: Drawn, canvas: Canvas) -> Spec:
    return lines(one, canvas, "step-after")


def scatter(one: Drawn, canvas: Canvas) -> Spec:
    x = value_axis(one, "x", grid=True) if one.measured("x") else _words_along(one, "x")
    encoding = {
        "x": x,
        "y": value_axis(one, "y", side="y", grid=True),
        "color": colour(one, canvas),
        "shape": shape(one),
    }
    clip = cut_off(one, ("x",), ("y",))
    dot = {"type": "point", "filled": True, "size": 55, "opacity": 0.75, "clip": clip}
    return {"layer": [{"mark": dot, "encoding": encoding | told(one)}]}


def histogram(one: Drawn, canvas: Canvas) -> Spec:
    x = value_axis(one, "from", grid=False) | {"bin": {"binned": True}}
    encoding = {
        "x": x,
        "x2": {"field": "to"},
        "y": value_axis(one, "count", zero=True, side="y", grid=True) | {"stack": "zero"},
        "color": colour(one, canvas),
    }
    bar = {"type": "bar", "binSpacing": 1}
    return {"layer": [{"mark": bar, "encoding": encoding | told(one)}]}


def heat(one: Drawn, canvas: Canvas) -> Spec:
    low, high = one.span("value")
    split = low < 0 < high
    theme = canvas.theme
    reach = max(abs(low), abs(high))
    domain = [-reach, reach] if split else [low, high]
    grounds, inks = (theme.split, theme.split_ink) if split else (theme.steps, theme.steps_ink)
    canvas.height_px = max(len(one.values("y")), 1) * HEAT_ROW_PX
    place = {
        "x": _words_along(one, "x"),
        "y": {
            "field": "y", "type": "ordinal", "sort": one.values("y"),
            "axis": {"title": one.chart.y_title or one.title("y"), "grid": False},
        },
    }  # fmt: skip
    written = len(one.rows) <= MOST_WRITTEN_CELLS
    legend: Spec | None = (
        None if written else {"title": one.title("value"), "format": one.format("value") or ".2~f"}
    )
    ground = {"type": "quantize", "domain": domain, "range": list(grounds)}
    ink = {"type": "quantize", "domain": domain, "range": list(inks)}
    shown = "label" if one.has("label") else "value"
    text: Spec = (
        {"field": shown} if shown == "label" else {"field": "value", "type": "quantitative", "format": ".2f"}
    )
    boxes = {"color": {"field": "value", "type": "quantitative", "scale": ground, "legend": legend}}
    words = {"color": {"field": "value", "type": "quantitative", "scale": ink, "legend": None}, "text": text}
    layers: list[Spec] = [
        {
            "mark": {"type": "rect", "stroke": theme.ground, "strokeWidth": 2},
            "encoding": place | boxes | told(one),
        },
    ]
    if written:
        layers.append({"mark": {"type": "text", "fontSize": 11.5}, "encoding": place | words | told(one)})
    return {"layer": layers, "resolve": {"scale": {"color": "independent"}}}


def spans(one: Drawn, canvas: Canvas) -> Spec:
    canvas.height_px = max(len(one.values("lane")), 1) * LANE_PX
    lane = {
        "y": {
            "field": "lane", "type": "nominal", "sort": one.values("lane"),
            "axis": {"title": one.chart.y_title or None, "grid": False},
        }
    }  # fmt: skip
    start = value_axis(one, "from", grid=True)
    hue = colour(one, canvas) if one.has("colour") else _span_colour(one, canvas)
    encoding: Spec = lane | {"x": start, "color": hue} | told(one)
    if one.values("link"):
        encoding["href"] = {"condition": {"test": "datum.link", "field": "link"}, "value": ""}
    clip = cut_off(one, ("from", "to"), ())
    bar: Spec = {
        "type": "bar",
        "invalid": None,
        "height": {"band": 0.6},
        "cornerRadius": 2,
        "stroke": canvas.theme.ground,
        "strokeWidth": 0.6,
        "clip": clip,
    }
    tick: Spec = {"type": "tick", "invalid": None, "thickness": 2.5, "height": {"band": 0.75}, "clip": clip}
    layers: list[Spec] = []
    for wanted, own in _by_value(one, canvas, hue):
        long, short = (f"{span} && {wanted}" for span in ("datum.to > datum.from", "!(datum.to > datum.from)"))
        quiet = {"fillOpacity": 0.5} if own == {"value": canvas.theme.hues[6]} else {}
        layers += [
            {"transform": [{"filter": long}], "mark": bar | quiet, "encoding": encoding | {"x2": {"field": "to"}, "color": own}},
            {"transform": [{"filter": short}], "mark": tick, "encoding": encoding | {"color": own}},
        ]  # fmt: skip
    return {"layer": layers}


def _by_value(one: Drawn, canvas: Canvas, hue: Spec) -> list[tuple[str, Spec]]:
    """Spans without a value, such as plans and flags beside rated actions, are there in grey."""
    if one.has("colour") or not one.values("value"):
        return [("true", hue)]
    return [("isValid(datum.value)", hue), ("!isValid(datum.value)", {"value": canvas.theme.hues[6]})]


def _span_colour(one: Drawn, canvas: Canvas) -> Spec:
    """By value, where any span has one."""
    values = one.values("value")
    if not values:
        return {"value": canvas.theme.hues[0]}
    field: Spec = {
        "field": "value",
        "legend": {"title": one.title("value"), "format": one.format("value") or "~g"},
    }
    if all(isinstance(value, str) for value in values):
        hues = [canvas.theme.hues[place] for place in _places(values, canvas.hues)]
        field |= {
            "type": "nominal",
            "scale": {"domain": values, "range": hues},
            "legend": {"title": one.title("value")},
        }
    else:
        low, high = one.span("value")
        domain = [low, high] if low < high else [0, high or 1]
        steps = list(canvas.theme.steps[1:])
        field |= {"type": "quantitative", "scale": {"type": "quantize", "domain": domain, "range": steps}}
    return field


def stacked(one: Drawn, canvas: Canvas) -> Spec:
    in_a_row = {"columns": len(one.values("colour"))} if _are_levels(one.values("colour")) else {}
    rows = max(len(one.values("category")), 1)
    canvas.height_px = rows * ROW_PX
    order = {name: place for place, name in enumerate(one.values("colour"))}
    one = replace(one, rows=tuple({**row, "order": order.get(row["colour"], 0)} for row in one.rows))
    value = value_axis(one, "value", zero=True, grid=True) | {"stack": "zero"}
    encoding: Spec = {
        "y": category_axis(one, "category"),
        "x": value,
        "color": colour(one, canvas, **in_a_row),
        "order": {"field": "order", "type": "quantitative"},
    }
    bar: Spec = {"type": "bar", "height": {"band": 0.7}, "stroke": canvas.theme.ground, "strokeWidth": 1}
    layer = {"data": {"values": list(one.rows)}, "mark": bar, "encoding": encoding | told(one)}
    return {"layer": [layer]}


def _words_along(one: Drawn, role: str) -> Spec:
    """Names or few levels along x, upright."""
    axis: Spec = {"title": one.chart.x_title or one.title(role), "labelAngle": 0, "grid": False}
    return {"field": role, "type": "ordinal", "sort": one.values(role), "axis": axis}


DRAWERS: Mapping[str, Callable[[Drawn, Canvas], Spec]] = {
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
