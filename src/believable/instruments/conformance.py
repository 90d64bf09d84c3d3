"""What every instrument must keep to. Authors run `check_instrument(MINE)` in a test of their own."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from typing import Any

from believable.core.errors import InvalidInput
from believable.instruments.contract import AnswerCell, Instrument, InvalidAnswer
from believable.study.catalogue import CATALOGUE
from believable.study.records import ID_PATTERN, Record

#: What a broken or hostile browser may send.
JUNK: tuple[Any, ...] = (
    *(True, False, 0, -1, 1.5, 1e308, float("nan"), float("inf"), 2**80),
    *("", " ", "x", "=1+1", "<script>", "\x00", "\ud800", "é" * 100_000),
    *([], [None], [[]], ["x", "x"], {}, {"": 1}, {"x": {}}, {"x": True}),
)
_SEEDS = range(50)
#: Stimuli an annotating instrument is tried on: next to nothing, and long enough for something to happen.
_DURATIONS_MS = (1, 30_000)
_CELL_TYPES: dict[str, tuple[type, ...]] = {"string": (str,), "integer": (int,), "number": (int, float)}


def check_instrument(instrument: Instrument[Any]) -> None:
    """Raises InvalidInput with everything that breaks the contract; returns quietly otherwise."""
    problems = list(_problems(instrument))
    if problems:
        listed = "\n".join(f"- {problem}" for problem in problems)
        raise InvalidInput(f"instrument {instrument.name!r} breaks the contract:\n{listed}")


def _problems(instrument: Instrument[Any]) -> Iterator[str]:
    if not re.match(ID_PATTERN, instrument.name):
        yield f"its name does not match {ID_PATTERN}; it is a key in study files."
    if instrument.version < 1:
        yield "its version must be 1 or more."
    if not instrument.about:
        yield "it must say what it is (`about`), for the codebook."
    if not instrument.records:
        yield "it must say what it records (`records`), for the codebook."
        return
    if not issubclass(instrument.params, Record):
        yield "its parameters must be a study Record: frozen, unknown keys forbidden."
    yield from _widget_problems(instrument)
    if not instrument.examples:
        yield "it has no `examples` of parameters, so it cannot be tried."
    for number, params in enumerate(instrument.examples):
        for problem in _example_problems(instrument, params):
            yield f"examples[{number}]: {problem}"


def _widget_problems(instrument: Instrument[Any]) -> Iterator[str]:
    annotates = instrument.use == "annotate"
    if not annotates and not (instrument.folder / "widget.html").is_file():
        yield f"there is no widget.html in {instrument.folder.name}/."
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
    for seed in _SEEDS:
        raw = instrument.simulate(params, random.Random(seed))
        if raw != instrument.simulate(params, random.Random(seed)):
            yield "`simulate` gives different answers for the same seed; take all chance from `rng`."
        try:
            problem = _answer_problem(instrument, params, raw)
        except InvalidAnswer as error:
            problem = f"`read` refuses what `simulate` gives ({raw!r}): {error}"
        if problem is not None:
            yield problem
            return
    yield from _junk_problems(instrument, params)


def _performance_problems(instrument: Instrument[Any], params: Any) -> Iterator[str]:
    """What is wrong with how an annotating instrument simulates itself."""
    if not instrument.streams:
        yield "it must say which events it records while watching (`streams`)."
    declared = {stream.kind: set(stream.data) for stream in instrument.streams}
    for seed in _SEEDS:
        for duration_ms in _DURATIONS_MS:
            acts = list(instrument.perform(params, random.Random(seed), duration_ms))
            if acts != list(instrument.perform(params, random.Random(seed), duration_ms)):
                yield "`perform` does different things for the same seed; take all chance from `rng`."
                return
            times = [act.media_ms for act in acts]
            if times != sorted(times) or any(not 0 <= at_ms <= duration_ms for at_ms in times):
                yield f"`perform` leaves the order of time, or the stimulus of {duration_ms} ms."
                return
            strange = next((act for act in acts if declared.get(act.kind) != set(act.data)), None)
            if strange is not None:
                yield f"`perform` records {strange.kind!r} with {sorted(strange.data)}, which `streams` does not declare."
                return
    if not any(instrument.perform(params, random.Random(seed), _DURATIONS_MS[-1]) for seed in _SEEDS):
        yield "`perform` never does anything."


def _answer_problem(instrument: Instrument[Any], params: Any, raw: Any) -> str | None:
    if json.loads(json.dumps(raw)) != raw:
        return f"`simulate` gives {raw!r}, which does not survive JSON; a browser could not send it."
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
    right_type = expected is None or (isinstance(cell.value, expected) and not isinstance(cell.value, bool))
    return cell.value is None or right_type


def _junk_problems(instrument: Instrument[Any], params: Any) -> Iterator[str]:
    for junk in JUNK:
        try:
            instrument.read(params, junk)
        except InvalidAnswer as error:
            for language, texts in CATALOGUE.items():
                if error.key not in texts:
                    yield f"`read` uses the text {error.key!r}, which {language!r} does not have."
        except Exception as error:  # noqa: BLE001 - whatever comes is what the author has to know
            yield f"`read` answers {str(junk)[:40]!r} with {type(error).__name__}; raise InvalidAnswer instead."
