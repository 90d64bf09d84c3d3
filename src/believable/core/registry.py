"""Named things, with an error that helps when the name is wrong."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from typing import Generic, Protocol, TypeVar

from believable.core.errors import InvalidInput, NotFound


class Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """`Did you mean 'human'?`, or the list of what there is when nothing is near."""
    names = sorted(known)
    near = difflib.get_close_matches(value, names, n=1, cutoff=0.6)
    if near:
        return f"Did you mean {near[0]!r}?"
    return "There is none to choose from." if not names else f"Choose one of: {', '.join(names)}."


class Registry(Generic[T]):
    """Declared records by name. Registering a name twice is an error."""

    def __init__(self, what: str, records: Iterable[T] = ()) -> None:
        self.what = what
        self._records: dict[str, T] = {}
        for record in records:
            self.add(record)

    def add(self, record: T) -> T:
        if record.name in self._records:
            raise InvalidInput(f"{self.what} {record.name!r} is registered already. Use another name.")
        self._records[record.name] = record
        return record

    def __getitem__(self, name: str) -> T:
        try:
            return self._records[name]
        except KeyError:
            raise NotFound(f"unknown {self.what} {name!r}. {did_you_mean(name, self._records)}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._records

    def __iter__(self) -> Iterator[T]:
        return iter(self._records.values())

    def __len__(self) -> int:
        return len(self._records)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._records)
