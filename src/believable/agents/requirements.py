"""What an agent needs to be installed: extras of this package, or other distributions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution

from believable.core.errors import MissingExtra

_REQUIREMENT = re.compile(r"([A-Za-z0-9._-]+).*;\s*extra == '([^']+)'")


@cache
def _extras() -> dict[str, tuple[str, ...]]:
    """The distributions of each extra, from the metadata of the installed package."""
    extras: dict[str, tuple[str, ...]] = {}
    try:
        requires = distribution("believable").requires or []
    except PackageNotFoundError:
        return extras
    for line in requires:
        match = _REQUIREMENT.match(line)
        if match is not None:
            extras[match[2]] = (*extras.get(match[2], ()), match[1])
    return extras


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def pip_name(need: str) -> str:
    """What `pip install` takes for it."""
    return f"believable[{need}]" if need in _extras() else need


def missing_needs(needs: Sequence[str]) -> Iterator[str]:
    """The needs that are not installed."""
    for need in needs:
        distributions = _extras().get(need, (need,))
        if not all(map(_is_installed, distributions)):
            yield need


def must_be_installed(agent: str, needs: Sequence[str]) -> None:
    """Raise MissingExtra with the command that installs the first missing need."""
    for need in missing_needs(needs):
        raise MissingExtra(what=f"agent {agent!r}", install=pip_name(need))
