"""Trials the server has closed: done, skipped by a rule, or failed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from believable.store.tables import trials


@dataclass(frozen=True, slots=True)
class ClosedTrial:
    """`run` counts how often the session began again; `submit_seq` is the event with the accepted answers."""

    position: int
    run: int
    key: str
    status: str
    attempts: int
    submit_seq: int | None
    answers: Mapping[str, Any]
    opened_ms: int | None
    closed_ms: int


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
    found = []
    for row in conn.execute(query.order_by(trials.c.run, trials.c.position)):
        values = dict(row._mapping)
        del values["session"]
        found.append(ClosedTrial(**{**values, "answers": json.loads(values["answers"])}))
    return tuple(found)
