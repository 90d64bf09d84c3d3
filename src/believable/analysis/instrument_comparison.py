"""Instruments compared with each other: do the records of one correlate with the records of another
about the same things?

A measure is a number per thing that a person judged (the mean of a trace, a rating, a flag rate),
or a choice between the first and the second. Any of the first kind is correlated with any other, in
the layout of the published table of traces and choices.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from believable.analysis.data import Data, TraceLine
from believable.analysis.findings import Cell, Column, Section, Table
from believable.analysis.layouts import Layouts
from believable.analysis.settled_plan import Plan
from believable.analysis.trace_windows import (
    CHOICES,
    TraceAnnotation,
    count_windows,
    cut_windows,
    tool_title,
    trace_tools,
)
from believable.analysis.viewed_actions import (
    Stretches,
    actions_by_stimulus,
    flags_by_page,
    judge_actions,
    stretches_by_page,
)
from believable.core.errors import InvalidInput
from believable.stats.correlations import pearson_with_choice, within_correlation
from believable.stats.inputs import FloatArray
from believable.stats.result import TestResult, no_result
from believable.study.kinds import kinds_on

LAYOUTS = Layouts(__file__)
#: Roles whose trials are tests or play, not things that are judged.
_NOT_JUDGED = frozenset({"visual", "auditory", "round"})
_TRACE_WORDS = {
    "mean": "trace: mean",
    "difference": "trace: H − L",
    "gradient": "trace: rises − falls",
}


#: A person and the place, from 1, of a thing in the order that the person met it.
Thing = tuple[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One number per person and thing. `title` is its name in tables, `instrument` the instrument
    that recorded it.
    """

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
class CorrelationRow:
    """A row of a table of correlations: its heading, and the test in each column (None: not looked
    at).
    """

    head: tuple[Cell, ...]
    tests: Mapping[str, TestResult]


def compare(measure: Measure, other: Measure | Choice, *, level: float = 0.95) -> TestResult:
    """Do the two go together, within people?

    With a choice: Pearson's r of first minus second with the choice. Two things each: r of both
    differences. More: the correlation within people. People who lack one of the two are left out.
    """
    if isinstance(other, Choice):
        people = [
            person for person in other.values if {(person, 1), (person, 2)} <= measure.values.keys()
        ]
        return pearson_with_choice(
            differences(measure, people),
            np.array([other.values[person] for person in people]),
            level=level,
        )
    things = [thing for thing in measure.values if thing in other.values]
    places = {place for _, place in things}
    if places <= {1, 2}:
        second = {person for person, place in things if place == 2}
        people = [person for person, place in things if place == 1 and person in second]
        return pearson_with_choice(
            differences(measure, people), differences(other, people), level=level
        )
    return within_correlation(
        [measure.values[thing] for thing in things],
        [other.values[thing] for thing in things],
        [person for person, _ in things],
        level=level,
    )


def differences(measure: Measure, people: Sequence[str]) -> FloatArray:
    """First minus second, for each of these people."""
    return np.array(
        [measure.values[person, 1] - measure.values[person, 2] for person in people], dtype=float
    )


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
        CorrelationRow(
            (measure.title,),
            {
                other.name: (
                    compare(measure, other, level=1 - alpha)
                    if measure.name != other.name
                    else no_result("a measure with itself", method="Pearson correlation", n=0)
                )
                for other in others
            },
        )
        for measure in measures
    ]
    head = (Column(name="measure", title="Measure"),)
    return correlations(
        name, title, head, rows, {other.name: other.title for other in others}, note=note
    )


def correlations(
    name: str,
    title: str,
    head: Sequence[Column],
    rows: Sequence[CorrelationRow],
    columns: Mapping[str, str],
    *,
    note: str = "",
) -> Table:
    """Correlations as a table: for each column r and p, the number of people once. None is marked:
    among many tests, some p are small by chance.

    `columns` maps the names of the tests to column names of the table.
    """
    cells: list[tuple[Cell, ...]] = []
    undefined: dict[tuple[int, str], str] = {}
    for number, row in enumerate(rows):
        if set(row.tests) != set(columns):
            raise InvalidInput(
                f"rows[{number}]: expected tests for {', '.join(columns)}, got"
                f" {', '.join(row.tests)}."
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
        cells.append(tuple(line))
    table_columns = [
        *head,
        Column(
            name="n",
            title="n",
            form="integer",
            about="People in the correlations of this row; the most where they differ.",
        ),
    ]
    for key, words in columns.items():
        table_columns += [
            Column(
                name=f"{key}_r",
                title=words,
                form="number",
                digits=3,
                about=f"Pearson's r with {words}.",
            ),
            Column(
                name=f"{key}_p",
                title="p",
                form="p",
                about=f"Two-sided p of the correlation with {words}.",
            ),
        ]
    return Table(
        name=name,
        title=title,
        columns=tuple(table_columns),
        rows=tuple(cells),
        note=note,
        undefined=undefined,
    )


def instruments_compared(data: Data, plan: Plan, rng: np.random.Generator) -> tuple[Section, ...]:
    """Every continuous measure with every other instrument's, within people; empty if there are
    fewer than two measures.
    """
    places = things(data, plan)
    measures = [*flag_measures(data, places), *answer_measures(data, places)]
    lines = _recorded_lines(data, places)
    if not measures and len({line.instrument for line in lines}) < 2:
        return ()
    measures = [*trace_measures(lines, places), *measures]
    tools = trace_tools()
    others: list[Measure | Choice] = [
        measure for measure in measures if _has_company(measure, measures)
    ]
    # How traces go with a choice is said by the protocol that asks for both, by its own windows:
    # one definition per number.
    if any(measure.instrument not in tools for measure in measures):
        others += choices(data)
    if not measures or not others:
        return ()
    comparison = table(
        "instruments",
        "Instruments compared with each other",
        measures,
        others,
        alpha=plan.alpha,
        note=(
            "Within people: differences between the first and the second thing where there are two,"
            " else deviations from each person's mean; with a choice, differences against 1"
            " (first), 0 (both or neither), −1 (second)."
        ),
    )
    return (LAYOUTS.section("instruments", tables=(comparison,)),)


def _has_company(measure: Measure, measures: Sequence[Measure]) -> bool:
    """Whether another instrument recorded something about the same things: a measure of one tool
    says little about itself.
    """
    return any(
        other.instrument != measure.instrument
        and len(measure.values.keys() & other.values.keys()) >= 3
        for other in measures
    )


def things(data: Data, plan: Plan) -> Mapping[tuple[str, int], Thing]:
    """Pages that showed something to judge, by session and position: who, and which in the person's
    own order.
    """
    trials = {
        name
        for role in plan.declaration.roles
        if role.of == "trial" and role.name not in _NOT_JUDGED
        for name in plan.roles[role.name]
    }
    table_ = data.table("trials")
    wanted = np.isin(table_["trial"].values.astype(str), list(trials)) & (
        table_["status"].values == "done"
    )
    pages = sorted(
        (str(table_["session"].values[row]), int(table_["position"].values[row]))
        for row in np.flatnonzero(wanted).tolist()
    )
    counts: dict[str, int] = defaultdict(int)
    thing_by_page: dict[tuple[str, int], Thing] = {}
    for session, position in pages:
        counts[session] += 1
        thing_by_page[session, position] = session, counts[session]
    return thing_by_page


def _recorded_lines(data: Data, places: Mapping[tuple[str, int], Thing]) -> list[TraceLine]:
    tools = trace_tools()
    return [
        line
        for line in data.traces()
        if (line.session, line.position) in places
        and line.instrument in tools
        and len(line.media_ms)
    ]


def trace_measures(
    recorded: Sequence[TraceLine], places: Mapping[tuple[str, int], Thing]
) -> list[Measure]:
    """Mean, high minus low and rises minus falls of each trace, per tool."""
    longest = max((float(line.media_ms.max()) for line in recorded), default=0.0)
    measures: list[Measure] = []
    for tool in trace_tools():
        mine = [line for line in recorded if line.instrument == tool]
        if not mine:
            continue
        traces, _ = cut_windows(
            [
                TraceAnnotation(
                    session=line.session,
                    trial_key=line.trial_key,
                    tool=tool,
                    place=places[line.session, line.position][1],
                    condition=line.condition or "",
                    stimulus=line.stimulus or "",
                    duration_ms=max(longest + 1, 3000.0),
                    media_ms=line.media_ms,
                    value=line.value,
                )
                for line in mine
            ]
        )
        numbers = count_windows(traces, 0.0, "mean")
        for name, words in _TRACE_WORDS.items():
            values = {
                places[line.session, line.position]: float(value)
                for line, value in zip(mine, numbers[name], strict=True)
            }
            measures.append(Measure(f"{tool}_{name}", f"{tool_title(tool)} {words}", values, tool))
    return measures


def flag_measures(data: Data, places: Mapping[tuple[str, int], Thing]) -> list[Measure]:
    """Flagged per 100 viewed actions, where flags were asked for and actions are known."""
    actions = actions_by_stimulus(data)
    flags, _ = flags_by_page(data)
    if not flags or not actions:
        return []
    played, _ = stretches_by_page(data)
    trials = data.table("trials")
    nothing = Stretches(np.empty(0), np.empty(0), np.empty(0))
    values: dict[Thing, float] = {}
    for session, position, stimulus in zip(
        trials["session"].values,
        trials["position"].values.tolist(),
        trials["stimulus"].values,
        strict=True,
    ):
        page = str(session), int(position)
        known = actions.get(str(stimulus))
        if page in places and known is not None:
            rate = judge_actions(known, played.get(page, nothing), flags.get(page, ())).rate
            if rate is not None:
                values[places[page]] = rate
    return (
        [Measure("flags_rate", "flags: per 100 viewed actions", values, "flags")] if values else []
    )


def answer_measures(data: Data, places: Mapping[tuple[str, int], Thing]) -> list[Measure]:
    """Every question on the same page that is answered with a number."""
    answers = data.table("answers")
    values_by_question: dict[tuple[str, str], dict[Thing, float]] = defaultdict(dict)
    number = answers["value_number"]
    rows = np.flatnonzero(
        ~number.missing
        & np.isin(answers["kind"].values.astype(str), list(kinds_on("ordinal", "interval")))
    )
    for row in rows.tolist():
        page = str(answers["session"].values[row]), int(answers["position"].values[row])
        if page in places and answers["player"].missing[row]:
            key = str(answers["question"].values[row]), str(answers["kind"].values[row])
            values_by_question[key][places[page]] = float(number.values[row])
    return [
        Measure(question, f"{kind}: {question}", values, question)
        for (question, kind), values in values_by_question.items()
    ]


def choices(data: Data) -> Sequence[Choice]:
    """The final choice between first and second, where the plan names one."""
    named = {role.name for role in data.plan.declaration.roles}
    if "preference" not in named or not data.has("preference"):
        return ()
    answers = dict(zip(data.sessions, data.text_by_session("preference"), strict=True))
    values = {
        session: float(CHOICES[answer]) for session, answer in answers.items() if answer in CHOICES
    }
    return (Choice("preference", "preference", values),) if values else ()
