"""How far coders agree: binary κ per code × direction, over (text, side) units pooled and per side;
α, prevalence, confusion.

A unit is a (text, side) for codes with a side, else a text; the two answers are "has the code" and
"has it not". Texts discarded by any of the coders are left out (and counted); whether coders agree
on discarding is a separate row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from believable.coding.labels import SIDES, Key, Mark, order
from believable.stats.agreement import cohen_kappa, krippendorff_alpha, percent_agreement
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.study.codebook import Codebook

#: The verdicts of a sample's coders: text → coder → verdict.
Marks: TypeAlias = Mapping[int, Mapping[str, Mark]]

DISCARD = "discard"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeAgreement:
    """Agreement on one code × direction. `side` is None for units pooled over sides (or for a code
    without sides).

    `prevalence` is the share of positive answers over all coders, `both`, `single` and `neither`
    count pairs of answers.
    """

    code: str
    direction: str | None
    side: str | None
    kappa: Estimate
    alpha: Estimate
    agreement: Estimate
    prevalence: float | None
    n_units: int
    both: int
    single: int
    neither: int


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often one coder had the first label where another had the second instead, on the same
    side of a text.
    """

    first: tuple[str, str | None]
    second: tuple[str, str | None]
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A text on which coders differ. `distance` is 1 - the shared part of all labels given (mean
    over pairs of coders).
    """

    number: int
    coders: tuple[str, ...]
    differing: tuple[Key, ...]
    discards_differ: bool
    uncertain: bool
    distance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CoderAgreement:
    """Of one sample. `average` is the mean of the κ that are defined; `undefined` counts the
    others.
    """

    coders: tuple[str, ...]
    n_texts: int
    n_usable: int
    rows: tuple[CodeAgreement, ...]
    by_side: tuple[CodeAgreement, ...]
    discarding: CodeAgreement | None
    average: float | None
    undefined: int
    identical: int
    confusions: tuple[Confusion, ...]
    disagreements: tuple[Disagreement, ...]


def agreement(book: Codebook, marks: Marks, *, level: float = 0.95) -> CoderAgreement:
    """All measures of a sample, from the texts that at least two coders are done with."""
    shared = {
        number: done
        for number, by_coder in sorted(marks.items())
        if len(done := {coder: mark for coder, mark in by_coder.items() if mark.done}) > 1
    }
    usable = {
        number: by_coder
        for number, by_coder in shared.items()
        if all(mark.discard is None for mark in by_coder.values())
    }
    coders = tuple(sorted({coder for by_coder in shared.values() for coder in by_coder}))
    rows = [
        _code(usable, coders, (code.id, direction), SIDES if code.side else (None,), None, level)
        for code in book.codes
        for direction in code.variants()
    ]
    by_side = [
        _code(usable, coders, (code.id, direction), (side,), side, level)
        for code in book.codes
        if code.side
        for direction in code.variants()
        for side in SIDES
    ]
    values = [row.kappa.value for row in rows if row.kappa.value is not None]
    return CoderAgreement(
        coders=coders,
        n_texts=len(shared),
        n_usable=len(usable),
        rows=tuple(rows),
        by_side=tuple(by_side),
        discarding=_discarding(shared, coders, level) if book.discards else None,
        average=sum(values) / len(values) if values else None,
        undefined=len(rows) - len(values),
        identical=sum(_same(list(by_coder.values())) for by_coder in shared.values()),
        confusions=confusions(usable),
        disagreements=disagreements(book, shared),
    )


def _same(marks: Sequence[Mark]) -> bool:
    return all(marks[0].same_as(other) for other in marks[1:])


#: One row per unit, one column per coder: 1 has it, 0 has it not, None did not code it.
Units: TypeAlias = list[list[int | None]]


def _code(
    usable: Marks,
    coders: Sequence[str],
    pair: tuple[str, str | None],
    sides: Sequence[str | None],
    side: str | None,
    level: float,
) -> CodeAgreement:
    units: Units = [
        [
            int((*pair, at) in by_coder[coder].keys) if coder in by_coder else None
            for coder in coders
        ]
        for by_coder in usable.values()
        for at in sides
    ]
    return _measure(*pair, side, units, level)


def _discarding(shared: Marks, coders: Sequence[str], level: float) -> CodeAgreement:
    units: Units = [
        [
            int(by_coder[coder].discard is not None) if coder in by_coder else None
            for coder in coders
        ]
        for by_coder in shared.values()
    ]
    return _measure(DISCARD, None, None, units, level)


def _measure(
    code: str, direction: str | None, side: str | None, units: Units, level: float
) -> CodeAgreement:
    answers = [answer for unit in units for answer in unit if answer is not None]
    pairs = [
        (a, b)
        for unit in units
        for a, b in combinations([answer for answer in unit if answer is not None], 2)
    ]
    counts = Counter(a + b for a, b in pairs)
    return CodeAgreement(
        code=code,
        direction=direction,
        side=side,
        kappa=_kappa(units, level),
        alpha=_alpha(units, level),
        agreement=_percent(units, level),
        prevalence=sum(answers) / len(answers) if answers else None,
        n_units=len(units),
        both=counts[2],
        single=counts[1],
        neither=counts[0],
    )


_NOTHING = "nothing was coded by two coders yet"


def _kappa(units: Units, level: float) -> Estimate:
    """Cohen's κ of two coders; of several, the mean over pairs of coders, without an interval."""
    n_coders = len(units[0]) if units else 0
    if n_coders < 2:
        return undefined(_NOTHING, method="cohen_kappa", n=0, level=level)
    kappas = []
    for a, b in combinations(range(n_coders), 2):
        both = [(unit[a], unit[b]) for unit in units if unit[a] is not None and unit[b] is not None]
        if both:
            kappas.append(
                _explain_undefined(
                    cohen_kappa([x for x, _ in both], [y for _, y in both], level=level), both
                )
            )
    if len(kappas) == 1:
        return kappas[0]
    values = [kappa.value for kappa in kappas if kappa.value is not None]
    method = "mean of Cohen's κ over pairs of coders"
    if not values:
        reason = kappas[0].reason or _NOTHING if kappas else _NOTHING
        return undefined(reason, method=method, n=len(units), level=level)
    return without_interval(
        sum(values) / len(values), "several coders", method=method, n=len(units), level=level
    )


def _explain_undefined(kappa: Estimate, pairs: Sequence[tuple[int | None, int | None]]) -> Estimate:
    """An undefined κ is reported with the reason instead of as 0."""
    if kappa.value is not None:
        return kappa
    never = all(a == b == 0 for a, b in pairs)
    words = "neither coder used the code" if never else "both coders used the code every time"
    reason = f"{words}: chance alone would give full agreement, so κ says nothing"
    return undefined(reason, method=kappa.method, n=kappa.n, level=kappa.level, notes=kappa.notes)


def _alpha(units: Units, level: float) -> Estimate:
    if not units or len(units[0]) < 2:
        return undefined(_NOTHING, method="krippendorff_alpha", n=0, level=level)
    answers = {answer for unit in units for answer in unit if answer is not None}
    if len(answers) < 2:
        return undefined(
            "all answers are the same", method="krippendorff_alpha", n=len(units), level=level
        )
    return krippendorff_alpha(units, "nominal", confidence=level)


def _percent(units: Units, level: float) -> Estimate:
    if not units or len(units[0]) < 2:
        return undefined(_NOTHING, method="percent_agreement", n=0, level=level)
    return percent_agreement(units, level=level)


def confusions(usable: Marks) -> tuple[Confusion, ...]:
    """Where one coder saw one thing and the other another: labels that only one of two has, on the
    same side, most frequent first.
    """
    confused: Counter[tuple[tuple[str, str | None], tuple[str, str | None]]] = Counter()
    for by_coder in usable.values():
        for a, b in combinations(by_coder.values(), 2):
            for code, direction, side in a.keys - b.keys:
                for other, turned, at in b.keys - a.keys:
                    if side == at:
                        first, second = sorted(((code, direction), (other, turned)), key=str)
                        confused[first, second] += 1
    ranked = sorted(confused.items(), key=lambda item: (-item[1], str(item[0])))
    return tuple(Confusion(first, second, count) for (first, second), count in ranked)


def disagreements(book: Codebook, shared: Marks) -> tuple[Disagreement, ...]:
    """The texts on which coders differ, worst first."""
    differing = []
    for number, by_coder in shared.items():
        marks = list(by_coder.values())
        if _same(marks):
            continue
        everything = frozenset[Key]().union(*(mark.keys for mark in marks))
        common = marks[0].keys.intersection(*(mark.keys for mark in marks[1:]))
        differing.append(
            Disagreement(
                number=number,
                coders=tuple(sorted(by_coder)),
                differing=tuple(order(book, everything - common)),
                discards_differ=len({mark.discard for mark in marks}) > 1,
                uncertain=any(mark.uncertain for mark in marks),
                distance=_distance(marks),
            )
        )
    return tuple(
        sorted(
            differing,
            key=lambda disagreement: (
                -disagreement.distance,
                -len(disagreement.differing),
                disagreement.number,
            ),
        )
    )


def _distance(marks: Sequence[Mark]) -> float:
    distances = []
    for a, b in combinations(marks, 2):
        if a.discard != b.discard:
            distances.append(1.0)
            continue
        union = a.keys | b.keys
        distances.append(1 - len(a.keys & b.keys) / len(union) if union else 0.0)
    return sum(distances) / len(distances)


# ---------------------------------------------------------------------------------------------- the
# table of the report


@dataclass(frozen=True, slots=True, kw_only=True)
class KappaRow:
    """A line of the table of κ per code × direction. The last one is the average, its `code`
    None.
    """

    code: str | None
    label: str
    direction: str | None
    agreement_sample: float | None
    overlap_sample: float | None
    why_undefined: tuple[str | None, str | None] = (None, None)


def kappa_table(
    book: Codebook, first: CoderAgreement | None, second: CoderAgreement | None
) -> tuple[KappaRow, ...]:
    """Code × direction against the agreement sample and the overlap sample, with averages: how the
    literature prints it.
    """

    def rows_of(measured: CoderAgreement | None) -> Mapping[tuple[str, str | None], CodeAgreement]:
        return {} if measured is None else {(row.code, row.direction): row for row in measured.rows}

    a, b = rows_of(first), rows_of(second)
    rows = []
    for code in book.codes:
        for direction in code.variants():
            pair = (code.id, direction)
            first_row, other = a.get(pair), b.get(pair)
            rows.append(
                KappaRow(
                    code=code.id,
                    label=code.label,
                    direction=direction,
                    agreement_sample=None if first_row is None else first_row.kappa.value,
                    overlap_sample=None if other is None else other.kappa.value,
                    why_undefined=(_why(first_row), _why(other)),
                )
            )
    average = KappaRow(
        code=None,
        label="Average",
        direction=None,
        agreement_sample=None if first is None else first.average,
        overlap_sample=None if second is None else second.average,
    )
    return (*rows, average)


def _why(row: CodeAgreement | None) -> str | None:
    return None if row is None or row.kappa.value is not None else row.kappa.reason


def by_sample(marks: Iterable[tuple[str, int, str, Mark]]) -> dict[str, dict[int, dict[str, Mark]]]:
    """(sample, text, coder, mark) → sample → text → coder → mark."""
    samples: dict[str, dict[int, dict[str, Mark]]] = {}
    for sample, number, coder, mark in marks:
        samples.setdefault(sample, {}).setdefault(number, {})[coder] = mark
    return samples
