"""What an instrument is: a declared record with its parameters, what it records, and how it answers by itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from believable.core.errors import InvalidInput
from believable.study.catalogue import CATALOGUE
from believable.study.records import Record

P = TypeVar("P", bound=Record)


class InvalidAnswer(InvalidInput):
    """An answer that cannot be kept, in words for the participant: a key of the texts catalogue and what to fill in.

    `str()` gives the built-in English; the page shows `texts[key].format(**values)` in the participant's language.
    """

    def __init__(self, key: str, **values: str | int | float) -> None:
        super().__init__(CATALOGUE["en"][key].format(**values))
        self.key = key
        self.values = values


@dataclass(frozen=True, slots=True)
class Column:
    """One thing an instrument records, for the codebook."""

    name: str
    type: str
    about: str


@dataclass(frozen=True, slots=True)
class AnswerCell:
    """One row of the answers table. `item` names the part of a question that has several (a matrix row, a chosen option)."""

    item: str
    value: str | int | float | None


@dataclass(frozen=True, slots=True)
class Instrument(Generic[P]):
    """How a person answers.

    `read(params, raw)` turns what the browser sent into the answer that is kept, or raises `InvalidAnswer` with words for
    the participant's page (it says what is expected, never what is right). An unanswered question is `None` and never
    reaches `read`. `cells(params, answer)` lays the answer out for the answers table. `simulate(params, rng)` gives a raw
    answer that `read` accepts. `check(params)` lists what is wrong in the parameters beyond their types, as (path,
    message, cure). `options(params)` lists the values an answer (or one of its parts) can take, and `items(params)` the
    names of its parts, where they can be listed, and `bounds(params)` the least and the greatest number: the study checker
    compares rules and right answers with them.

    `examples` are parameters as an author would write them: the conformance check tries the instrument with each.

    The widget lives in `folder`: `widget.html` (a Jinja template), `widget.js` (an ES module with `read(root)` and
    `write(root, value)`, and `mount(root, context)` where it needs one) and, where needed, `widget.css`.
    """

    name: str
    version: int
    about: str
    params: type[P]
    records: tuple[Column, ...]
    folder: Path
    read: Callable[[P, Any], Any]
    cells: Callable[[P, Any], Sequence[AnswerCell]]
    simulate: Callable[[P, random.Random], Any]
    examples: tuple[P, ...]
    check: Callable[[P], Sequence[tuple[str, str, str]]] = lambda params: ()
    options: Callable[[P], Sequence[str | int]] = lambda params: ()
    items: Callable[[P], Sequence[str]] = lambda params: ()
    bounds: Callable[[P], tuple[float | None, float | None]] = lambda params: (None, None)
