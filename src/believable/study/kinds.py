"""What the study package needs to know of an instrument. The instruments themselves are handed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, Protocol

from believable.study.records import Record


class RecordedColumn(Protocol):
    """See `believable.instruments.contract.Column`."""

    @property
    def type(self) -> str: ...


class QuestionKind(Protocol):
    """See `believable.instruments.contract.Instrument`."""

    @property
    def name(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def use(self) -> Literal["answer", "annotate"]: ...
    @property
    def practice(self) -> str | None: ...
    @property
    def params(self) -> type[Record]: ...
    @property
    def records(self) -> Sequence[RecordedColumn]: ...
    @property
    def read(self) -> Callable[[Any, Any], Any]: ...
    @property
    def check(self) -> Callable[[Any], Sequence[tuple[str, str, str]]]: ...
    @property
    def options(self) -> Callable[[Any], Sequence[str | int]]: ...
    @property
    def items(self) -> Callable[[Any], Sequence[str]]: ...
    @property
    def bounds(self) -> Callable[[Any], tuple[float | None, float | None]]: ...


class QuestionKinds(Protocol):
    """A registry of question kinds."""

    @property
    def names(self) -> tuple[str, ...]: ...
    def __getitem__(self, name: str) -> QuestionKind: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[QuestionKind]: ...


def answering(kinds: QuestionKinds) -> list[str]:
    """The kinds that can be asked."""
    return [kind.name for kind in kinds if kind.use == "answer"]


def annotating(kinds: QuestionKinds) -> list[str]:
    """The kinds that are used while watching."""
    return [kind.name for kind in kinds if kind.use == "annotate"]
