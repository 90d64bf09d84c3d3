"""How evenly arms and orders are filled, and the names of the planned trials. Pure functions of
study and groups.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from believable.store.monitor import SessionGroup
from believable.study.plan import Assignment, Cell, cell_count, cells, plan
from believable.study.records import Study

#: A design with more cells is shown by its arms and orders each on their own only.
CELLS_SHOWN = 96
#: Plans looked at to name the trials.
PLANS_COMPARED = 24


@dataclass(frozen=True, slots=True)
class Filling:
    """How many sessions hold a place: complete ones, and running ones that keep theirs reserved."""

    name: str
    complete: int
    reserved: int

    @property
    def places(self) -> int:
        return self.complete + self.reserved


@dataclass(frozen=True, slots=True)
class Margin:
    """One arm or one order, with its levels."""

    name: str
    levels: tuple[Filling, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """`cells` is empty when there is nothing to balance or too much to show; `most…` are the
    longest bars.
    """

    cells: tuple[Filling, ...]
    margins: tuple[Margin, ...]
    n_cells: int
    most: int
    most_in_cell: int


def balance(study: Study, groups: Iterable[SessionGroup]) -> Balance:
    complete: dict[Cell, int] = {}
    reserved: dict[Cell, int] = {}
    for group in groups:
        cell = Cell.of(json.loads(group.arms), json.loads(group.rows))
        if group.complete:
            complete[cell] = complete.get(cell, 0) + group.n_sessions
        elif group.state == "active" and group.reserved:
            reserved[cell] = reserved.get(cell, 0) + group.n_sessions
    n_cells = cell_count(study)
    shown = cells(study) if 1 < n_cells <= CELLS_SHOWN else ()
    by_cell = tuple(
        Filling(cell_name(cell), complete.get(cell, 0), reserved.get(cell, 0)) for cell in shown
    )
    margins = _margins(study, complete, reserved)
    levels = [level for margin in margins for level in margin.levels]
    return Balance(
        cells=by_cell,
        margins=margins,
        n_cells=n_cells,
        most=_most(levels),
        most_in_cell=_most(by_cell),
    )


def _most(bars: Sequence[Filling]) -> int:
    return max((bar.places for bar in bars), default=0)


def cell_name(cell: Cell) -> str:
    """`tool: btrace · pairs: order 2`."""
    parts = [f"{name}: {level}" for name, level in cell.arms]
    parts += [f"{block}: order {row + 1}" for block, row in cell.rows]
    return " · ".join(parts)


def _margins(
    study: Study, complete: dict[Cell, int], reserved: dict[Cell, int]
) -> tuple[Margin, ...]:
    rows: dict[tuple[str, int], None] = {}
    for cell in cells(study) if cell_count(study) <= 100_000 else ():
        rows |= dict.fromkeys(cell.rows)

    def filling(words: str, part: tuple[str, str | int]) -> Filling:
        counts = (
            sum(n for cell, n in held.items() if part in (*cell.arms, *cell.rows))
            for held in (complete, reserved)
        )
        return Filling(words, *counts)

    arms = {
        name: [filling(level, (name, level)) for level in study.arms[name]]
        for name in sorted(study.arms)
    }
    orders: dict[str, list[Filling]] = {}
    for block, row in rows:
        orders.setdefault(f"{block} (order)", []).append(filling(str(row + 1), (block, row)))
    return tuple(Margin(name, tuple(levels)) for name, levels in (*arms.items(), *orders.items()))


@dataclass(frozen=True, slots=True)
class TrialName:
    """The kinds and keys at one position, over all given plans."""

    kinds: tuple[str, ...]
    keys: tuple[str, ...]


def trial_names(study: Study) -> tuple[TrialName, ...]:
    """The planned trials by position. Where arms or orders differ, a position has several names."""
    names: list[tuple[dict[str, None], dict[str, None]]] = []
    for number, cell in enumerate(_some_cells(study)):
        for planned in plan(study, Assignment(dict(cell.arms), dict(cell.rows), number)):
            if planned.position == len(names):
                names.append(({}, {}))
            kinds, keys = names[planned.position]
            kinds[planned.trial.kind] = None
            keys[planned.key] = None
    return tuple(TrialName(tuple(kinds), tuple(keys)) for kinds, keys in names)


def _some_cells(study: Study) -> Sequence[Cell]:
    if cell_count(study) > 100_000:
        return (Cell.of({name: levels[0] for name, levels in study.arms.items()}, {}),)
    every = cells(study)
    step = max(1, len(every) // PLANS_COMPARED)
    return every[::step][:PLANS_COMPARED]
