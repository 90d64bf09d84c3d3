"""Coding projects: the texts of a study (or imported ones), a codebook in versions, and how they are coded."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from believable.coding.labels import as_json, from_json
from believable.coding.versions import Policy, carried
from believable.core.errors import Conflict, InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.store.tables import coding_books, coding_marks, coding_projects, coding_tasks
from believable.study.codebook import Codebook

POOLS = ("real", "simulated", "imported")
RULES = ("none", "random_coder")


@dataclass(frozen=True, slots=True)
class Project:
    """`sources` are the texts it is about (`trial.question`, empty for all); `rule` is what settles open disagreements."""

    id: str
    study: str | None
    pool: str
    title: str
    sources: tuple[str, ...]
    seed: int
    suggestions: bool
    rule: str
    created_ms: int


@dataclass(frozen=True, slots=True)
class BookVersion:
    """A version of the codebook. `policies` say what became of labels of the codes it changed."""

    version: int
    book: Codebook
    policies: Mapping[str, Policy]
    note: str
    user: str
    at_ms: int


def create(conn: Connection, project: Project, book: Codebook, *, user: str) -> None:
    """A project with the first version of its codebook."""
    if conn.execute(select(coding_projects.c.id).where(coding_projects.c.id == project.id)).first():
        raise Conflict(f"there is a coding project {project.id!r} already. Open it, or choose another name.")
    if project.pool not in POOLS or project.rule not in RULES:
        raise InvalidInput(f"coding project: unknown pool {project.pool!r} or rule {project.rule!r}.")
    conn.execute(
        insert(coding_projects).values(
            id=project.id,
            study=project.study,
            pool=project.pool,
            title=project.title,
            sources=json.dumps(list(project.sources)),
            seed=project.seed,
            suggestions=project.suggestions,
            rule=project.rule,
            created_ms=project.created_ms,
        )
    )
    _put_book(conn, project.id, 1, book, {}, "first version", user, project.created_ms)


def get(conn: Connection, project: str) -> Project:
    row = conn.execute(select(coding_projects).where(coding_projects.c.id == project)).one_or_none()
    if row is None:
        known = conn.execute(select(coding_projects.c.id)).scalars()
        raise NotFound(f"there is no coding project {project[:80]!r}. {did_you_mean(project, known)}")
    return _project(row)


def every(conn: Connection) -> tuple[Project, ...]:
    rows = conn.execute(select(coding_projects).order_by(coding_projects.c.created_ms, coding_projects.c.id))
    return tuple(_project(row) for row in rows)


def of_study(conn: Connection, study: str, pool: str) -> tuple[Project, ...]:
    return tuple(one for one in every(conn) if one.study == study and one.pool == pool)


def of_coder(conn: Connection, coder: str) -> tuple[Project, ...]:
    """Those in which there is something for this coder."""
    given = set(
        conn.execute(select(coding_tasks.c.project).where(coding_tasks.c.coder == coder).distinct()).scalars()
    )
    return tuple(one for one in every(conn) if one.id in given)


def change(conn: Connection, project: str, *, suggestions: bool, rule: str) -> None:
    if rule not in RULES:
        raise InvalidInput(f"rule: expected one of {', '.join(RULES)}, got {rule[:20]!r}.")
    get(conn, project)
    conn.execute(
        update(coding_projects)
        .where(coding_projects.c.id == project)
        .values(suggestions=suggestions, rule=rule)
    )


# ---------------------------------------------------------------------------------------------- codebooks


def books(conn: Connection, project: str) -> tuple[BookVersion, ...]:
    """All versions, oldest first."""
    query = select(coding_books).where(coding_books.c.project == project).order_by(coding_books.c.version)
    return tuple(_version(row) for row in conn.execute(query))


def book(conn: Connection, project: str) -> BookVersion:
    """The version that holds now."""
    query = select(coding_books).where(coding_books.c.project == project)
    row = conn.execute(query.order_by(coding_books.c.version.desc()).limit(1)).one_or_none()
    if row is None:
        raise NotFound(f"there is no coding project {project[:80]!r}.")
    return _version(row)


def add_version(
    conn: Connection,
    project: str,
    book: Codebook,
    policies: Mapping[str, Policy],
    *,
    after: int,
    note: str,
    user: str,
    at_ms: int,
) -> int:
    """A new version; labels made before are kept, put up for review or taken off as `policies` say, per code.

    `after` is the version the editor started from: of two who edit at once, the second is told.
    """
    latest = conn.execute(
        select(func.max(coding_books.c.version)).where(coding_books.c.project == project)
    ).scalar()
    if latest != after:
        raise Conflict(
            f"somebody has made version {latest} of the codebook meanwhile. Open it and make your change again."
        )
    _put_book(conn, project, after + 1, book, policies, note, user, at_ms)
    if any(policy != "keep" for policy in policies.values()):
        _carry(conn, project, policies)
    return after + 1


def _carry(conn: Connection, project: str, policies: Mapping[str, Policy]) -> None:
    for row in conn.execute(select(coding_marks).where(coding_marks.c.project == project)).all():
        mark, review = carried(from_json(json.loads(row.body)), policies)
        if review:
            conn.execute(
                update(coding_marks)
                .where(
                    coding_marks.c.project == project,
                    coding_marks.c.round == row.round,
                    coding_marks.c.coder == row.coder,
                    coding_marks.c.number == row.number,
                )
                .values(body=json.dumps(as_json(mark)), done=mark.done, review=True)
            )


def affected(conn: Connection, project: str, codes: Sequence[str]) -> dict[str, int]:
    """How many labels there are of each code."""
    found = dict.fromkeys(codes, 0)
    for body in conn.execute(select(coding_marks.c.body).where(coding_marks.c.project == project)).scalars():
        for label in from_json(json.loads(body)).labels:
            if label.code in found:
                found[label.code] += 1
    return found


def _put_book(
    conn: Connection,
    project: str,
    version: int,
    book: Codebook,
    policies: Mapping[str, Policy],
    note: str,
    user: str,
    at_ms: int,
) -> None:
    conn.execute(
        insert(coding_books).values(
            project=project,
            version=version,
            body=json.dumps(book.model_dump(mode="json")),
            policies=json.dumps(dict(policies)),
            note=note,
            user=user,
            at_ms=at_ms,
        )
    )


def _project(row: Row[Any]) -> Project:
    values = dict(row._mapping)
    values["sources"] = tuple(json.loads(values["sources"]))
    values["suggestions"] = bool(values["suggestions"])
    return Project(**values)


def _version(row: Row[Any]) -> BookVersion:
    return BookVersion(
        row.version,
        Codebook.model_validate_json(row.body),
        json.loads(row.policies),
        row.note,
        row.user,
        row.at_ms,
    )
