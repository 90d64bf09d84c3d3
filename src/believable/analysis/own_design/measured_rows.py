"""The input of a measure: one row per judgement, with the person, the group and the judged
stimulus.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from believable.analysis.data import Data
from believable.stats.inputs import FloatArray
from believable.study.measures import BY_CONDITION, DeclaredMeasure
from believable.study.own_design import MeasureSource

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
ObjectArray = NDArray[np.object_]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRows:
    """One entry per judgement, in the order of the bundle.

    person     place of the session in `Data.sessions`
    group      condition of the judged stimulus, or level of the arm; None if there is none
    number     NaN if the answer is not a number; text None if it is not a text
    """

    person: IntArray
    group: ObjectArray
    stimulus: ObjectArray
    item: ObjectArray
    number: FloatArray
    text: ObjectArray

    def __len__(self) -> int:
        return len(self.person)

    def where(self, keep: BoolArray) -> MeasuredRows:
        return MeasuredRows(
            person=self.person[keep],
            group=self.group[keep],
            stimulus=self.stimulus[keep],
            item=self.item[keep],
            number=self.number[keep],
            text=self.text[keep],
        )

    def of(self, group: str) -> MeasuredRows:
        return self.where(self.group == group)

    def with_numbers(self, number: FloatArray) -> MeasuredRows:
        return replace(self, number=number)


def gather_answers(data: Data, measure: DeclaredMeasure, source: MeasureSource) -> MeasuredRows:
    """All answers to the measure's question. Parts of one answer are averaged if no part is named,
    without those that only check attention.
    """
    table = data.table("answers")
    keep = table["question"].values == source.question
    keep &= np.isin(table["trial"].values.astype(str), source.trials)
    if measure.item is not None:
        keep &= table["item"].values == measure.item
    elif source.attention:
        keep &= ~np.isin(table["item"].values.astype(str), source.attention)
    rows = np.flatnonzero(keep)
    person = data.code_of(table)[rows]
    columns = {
        name: table[name].values[rows]
        for name in ("condition", "stimulus", "item", "value_number", "value_text")
    }
    entries = MeasuredRows(
        person=person,
        group=groups(data, measure, person, columns["condition"]),
        stimulus=columns["stimulus"],
        item=columns["item"],
        number=columns["value_number"].astype(np.float64),
        text=columns["value_text"],
    )
    several = (
        source.shape == "numbers"
        and measure.item is None
        and any(item is not None for item in entries.item)
    )
    return (
        _average(entries, table["position"].values[rows], table["player"].values[rows])
        if several
        else entries
    )


def groups(
    data: Data, measure: DeclaredMeasure, person: IntArray, condition: ObjectArray
) -> ObjectArray:
    """The group of each row: the condition it is about, or the person's level of the arm."""
    return condition if measure.by == BY_CONDITION else data.arm(measure.by)[person]


def _average(entries: MeasuredRows, position: IntArray, player: IntArray) -> MeasuredRows:
    """One row per answer: the mean of its parts."""
    places: dict[tuple[int, int, int], list[int]] = {}
    for row, key in enumerate(
        zip(entries.person.tolist(), position.tolist(), player.tolist(), strict=True)
    ):
        places.setdefault(key, []).append(row)
    first = np.array([rows[0] for rows in places.values()], dtype=np.int64)
    means = [
        float(known.mean())
        if len(known := entries.number[rows][~np.isnan(entries.number[rows])])
        else np.nan
        for rows in places.values()
    ]
    return MeasuredRows(
        person=entries.person[first],
        group=entries.group[first],
        stimulus=entries.stimulus[first],
        item=np.full(len(first), None, dtype=object),
        number=np.array(means, dtype=np.float64),
        text=entries.text[first],
    )


def answers_as_yes(rows: MeasuredRows, yes: Sequence[str | int | float] | None) -> MeasuredRows:
    """1 where the answer is one of `yes`, else 0; without `yes` a tick counts. Open answers are
    left out.
    """
    open_answer = np.isnan(rows.number) & np.fromiter(
        (text is None for text in rows.text), np.bool_, len(rows)
    )
    known = rows.where(~open_answer)
    if yes is None:
        return known.with_numbers((known.number > 0).astype(np.float64))
    words = {str(value) for value in yes}
    values = [
        float(_written_text(number, text) in words)
        for number, text in zip(known.number.tolist(), known.text.tolist(), strict=True)
    ]
    return known.with_numbers(np.array(values, dtype=np.float64))


def _written_text(number: float, text: str | None) -> str:
    return text if text is not None else f"{number:g}"


def answers_as_words(rows: MeasuredRows) -> ObjectArray:
    """Each answer as it is written in the study file; None if it was left open."""
    words = np.empty(len(rows), dtype=object)
    words[:] = [
        None if text is None and np.isnan(number) else _written_text(number, text)
        for number, text in zip(rows.number.tolist(), rows.text.tolist(), strict=True)
    ]
    return words


def person_means(rows: MeasuredRows) -> tuple[IntArray, FloatArray]:
    """The people of these rows, sorted, and the mean of each."""
    people, codes = np.unique(rows.person, return_inverse=True)
    counts = np.bincount(codes, minlength=len(people))
    sums = np.bincount(codes, weights=rows.number, minlength=len(people))
    return people, sums / np.maximum(counts, 1)
