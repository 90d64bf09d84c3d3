"""HTML from values. What comes from a study or a person is text and is escaped; only what was made here is markup."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

VOID = frozenset({"br", "hr", "img", "meta", "link", "input", "col"})

#: Statistical symbols before a sign, set in italics as the APA asks.
_SYMBOL = re.compile(
    r"(?<![\w.])(p|t|d|r|n|N|M|SD|SE|z|U|W|F|H|R²|b|c|k|q|g|h|w|V)(?=(?:\([\d., ]+\))?\s?[=<>≤≥]\s?[\d.−-])"
)
#: Spaces at which no line ends: around the sign of `p = .05`, before `%`.
_TOGETHER = re.compile(r"(?<=[\w)²]) (?=[=<>≤≥] [\d.−-])|(?<=[\w)²] [=<>≤≥]) (?=[\d.−-])|(?<=\d) (?=%)")
_CODE = re.compile(r"`([^`]+)`")


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


def safe(child: object) -> Html:
    """Markup as it is, everything else escaped; None is nothing."""
    if child is None:
        return Html("")
    return child if isinstance(child, Html) else Html(escape(str(child), quote=False))


def join(children: Iterable[object]) -> Html:
    return Html("".join(safe(child) for child in children))


def tag(name: str, /, *children: object, **attributes: str | int | bool | None) -> Html:
    """One element. Attribute names: `class_` is class, `data_at` is data-at; None and False leave it out.

    >>> tag("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    written = "".join(
        f" {key}" if value is True else f' {key}="{escape(str(value))}"'
        for key, value in ((_name(key), value) for key, value in attributes.items())
        if value is not None and value is not False
    )
    if name in VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{join(children)}</{name}>")


def _name(key: str) -> str:
    return key.rstrip("_").replace("_", "-")


def prose(text: str) -> Html:
    """A sentence or paragraph: escaped, symbols in italics, `code` in a fixed pitch.

    >>> prose("t(33) = 2.1, p < .05 & more").replace("\\u00a0", " ")
    '<i>t</i>(33) = 2.1, <i>p</i> &lt; .05 &amp; more'
    """
    parts = _SYMBOL.split(_TOGETHER.sub("\u00a0", text))
    marked = "".join(
        f"<i>{escape(part)}</i>" if place % 2 else escape(part, quote=False)
        for place, part in enumerate(parts)
    )
    return Html(_CODE.sub(r"<code>\1</code>", marked))
