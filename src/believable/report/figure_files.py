"""A chart record as a Vega-Lite specification, drawn alike by page, files and console; figures as
files, and the script that makes them interactive. Everything works offline.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Literal

from believable.analysis.findings import Chart, Table
from believable.core.child_python import python_command
from believable.core.errors import InvalidInput, MissingExtra
from believable.report.chart_canvas import LYING, POINTER_ONLY, Canvas, Spec
from believable.report.chart_marks import DRAWERS
from believable.report.chart_rows import ChartRows, Links, drawn, no_links
from believable.report.colours import LIGHT, SANS, VEGA_LITE, Theme, variables

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH_PX = 800
HEIGHT_PX = 280
FACET_HEIGHT_PX = 170
#: Space for axes and gaps next to each small multiple.
FACET_MARGIN_PX = 52
MOST_FACETS_IN_A_ROW = 3
#: By how much a letter of a label may be wider in the reader's font than in that of the drawing.
SPARE_LETTER_PX = 1.2
PADDING_PX = 4


def specification(
    chart: Chart,
    tables: Sequence[Table],
    theme: Theme,
    hues: Mapping[str, int],
    links: Links = no_links,
    width_px: int = WIDTH_PX,
    mark: str = "",
) -> Spec:
    """The figure of a chart in the colours of a theme; `hues` gives names their colours (see
    `drawn.hues`).
    """
    plot = drawn(chart, tables, links)
    facets = plot.values("facet")
    in_a_row = min(len(facets), MOST_FACETS_IN_A_ROW) or 1
    canvas = Canvas(
        theme=theme,
        hues=hues,
        width_px=width_px if not facets else width_px // in_a_row - FACET_MARGIN_PX,
        height_px=FACET_HEIGHT_PX if facets else HEIGHT_PX,
    )
    body = DRAWERS[chart.kind](plot, canvas)
    body["layer"] = [*body["layer"], *_rules(plot, canvas)]
    frame: Spec = {
        "$schema": SCHEMA,
        "description": f"{chart.title}. {chart.caption}".strip(),
        "background": theme.ground,
        "config": config(theme),
        "data": {"values": list(plot.rows)},
        "padding": {
            "left": PADDING_PX + _spare_px(plot),
            "right": PADDING_PX,
            "top": PADDING_PX,
            "bottom": PADDING_PX,
        },
    }
    if mark:
        # Part of the drawing itself, so that no copy of it goes without.
        frame["title"] = {
            "text": mark,
            "anchor": "end",
            "color": theme.hues[1],
            "fontSize": 11,
            "fontWeight": 600,
            "offset": 8,
        }
    if not facets:
        fit = {"autosize": {"type": "fit-x", "contains": "padding"}}
        return frame | fit | {"width": canvas.width_px, "height": canvas.height_px} | body
    inside = {"width": canvas.width_px, "height": canvas.height_px} | body
    header = {"title": None, "labelFontWeight": 600, "labelFontSize": 12, "labelAnchor": "start"}
    facet = {"field": "facet", "type": "nominal", "sort": facets, "header": header}
    return frame | {"facet": facet, "columns": in_a_row, "spacing": 34, "spec": inside}


def _spare_px(plot: ChartRows) -> int:
    """Space for the labels at the left axis in a wider font: on screen they would overflow, on
    paper they would be cut.
    """
    side = "category" if plot.chart.kind in LYING else "lane" if plot.chart.kind == "spans" else "y"
    words = [value for value in plot.values(side) if isinstance(value, str)]
    return round(SPARE_LETTER_PX * max(map(len, words), default=0))


def still(spec: Spec) -> Spec:
    """The same figure without what only answers a pointer."""
    inside = spec.get("spec", spec)
    layers = [layer for layer in inside["layer"] if layer.get("name") != POINTER_ONLY]
    return spec | ({"spec": inside | {"layer": layers}} if "spec" in spec else {"layer": layers})


def _rules(plot: ChartRows, canvas: Canvas) -> list[Spec]:
    """Lines across for chance, margins and thresholds, each with its words."""
    layers: list[Spec] = []
    for axis, value, words in plot.chart.rules:
        side = "x" if plot.chart.kind in LYING else axis
        data = {"values": [{"at": value, "words": words}]}
        place = {side: {"field": "at", "type": "quantitative"}}
        line = {
            "type": "rule",
            "strokeDash": [4, 3],
            "strokeWidth": 1.2,
            "color": canvas.theme.soft,
        }
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
        "columnPadding": 20,
        "columns": 5,
    } | words
    return {
        # Each drawing has one description as a whole; a label on every mark would only swell the
        # page.
        "aria": False,
        "font": SANS,
        "view": {"stroke": None},
        "axis": axis,
        "axisBand": {"grid": False},
        "legend": legend,
        "header": words,
        "text": {"color": theme.ink, "fontSize": 12},
        "padding": PADDING_PX,
    }


Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")
#: Pixels per point of a PNG: sharp in print at the width of a column.
PNG_SCALE = 3.0
_VARIABLE = re.compile(r"var\((--f-[\w-]+)\)")


def check_formats(wanted: str) -> tuple[Format, ...]:
    """`svg,pdf,png` or a part of it; an empty text is none."""
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    for name in names:
        if name not in FORMATS:
            raise InvalidInput(
                f"formats: expected some of {', '.join(FORMATS)}, got {name!r}. For example:"
                " svg,pdf"
            )
    return tuple(form for form in FORMATS if form in names)


def converter() -> ModuleType:
    """The renderer, which is an optional part."""
    try:
        import vl_convert  # noqa: PLC0415
    except ImportError:
        raise MissingExtra(what="Drawing figures", extra="report") from None
    return vl_convert


def inline_svg(spec: dict[str, Any]) -> str:
    """The figure as markup to embed in a page; its colours are those of the specification."""
    drawing = str(converter().vegalite_to_svg(spec, vl_version=VEGA_LITE, allowed_base_urls=[]))
    # Where a machine has wider letters than those it was measured with, the beginning of a label is
    # still to be seen.
    return drawing.replace("<svg ", '<svg overflow="visible" ', 1)


def standalone(drawing: str, theme: Theme) -> str:
    """A page's drawing with the colours of a theme written out, for use elsewhere."""
    colours = variables(theme)
    return _VARIABLE.sub(lambda match: colours[match.group(1)], drawing)


def picture(drawing: str, form: Format, theme: Theme = LIGHT) -> bytes:
    """A page's drawing as a file of the given format."""
    alone = standalone(drawing, theme)
    if form == "svg":
        return alone.encode()
    if form == "png":
        return bytes(converter().svg_to_png(alone, scale=PNG_SCALE))
    return order_markup(bytes(converter().svg_to_pdf(alone)))


@functools.cache
def script() -> str:
    """The drawing library as one script, to be embedded: it sets `window.vegaEmbed`."""
    return str(converter().javascript_bundle(vl_version=VEGA_LITE))


@contextmanager
def script_ahead() -> Iterator[Callable[[], str]]:
    """Put the script together in a separate process, while this one reads and computes; it takes
    seconds.
    """
    if script.cache_info().currsize:
        yield script
        return
    making = subprocess.Popen(
        python_command("-m", __name__),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )

    # A report over several studies asks for it once per study, and the process answers once.
    @functools.cache
    def finished_script() -> str:
        text, _ = making.communicate()
        # Its errors are raised here.
        return text.decode() if making.returncode == 0 else script()

    try:
        yield finished_script
    finally:
        making.kill()
        making.wait()
        if making.stdout is not None:
            making.stdout.close()


if __name__ == "__main__":
    sys.stdout.buffer.write(script().encode())


_REFERENCE = re.compile(rb"(\d+) 0 R\b")
_OBJECT = re.compile(rb"\d+ 0 obj\s*")
_RESOURCES = re.compile(
    rb"(/(?:Font|ColorSpace|ExtGState|XObject|Pattern|Shading) <<\n)((?:\s*/\w+ [^\n]*\n)+)"
)


def order_markup(pdf: bytes) -> bytes:
    """The same document. Markup without the renderer's structure (one table of references) stays
    unchanged.
    """
    start = pdf.rfind(b"startxref")
    table = int(pdf[start:].split()[1]) if start >= 0 else -1
    if table < 0 or not pdf[table:].startswith(b"xref"):
        return pdf
    lines = pdf[table:start].split(b"\n")
    count = int(lines[1].split()[1])
    offsets = {
        number: int(lines[2 + number][:10])
        for number in range(1, count)
        if lines[2 + number][17:18] == b"n"
    }
    trailer = pdf[table:start][pdf[table:start].index(b"trailer") :]
    ends = sorted([*offsets.values(), table])
    bodies = {}
    for number, offset in offsets.items():
        raw = pdf[offset : ends[ends.index(offset) + 1]]
        bodies[number] = _RESOURCES.sub(_sorted_names, _OBJECT.sub(b"", raw, count=1).rstrip(b"\n"))
    numbers: dict[int, int] = {}
    waiting = [int(reference) for reference in reversed(_REFERENCE.findall(trailer))]
    while waiting:
        number = waiting.pop()
        if number in numbers or number not in bodies:
            continue
        numbers[number] = len(numbers) + 1
        waiting += [
            int(reference)
            for reference in reversed(_REFERENCE.findall(_split_object(bodies[number])[0]))
        ]
    written = bytearray(pdf[: min(offsets.values())])
    places = []
    for number in numbers:
        places.append(len(written))
        described, content = _split_object(bodies[number])
        written += b"%d 0 obj\n%b%b\n\n" % (numbers[number], _renumber(described, numbers), content)
    begin = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f\r\n" % (len(places) + 1)
    written += b"".join(b"%010d 00000 n\r\n" % place for place in places)
    size = re.sub(rb"/Size \d+", b"/Size %d" % (len(places) + 1), _renumber(trailer, numbers))
    return bytes(written + size.rstrip() + b"\nstartxref\n%d\n%%%%EOF" % begin)


def _split_object(body: bytes) -> tuple[bytes, bytes]:
    """The dictionary of an object, and its stream if it has one: bytes that happen to look like a
    reference are none.
    """
    place = body.find(b"stream\n")
    return (body, b"") if place < 0 else (body[:place], body[place:])


def _sorted_names(match: re.Match[bytes]) -> bytes:
    return match.group(1) + b"".join(
        line + b"\n" for line in sorted(match.group(2).rstrip(b"\n").split(b"\n"))
    )


def _renumber(text: bytes, numbers: dict[int, int]) -> bytes:
    return _REFERENCE.sub(lambda match: b"%d 0 R" % numbers.get(int(match.group(1)), 0), text)
