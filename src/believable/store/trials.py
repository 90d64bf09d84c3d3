"""Trials the server has closed: done, skipped by a rule, or failed."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from believable.bundle.records import ClosedTrial
from believable.store.tables import trials


def close(conn: Connection, session: str, trial: ClosedTrial) -> None:
    conn.execute(
        insert(trials).values(
            session=session,
            position=trial.position,
            run=trial.run,
            key=trial.key,
            status=trial.status,
            attempts=trial.attempts,
            submit_seq=trial.submit_seq,
            answers=json.dumps(dict(trial.answers), allow_nan=False),
            opened_ms=trial.opened_ms,
            closed_ms=trial.closed_ms,
        )
    )


def of_session(conn: Connection, session: str, run: int | None = None) -> tuple[ClosedTrial, ...]:
    """In order of position; of one run, or of all."""
    query = select(trials).where(trials.c.session == session)
    if run is not None:
        query = query.where(trials.c.run == run)
    rows = conn.execute(query.order_by(trials.c.run, trials.c.position))
    return tuple(from_row(row) for row in rows)


def from_row(row: Row[Any]) -> ClosedTrial:
    values = {name: getattr(row, name) for name in ClosedTrial.__slots__}
    return ClosedTrial(**{**values, "answers": json.loads(row.answers)})
