"""Figures as files, and the script that makes them interactive. Everything works offline."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, Literal

from believable.core.errors import InvalidInput, MissingExtra
from believable.report.colours import LIGHT, Theme, variables
from believable.report.page_files import VEGA_LITE

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
                f"formats: expected some of {', '.join(FORMATS)}, got {name!r}. For example: svg,pdf"
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
    """The figure as markup to stand in a page; its colours are what the specification says."""
    return str(converter().vegalite_to_svg(spec, vl_version=VEGA_LITE, allowed_base_urls=[]))


def standalone(drawing: str, theme: Theme) -> str:
    """A page's drawing with the colours of a theme written out, for use elsewhere."""
    colours = variables(theme)
    return _VARIABLE.sub(lambda found: colours[found.group(1)], drawing)


def picture(drawing: str, form: Format, theme: Theme = LIGHT) -> bytes:
    """A page's drawing as a file of the given format."""
    alone = standalone(drawing, theme)
    if form == "svg":
        return alone.encode()
    if form == "png":
        return bytes(converter().svg_to_png(alone, scale=PNG_SCALE))
    return bytes(converter().svg_to_pdf(alone))


@functools.cache
def script() -> str:
    """The drawing library as one script, to be embedded: it sets `window.vegaEmbed`."""
    return str(converter().javascript_bundle(vl_version=VEGA_LITE))


@contextmanager
def script_ahead() -> Iterator[Callable[[], str]]:
    """Put the script together in a process of its own, while this one reads and computes; it takes seconds."""
    if script.cache_info().currsize:
        yield script
        return
    making = subprocess.Popen(
        [sys.executable, "-m", __name__],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )

    def made() -> str:
        text, _ = making.communicate()
        # Whatever went wrong there comes to light here.
        return text.decode() if making.returncode == 0 else script()

    try:
        yield made
    finally:
        making.kill()
        making.wait()
        if making.stdout is not None:
            making.stdout.close()


if __name__ == "__main__":
    sys.stdout.buffer.write(script().encode())
