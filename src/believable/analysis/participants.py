"""Who took part: how far collecting is, how people are spread over arms and orders, how long it took."""

from __future__ import annotations

import numpy as np

from believable.analysis.data import Data
from believable.analysis.plan import Plan
from believable.analysis.records import Cell, Column, Section, Table
from believable.analysis.stopping import stopping
from believable.analysis.words import counted, fixed

_SPREAD = ("arm_", "order_")


def participants(data: Data, plan: Plan) -> Section:
    """The first section of every analysis."""
    kind = "simulated session" if data.simulated else "session"
    words = [f"{counted(len(data), kind)} analysed. {stopping(data, plan).words}"]
    duration = data.people["duration_ms"]
    known_min = duration.values[~duration.missing] / 60_000
    if len(known_min):
        low, middle, high = np.quantile(known_min, [0.25, 0.5, 0.75])
        words.append(
            f"A session took a median of {fixed(float(middle), 1)} minutes (quartiles {fixed(float(low), 1)} and"
            f" {fixed(float(high), 1)})."
        )
    spread = _spread(data)
    return Section("participants", "Participants", tuple(words), tables=(spread,) if spread.rows else ())


def _spread(data: Data) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name, column in data.people.columns.items():
        if not name.startswith(_SPREAD):
            continue
        kind, _, label = name.partition("_")
        levels, counts = np.unique(column.values[~column.missing].astype(str), return_counts=True)
        rows += [(kind, label, str(level), int(count)) for level, count in zip(levels, counts, strict=True)]
    return Table(
        "balance",
        "How sessions are spread over arms and orders, after exclusions",
        (
            Column(
                "kind", "Kind", about="arm: what differs between participants; order: row of a Latin square"
            ),
            Column("name", "Name"),
            Column("level", "Level"),
            Column("n", "Sessions", "integer"),
        ),
        tuple(rows),
    )
