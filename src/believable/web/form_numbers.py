"""Whole numbers from forms and addresses, in one place: bounded before they are read, so that no
text of digits is too long.
"""

from __future__ import annotations

from believable.core.errors import InvalidInput


def whole_number(
    text: str, name: str, *, least: int = 1, most: int = 1_000_000, cure: str = ""
) -> int:
    """
    >>> whole_number("12", "page")
    12
    >>> whole_number("one", "page")
    Traceback (most recent call last):
    believable.core.errors.InvalidInput: page: expected a whole number from 1 to 1000000, got 'one'.
    """
    if is_whole_number(text, least=least, most=most):
        return int(text)
    message = f"{name}: expected a whole number from {least} to {most}, got {text[:20]!r}."
    raise InvalidInput(f"{message} {cure}".rstrip())


def is_whole_number(text: str, *, least: int = 1, most: int = 1_000_000) -> bool:
    """Decimal digits only: no sign, no space, no digits of other scripts."""
    return (
        text.isascii()
        and text.isdigit()
        and len(text) <= len(str(most))
        and least <= int(text) <= most
    )
