"""Instruments compared with each other: does what one records go with what another records about the same things?

A measure is a number per thing that a person judged (the mean of a trace, a rating, a flag rate), or a choice between the first
and the second. Any of the first kind is correlated with any other, in the layout of the published table of traces and choices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from believable.analysis.records import Cell, Column, Table
from believable.core.errors import InvalidInput
from believable.stats.correlations import pearson_with_choice, within_correlation
from believable.stats.inputs import FloatArray
from believable.stats.result import TestResult, no_result

#: A person and the place, from 1, of a thing in the order that the person met it.
Thing = tuple[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One number per person and thing. `title` is what a table calls it, `instrument` what recorded it."""

    name: str
    title: str
    values: Mapping[Thing, float]
    instrument: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One number per person: 1 for the first thing, −1 for the second, 0 for both or neither."""

    name: str
    title: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table of correlations: what stands at its head, and the test in each column (None: not looked at)."""

    head: tuple[Cell, ...]
    tests: Mapping[str, TestResult]


def compare(one: Measure, other: Measure | Choice, *, level: float = 0.95) -> TestResult:
    """Do the two go together, within people?

    With a choice: Pearson's r of first minus second with the choice. Two things each: r of both differences. More: the
    correlation within people. People who lack one of the two are left out.
    """
    if isinstance(other, Choice):
        people = [person for person in other.values if {(person, 1), (person, 2)} <= one.values.keys()]
        return pearson_with_choice(
            differences(one, people), np.array([other.values[person] for person in people]), level=level
        )
    things = [thing for thing in one.values if thing in other.values]
    places = {place for _, place in things}
    if places <= {1, 2}:
        people = [person for person, place in things if place == 1 and (person, 2) in set(things)]
        return pearson_with_choice(differences(one, people), differences(other, people), level=level)
    return within_correlation(
        [one.values[thing] for thing in things],
        [other.values[thing] for thing in things],
        [person for person, _ in things],
        level=level,
    )


def differences(measure: Measure, people: Sequence[str]) -> FloatArray:
    """First minus second, for each of these people."""
    return np.array([measure.values[person, 1] - measure.values[person, 2] for person in people], dtype=float)


def table(
    name: str,
    title: str,
    measures: Sequence[Measure],
    others: Sequence[Measure | Choice],
    *,
    alpha: float = 0.05,
    note: str = "",
) -> Table:
    """Every measure (rows) with every other one (columns); a measure with itself is left open."""
    rows = [
        Row(
            (one.title,),
            {
                other.name: compare(one, other, level=1 - alpha)
                if one.name != other.name
                else no_result("a measure with itself", method="Pearson correlation", n=0)
                for other in others
            },
        )
        for one in measures
    ]
    head = (Column("measure", "Measure"),)
    return correlations(
        name, title, head, rows, {other.name: other.title for other in others}, alpha=alpha, note=note
    )


def correlations(
    name: str,
    title: str,
    head: Sequence[Column],
    rows: Sequence[Row],
    columns: Mapping[str, str],
    *,
    alpha: float = 0.05,
    note: str = "",
) -> Table:
    """Correlations as a table: for each column r and p, the number of people once; significant ones are marked.

    `columns` maps the names of the tests to what the table calls them.
    """
    cells: list[tuple[Cell, ...]] = []
    undefined: dict[tuple[int, str], str] = {}
    marked: set[tuple[int, str]] = set()
    for number, row in enumerate(rows):
        if set(row.tests) != set(columns):
            raise InvalidInput(
                f"rows[{number}]: expected tests for {', '.join(columns)}, got {', '.join(row.tests)}."
            )
        line: list[Cell] = [*row.head, max((test.n for test in row.tests.values()), default=0)]
        for key in columns:
            test = row.tests[key]
            r = None if test.estimate is None else test.estimate.value
            line += [r, test.p_value]
            if r is None:
                undefined[number, f"{key}_r"] = test.reason or "undefined"
            if test.p_value is None:
                undefined[number, f"{key}_p"] = test.reason or "undefined"
            if test.significant(alpha):
                marked.add((number, f"{key}_r"))
        cells.append(tuple(line))
    made = [
        *head,
        Column(
            "n", "n", "integer", about="People in the correlations of this row; the most where they differ."
        ),
    ]
    for key, words in columns.items():
        made += [
            Column(f"{key}_r", words, "number", 3, f"Pearson's r with {words}."),
            Column(f"{key}_p", "p", "p", about=f"Two-sided p of the correlation with {words}."),
        ]
    marking = f"Marked: p < {alpha:g}."
    return Table(
        name,
        title,
        tuple(made),
        tuple(cells),
        f"{note} {marking}".strip(),
        undefined=undefined,
        marked=frozenset(marked),
    )
