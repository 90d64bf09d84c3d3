"""Markdown of researchers as safe HTML: no raw HTML, no images or links to elsewhere that load by themselves."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markupsafe import Markup

_PAGE = (
    MarkdownIt("commonmark", {"html": False, "linkify": False})
    .enable(["table", "strikethrough"])
    .disable("image")
)
_LINE = MarkdownIt("zero", {"html": False}).enable(["emphasis", "backticks", "escape", "entity"])


def page(text: str) -> Markup:
    """A whole page."""
    return Markup(_PAGE.render(text))


def line(text: str) -> Markup:
    """One line, such as a prompt: emphasis and code, nothing else."""
    return Markup(_LINE.renderInline(text))
