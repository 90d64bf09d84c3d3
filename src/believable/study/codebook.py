"""Codebooks of the study file: how free texts become categories. Ready ones are in the folders of
their protocols, in YAML.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from believable.contracts.record import Id, Record
from believable.core.errors import InvalidInput, NotFound, StudyError
from believable.core.nodes import Node, parse
from believable.core.registry import did_you_mean

#: Where protocols keep their data: `<name>/codebooks/*.yaml`, each a codebook that any study may
#: start from.
PROTOCOLS = Path(__file__).parents[1] / "protocols"
#: The name behind a dot for the reasons given with flags: `watch.flags`.
FLAGS = "flags"


class Code(Record):
    """One category."""

    id: Id
    """Name of the code in the data."""
    label: str = Field(min_length=1)
    """Its name on the desk and in tables."""
    short: str = ""
    """A shorter name for figures; the label without it."""
    definition: str = Field(min_length=1)
    """When it applies, and when it does not."""
    keywords: tuple[str, ...] = ()
    """Words that speak for it; ` +` or ` -` at the end says for which direction."""
    examples: tuple[str, ...] = ()
    """Passages that carry it."""
    direction: bool = False
    """Whether it is said to be present (+) or lacking (-)."""
    side: bool = False
    """Whether it is said of what seems more, or of what seems less human-like."""
    parent: Id | None = None
    """The more general code it belongs to."""
    excludes: tuple[Id, ...] = ()
    """Codes that never occur together with it on the same side."""
    wins_over: tuple[Id, ...] = ()
    """More general codes that give way to it where both rest on the same words."""
    other: bool = False
    """A place for what no code fits while the codebook is refined; the coder writes an example."""

    @property
    def name(self) -> str:
        """For figures."""
        return self.short or self.label

    def variants(self) -> tuple[str | None, ...]:
        """The directions it can be given with."""
        return ("+", "-") if self.direction else (None,)


class Discard(Record):
    """A reason to leave a text out."""

    id: Id
    """Name of the reason in the data."""
    label: str = Field(min_length=1)
    """Its name on the desk."""
    definition: str = ""
    """When it applies."""


class Codebook(Record):
    """Categories for free texts. `ready` starts from a codebook of believable; `codes` add to it or
    replace some.
    """

    id: Id
    """Name of the codebook in the data."""
    title: str = ""
    """Its name on the desk."""
    ready: str | None = None
    """A codebook to start from: the name of one that a protocol brings."""
    of: tuple[str, ...] = ()
    """The texts to code: `trial.question`, or `trial.flags` for the reasons given with flags. All
    free texts without it.
    """
    pick: Literal["many", "one"] | None = None
    """Whether a text may get several codes, or exactly one."""
    codes: tuple[Code, ...] = ()
    """The categories, in the order of their keys on the desk."""
    discards: tuple[Discard, ...] = ()
    """Reasons to leave a text out."""

    @property
    def by_id(self) -> Mapping[str, Code]:
        return {code.id: code for code in self.codes}

    @property
    def single(self) -> bool:
        return self.pick == "one"

    def code(self, name: str) -> Code:
        try:
            return self.by_id[name]
        except KeyError:
            raise InvalidInput(
                f"codebook {self.id!r}: unknown code {name!r}. {did_you_mean(name, self.by_id)}"
            ) from None


@cache
def _ready_files() -> Mapping[str, Path]:
    return {
        path.stem: path
        for path in sorted(PROTOCOLS.glob("*/codebooks/*.yaml"), key=lambda path: path.stem)
    }


def ready_names() -> tuple[str, ...]:
    return tuple(_ready_files())


@cache
def ready(name: str) -> Codebook:
    """A codebook of believable."""
    if name not in ready_names():
        raise NotFound(f"unknown ready codebook {name!r}. {did_you_mean(name, ready_names())}")
    path = _ready_files()[name]
    return from_yaml(path.read_bytes(), path.name)


def from_yaml(raw: bytes, file: str) -> Codebook:
    """A codebook in a separate file."""
    tree, problems = parse(raw, file)
    if tree is None or problems:
        raise StudyError(problems)
    try:
        return from_tree(tree)
    except ValidationError as error:
        places = "\n".join(
            f"  {'.'.join(map(str, problem['loc'])) or 'the whole'}: {problem['msg']}"
            for problem in error.errors()[:20]
        )
        raise InvalidInput(
            f"{file}: no codebook:\n{places}\nWrite it like a ready one, such as"
            f" {next(iter(ready_names()))!r}."
        ) from None


def from_tree(tree: Node) -> Codebook:
    return Codebook.model_validate(tree.freeze(), strict=True)


def resolve_codebook(book: Codebook) -> Codebook:
    """The codebook with the ready one it starts from written out: own codes replace those of the
    same id, new ones follow.
    """
    if book.ready is None:
        return book.model_copy(update={"pick": book.pick or "many", "title": book.title or book.id})
    base = ready(book.ready)
    own = {code.id: code for code in book.codes}
    discards = {discard.id: discard for discard in book.discards}
    return book.model_copy(
        update={
            "ready": None,
            "title": book.title or base.title,
            "pick": book.pick or base.pick or "many",
            "codes": (
                *(own.get(code.id, code) for code in base.codes),
                *(code for code in book.codes if code.id not in base.by_id),
            ),
            "discards": (
                *(discards.get(discard.id, discard) for discard in base.discards),
                *(
                    discard
                    for discard in book.discards
                    if discard.id not in {discard.id for discard in base.discards}
                ),
            ),
        }
    )
