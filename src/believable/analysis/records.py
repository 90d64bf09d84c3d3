"""What an analysis says, as plain records: tables, charts as data, findings, sections. `report` lays them out, nothing else does.

A chart names the table it draws and which column goes where, so every point of every figure is also a cell of a table that
is written as CSV.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from believable.stats.estimate import Estimate
from believable.stats.result import TestResult

Cell = str | int | float | bool | None
Status = Literal["confirmatory", "exploratory", "descriptive"]

#: How a column is written: `number` with `digits`, `p` in the APA manner, `share` as per cent.
Form = Literal["text", "integer", "number", "p", "share", "flag"]

ChartKind = Literal[
    "points",  # estimates with intervals: category, value, low, high, [colour]
    "bars",  # category, value, [low, high], [colour]
    "lines",  # x, y, [low, high] as a band, [colour], [facet]
    "steps",  # as lines, drawn as steps
    "scatter",  # x, y, [colour], [label]
    "histogram",  # x (already counted: from, to, count), [colour]
    "heat",  # x, y, value, [label]
    "spans",  # time line: lane, from, to, [value], [label], [link]
    "stacked",  # category, value (share), colour
]


@dataclass(frozen=True, slots=True)
class Column:
    """One column. `about` says what it holds, for the codebook of the results."""

    name: str
    title: str
    form: Form = "text"
    digits: int = 2
    about: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table. A cell that is None is undefined; `undefined` says why, by (row number, column name)."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    status: Status = "descriptive"
    undefined: Mapping[tuple[int, str], str] = field(default_factory=dict)
    #: Cells to mark, such as significant ones, by (row number, column name).
    marked: frozenset[tuple[int, str]] = frozenset()
    #: Too long to print: written as CSV and drawn by charts, not laid out as a table.
    data_only: bool = False

    def column(self, name: str) -> tuple[Cell, ...]:
        place = [one.name for one in self.columns].index(name)
        return tuple(row[place] for row in self.rows)


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure of one table. `use` maps a role to a column.

    Roles: x, y, low, high, colour, facet, label, category, value, lane, from, to, count, link.
    """

    name: str
    title: str
    kind: ChartKind
    table: str
    use: Mapping[str, str]
    x_title: str = ""
    y_title: str = ""
    caption: str = ""
    #: Lines to draw across: chance, margins, thresholds; (axis, value, words).
    rules: tuple[tuple[Literal["x", "y"], float, str], ...] = ()
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One result in words and numbers. `outcome` is its id in the plan; `sentence` is complete and says its method."""

    outcome: str
    title: str
    sentence: str
    status: Status
    estimate: Estimate | None = None
    test: TestResult | None = None
    #: p after the plan's multiplicity rule, where it applies.
    p_adjusted: float | None = None
    hypothesis: str | None = None
    #: Which one, where the outcome is found for several: a condition, a type of clip, a pair of types.
    about: str = ""
    #: An equivalence test stands beside the difference test of the same outcome.
    kind: Literal["estimate", "equivalence"] = "estimate"
    #: Whether the declared criterion is met; None where it is undefined or not declared.
    supported: bool | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report, in order: paragraphs, findings, tables, charts."""

    name: str
    title: str
    paragraphs: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    status: Status = "descriptive"


@dataclass(frozen=True, slots=True)
class Drop:
    """One exclusion: a row with a reason. `level` is what is left out: a session, a trial, an answer."""

    session: str
    level: Literal["session", "trial", "answer", "trace"]
    reason: str
    detail: str = ""
    trial_key: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the funnel: how many came in, how many are left."""

    title: str
    before: int
    after: int
    reason: str


@dataclass(frozen=True, slots=True)
class Source:
    """Where the numbers come from: what a reader needs to get them again."""

    study: str
    protocol: str
    definition: str
    data: str
    plan: str
    seeds: Mapping[str, int]
    versions: Mapping[str, str]
    simulated: bool
    demonstration: bool
    #: Hash of the registered plan; empty where nothing was registered.
    registered: str = ""

    @property
    def marks(self) -> tuple[str, ...]:
        """What every view of these numbers has to say first, where it holds: no people, no real stimuli."""
        found = []
        if self.simulated:
            found.append(
                "These are simulated participants: the results say something about the method, nothing about people."
            )
        if self.demonstration:
            found.append("Demonstration stimuli: stand-ins made by code, neither people nor a real agent.")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything an analysis found."""

    title: str
    source: Source
    funnel: tuple[Step, ...]
    drops: tuple[Drop, ...]
    sections: tuple[Section, ...]
    #: How the analysis differs from the registered plan.
    deviations: tuple[str, ...] = ()
    methods: str = ""
    results: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(table for section in self.sections for table in section.tables)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for section in self.sections for finding in section.findings)
