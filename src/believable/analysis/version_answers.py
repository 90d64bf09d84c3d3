"""What sessions answered, marked and flagged, as numbers per session: to compare the versions of a
study.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from believable.analysis.data import Data
from believable.analysis.settled_plan import Plan
from believable.stats.inputs import FloatArray
from believable.study.kinds import kinds_on


@dataclass(frozen=True, slots=True)
class SessionValues:
    """One quantity: `values` has a row for each session and a column for each cell, such as a
    condition; NaN if there is none. `is_share`: values are shares of answers.
    """

    title: str
    cells: tuple[str, ...]
    values: FloatArray
    is_share: bool = False


def session_values(data: Data, plan: Plan) -> tuple[SessionValues, ...]:
    """Answers that the plan rests on (numbers as means, choices as shares), mean traces, and flags
    per page.
    """
    return (*_answers(data, plan), *_traces(data), *_flags(data))


def _asked_pages(plan: Plan) -> set[str]:
    roles = [role.name for role in plan.declaration.roles if role.of == "question"]
    names = {name for role in roles for name in plan.roles[role]}
    return names | {
        measure.question
        for measure in plan.declared.measures.values()
        if measure.question is not None
    }


def _answers(data: Data, plan: Plan) -> tuple[SessionValues, ...]:
    if "judgements" not in data.bundle.tables:
        return ()
    wanted = _asked_pages(plan)
    numbers: dict[str, dict[tuple[int, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    choices: dict[str, dict[tuple[int, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    without_mean = {"consent", *kinds_on("text")}
    for row in data.table("judgements").rows():
        name = f"{row['trial']}.{row['question']}"
        if row["kind"] in without_mean or (name not in wanted and row["question"] not in wanted):
            continue
        code, value = data.codes[str(row["session"])], row["value_number"]
        item = f", {row['item']}" if row.get("item") else ""
        if row.get("chosen_condition") is not None:
            pair = "+".join(
                sorted(
                    [str(row["chosen_condition"]), *str(row["other_conditions"] or "").split("+")]
                )
            )
            choices[name][code, f"{pair}{item}"].append(str(row["chosen_condition"]))
        elif value is not None:
            numbers[name][code, f"{row['condition'] or 'all'}{item}"].append(float(value))
        elif row["value_text"] is not None:
            choices[name][code, f"{row['condition'] or 'all'}{item}"].append(str(row["value_text"]))
    found = [_means(data, name, entries) for name, entries in numbers.items()]
    return (*found, *(_shares(data, name, entries) for name, entries in choices.items()))


def _means(data: Data, title: str, entries: Mapping[tuple[int, str], list[float]]) -> SessionValues:
    cells = tuple(sorted({cell for _, cell in entries}))
    values = np.full((len(data), len(cells)), np.nan)
    for (code, cell), each in entries.items():
        values[code, cells.index(cell)] = float(np.mean(each))
    return SessionValues(title, cells, values)


def _shares(data: Data, title: str, entries: Mapping[tuple[int, str], list[str]]) -> SessionValues:
    options: dict[str, set[str]] = defaultdict(set)
    for (_, cell), each in entries.items():
        options[cell] |= set(each)
    cells = tuple((cell, option) for cell in sorted(options) for option in sorted(options[cell]))
    values = np.full((len(data), len(cells)), np.nan)
    for (code, cell), each in entries.items():
        for column, (own, option) in enumerate(cells):
            if own == cell:
                values[code, column] = each.count(option) / len(each)
    return SessionValues(
        title, tuple(f"{cell}: {option}" for cell, option in cells), values, is_share=True
    )


def _traces(data: Data) -> tuple[SessionValues, ...]:
    if "traces" not in data.bundle.tables:
        return ()
    entries: dict[str, dict[tuple[int, str], list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in data.traces():
        if len(line.value):
            entries[f"{line.trial}, mean trace"][line.code, line.condition or "all"].append(
                float(np.mean(line.value))
            )
    return tuple(_means(data, title, found) for title, found in entries.items())


def _flags(data: Data) -> tuple[SessionValues, ...]:
    if "flags" not in data.bundle.tables or not len(data.table("flags")):
        return ()
    pages: dict[tuple[int, int], str] = {}
    for row in data.table("trials").rows():
        if row["status"] == "done" and row["stimulus"] is not None:
            pages[data.codes[str(row["session"])], int(row["position"] or 0)] = str(
                row["condition"] or "all"
            )
    flagged: dict[tuple[int, int], int] = defaultdict(int)
    for row in data.table("flags").rows():
        flagged[data.codes[str(row["session"])], int(row["position"] or 0)] += 1
    kinds = {position for _, position in flagged}
    entries: dict[tuple[int, str], list[float]] = defaultdict(list)
    for (code, position), condition in pages.items():
        if position in kinds:
            entries[code, condition].append(float(flagged.get((code, position), 0)))
    return (_means(data, "flags per page", entries),) if entries else ()
