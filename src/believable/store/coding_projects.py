"""Coding projects: a codebook in versions, and the texts, each once, under numbers that reveal
nothing.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, Table, func, insert, select, update

from believable.coding.labels import Policy, as_json, carry_over, from_json
from believable.coding.responses import Response
from believable.core import seeds
from believable.core.errors import Conflict, InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.store.tables.coding import (
    coding_books,
    coding_marks,
    coding_projects,
    coding_tasks,
    coding_texts,
)
from believable.study.codebook import Codebook

TEXT_POOLS = ("real", "simulated", "imported")
SETTLING_RULES = ("none", "random_coder")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodingProject:
    """`sources` are the texts it is about (`trial.question`, empty for all); `rule` is what settles
    open disagreements.
    """

    id: str
    study: str | None
    pool: str
    title: str
    sources: tuple[str, ...] = ()
    seed: int = field(default_factory=lambda: secrets.randbelow(2**53))
    suggestions: bool = False
    rule: str = "none"
    created_ms: int = 0


def project_name(text: str) -> str:
    """A name for addresses: letters, digits and hyphens.

    >>> project_name("Why, at all?")
    'why-at-all'
    """
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:64].strip("-")
    if not name:
        raise InvalidInput(f"title: expected some letters or digits, got {text[:40]!r}.")
    return name


#: The longest id that the database keeps.
ID_CHARACTERS = 64


def project_id(study: str | None, name: str) -> str:
    """The id of a project: its study and its name, so that no study can take a name away from
    another. Without a study, the name alone. The mark between them is in no id of a study and in no
    name.

    >>> project_id("pilot", "Why, at all?")
    'pilot~why-at-all'
    """
    if study is None:
        return project_name(name)
    whole = f"{study}~{project_name(name)}"
    if len(whole) <= ID_CHARACTERS:
        return whole
    digest = hashlib.sha256(whole.encode()).hexdigest()[:20]
    return f"{whole[: ID_CHARACTERS - 22]}~~{digest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BookVersion:
    """A version of the codebook. `policies` say what became of labels of the codes it changed."""

    version: int
    book: Codebook
    policies: Mapping[str, Policy]
    note: str
    user: str
    at_ms: int


def create_project(conn: Connection, project: CodingProject, book: Codebook, *, user: str) -> None:
    """A project with the first version of its codebook."""
    taken = (coding_projects.c.id == project.id) | (
        # Before ids named their study, they were made of the same words with a hyphen.
        (coding_projects.c.id == project.id.replace("~", "-"))
        & (coding_projects.c.study == project.study)
    )
    if known := conn.execute(select(coding_projects.c.id).where(taken)).scalar():
        raise Conflict(
            f"there is a coding project {known!r} already. Open it, or choose another name."
        )
    if project.pool not in TEXT_POOLS or project.rule not in SETTLING_RULES:
        raise InvalidInput(
            f"coding project: unknown pool {project.pool!r} or rule {project.rule!r}."
        )
    conn.execute(
        insert(coding_projects).values(asdict(project) | {"sources": json.dumps(project.sources)})
    )
    _put_book(
        conn,
        project.id,
        BookVersion(
            version=1,
            book=book,
            policies={},
            note="first version",
            user=user,
            at_ms=project.created_ms,
        ),
    )


def import_texts(
    conn: Connection,
    project: CodingProject,
    book: Codebook,
    responses: Sequence[Response],
    *,
    user: str,
) -> int:
    """A project with texts from a file."""
    create_project(conn, project, book, user=user)
    return put_texts(conn, project, [(response, ()) for response in responses])


def find_project(conn: Connection, project: str) -> CodingProject | None:
    row = conn.execute(select(coding_projects).where(coding_projects.c.id == project)).one_or_none()
    return None if row is None else _project(row)


def get_project(conn: Connection, project: str) -> CodingProject:
    known = find_project(conn, project)
    if known is None:
        names = conn.execute(select(coding_projects.c.id)).scalars()
        raise NotFound(
            f"there is no coding project {project[:80]!r}. {did_you_mean(project, names)}"
        )
    return known


def all_projects(conn: Connection) -> tuple[CodingProject, ...]:
    rows = conn.execute(
        select(coding_projects).order_by(coding_projects.c.created_ms, coding_projects.c.id)
    )
    return tuple(_project(row) for row in rows)


def projects_of_study(conn: Connection, study: str, pool: str) -> tuple[CodingProject, ...]:
    return tuple(
        project for project in all_projects(conn) if project.study == study and project.pool == pool
    )


def projects_of_coder(conn: Connection, coder: str) -> tuple[CodingProject, ...]:
    """Those in which there is something for this coder."""
    query = select(coding_tasks.c.project).where(coding_tasks.c.coder == coder).distinct()
    assigned = set(conn.execute(query).scalars())
    return tuple(project for project in all_projects(conn) if project.id in assigned)


def change_project(conn: Connection, project: str, *, suggestions: bool, rule: str) -> None:
    if rule not in SETTLING_RULES:
        raise InvalidInput(f"rule: expected one of {', '.join(SETTLING_RULES)}, got {rule[:20]!r}.")
    get_project(conn, project)
    conn.execute(
        update(coding_projects)
        .where(coding_projects.c.id == project)
        .values(suggestions=suggestions, rule=rule)
    )


# ----------------------------------------------------------------------------------------------
# codebooks


def books(conn: Connection, project: str) -> tuple[BookVersion, ...]:
    """All versions, oldest first."""
    query = (
        select(coding_books)
        .where(coding_books.c.project == project)
        .order_by(coding_books.c.version)
    )
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
    """A new version; labels made before are kept, put up for review or taken off as `policies` say,
    per code.

    `after` is the version the editor started from: of two who edit at once, the second gets an
    error.
    """
    latest = conn.execute(
        select(func.max(coding_books.c.version)).where(coding_books.c.project == project)
    ).scalar()
    if latest != after:
        raise Conflict(
            f"another person has made version {latest} of the codebook. Open it and make your"
            " change again."
        )
    _put_book(
        conn,
        project,
        BookVersion(
            version=after + 1, book=book, policies=policies, note=note, user=user, at_ms=at_ms
        ),
    )
    if any(policy != "keep" for policy in policies.values()):
        _carry(conn, project, policies)
    return after + 1


def _carry(conn: Connection, project: str, policies: Mapping[str, Policy]) -> None:
    for row in conn.execute(select(coding_marks).where(coding_marks.c.project == project)).all():
        mark, review = carry_over(from_json(json.loads(row.body)), policies)
        if review:
            this = (column == row._mapping[column] for column in coding_marks.primary_key)
            values = {"body": json.dumps(as_json(mark)), "done": mark.done, "review": True}
            conn.execute(update(coding_marks).where(*this).values(values))


def affected_labels(conn: Connection, project: str, codes: Sequence[str]) -> dict[str, int]:
    """How many labels there are of each code."""
    counts = dict.fromkeys(codes, 0)
    for body in conn.execute(
        select(coding_marks.c.body).where(coding_marks.c.project == project)
    ).scalars():
        for label in from_json(json.loads(body)).labels:
            if label.code in counts:
                counts[label.code] += 1
    return counts


def _put_book(conn: Connection, project: str, new: BookVersion) -> None:
    texts = {
        "body": json.dumps(new.book.model_dump(mode="json")),
        "policies": json.dumps(dict(new.policies)),
    }
    about = {"version": new.version, "note": new.note, "user": new.user, "at_ms": new.at_ms}
    conn.execute(insert(coding_books).values(project=project, **texts, **about))


def _project(row: Row[Any]) -> CodingProject:
    values = dict(row._mapping)
    values["sources"] = tuple(json.loads(values["sources"]))
    values["suggestions"] = bool(values["suggestions"])
    return CodingProject(**values)


def _version(row: Row[Any]) -> BookVersion:
    return BookVersion(
        version=row.version,
        book=Codebook.model_validate_json(row.body),
        policies=json.loads(row.policies),
        note=row.note,
        user=row.user,
        at_ms=row.at_ms,
    )


# ----------------------------------------------------------------------------------------------
# texts


#: Rows per statement.
CHUNK = 500


@dataclass(frozen=True, slots=True)
class TextMedium:
    """A medium that a text is about: which file, and whether it is a recording."""

    digest: str
    replay: bool


@dataclass(frozen=True, slots=True)
class CodedText:
    """A text under its number, with the media it is about."""

    number: int
    response: Response
    media: tuple[TextMedium, ...]


def put_texts(
    conn: Connection,
    project: CodingProject,
    responses: Sequence[tuple[Response, tuple[TextMedium, ...]]],
) -> int:
    """Numbers the texts that are new, in an order drawn by the project's seed."""
    there = set(
        conn.execute(
            select(coding_texts.c.place).where(coding_texts.c.project == project.id)
        ).scalars()
    )
    last = conn.execute(
        select(func.max(coding_texts.c.number)).where(coding_texts.c.project == project.id)
    ).scalar()
    fresh = {
        hashlib.sha256(json.dumps(response.place).encode()).hexdigest(): (response, media)
        for response, media in responses
    }
    new = sorted(place for place in fresh if place not in there)
    seeds.generator(project.seed, "order of texts", last or 0).shuffle(new)
    numbered = enumerate(new, start=(last or 0) + 1)
    rows = [_text_row(project.id, number, place, *fresh[place]) for number, place in numbered]
    insert_chunks(conn, coding_texts, rows)
    return len(rows)


def insert_chunks(conn: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    for start in range(0, len(rows), CHUNK):
        conn.execute(insert(table), rows[start : start + CHUNK])


def _text_row(
    project: str, number: int, place: str, response: Response, media: Sequence[TextMedium]
) -> dict[str, Any]:
    about = {
        name: value for name, value in asdict(response).items() if name not in ("text", "session")
    }
    about["media"] = [[medium.digest, medium.replay] for medium in media]
    row = {"project": project, "number": number, "session": response.session, "place": place}
    return row | {"text": response.text, "about": json.dumps(about)}


def texts(conn: Connection, project: str) -> dict[int, CodedText]:
    """All texts by number."""
    query = (
        select(coding_texts)
        .where(coding_texts.c.project == project)
        .order_by(coding_texts.c.number)
    )
    return {row.number: _text(row) for row in conn.execute(query)}


def text(conn: Connection, project: str, number: int) -> CodedText | None:
    query = select(coding_texts).where(
        coding_texts.c.project == project, coding_texts.c.number == number
    )
    row = conn.execute(query).one_or_none()
    return None if row is None else _text(row)


def words(conn: Connection, project: str) -> dict[int, str]:
    """The texts alone, by number."""
    query = select(coding_texts.c.number, coding_texts.c.text).where(
        coding_texts.c.project == project
    )
    return {row.number: row.text for row in conn.execute(query.order_by(coding_texts.c.number))}


def count_texts(conn: Connection, project: str) -> int:
    query = select(func.count()).select_from(coding_texts).where(coding_texts.c.project == project)
    return int(conn.execute(query).scalar_one())


def texts_stamp(conn: Connection, project: str) -> tuple[int, int]:
    """Changes whenever a text is added or removed."""
    query = select(func.count(), func.max(coding_texts.c.number)).where(
        coding_texts.c.project == project
    )
    row = conn.execute(query).one()
    return int(row[0]), int(row[1] or 0)


def _text(row: Row[Any]) -> CodedText:
    fields = json.loads(row.about)
    media = tuple(TextMedium(digest, bool(replay)) for digest, replay in fields.pop("media"))
    fields |= {"stimuli": tuple(fields["stimuli"]), "conditions": tuple(fields["conditions"])}
    return CodedText(row.number, Response(text=row.text, session=row.session, **fields), media)
