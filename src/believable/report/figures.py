"""A chart record as a Vega-Lite specification: plain data, drawn alike by the page, the files and the console."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from believable.analysis.records import Chart, Table
from believable.report.colours import SANS, Theme
from believable.report.drawn import Drawn, Links, drawn, no_links
from believable.report.marks import DRAWERS, LYING, POINTER_ONLY, Canvas, Spec

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH_PX = 800
HEIGHT_PX = 280
FACET_HEIGHT_PX = 170
#: Room that axes and gaps take beside each small multiple.
FACET_MARGIN_PX = 44
MOST_FACETS_IN_A_ROW = 3


def specification(
    chart: Chart,
    tables: Sequence[Table],
    theme: Theme,
    hues: Mapping[str, int],
    links: Links = no_links,
    width_px: int = WIDTH_PX,
) -> Spec:
    """The figure of a chart in the colours of a theme; `hues` gives names their colours (see `drawn.hues`)."""
    one = drawn(chart, tables, links)
    facets = one.values("facet")
    in_a_row = min(len(facets), MOST_FACETS_IN_A_ROW) or 1
    canvas = Canvas(
        theme=theme,
        hues=hues,
        width_px=width_px if not facets else width_px // in_a_row - FACET_MARGIN_PX,
        height_px=FACET_HEIGHT_PX if facets else HEIGHT_PX,
    )
    body = DRAWERS[chart.kind](one, canvas)
    body["layer"] = [*body["layer"], *_rules(one, canvas)]
    frame: Spec = {
        "$schema": SCHEMA,
        "description": f"{chart.title}. {chart.caption}".strip(),
        "background": theme.ground,
        "config": config(theme),
        "data": {"values": list(one.rows)},
    }
    if not facets:
        fit = {"autosize": {"type": "fit-x", "contains": "padding"}}
        return frame | fit | {"width": canvas.width_px, "height": canvas.height_px} | body
    inside = {"width": canvas.width_px, "height": canvas.height_px} | body
    header = {"title": None, "labelFontWeight": 600, "labelFontSize": 12, "labelAnchor": "start"}
    facet = {"field": "facet", "type": "nominal", "sort": facets, "header": header}
    return frame | {"facet": facet, "columns": in_a_row, "spacing": 22, "spec": inside}


def still(spec: Spec) -> Spec:
    """The same figure without what only answers a pointer."""
    inside = spec.get("spec", spec)
    layers = [layer for layer in inside["layer"] if layer.get("name") != POINTER_ONLY]
    return spec | ({"spec": inside | {"layer": layers}} if "spec" in spec else {"layer": layers})


def _rules(one: Drawn, canvas: Canvas) -> list[Spec]:
    """Lines across for chance, margins and thresholds, each with its words."""
    layers: list[Spec] = []
    for axis, value, words in one.chart.rules:
        side = "x" if one.chart.kind in LYING else axis
        data = {"values": [{"at": value, "words": words}]}
        place = {side: {"field": "at", "type": "quantitative"}}
        line = {"type": "rule", "strokeDash": [4, 3], "strokeWidth": 1.2, "color": canvas.theme.soft}
        layers.append({"data": data, "mark": line, "encoding": place})
        if words:
            layers.append({"data": data, **_words(side, canvas)})
    return layers


def _words(side: str, canvas: Canvas) -> Spec:
    text: Spec = {"type": "text", "color": canvas.theme.soft, "fontSize": 11, "fontStyle": "italic"}
    at = {"field": "at", "type": "quantitative"}
    if side == "x":
        place: Spec = {"x": at, "y": {"value": -6}}
        text |= {"baseline": "bottom", "align": "center"}
    else:
        place = {"y": at, "x": {"value": "width"}}
        text |= {"baseline": "bottom", "align": "right", "dx": -4, "dy": -2}
    return {"mark": text, "encoding": place | {"text": {"field": "words"}}}


def config(theme: Theme) -> Spec:
    """No frames, no ticks, a quiet grid; the data carry the ink."""
    words = {"labelColor": theme.soft, "titleColor": theme.ink}
    axis: dict[str, Any] = {
        "domain": False,
        "ticks": False,
        "gridColor": theme.line,
        "gridWidth": 1,
        "labelFontSize": 12,
        "labelPadding": 7,
        "titleFontSize": 12,
        "titleFontWeight": 500,
        "titlePadding": 10,
        "labelLimit": 260,
        "labelOverlap": "greedy",
        "labelFlush": False,
    } | words
    legend: dict[str, Any] = {
        "orient": "top",
        "direction": "horizontal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": 500,
        "symbolSize": 90,
        "symbolStrokeWidth": 2,
        "offset": 10,
        "labelLimit": 320,
        "columns": 5,
    } | words
    return {
        # Each drawing has one description as a whole; a label on every mark would only swell the page.
        "aria": False,
        "font": SANS,
        "view": {"stroke": None},
        "axis": axis,
        "axisBand": {"grid": False},
        "legend": legend,
        "header": words,
        "text": {"color": theme.ink, "fontSize": 12},
        "padding": 4,
    }
