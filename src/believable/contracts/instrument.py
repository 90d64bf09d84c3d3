"""The contract of an instrument: a declared record with its parameters, its recorded data, and its
simulation.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeAlias, TypeVar

from believable.contracts.record import ID_PATTERN, Record
from believable.contracts.templates import template_problems
from believable.contracts.texts import (
    REFERENCE_LANGUAGE,
    built_in,
    choose_texts,
    part_text_problems,
    placeholders,
)
from believable.core.errors import InvalidInput
from believable.core.event_chain import EventKind
from believable.core.registry import must_keep_contract

P = TypeVar("P", bound=Record)
Scale: TypeAlias = Literal["nominal", "ordinal", "interval", "text"]
#: How the events of the table `traces` become a curve: values of an open scale, values between two
#: bounds, or marks of 1 and -1.
TraceForm: TypeAlias = Literal["relative", "bounded", "marks"]


class InvalidAnswer(InvalidInput):
    """An answer that cannot be kept. `key` names the sentence for the participant: a built-in one,
    or one of the instrument's own `texts/`; `values` fill it in.

    The page shows `texts[key].format(**values)` in the participant's language. `str()` gives the
    built-in English, or the key of an instrument's own sentence.
    """

    def __init__(self, key: str, **values: str | int | float) -> None:
        super().__init__(built_in(REFERENCE_LANGUAGE).get(key, f"`{key}`").format(**values))
        self.key = key
        self.values = values


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """One thing an instrument records, for the codebook."""

    name: str
    type: str
    about: str


@dataclass(frozen=True, slots=True)
class AnswerCell:
    """One row of the answers table. `item` names the part of a question that has several (a matrix
    row, a chosen option).
    """

    item: str
    value: str | int | float | None


@dataclass(frozen=True, slots=True)
class Act:
    """Something a simulated person does while watching: the event it records, at this time in the
    medium.
    """

    media_ms: int
    kind: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One try at a practice by a simulated person: its duration, its events (kind, data), and
    whether it succeeded.
    """

    took_ms: int
    events: tuple[tuple[str, Mapping[str, Any]], ...]
    passed: bool
    moves: tuple[Mapping[str, Any], ...] = ()


def _not_asked(*_: Any) -> Any:
    raise InvalidInput(
        "this instrument annotates while watching and answers no question. Use `annotate`."
    )


@dataclass(frozen=True, slots=True)
class Instrument(Generic[P]):
    """How a person answers: a question of a page (`use="answer"`), or all the time while watching
    (`use="annotate"`).

    `read(params, raw)` turns the browser's raw answer into the stored answer, or raises
    `InvalidAnswer` with a text for the participant's page (it says which form is expected, never
    which answer is right). An unanswered question is `None` and never reaches `read`.
    `cells(params, answer)` returns the rows of the answers table, if the answer is more than one
    value. `simulate(params, rng)` returns a raw answer that `read` accepts. `check(params)` lists
    problems of the parameters beyond their types, as (path, message, fix). `options(params)` lists
    the values an answer (or one of its parts) can take, and `items(params)` the names of its parts,
    if they can be listed, and `bounds(params)` the least and the greatest number: the study checker
    compares rules and right answers with them. `attention(params)` lists the parts that only check
    attention, with the right answer to each. `nearest(params, number)`, for answers that are one
    number, is the answer nearest to it: simulated people follow an assumed mean with it.

    `scale` is the level of measurement of its answers: `nominal` options, `ordinal` or `interval`
    numbers, or free `text`, which can be coded. Analyses and coding choose by it. An instrument
    whose answer has several parts, or that annotates, declares none. An instrument that records
    `trace.sample` is `bounded` if it has both `bounds`. `title` is its name in reports.
    `short_text` is the length in characters below which a reviewer gets a hint about a free text.
    `reminds` says that its question shows the stimuli it is about.

    `examples` are parameters as an author would write them: the conformance check tries the
    instrument with each.

    The widget lives in `folder`: `widget.html` (a Jinja template), `widget.js` (an ES module with
    `read(root)` and `write(root, value)`, and `mount(root, context)` if it needs one) and, if
    needed, `widget.css`.

    **Annotating** instruments have no `read` and `simulate`. They declare the events they record
    (`streams`; `records` names the parts that reach the tables), and `perform(params, rng,
    duration_ms)` is a simulated person who watches a stimulus of that length once at normal speed:
    the actions in the order of media time. Their `widget.js` exports `mount(root, {player, params,
    texts, record, saved})`, which builds the instrument inside `root` and returns `{destroy()}`;
    `record(kind, data, {mono_ms})` keeps an event (at the input's time), `saved` holds the `[kind,
    data]` of this trial's events before a reload. `practice` is the module of their practice page,
    as a path below `instruments/`: it exports `practise(root, {mount, params, texts, record, tries,
    onDone})`; an instrument without one is used without practice. `wants_practice(params)` says
    whether these parameters want the practice. `rehearse(params, rng, care, number)` is try
    `number` (from 1) of a simulated person at it.
    """

    name: str
    version: int
    about: str
    params: type[P]
    records: tuple[AnswerColumn, ...]
    folder: Path
    examples: tuple[P, ...]
    use: Literal["answer", "annotate"] = "answer"
    scale: Scale | None = None
    read: Callable[[P, Any], Any] = _not_asked
    cells: Callable[[P, Any], Sequence[AnswerCell]] = lambda params, answer: (
        AnswerCell("", answer),
    )
    simulate: Callable[[P, random.Random], Any] = _not_asked
    streams: tuple[EventKind, ...] = ()
    perform: Callable[[P, random.Random, int], Sequence[Act]] = lambda params, rng, duration_ms: ()
    practice: str | None = None
    wants_practice: Callable[[P], bool] = lambda params: True
    rehearse: Callable[[P, random.Random, float, int], Rehearsal] | None = None
    check: Callable[[P], Sequence[tuple[str, str, str]]] = lambda params: ()
    options: Callable[[P], Sequence[str | int]] = lambda params: ()
    items: Callable[[P], Sequence[str]] = lambda params: ()
    bounds: Callable[[P], tuple[float | None, float | None]] = lambda params: (None, None)
    attention: Callable[[P], Mapping[str, int]] = lambda params: {}
    nearest: Callable[[P, float], int | float] | None = None
    title: str = ""
    short_text: int = 2
    reminds: bool = False

    @property
    def trace_form(self) -> TraceForm | None:
        """How its events become a curve; None if they do not."""
        kinds = {stream.kind for stream in self.streams if stream.table == "traces"}
        if not kinds:
            return None
        if "trace.sample" not in kinds:
            return "marks"
        return "relative" if None in self.trace_bounds else "bounded"

    @property
    def trace_bounds(self) -> tuple[float | None, float | None]:
        """The least and the greatest value of its curve."""
        return self.bounds(self.examples[0])

    def nearest_answer(self, params: P, number: float) -> int | float:
        """The answer that lies nearest to a number: one of the options, or within the bounds."""
        if self.nearest is not None:
            return self.nearest(params, number)
        listed = [option for option in self.options(params) if isinstance(option, int)]
        if listed:
            return min(listed, key=lambda option: abs(option - number))
        low, high = self.bounds(params)
        return max(number if low is None else low, min(number if high is None else high, number))


#: Answers of a broken or hostile browser.
JUNK: tuple[Any, ...] = (
    *(True, False, 0, -1, 1.5, 1e308, float("nan"), float("inf"), 2**80),
    *("", " ", "x", "=1+1", "<script>", "\x00", "\ud800", "é" * 100_000),
    *([], [None], [[]], ["x", "x"], {}, {"": 1}, {"x": {}}, {"x": True}),
)
_SEEDS = range(50)
#: Stimuli an annotating instrument is tried on: next to nothing, and long enough for something to
#: happen.
_DURATIONS_MS = (1, 30_000)
_CELL_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
}


def check_instrument(instrument: Instrument[Any]) -> None:
    """Raises InvalidInput with everything that breaks the contract; returns quietly otherwise."""
    must_keep_contract("instrument", instrument.name, _problems(instrument))


def _problems(instrument: Instrument[Any]) -> Iterator[str]:
    if not re.match(ID_PATTERN, instrument.name):
        yield f"its name does not match {ID_PATTERN}; it is a key in study files."
    if instrument.version < 1:
        yield "its version must be 1 or more."
    if not instrument.about:
        yield "it must describe itself (`about`), for the codebook."
    if not instrument.records:
        yield "it must say what it records (`records`), for the codebook."
        return
    if not issubclass(instrument.params, Record):
        yield "its parameters must be a study Record: frozen, unknown keys forbidden."
    yield from _widget_problems(instrument)
    text_problems = tuple(part_text_problems(instrument.folder))
    if text_problems:
        yield from text_problems
        return
    if not instrument.examples:
        yield "it has no `examples` of parameters, so it cannot be tried."
    for number, params in enumerate(instrument.examples):
        for problem in _example_problems(instrument, params):
            yield f"examples[{number}]: {problem}"


def _widget_problems(instrument: Instrument[Any]) -> Iterator[str]:
    annotates = instrument.use == "annotate"
    if not annotates and not (instrument.folder / "widget.html").is_file():
        yield f"there is no widget.html in {instrument.folder.name}/."
    elif not annotates:
        yield from template_problems(instrument.folder / "widget.html")
    script = instrument.folder / "widget.js"
    if not script.is_file():
        yield f"there is no widget.js in {instrument.folder.name}/."
        return
    code = script.read_text(encoding="utf-8")
    for name in ("mount",) if annotates else ("read", "write"):
        if not re.search(rf"export (function|const|{{[^}}]*)\s*\b{name}\b", code):
            yield f"widget.js does not export `{name}`."


def _example_problems(instrument: Instrument[Any], params: Any) -> Iterator[str]:
    if instrument.check(params):
        yield f"its own check finds fault with it: {instrument.check(params)[0]}."
        return
    if instrument.use == "annotate":
        yield from _performance_problems(instrument, params)
        return
    yield from _scale_problems(instrument, params)
    for seed in _SEEDS:
        raw = instrument.simulate(params, random.Random(seed))
        if raw != instrument.simulate(params, random.Random(seed)):
            yield (
                "`simulate` gives different answers for the same seed; take all chance from `rng`."
            )
        try:
            problem = _answer_problem(instrument, params, raw)
        except InvalidAnswer as error:
            problem = f"`read` refuses what `simulate` gives ({raw!r}): {error}"
        if problem is not None:
            yield problem
            return
    yield from _junk_problems(instrument, params)


def _scale_problems(instrument: Instrument[Any], params: Any) -> Iterator[str]:
    """Whether the scale fits the declared answers."""
    scale, type_ = instrument.scale, instrument.records[0].type
    options, low_high = instrument.options(params), instrument.bounds(params)
    if instrument.items(params):
        if scale is not None:
            yield f"its answer has several parts, so it has no one scale. Remove `scale={scale!r}`."
    elif scale is None:
        yield "it must say on which `scale` it is answered: nominal, ordinal, interval or text."
    elif scale == "text" and (type_ != "string" or options):
        yield "`scale='text'` is for free text, without `options`."
    elif scale == "nominal" and not options:
        yield "`scale='nominal'` needs `options`: the values an answer can take."
    elif scale in ("ordinal", "interval") and type_ not in ("number", "integer"):
        yield f"`scale={scale!r}` is for numbers; `records` declares {type_}."
    elif scale == "ordinal" and not options and None in low_high:
        yield "`scale='ordinal'` needs `options` or both `bounds`."


def _performance_problems(instrument: Instrument[Any], params: Any) -> Iterator[str]:
    """Problems with the simulation of an annotating instrument."""
    if not instrument.streams:
        yield "it must say which events it records while watching (`streams`)."
    yield from _stream_problems(instrument)
    declared = {stream.kind: set(stream.data) for stream in instrument.streams}
    for seed in _SEEDS:
        for duration_ms in _DURATIONS_MS:
            acts = list(instrument.perform(params, random.Random(seed), duration_ms))
            if acts != list(instrument.perform(params, random.Random(seed), duration_ms)):
                yield (
                    "`perform` does different things for the same seed; take all chance from `rng`."
                )
                return
            times = [act.media_ms for act in acts]
            if times != sorted(times) or any(not 0 <= at_ms <= duration_ms for at_ms in times):
                yield f"`perform` leaves the order of time, or the stimulus of {duration_ms} ms."
                return
            strange = next((act for act in acts if declared.get(act.kind) != set(act.data)), None)
            if strange is not None:
                yield (
                    f"`perform` records {strange.kind!r} with {sorted(strange.data)}, which"
                    " `streams` does not declare."
                )
                return
    if not any(
        instrument.perform(params, random.Random(seed), _DURATIONS_MS[-1]) for seed in _SEEDS
    ):
        yield "`perform` never does anything."
    yield from _rehearsal_problems(instrument, params, declared)


#: What an event must hold to become a row of a shared table.
_SHARED_STREAMS = {
    **dict.fromkeys(("trace.sample", "trace.mark", "trace.hold"), "traces"),
    **{f"flag.{name}": "flags" for name in ("press", "choice", "add", "edit", "remove")},
}
_STREAM_COLUMNS = frozenset(
    (
        *("session", "position", "run", "trial_key", "trial", "condition", "scenario"),
        *("stimulus", "stimulus_digest", "instrument", "seq", "at_ms", "mono_ms"),
    )
)


def _stream_problems(instrument: Instrument[Any]) -> Iterator[str]:
    """Events that would reach no table of a bundle, or the wrong one."""
    for stream in instrument.streams:
        name = f"its event {stream.kind!r}"
        wanted = _SHARED_STREAMS.get(stream.kind)
        if wanted is not None and stream.table != wanted:
            yield f"{name} belongs into the table {wanted!r}: declare `table={wanted!r}`."
        elif stream.table == "reactions" and not stream.kind.endswith(".delay"):
            yield f"{name} goes into `reactions`, so its kind must end with `.delay`."
        elif stream.table in ("traces", "flags") and wanted is None:
            known = ", ".join(
                kind for kind, table in _SHARED_STREAMS.items() if table == stream.table
            )
            yield (
                f"{name} cannot go into {stream.table!r}, which is made of {known}. Leave `table`"
                " out: it gets a table for itself."
            )
        if stream.table is not None:
            continue
        if not re.fullmatch(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+", stream.kind):
            yield f"{name} must be small letters with a dot, such as `{instrument.name}.change`."
        taken = _STREAM_COLUMNS.intersection(stream.data)
        if taken:
            yield f"{name}: every table has {', '.join(sorted(taken))} already. Rename the key."
        strange = stream.types.keys() - set(stream.data)
        if strange:
            yield f"{name}: `types` names {', '.join(sorted(strange))}, which `data` does not."


def _rehearsal_problems(
    instrument: Instrument[Any], params: Any, declared: Mapping[str, set[str]]
) -> Iterator[str]:
    """Problems of how it simulates its practice."""
    if instrument.practice is None or not instrument.wants_practice(params):
        return
    if instrument.rehearse is None:
        yield "it has a practice, and no `rehearse` for simulated people."
        return
    for seed in _SEEDS:
        rehearsal = instrument.rehearse(params, random.Random(seed), 1.0, 1)
        if rehearsal != instrument.rehearse(params, random.Random(seed), 1.0, 1):
            yield "`rehearse` does different things for the same seed; take all chance from `rng`."
            return
        strange = next(
            (kind for kind, data in rehearsal.events if declared.get(kind) != set(data)), None
        )
        if strange is not None:
            yield f"`rehearse` records {strange!r} in a way that `streams` does not declare."
            return


def _answer_problem(instrument: Instrument[Any], params: Any, raw: Any) -> str | None:
    if json.loads(json.dumps(raw)) != raw:
        return (
            f"`simulate` gives {raw!r}, which does not survive JSON; a browser could not send it."
        )
    answer = instrument.read(params, raw)
    if json.loads(json.dumps(answer)) != answer:
        return f"`read` gives {answer!r}, which does not survive JSON."
    if instrument.read(params, answer) != answer:
        return f"`read` changes its own answer {answer!r}; reading must settle."
    cells = instrument.cells(params, answer)
    items = [cell.item for cell in cells]
    if not cells or len(set(items)) != len(items):
        return f"`cells` must give at least one row and name each once, got {items!r}."
    if instrument.items(params) and not set(items) <= set(instrument.items(params)):
        return f"`cells` names {items!r}, `items` lists {list(instrument.items(params))!r}."
    wrong = [cell for cell in cells if not _fits(instrument, cell)]
    return f"{wrong[0]!r} is not what `records` declares." if wrong else None


def _fits(instrument: Instrument[Any], cell: AnswerCell) -> bool:
    expected = _CELL_TYPES.get(instrument.records[0].type)
    right_type = expected is None or (
        isinstance(cell.value, expected) and not isinstance(cell.value, bool)
    )
    return cell.value is None or right_type


def _junk_problems(instrument: Instrument[Any], params: Any) -> Iterator[str]:
    for junk in JUNK:
        try:
            instrument.read(params, junk)
        except InvalidAnswer as error:
            texts = {**choose_texts(instrument, REFERENCE_LANGUAGE), **built_in(REFERENCE_LANGUAGE)}
            if error.key not in texts:
                yield (
                    f"`read` raises InvalidAnswer({error.key!r}), which is no built-in text. Add it"
                    f" to {instrument.folder.name}/texts/{REFERENCE_LANGUAGE}.yaml."
                )
            elif missing := placeholders(texts[error.key]) - error.values.keys():
                yield (
                    f"`read` raises InvalidAnswer({error.key!r}) without a value for"
                    f" {', '.join(sorted(missing))}."
                )
        except Exception as error:  # noqa: BLE001 - the author has to know about any error
            yield (
                f"`read` answers {str(junk)[:40]!r} with {type(error).__name__}; raise"
                " InvalidAnswer instead."
            )
