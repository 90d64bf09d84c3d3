"""What coders said and what was decided, read back for the desk, for agreement and for the final labels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, insert, select

from believable.coding.labels import Mark, as_json, from_json
from believable.coding.resolve import Coded, Final, Outcome, finals
from believable.core.errors import InvalidInput, NotFound
from believable.store.coding_projects import Project
from believable.store.tables import coding_marks, coding_outcomes
from believable.store.tables import coding_texts as texts_table

NOTE_CHARACTERS = 4_000


@dataclass(frozen=True, slots=True)
class StoredMark:
    """One coder's mark as it stands."""

    round: int
    coder: str
    number: int
    mark: Mark
    version: int
    suggested: bool
    review: bool
    at_ms: int


def marks(
    conn: Connection, project: str, *, round_number: int | None = None, coder: str | None = None
) -> tuple[StoredMark, ...]:
    """All marks of a project, or of one round or coder."""
    query = select(coding_marks).where(coding_marks.c.project == project)
    if round_number is not None:
        query = query.where(coding_marks.c.round == round_number)
    if coder is not None:
        query = query.where(coding_marks.c.coder == coder)
    order = (coding_marks.c.round, coding_marks.c.number, coding_marks.c.coder)
    return tuple(
        StoredMark(
            row.round, row.coder, row.number, from_json(json.loads(row.body)), row.version, bool(row.suggested),
            bool(row.review), row.at_ms,
        )
        for row in conn.execute(query.order_by(*order))
    )  # fmt: skip


def stamp(conn: Connection, project: str) -> tuple[int, int]:
    """Changes whenever a mark does: for pages that refresh themselves."""
    rows = conn.execute(
        select(coding_marks.c.at_ms, coding_marks.c.done).where(coding_marks.c.project == project)
    ).all()
    return len(rows), sum(row.at_ms + row.done for row in rows)


def decide(
    conn: Connection,
    project: str,
    *,
    round_number: int,
    number: int,
    how: Literal["adjudicated", "discussed"],
    mark: Mark,
    version: int,
    note: str,
    user: str,
    at_ms: int,
) -> None:
    """What holds where coders differ. A later decision replaces it without deleting it."""
    if len(note) > NOTE_CHARACTERS:
        raise InvalidInput(
            f"note: expected at most {NOTE_CHARACTERS} characters, got {len(note)}. Shorten it."
        )
    query = select(texts_table.c.session).where(
        texts_table.c.project == project, texts_table.c.number == number
    )
    row = conn.execute(query).one_or_none()
    if row is None:
        raise NotFound(f"text {number} is not there any more; its session may have been withdrawn.")
    conn.execute(
        insert(coding_outcomes).values(
            project=project,
            round=round_number,
            number=number,
            session=row.session,
            how=how,
            body=json.dumps(as_json(mark)),
            version=version,
            note=note.strip(),
            user=user,
            at_ms=at_ms,
        )
    )


def outcomes(conn: Connection, project: str) -> dict[int, tuple[Outcome, ...]]:
    """What was decided about each text, in order."""
    query = select(coding_outcomes).where(coding_outcomes.c.project == project).order_by(coding_outcomes.c.id)
    found: dict[int, list[Outcome]] = {}
    for row in conn.execute(query):
        made = Outcome(row.round, row.how, row.user, row.version, from_json(json.loads(row.body)), row.note)
        found.setdefault(row.number, []).append(made)
    return {number: tuple(given) for number, given in found.items()}


def coded(stored: tuple[StoredMark, ...]) -> Mapping[int, tuple[Coded, ...]]:
    found: dict[int, list[Coded]] = {}
    for one in stored:
        found.setdefault(one.number, []).append(Coded(one.round, one.coder, one.version, one.mark))
    return {number: tuple(given) for number, given in found.items()}


def final_labels(conn: Connection, project: Project) -> tuple[Final, ...]:
    """What holds, text by text, by the project's rule."""
    rule: Literal["none", "random_coder"] = "random_coder" if project.rule == "random_coder" else "none"
    given = coded(marks(conn, project.id))
    return finals(given, outcomes(conn, project.id), rule=rule, seed=project.seed)
