"""Templates and the words of pages without a session. Everything is escaped unless a function here
made it safe.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import (
    BaseLoader,
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    TemplateNotFound,
)
from markdown_it import MarkdownIt
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from believable.collect.context import LatestKept
from believable.contracts.registries import INSTRUMENTS, PAGES, WORLDS
from believable.contracts.texts import LANGUAGES, built_in
from believable.core.registry import Registry
from believable.web.bundles import page_script

WEB = Path(__file__).parent
STATIC = WEB / "static"

_MARKDOWN_PAGE = (
    MarkdownIt("commonmark", {"html": False, "linkify": False})
    .enable(["table", "strikethrough"])
    .disable("image")
)
#: A note of the author to the author.
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_MARKDOWN_LINE = MarkdownIt("zero", {"html": False}).enable(
    ["emphasis", "backticks", "escape", "entity"]
)
_MARKDOWN_CODE = MarkdownIt("zero", {"html": False}).enable("backticks")


class FolderLoader(BaseLoader):
    """`<name>/file` from the folder of that instrument or kind of page, looked up when it is
    shown.
    """

    def __init__(self, registry: Registry[Any]) -> None:
        self._registry = registry

    def get_source(
        self, environment: Environment, template: str
    ) -> tuple[str, str, Callable[[], bool]]:
        name, _, file = template.partition("/")
        if name not in self._registry:
            raise TemplateNotFound(template)
        return FileSystemLoader(self._registry[name].folder).get_source(environment, file)


def make_environment() -> Environment:
    """Templates by path under `templates/`, each instrument's widget as
    `instruments/<name>/widget.html`, each kind of page as `pages/<name>/page.html`, and the
    surroundings of a world's game as `worlds/<name>/hud.html`.
    """
    beside = PrefixLoader(
        {
            "instruments": FolderLoader(INSTRUMENTS),
            "pages": FolderLoader(PAGES),
            "worlds": FolderLoader(WORLDS),
        }
    )
    environment = Environment(
        loader=ChoiceLoader([FileSystemLoader(WEB / "templates"), beside]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["script_file"] = page_script
    return environment


templates = make_environment()


def page(
    name: str, status: int = 200, headers: Mapping[str, str] | None = None, **context: Any
) -> HTMLResponse:
    """A template as a response."""
    html = templates.get_template(name).render(**context)
    return HTMLResponse(html, status_code=status, headers=dict(headers or {}))


#: A placeholder in a cached page for the parts that differ between people. No study can contain it.
_PLACE = secrets.token_hex(16)
PAGES_KEPT = 500
_kept_pages: LatestKept[Hashable, tuple[str, ...]] = LatestKept(PAGES_KEPT)


def kept_page(
    name: str, key: Hashable, filled: Mapping[str, str], make: Callable[[], Mapping[str, Any]]
) -> HTMLResponse:
    """A template as a response, rendered once for each `key`, which identifies everything that
    `make` returns. `filled` holds the parts that differ between people who share it: each occurs
    once in the template, in this order, and is escaped unless it is markup.
    """
    places = {field: Markup(f"{_PLACE}-{number}") for number, field in enumerate(filled)}
    parts = _kept_pages.get((name, key))
    if parts is None:
        html = templates.get_template(name).render(**places, **make())
        parts = tuple(re.split("|".join(places.values()), html))
        if len(parts) != len(filled) + 1:
            raise RuntimeError(
                f"{name}: expected {', '.join(filled)} once each, found {len(parts) - 1} places"
            )
        _kept_pages.put((name, key), parts)
    words = [parts[0]]
    for value, part in zip(filled.values(), parts[1:], strict=True):
        words += (escape(value), part)
    return HTMLResponse("".join(words))


def fragment(name: str, **context: Any) -> Markup:
    """A template as a piece of a page."""
    return Markup(templates.get_template(name).render(**context))


# ----------------------------------------------------------------------------------------------
# words


class Words(dict[str, str]):
    """The built-in texts of one language."""

    def __init__(self, language: str) -> None:
        super().__init__(built_in(language))
        self.language = language


def preferred_language(header: str, offered: Sequence[str]) -> str:
    """The first of `offered` that an Accept-Language header names, by weight; else the first
    offered.

    >>> preferred_language("fr, de-CH;q=0.9, en;q=0.2", ["en", "de"])
    'de'
    """
    wishes = sorted(_wishes(header), key=lambda wish: -wish[1])
    for wish, weight in wishes:
        for language in offered:
            if weight > 0 and (
                language.lower() == wish or language.split("-")[0] == wish.split("-")[0]
            ):
                return language
    return offered[0]


def from_header(header: str) -> Words:
    """The built-in texts in the visitor's language."""
    return Words(preferred_language(header, LANGUAGES))


def _wishes(header: str) -> list[tuple[str, float]]:
    wishes = []
    for part in header[:500].split(","):
        name, _, weight = part.strip().partition(";q=")
        try:
            wishes.append((name.strip().lower(), float(weight or 1)))
        except ValueError:
            continue
    return wishes


def markdown_page(text: str) -> Markup:
    """A researcher's whole page: no raw HTML, no images or links to elsewhere that load by
    themselves. Comments (`<!-- … -->`) are left out.
    """
    return Markup(_MARKDOWN_PAGE.render(_COMMENT.sub("", text)))


def markdown_line(text: str) -> Markup:
    """One line, such as a prompt: emphasis and code, nothing else."""
    return Markup(_MARKDOWN_LINE.renderInline(text))


def with_code(text: str) -> Markup:
    """The text of a check: parts between backticks are code, everything else is plain text."""
    return Markup(_MARKDOWN_CODE.renderInline(text))


templates.filters["with_code"] = with_code
