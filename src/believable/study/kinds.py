"""What the study package needs to know of instruments and of kinds of pages. They themselves are
handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from believable.study.records import Block, Record, TrialBase

if TYPE_CHECKING:
    from believable.study.reading import Reading
    from believable.study.records import Entry


class RecordedColumn(Protocol):
    """See `believable.instruments.contract.Column`."""

    @property
    def type(self) -> str: ...


class RecordedStream(Protocol):
    """See `believable.core.event_chain.EventKind`."""

    @property
    def kind(self) -> str: ...


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
    def wants_practice(self) -> Callable[[Any], bool]: ...
    @property
    def params(self) -> type[Record]: ...
    @property
    def records(self) -> Sequence[RecordedColumn]: ...
    @property
    def streams(self) -> Sequence[RecordedStream]: ...
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
    @property
    def attention(self) -> Callable[[Any], Mapping[str, int]]: ...


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


class PageForm(Protocol):
    """See `believable.pages.contract.PageKind`."""

    @property
    def name(self) -> str: ...
    @property
    def record(self) -> type[TrialBase]: ...
    @property
    def check(self) -> Callable[[Reading, Entry, Sequence[Entry]], None]: ...
    @property
    def check_all(self) -> Callable[[Reading, Sequence[Entry]], None]: ...


class PageForms(Protocol):
    """A registry of kinds of pages."""

    def __getitem__(self, name: str) -> PageForm: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[PageForm]: ...


class StudyKinds(Protocol):
    """What a study file can speak of."""

    @property
    def instruments(self) -> QuestionKinds: ...
    @property
    def pages(self) -> PageForms: ...


def item_kinds(pages: PageForms) -> dict[str, type[TrialBase]]:
    """The word for each kind of timeline item, and its record."""
    return {page.name: page.record for page in pages if page.record.in_file} | {"block": Block}


def whole_forms(pages: PageForms) -> dict[str, type[TrialBase]]:
    """The same with every key that an entry of the kind may have."""
    return {name: record.form_for(None) for name, record in item_kinds(pages).items()}
