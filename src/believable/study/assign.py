"""Who gets which arm and which order: pure functions of the study, of how full each cell is, and of the session's number."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod

from believable.core.seeds import derive, generator
from believable.study.latin import row_count
from believable.study.levels import settings, unit_count
from believable.study.plan import Assignment
from believable.study.records import Block, Study

Factor = tuple[str, str | int]


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of arm levels and Latin-square rows; what is balanced."""

    arms: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, arms: Mapping[str, str], rows: Mapping[str, int]) -> Cell:
        return cls(tuple(sorted(arms.items())), tuple(sorted(rows.items())))


def latin_sizes(study: Study) -> dict[str, tuple[int, ...]]:
    """For each Latin-square block, the numbers of units it orders (more than one only where the enclosing blocks change it)."""
    sizes: dict[str, dict[int, None]] = {}
    for item, setting in settings(study, study.timeline):
        if isinstance(item, Block) and item.order == "latin_square":
            sizes.setdefault(item.id, {})[unit_count(study, item, setting)] = None
    return {block: tuple(found) for block, found in sizes.items()}


def cells(study: Study) -> tuple[Cell, ...]:
    """Every combination, in a fixed order."""
    arms = [[(name, level) for level in study.arms[name]] for name in sorted(study.arms)]
    sizes = latin_sizes(study)
    rows = [[(block, row) for row in range(row_count(sizes[block][0]))] for block in sorted(sizes)]
    return tuple(Cell(one, other) for one in itertools.product(*arms) for other in itertools.product(*rows))


def cell_count(study: Study) -> int:
    """`len(cells(study))` without making them."""
    return prod(map(len, study.arms.values())) * prod(
        row_count(found[0]) for found in latin_sizes(study).values()
    )


def choose(study: Study, filled: Mapping[Cell, int], number: int) -> Assignment:
    """The assignment of session `number`, given how many sessions count in each cell.

    Among the least filled cells, those whose arms and rows are least filled each on their own; among these the seed decides.
    """
    everything = cells(study)
    fewest = min(filled.get(cell, 0) for cell in everything)
    open_cells = [cell for cell in everything if filled.get(cell, 0) == fewest]
    marginal = _marginal(filled)
    loads = [sum(marginal.get(factor, 0) for factor in _factors(cell)) for cell in open_cells]
    least = min(loads)
    lightest = [cell for cell, load in zip(open_cells, loads, strict=True) if load == least]
    cell = generator(study.seed, "cell", number).choice(lightest)
    return Assignment(dict(cell.arms), dict(cell.rows), session_seed(study, number))


def session_seed(study: Study, number: int) -> int:
    """Below 2**63, so that any database keeps it."""
    return derive(study.seed, "session", number) >> 1


def _factors(cell: Cell) -> Iterator[Factor]:
    yield from cell.arms
    yield from cell.rows


def _marginal(filled: Mapping[Cell, int]) -> dict[Factor, int]:
    counts: dict[Factor, int] = {}
    for cell, count in filled.items():
        for factor in _factors(cell):
            counts[factor] = counts.get(factor, 0) + count
    return counts
