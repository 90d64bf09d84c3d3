"""Which language a visitor gets."""

from __future__ import annotations

import doctest

import pytest

from believable.app import settings
from believable.web import templating


def test_the_examples_in_the_documentation() -> None:
    assert doctest.testmod(templating).failed == 0
    assert doctest.testmod(settings).failed == 0


@pytest.mark.parametrize(
    ("header", "offered", "expected"),
    [
        ("de", ["en", "de"], "de"),
        ("de-CH", ["en", "de"], "de"),
        ("de", ["en", "de-CH"], "de-CH"),
        ("en;q=0", ["en", "de"], "en"),
        ("*", ["en", "de"], "en"),
        (";;q=,,", ["de"], "de"),
        ("a" * 10_000, ["en"], "en"),
    ],
)
def test_the_header_is_followed_as_far_as_it_goes(
    header: str, offered: list[str], expected: str
) -> None:
    assert templating.preferred_language(header, offered) == expected
