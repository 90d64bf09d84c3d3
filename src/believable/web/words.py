"""Which words a page without a session speaks: the visitor's language, if it is built in."""

from __future__ import annotations

from collections.abc import Sequence

from believable.study.catalogue import CATALOGUE


class Words(dict[str, str]):
    """The built-in texts of one language."""

    def __init__(self, language: str) -> None:
        super().__init__(CATALOGUE[language])
        self.language = language


def preferred(header: str, offered: Sequence[str]) -> str:
    """The first of `offered` that an Accept-Language header names, by weight; else the first offered.

    >>> preferred("fr, de-CH;q=0.9, en;q=0.2", ["en", "de"])
    'de'
    """
    wishes = sorted(_wishes(header), key=lambda wish: -wish[1])
    for wish, weight in wishes:
        for language in offered:
            if weight > 0 and (language.lower() == wish or language.split("-")[0] == wish.split("-")[0]):
                return language
    return offered[0]


def from_header(header: str) -> Words:
    """The built-in texts in the visitor's language."""
    return Words(preferred(header, tuple(CATALOGUE)))


def _wishes(header: str) -> list[tuple[str, float]]:
    wishes = []
    for part in header[:500].split(","):
        name, _, weight = part.strip().partition(";q=")
        try:
            wishes.append((name.strip().lower(), float(weight or 1)))
        except ValueError:
            continue
    return wishes
