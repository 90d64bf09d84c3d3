"""An attack on a release: who is who, by a recruiting platform's list of the same people?

The list says when each person started and how long that took. The attack tries everything in a
release that says the same: the order of numbers and of rows in each file, days, clocks, the order
of pages if it can be computed again from the study's seed, and every measure of how long a session
took. For each it pairs people and sessions as well as it can, and counts the pairs that are right.
Ties are paired at random, many times, so that the count is an expected one.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.stats import rankdata

from believable.bundle.cells import restore_text
from believable.bundle.package import EVENTS, PAGAN
from believable.bundle.read import Bundle, read
from believable.bundle.shown_stimuli import stimuli_on
from believable.core.errors import InvalidInput
from believable.report.anonymise import TEN_YEARS_MS
from believable.report.platform_list import PlatformPerson
from believable.report.privacy import read_lines, tables_of
from believable.stats.inputs import FloatArray
from believable.study.definition import Definition
from believable.study.plan import Assignment, is_settled, plan, session_seed
from believable.study.records import Study

#: How often ties are paired at random, and how often the truth is shuffled to know what chance
#: finds.
_PAIRINGS = 60
_SHUFFLES = 2_000
#: A signal that is worth nothing is called one that finds people this often, over all signals
#: together.
_FALSE_ALARMS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalResult:
    """The findings of one signal: `found` of `people` in expectation; `chance` by guessing, and
    `luck` at most by guessing well.
    """

    signal: str
    found: float
    people: int
    chance: float
    luck: float

    @property
    def above_chance(self) -> bool:
        return self.found > self.luck

    def __str__(self) -> str:
        verdict = "more than chance" if self.above_chance else "no more than chance"
        return (
            f"{self.found:.1f} of {self.people} by {self.signal} ({verdict}: {self.chance:.1f},"
            f" with luck {self.luck:.1f})"
        )


def attack(
    bundle: Path,
    people: Sequence[PlatformPerson],
    sessions: Mapping[str, str],
    rng: np.random.Generator,
) -> tuple[SignalResult, ...]:
    """Try to find `people` among the sessions of a bundle, by each signal; the best first.
    `sessions` is the truth: the session of each participant.
    """
    dataset = read(bundle)
    names = [str(name) for name in dataset["participants"]["session"].values]
    pairs = [
        (place, sessions[person.participant])
        for place, person in enumerate(people)
        if person.participant in sessions
    ]
    truth = {session: place for place, session in pairs if session in set(names)}
    if len(truth) < 2:
        raise InvalidInput(
            f"--attack: {len(truth)} of {len(people)} people in the list have a session in this"
            " dataset. Two are needed at least: name the export of the platform that this study"
            " recruited from, or add a column `session`."
        )
    started = _column([person.started_ms for person in people])
    length = _column([person.length_ms for person in people])
    day = _column(
        [
            None if person.started_ms is None else person.started_ms // 86_400_000
            for person in people
        ]
    )
    measured: list[tuple[str, FloatArray, FloatArray]] = []
    for text, kind, values in _signals(bundle, dataset):
        theirs = {"start": started, "length": length, "day": day}[kind]
        own = np.array([values.get(name, np.nan) for name in names])
        known = own[~np.isnan(own)]
        if len(np.unique(known)) > 1 and not np.isnan(theirs).all():
            measured.append((text, own, theirs))
    level = 1 - _FALSE_ALARMS / max(1, len(measured))
    results = [
        _result(text, own=own, theirs=theirs, names=names, truth=truth, level=level, rng=rng)
        for text, own, theirs in measured
    ]
    return tuple(sorted(results, key=lambda result: -result.found))


def _column(values: Sequence[float | None]) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _result(
    text: str,
    own: FloatArray,
    theirs: FloatArray,
    names: Sequence[str],
    truth: Mapping[str, int],
    level: float,
    rng: np.random.Generator,
) -> SignalResult:
    paired = _pairing_rates(own, theirs, rng)
    rows = np.array([place for place, name in enumerate(names) if name in truth])
    columns = np.array([truth[names[place]] for place in rows])
    guessed = np.array([paired[rows, rng.permutation(columns)].sum() for _ in range(_SHUFFLES)])
    return SignalResult(
        signal=text,
        found=float(paired[rows, columns].sum()),
        people=len(rows),
        chance=float(guessed.mean()),
        luck=float(np.quantile(guessed, level)),
    )


def _pairing_rates(own: FloatArray, theirs: FloatArray, rng: np.random.Generator) -> FloatArray:
    """How often each session is paired with each person, if both are put in the order of the
    signal.
    """
    rates = np.zeros((len(own), len(theirs)))
    cost = (_ranks(own)[:, None] - _ranks(theirs)[None, :]) ** 2
    for _ in range(_PAIRINGS):
        rows, columns = rng.permutation(len(own)), rng.permutation(len(theirs))
        one, other = linear_sum_assignment(cost[np.ix_(rows, columns)])
        rates[rows[one], columns[other]] += 1 / _PAIRINGS
    return rates


def _ranks(values: FloatArray) -> FloatArray:
    """From 0 to 1; unknown values are in the middle."""
    ranks = np.full(len(values), 0.5)
    known = ~np.isnan(values)
    if known.any():
        ranks[known] = (rankdata(values[known]) - 0.5) / known.sum()
    return ranks


# ----------------------------------------------------------------------------------------------
# evidence in a release

#: Name, its counterpart, and its value for each session.
_Signal = tuple[str, str, Mapping[str, float]]


def _signals(folder: Path, dataset: Bundle) -> Iterator[_Signal]:
    people = dataset["participants"]
    yield "the numbers of the sessions", "start", _by_session(dataset, "number")
    yield from _file_orders(folder)
    yield (
        "the order of pages, computed again from the study's seed",
        "start",
        arrival_by_seed(dataset),
    )
    days = {
        str(day): number
        for number, day in enumerate(
            sorted({str(day) for day in people["started_on"].cells() if day})
        )
    }
    yield (
        "days",
        "day",
        {
            str(session): days[str(day)]
            for session, day in zip(
                people["session"].values, people["started_on"].cells(), strict=True
            )
            if day
        },
    )
    clocks, lengths, pages = _event_times(folder)
    yield "clocks in the raw events", "start", clocks
    yield "lengths of sessions", "length", _by_session(dataset, "duration_ms")
    yield (
        "times on the sessions' clocks",
        "length",
        _sum_by_session(dataset, "trials", "closed_ms", max),
    )
    yield "sums of reaction times", "length", _sum_by_session(dataset, "trials", "rt_ms", sum)
    yield from _other_times(dataset)
    yield "times of the raw events", "length", lengths
    yield "page clocks of the raw events", "length", pages
    yield "numbers of events", "length", _by_session(dataset, "events")
    for name, table in sorted(dataset.tables.items()):
        if name != "participants" and "session" in table.columns:
            yield f"numbers of rows in {name}", "length", _row_counts(dataset, name)


#: Columns of times with separate signals.
_NAMED_TIMES = frozenset(
    {("participants", "duration_ms"), ("trials", "closed_ms"), ("trials", "rt_ms")}
)


def _other_times(dataset: Bundle) -> Iterator[_Signal]:
    """Whatever else counts milliseconds or seconds may add up to a session's length."""
    for name, table in sorted(dataset.tables.items()):
        for column in table.columns:
            is_time = column.endswith("_ms") or column == "seconds"
            if is_time and (name, column) not in _NAMED_TIMES and "session" in table.columns:
                yield (
                    f"sums of {column} in {name}",
                    "length",
                    _sum_by_session(dataset, name, column, sum),
                )


def _by_session(dataset: Bundle, column: str) -> dict[str, float]:
    table = dataset["participants"]
    cells = zip(table["session"].values, table[column].cells(), strict=True)
    return {str(session): float(cell) for session, cell in cells if cell is not None}


def _row_counts(dataset: Bundle, table: str) -> dict[str, float]:
    counts = Counter(
        str(session) for session in dataset[table]["session"].values if session is not None
    )
    return {
        str(session): float(counts[str(session)])
        for session in dataset["participants"]["session"].values
    }


def _sum_by_session(
    dataset: Bundle, table: str, column: str, of: Callable[[Iterable[float]], float]
) -> dict[str, float]:
    found: dict[str, list[float]] = defaultdict(list)
    for session, cell in zip(
        dataset[table]["session"].values, dataset[table][column].cells(), strict=True
    ):
        if cell is not None:
            found[str(session)].append(float(cell))
    return {session: of(values) for session, values in found.items()}


def _file_orders(folder: Path) -> Iterator[_Signal]:
    """The order in which files name the sessions; the same order counts once."""
    seen: set[tuple[str, ...]] = set()
    for name, sessions in _orders(folder):
        order = tuple(dict.fromkeys(session for session in sessions if session))
        if order not in seen and len(order) > 1:
            seen.add(order)
            yield (
                f"the order of rows in {name}",
                "start",
                {session: float(place) for place, session in enumerate(order)},
            )


def _orders(folder: Path) -> Iterator[tuple[str, Iterable[str]]]:
    tables = [(path, "session") for path, _ in tables_of(folder)]
    for path, column in [*tables, (folder / PAGAN, "SessionID")]:
        if path.is_file():
            with path.open(encoding="utf-8", newline="") as file:
                yield (
                    path.name,
                    [restore_text(row.get(column) or "") for row in csv.DictReader(file)],
                )
    yield Path(EVENTS).name, (line["session"] for line in read_lines(folder / EVENTS))
    package = json.loads((folder / "datapackage.json").read_text("utf-8"))
    replays = [
        re.match(r"materials/replays/(.+)-\d+-\d+-\d+\.", entry["path"])
        for entry in package["resources"]
    ]
    yield "datapackage.json", (found[1] for found in replays if found is not None)


def _event_times(folder: Path) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Of each session: the first clock in it, the span of its events, and the sum of its page
    clocks.
    """
    received: dict[str, list[float]] = defaultdict(list)
    pages: dict[str, dict[object, float]] = defaultdict(dict)
    for line in read_lines(folder / EVENTS):
        received[line["session"]].append(line.get("received_ms") or 0)
        body = json.loads(line["body"])
        mono_ms = body.get("mono_ms") if isinstance(body, dict) else None
        if isinstance(mono_ms, int | float):
            trial = body.get("trial")
            pages[line["session"]][trial] = max(mono_ms, pages[line["session"]].get(trial, 0))
    clocks = {
        session: min(times) for session, times in received.items() if min(times) > TEN_YEARS_MS
    }
    lengths = {session: max(times) - min(times) for session, times in received.items()}
    return clocks, lengths, {session: sum(times.values()) for session, times in pages.items()}


def arrival_by_seed(dataset: Bundle) -> dict[str, float]:
    """For each session the numbers of arrival that its pages fit, averaged, if the study's seed and
    a number decide its pages.

    Sessions of people were once planned that way, and simulated ones are; since then a secret of
    the server takes part.
    """
    found: dict[str, float] = {}
    people, shown = dataset["participants"], _shown_pages(dataset)
    by_definition: dict[str, list[str]] = defaultdict(list)
    for session, definition in zip(
        people["session"].values, people["definition"].values, strict=True
    ):
        by_definition[str(definition)].append(str(session))
    assigned = _assignments(dataset)
    for name, sessions in by_definition.items():
        if name not in dataset.definitions:
            continue
        study = Definition.from_json(dataset.definitions[name]).study
        if is_settled(study):
            continue
        cells: dict[tuple[tuple[str, str], ...], list[str]] = defaultdict(list)
        for session in sessions:
            cells[assigned[session]].append(session)
        for cell, members in cells.items():
            plans = [_planned_pages(study, cell, number) for number in range(1, len(people) + 1)]
            for session in members:
                fits = [
                    number
                    for number, pages in enumerate(plans, start=1)
                    if _fits(shown.get(session, {}), pages)
                ]
                if fits and len(fits) < len(plans):
                    found[session] = float(np.mean(fits))
    return found


_Pages = Mapping[int, tuple[str, ...]]


def _shown_pages(dataset: Bundle) -> dict[str, dict[int, tuple[str, ...]]]:
    pages: dict[str, dict[int, tuple[str, ...]]] = defaultdict(dict)
    for row in dataset["shown"].rows():
        place = int(row["position"] or 0)
        before = pages[str(row["session"])].get(place, ())
        if row["run"] == 0:
            pages[str(row["session"])][place] = (*before, str(row["stimulus"]))
    return pages


def _assignments(dataset: Bundle) -> dict[str, tuple[tuple[str, str], ...]]:
    """Arms and rows of each session, as the table has them."""
    table = dataset["participants"]
    columns = [name for name in table.columns if name.startswith(("arm_", "order_"))]
    return {
        str(row["session"]): tuple(
            (name, str(row[name])) for name in columns if row[name] is not None
        )
        for row in table.rows()
    }


def _planned_pages(study: Study, cell: Sequence[tuple[str, str]], number: int) -> _Pages:
    arms = {name.removeprefix("arm_"): level for name, level in cell if name.startswith("arm_")}
    rows = {
        name.removeprefix("order_"): int(row) for name, row in cell if name.startswith("order_")
    }
    pages = plan(study, Assignment(arms, rows, session_seed(study, number)))
    return {position: stimuli_on(pages, position)[0] for position in range(len(pages))}


def _fits(shown: _Pages, planned: _Pages) -> bool:
    return bool(shown) and all(
        planned.get(position) == stimuli for position, stimuli in shown.items()
    )
