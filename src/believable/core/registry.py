"""Named things, ours and those of others, loaded when they are asked for, with an error that helps
when the name is wrong.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from believable.core.errors import BrokenPlugin, InvalidInput, UnknownName

log = logging.getLogger(__name__)


class Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


#: The owner of the parts of this package.
OURS = "believable"


def did_you_mean(value: str, known: Iterable[str]) -> str:
    """`Did you mean 'human'?`, or the list of what there is when nothing is near."""
    names = sorted(known)
    near = difflib.get_close_matches(value, names, n=1, cutoff=0.6)
    if near:
        return f"Did you mean {near[0]!r}?"
    return "There is none to choose from." if not names else f"Choose one of: {', '.join(names)}."


def must_keep_contract(what: str, name: str, problems: Iterable[str]) -> None:
    """Raises InvalidInput with everything that breaks a contract; returns quietly otherwise."""
    listed = "\n".join(f"- {problem}" for problem in problems)
    if listed:
        raise InvalidInput(f"{what} {name!r} breaks the contract:\n{listed}")


@dataclass(frozen=True, slots=True)
class RecordSource(Generic[T]):
    """The source of a record: its name, its owner (`believable`, `acme-likert 1.2`), and how it is
    loaded.
    """

    name: str
    owner: str
    load: Callable[[], T]


class Registry(Generic[T]):
    """Declared records by name, in the order they were declared. A name declared twice is an error
    that names both owners.

    `sources` are listed at the first use and loaded one by one, on demand. A record that cannot be
    loaded is an error for code that asks for it by name; iteration skips it, and the log says why.
    """

    def __init__(
        self,
        what: str,
        records: Iterable[T] = (),
        *,
        sources: Callable[[], Iterable[RecordSource[T]]] = tuple,
    ) -> None:
        self.what = what
        self._list_sources = sources
        self._records: dict[str, T] = {}
        self._added: dict[str, RecordSource[T]] = {}
        for record in records:
            self.add(record)

    @cached_property
    def _sources(self) -> dict[str, RecordSource[T]]:
        sources: dict[str, RecordSource[T]] = {}
        for source in (*self._list_sources(), *self._added.values()):
            if source.name in sources:
                owners = " and by ".join((sources[source.name].owner, source.owner))
                raise InvalidInput(
                    f"{self.what} {source.name!r} is declared by {owners}. Uninstall or rename one"
                    " of them."
                )
            sources[source.name] = source
        return sources

    def add(self, record: T) -> T:
        if record.name in (self._added if "_sources" not in self.__dict__ else self._sources):
            raise InvalidInput(
                f"{self.what} {record.name!r} is registered already. Use another name."
            )
        self._added[record.name] = RecordSource(record.name, "this program", lambda: record)
        self.__dict__.pop("_sources", None)
        return record

    @contextmanager
    def including(self, record: T) -> Iterator[None]:
        """Find this record under its name for the length of a block, whatever is declared."""
        known = dict(self._sources), dict(self._records)
        self._sources[record.name] = RecordSource(record.name, "this block", lambda: record)
        self._records[record.name] = record
        try:
            yield
        finally:
            self._sources, self._records = known

    def __getitem__(self, name: str) -> T:
        if name not in self._records:
            if name not in self._sources:
                raise UnknownName(
                    f"unknown {self.what} {name!r}. {did_you_mean(name, self._sources)}"
                )
            self._records[name] = self._load(self._sources[name])
        return self._records[name]

    def _load(self, source: RecordSource[T]) -> T:
        if source.owner == OURS:
            return source.load()
        try:
            record = source.load()
        except Exception as error:
            raise BrokenPlugin(
                f"{self.what} {source.name!r} of {source.owner} cannot be loaded:"
                f" {type(error).__name__}: {error}. Mend or uninstall it."
            ) from error
        if record.name != source.name:
            raise BrokenPlugin(
                f"{self.what} {source.name!r} of {source.owner} calls itself {record.name!r}."
                " Declare it under the name it has."
            )
        return record

    def __contains__(self, name: object) -> bool:
        return name in self._sources

    def __iter__(self) -> Iterator[T]:
        for name in self._sources:
            try:
                record = self[name]
            except BrokenPlugin as error:
                log.warning("%s", error)
                continue
            yield record

    def __len__(self) -> int:
        return len(self._sources)

    @property
    def added_names(self) -> tuple[str, ...]:
        """The names that are not part of this package."""
        return tuple(source.name for source in self._sources.values() if source.owner != OURS)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._sources)
