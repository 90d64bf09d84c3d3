"""Every message that the page of frequent errors quotes exists in the code or on the pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from believable.contracts.texts import built_in
from tests.architecture.house import modules, nodes_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "faq.md").read_text(encoding="utf-8")
ERRORS = [
    " ".join(quote.split()) for quote in re.findall(r"^- \*\*`([^`]+)`\*\*", PAGE, re.M | re.S)
]
SEEN = re.findall(r"^\| “([^”]+)” \|", PAGE, re.M)
#: Stands in for a value, in the code and on the page.
VALUE = "…"


@cache
def messages() -> tuple[str, ...]:
    """Every text in the code, with its values left out."""
    return tuple(text for _, file in modules() for text in texts(nodes_of(file)) if " " in text)


def texts(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else VALUE for part in node.values
            )


def as_pattern(quote: str) -> str:
    """A value on the page is a value, a word or a format in the code."""
    return r"[^.]{1,40}?".join(map(re.escape, quote.split(VALUE)))


def test_the_page_quotes_messages() -> None:
    assert len(ERRORS) > 25
    assert len(SEEN) > 6


@pytest.mark.parametrize("quote", ERRORS)
def test_a_quoted_message_exists(quote: str) -> None:
    pattern = re.compile(as_pattern(quote))
    assert any(pattern.search(text) for text in messages()), "no message of the code reads like it"


@pytest.mark.parametrize("quote", SEEN)
def test_participants_see_the_quoted_text(quote: str) -> None:
    assert any(text.startswith(quote) for text in built_in("en").values())
