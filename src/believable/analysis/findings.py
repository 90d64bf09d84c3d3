"""What an analysis says, as plain records: tables, charts as data, findings, sections. `report`
lays them out, nothing else does.

A chart names the table it draws and which column goes where, so every point of every figure is also
a cell of a table that is written as CSV.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from believable.bundle.column_values import ARRAYS, BLANKS
from believable.bundle.frames import BundleColumn, TableFrame
from believable.bundle.tables import Field
from believable.core.errors import NotFound
from believable.core.notebook import html_lines, html_table, html_title
from believable.core.registry import did_you_mean
from believable.stats.estimate import Estimate
from believable.stats.result import TestResult

Cell = str | int | float | bool | None
Status = Literal["confirmatory", "exploratory", "descriptive"]
Rank = Literal["primary", "secondary"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column. `about` describes its content, for the codebook of the results.

    claims   its cells say whether a criterion is met, which is not said before the stopping rule is
    """

    name: str
    title: str
    form: Form = "text"
    digits: int = 2
    about: str = ""
    claims: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(TableFrame):
    """A table. A cell that is None is undefined; `undefined` says why, by (row number, column
    name).
    """

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
        place = [column.name for column in self.columns].index(name)
        return tuple(row[place] for row in self.rows)

    @property
    def heading(self) -> str:
        return self.title

    def typed_columns(self) -> Sequence[BundleColumn]:
        return [
            _typed_column(column, [row[index] for row in self.rows])
            for index, column in enumerate(self.columns)
        ]

    def __iter__(self) -> Iterator[dict[str, Cell]]:
        names = [column.name for column in self.columns]
        return (dict(zip(names, row, strict=True)) for row in self.rows)


def _typed_column(column: Column, cells: Sequence[Cell]) -> BundleColumn:
    """Return the cells as an array of the type that all of them have."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if not kinds:
        kind = {"text": "string", "integer": "integer", "flag": "boolean"}.get(
            column.form, "number"
        )
    elif kinds == {bool}:
        kind = "boolean"
    elif kinds <= {int, float}:
        kind = "integer" if kinds == {int} else "number"
    else:
        kind = "string"
    missing = np.array([cell is None for cell in cells], np.bool_)
    values = np.full(len(cells), BLANKS[kind], ARRAYS[kind])
    present = [str(cell) if kind == "string" else cell for cell in cells if cell is not None]
    values[~missing] = present
    return BundleColumn(
        Field(name=column.name, type=kind, about=column.about or column.title), values, missing
    )


@dataclass(frozen=True, slots=True, kw_only=True)
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
class Direction:
    """The meaning of a difference on either side of the value of no difference; stated only if a
    test shows one.
    """

    null: float
    above: str
    below: str

    def meaning(self, estimate: Estimate | None) -> str:
        """The words for the side on which the estimate lies; empty if it lies on none."""
        if estimate is None or estimate.value is None or estimate.value == self.null:
            return ""
        return self.above if estimate.value > self.null else self.below


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One result in words and numbers. `outcome` is its id in the plan.

    An analysis gives `sentence` with the measure, its estimate and interval, and claims nothing:
    `verdicts.judged` adds the texts of `test` and `conclusion` if they are allowed.
    """

    outcome: str
    title: str
    sentence: str
    estimate: Estimate | None = None
    test: TestResult | None = None
    #: p after the plan's multiplicity rule, if it applies.
    p_adjusted: float | None = None
    hypothesis: str | None = None
    #: Which one, where the outcome is found for several: a condition, a type of clip, a pair of
    #: types.
    about: str = ""
    #: An equivalence test is reported together with the difference test of the same outcome.
    kind: Literal["estimate", "equivalence"] = "estimate"
    #: Whether the declared criterion is met; None if it is undefined, not declared, or not to be
    #: judged yet.
    supported: bool | None = None
    #: What follows by a published rule; said only where collecting has ended as declared.
    conclusion: str = ""
    #: The meaning of a difference on either side, added to a test that shows one.
    direction: Direction | None = None
    #: The stimuli that verdicts are limited to, such as `these six clips`; empty: they speak of
    #: other stimuli, too, or of none.
    scope: str = ""
    #: The declared role of the outcome; None: not at all.
    rank: Rank | None = None
    #: Set by `verdicts.judged`.
    status: Status = "exploratory"

    def _repr_html_(self) -> str:
        return html_title(self.title) + html_lines([f"{self.sentence} ({self.status})"])


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedHypothesis:
    """A declared hypothesis and what became of it: one row of the summary, whether there is a
    result or not.

    unit      the unit of the estimates: a share of trials, Pearson's r, points on a scale
    findings  the results it speaks of; none where the data give none
    verdict   in words: met, not met, or why it cannot be judged
    """

    id: str
    text: str
    title: str
    unit: str
    rank: Rank
    status: Status
    criterion: str
    findings: tuple[Finding, ...]
    supported: bool | None
    verdict: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the report, in order: paragraphs, findings, tables, charts."""

    name: str
    title: str
    paragraphs: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    status: Status = "descriptive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """One exclusion: a row with a reason. `level` is the kind of rows left out: a session, a trial,
    an answer.
    """

    session: str
    level: Literal["session", "trial", "answer", "trace"]
    reason: str
    detail: str = ""
    trial_key: str = ""
    question: str = ""
    #: The branch of the funnel, if it has branches.
    branch: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStep:
    """One step of the funnel: how many came in, how many are left.

    branch   a parallel branch, such as a tool whose traces are cleaned separately; empty: all
             sessions
    unit     the unit counted in a branch, such as traces; empty: sessions
    """

    title: str
    before: int
    after: int
    reason: str
    branch: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The origin of the numbers: everything that a reader needs to compute them again."""

    study: str
    protocol: str
    definition: str
    data: str
    plan: str
    seeds: Mapping[str, int]
    versions: Mapping[str, str]
    simulated: bool
    demonstration: bool
    #: Hash of the registered plan; empty if nothing was registered.
    registered: str = ""
    #: If the study changed while it ran: each definition with its number of sessions; `definition`
    #: is the one of most. Empty if results are blinded.
    definitions: Mapping[str, int] = field(default_factory=dict)

    @property
    def mark(self) -> str:
        """The same in a few words, for what leaves alone: a figure, a table. Empty for people and
        real stimuli.
        """
        words = (("Simulated data", self.simulated), ("Demonstration stimuli", self.demonstration))
        return " · ".join(word for word, holds in words if holds)

    @property
    def marks(self) -> tuple[str, ...]:
        """Warnings that every view of these numbers must show first, if they apply: no people, no
        real stimuli.
        """
        sentences = []
        if self.simulated:
            sentences.append(
                "These are simulated participants: the results say something about the method,"
                " nothing about people."
            )
        if self.demonstration:
            sentences.append(
                "Demonstration stimuli: made for demonstration, not the material of a study."
            )
        return tuple(sentences)


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Everything an analysis found."""

    title: str
    source: Source
    funnel: tuple[FlowStep, ...]
    drops: tuple[Drop, ...]
    sections: tuple[Section, ...]
    #: Every declared hypothesis, primary ones first.
    hypotheses: tuple[JudgedHypothesis, ...] = ()
    #: The unit of the estimates of each outcome.
    units: Mapping[str, str] = field(default_factory=dict)
    #: How the analysis differs from the registered plan.
    deviations: tuple[str, ...] = ()
    #: Paragraphs, with an empty line between them.
    methods: str = ""
    results: str = ""
    warnings: tuple[str, ...] = ()
    #: Published sources of the computations, as lines of a list of references, and as BibTeX.
    sources: tuple[str, ...] = ()
    bibtex: str = ""

    def _repr_html_(self) -> str:
        notes = (*self.source.marks, *self.warnings, *self.deviations)
        steps = [[step.title, step.after, step.reason] for step in self.funnel]
        claims = [[claim.id, claim.text, claim.status, claim.verdict] for claim in self.hypotheses]
        found = [[finding.status, finding.sentence] for finding in self.findings]
        parts: list[tuple[list[str], list[list[Any]]]] = [
            (["analysed", "n", "reason"], steps),
            (["hypothesis", "text", "status", "verdict"], claims),
            (["status", "result"], found),
        ]
        tables = "".join(html_table(header, rows) for header, rows in parts if rows)
        return html_title(self.title) + html_lines(notes) + tables

    def table(self, name: str) -> Table:
        """Return the table of this name."""
        by_name = {table.name: table for table in self.tables}
        if name not in by_name:
            raise NotFound(
                f"analysis: there is no table {name!r}. {did_you_mean(name, list(by_name))}"
            )
        return by_name[name]

    @property
    def tables(self) -> tuple[Table, ...]:
        return tuple(table for section in self.sections for table in section.tables)

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(finding for section in self.sections for finding in section.findings)


@dataclass(frozen=True, slots=True)
class Undefined:
    """A cell without a value, and why."""

    reason: str


LOOSE_CELL = Cell | Undefined
#: Why an interval has no bounds to print.
UNBOUNDED = "too little data for a bounded interval"


def table(
    name: str,
    title: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[Any]],
    *,
    note: str = "",
    status: Status = "descriptive",
    marked: Iterable[tuple[int, str]] = (),
    data_only: bool = False,
) -> Table:
    """A table from rows whose cells may be `Undefined` or numpy values."""
    undefined: dict[tuple[int, str], str] = {}
    cell_rows = []
    for place, row in enumerate(rows):
        cells: list[Cell] = []
        for column, cell in zip(columns, row, strict=True):
            if isinstance(cell, Undefined):
                undefined[place, column.name] = cell.reason
            cells.append(_plain(cell))
        cell_rows.append(tuple(cells))
    return Table(
        name=name,
        title=title,
        columns=tuple(columns),
        rows=tuple(cell_rows),
        note=note,
        status=status,
        undefined=undefined,
        marked=frozenset(marked),
        data_only=data_only,
    )


def estimate_columns(
    name: str, title: str, *, digits: int = 2, about: str = ""
) -> tuple[Column, ...]:
    """Columns for a value and its bounds: `name`, `name_low`, `name_high`."""
    return (
        Column(name=name, title=title, form="number", digits=digits, about=about),
        Column(
            name=f"{name}_low",
            title="low",
            form="number",
            digits=digits,
            about=f"lower bound of {name}",
        ),
        Column(
            name=f"{name}_high",
            title="high",
            form="number",
            digits=digits,
            about=f"upper bound of {name}",
        ),
    )


def estimate_cells(estimate: Estimate) -> tuple[LOOSE_CELL, LOOSE_CELL, LOOSE_CELL]:
    """Value and bounds, each with the reason if there is none."""
    why = Undefined(estimate.reason or "")
    unbounded = (
        estimate.low is not None
        and estimate.high is not None
        and np.isinf([estimate.low, estimate.high]).all()
    )
    if unbounded:
        bounds: tuple[LOOSE_CELL, LOOSE_CELL] = (Undefined(UNBOUNDED), Undefined(UNBOUNDED))
    else:
        bounds = (why, why) if estimate.low is None else (estimate.low, estimate.high)
    return (why if estimate.value is None else estimate.value, *bounds)


def with_reason(reason: str | None, *cells: Cell) -> tuple[LOOSE_CELL, ...]:
    """These cells, with the reason if there is no value."""
    return tuple(Undefined(reason or "undefined") if cell is None else cell for cell in cells)


def tested_cells(test: TestResult) -> tuple[LOOSE_CELL, ...]:
    """The estimate of a test, its bounds and p, each with the reason if there is none."""
    estimate = test.estimate
    if estimate is None:
        return with_reason(test.reason, None, None, None, test.p_value)
    return with_reason(
        test.reason or estimate.reason, estimate.value, estimate.low, estimate.high, test.p_value
    )


def number_or(value: float | None, reason: str) -> LOOSE_CELL:
    return Undefined(reason) if value is None or value != value else float(value)


def _plain(cell: Any) -> Cell:
    if isinstance(cell, Undefined):
        return None
    plain = cell.item() if isinstance(cell, np.generic) else cell
    return None if isinstance(plain, float) and plain != plain else plain
