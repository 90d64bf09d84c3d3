"""What an instrument is: a declared record with its parameters, what it records, and how it answers by itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from believable.core.errors import InvalidInput
from believable.core.recorded import Recorded
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
class Act:
    """Something a simulated person does while watching: the event it records, at this time in the medium."""

    media_ms: int
    kind: str
    data: Mapping[str, Any]


def _not_asked(*_: Any) -> Any:
    raise InvalidInput("this instrument annotates while watching and answers no question. Use `annotate`.")


@dataclass(frozen=True, slots=True)
class Instrument(Generic[P]):
    """How a person answers: a question of a page (`use="answer"`), or all the time while watching (`use="annotate"`).

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

    **Annotating** instruments have no `read`, `cells` and `simulate`. They declare the events they record (`streams`; `records`
    says what of it reaches the tables), and `perform(params, rng, duration_ms)` is a simulated person who watches a stimulus of
    that length once at normal speed: what they do, in the order of media time. Their `widget.js` exports
    `mount(root, {player, params, texts, record, saved})`, which builds the instrument inside `root` and returns `{destroy()}`;
    `record(kind, data, {mono_ms})` keeps an event (at the input's own time), `saved` holds the `[kind, data]` of this trial's
    events before a reload. `practice` is the module of their practice page, as a path below `instruments/`: it exports
    `practise(root, {mount, params, texts, record, tries, onDone})`; an instrument without one is used without practice.
    """

    name: str
    version: int
    about: str
    params: type[P]
    records: tuple[Column, ...]
    folder: Path
    examples: tuple[P, ...]
    use: Literal["answer", "annotate"] = "answer"
    read: Callable[[P, Any], Any] = _not_asked
    cells: Callable[[P, Any], Sequence[AnswerCell]] = _not_asked
    simulate: Callable[[P, random.Random], Any] = _not_asked
    streams: tuple[Recorded, ...] = ()
    perform: Callable[[P, random.Random, int], Sequence[Act]] = lambda params, rng, duration_ms: ()
    practice: str | None = None
    check: Callable[[P], Sequence[tuple[str, str, str]]] = lambda params: ()
    options: Callable[[P], Sequence[str | int]] = lambda params: ()
    items: Callable[[P], Sequence[str]] = lambda params: ()
    bounds: Callable[[P], tuple[float | None, float | None]] = lambda params: (None, None)
