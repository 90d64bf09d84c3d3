"""Templates. Everything is escaped unless a function here made it safe."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse

from believable.instruments import INSTRUMENTS

WEB = Path(__file__).parent
STATIC = WEB / "static"


def make_environment() -> Environment:
    """Templates by path under `templates/`, and each instrument's widget as `instruments/<name>/widget.html`."""
    widgets = PrefixLoader({one.name: FileSystemLoader(one.folder) for one in INSTRUMENTS})
    return Environment(
        loader=ChoiceLoader([FileSystemLoader(WEB / "templates"), PrefixLoader({"instruments": widgets})]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


templates = make_environment()


def page(
    name: str, status: int = 200, headers: Mapping[str, str] | None = None, **context: Any
) -> HTMLResponse:
    """A template as a response."""
    html = templates.get_template(name).render(**context)
    return HTMLResponse(html, status_code=status, headers=dict(headers or {}))


def fragment(name: str, **context: Any) -> Markup:
    """A template as a piece of a page."""
    return Markup(templates.get_template(name).render(**context))
