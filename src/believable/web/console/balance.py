"""How evenly arms and orders are filled, and what the planned trials are called. Pure functions of study and groups."""

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


@dataclass(frozen=True, slots=True)
class Balance:
    """`cells` is empty when there is nothing to balance or too much to show; `most…` are the longest bars."""

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
    by_cell = tuple(Filling(cell_name(cell), complete.get(cell, 0), reserved.get(cell, 0)) for cell in shown)
    margins = _margins(study, complete, reserved)
    levels = [level for margin in margins for level in margin.levels]
    return Balance(by_cell, margins, n_cells, _most(levels), _most(by_cell))


def _most(bars: Sequence[Filling]) -> int:
    return max((bar.places for bar in bars), default=0)


def cell_name(cell: Cell) -> str:
    """`tool: btrace · pairs: order 2`."""
    parts = [f"{name}: {level}" for name, level in cell.arms]
    parts += [f"{block}: order {row + 1}" for block, row in cell.rows]
    return " · ".join(parts)


def _margins(study: Study, complete: dict[Cell, int], reserved: dict[Cell, int]) -> tuple[Margin, ...]:
    levels: dict[tuple[str, str], list[str]] = {}
    for name in sorted(study.arms):
        levels["arm", name] = list(study.arms[name])
    if cell_count(study) <= 100_000:
        for cell in cells(study):
            for block, row in cell.rows:
                known = levels.setdefault(("order", block), [])
                if str(row) not in known:
                    known.append(str(row))
    return tuple(
        Margin(name if kind == "arm" else f"{name} (order)", _levels(kind, name, own, complete, reserved))
        for (kind, name), own in levels.items()
    )


def _levels(
    kind: str, name: str, levels: Sequence[str], complete: dict[Cell, int], reserved: dict[Cell, int]
) -> tuple[Filling, ...]:
    def total(counts: dict[Cell, int], level: str) -> int:
        return sum(n for cell, n in counts.items() if _level(cell, kind, name) == level)

    return tuple(
        Filling(level if kind == "arm" else str(int(level) + 1), total(complete, level), total(reserved, level))
        for level in levels
    )


def _level(cell: Cell, kind: str, name: str) -> str | None:
    if kind == "arm":
        return dict(cell.arms).get(name)
    row = dict(cell.rows).get(name)
    return None if row is None else str(row)


@dataclass(frozen=True, slots=True)
class TrialName:
    """What stands at one position of the plan, in all plans looked at: kinds and keys."""

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
