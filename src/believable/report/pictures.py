"""Figures as files, and the script that makes them interactive. Everything works offline."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any, Literal

from believable.core.errors import InvalidInput, MissingExtra

Format = Literal["svg", "pdf", "png"]
FORMATS: tuple[Format, ...] = ("svg", "pdf", "png")
#: Pixels per point of a PNG: sharp in print at the width of a column.
PNG_SCALE = 3.0
VEGA_LITE = "6.4"


def check_formats(wanted: str) -> tuple[Format, ...]:
    """`svg,pdf,png` or a part of it; an empty text is none."""
    names = [name.strip() for name in wanted.split(",") if name.strip()]
    for name in names:
        if name not in FORMATS:
            raise InvalidInput(
                f"formats: expected some of {', '.join(FORMATS)}, got {name!r}. For example: svg,pdf"
            )
    return tuple(form for form in FORMATS if form in names)


def converter() -> ModuleType:
    """The renderer, which is an optional part."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra(what="Drawing figures", extra="report") from None
    return vl_convert


def picture(spec: dict[str, Any], form: Format) -> bytes:
    """The figure as a file of the given format."""
    tool = converter()
    if form == "svg":
        return str(tool.vegalite_to_svg(spec, vl_version=VEGA_LITE, allowed_base_urls=[])).encode()
    if form == "png":
        return bytes(tool.vegalite_to_png(spec, vl_version=VEGA_LITE, scale=PNG_SCALE, allowed_base_urls=[]))
    return bytes(tool.vegalite_to_pdf(spec, vl_version=VEGA_LITE, allowed_base_urls=[]))


def inline_svg(spec: dict[str, Any]) -> str:
    """The figure as markup to stand in a page."""
    return str(converter().vegalite_to_svg(spec, vl_version=VEGA_LITE, allowed_base_urls=[]))


@functools.cache
def script() -> str:
    """The drawing library as one script, to be embedded: it sets `window.vegaEmbed`."""
    return str(converter().javascript_bundle(vl_version=VEGA_LITE))
