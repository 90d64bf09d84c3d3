"""The texts of a coding project: collected from sessions or imported, each once, under numbers that tell nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select

from believable.coding.responses import Response
from believable.core import seeds
from believable.store.coding_projects import Project
from believable.store.tables import coding_texts

#: Rows per statement.
CHUNK = 500


@dataclass(frozen=True, slots=True)
class Shown:
    """A medium that a text is about: which file, and whether it is a recording."""

    digest: str
    replay: bool


@dataclass(frozen=True, slots=True)
class CodedText:
    """A text under its number, with the media it is about."""

    number: int
    response: Response
    media: tuple[Shown, ...]


def put(conn: Connection, project: Project, found: Sequence[tuple[Response, tuple[Shown, ...]]]) -> int:
    """Numbers the texts that are new, in an order drawn by the project's seed."""
    there = set(
        conn.execute(select(coding_texts.c.place).where(coding_texts.c.project == project.id)).scalars()
    )
    last = conn.execute(
        select(func.max(coding_texts.c.number)).where(coding_texts.c.project == project.id)
    ).scalar()
    fresh = {_place(response): (response, media) for response, media in found}
    new = sorted(place for place in fresh if place not in there)
    seeds.generator(project.seed, "order of texts", last or 0).shuffle(new)
    rows = [
        _row(project.id, number, place, *fresh[place])
        for number, place in enumerate(new, start=(last or 0) + 1)
    ]
    for start in range(0, len(rows), CHUNK):
        conn.execute(insert(coding_texts), rows[start : start + CHUNK])
    return len(rows)


def _place(response: Response) -> str:
    return hashlib.sha256(json.dumps(response.place).encode()).hexdigest()


def _row(project: str, number: int, place: str, response: Response, media: Sequence[Shown]) -> dict[str, Any]:
    about = {name: value for name, value in asdict(response).items() if name not in ("text", "session")}
    about["media"] = [[one.digest, one.replay] for one in media]
    return {
        "project": project,
        "number": number,
        "session": response.session,
        "place": place,
        "text": response.text,
        "about": json.dumps(about),
    }


def texts(conn: Connection, project: str) -> dict[int, CodedText]:
    """All texts by number."""
    query = select(coding_texts).where(coding_texts.c.project == project).order_by(coding_texts.c.number)
    return {
        row.number: _text(row.number, row.session, row.text, json.loads(row.about))
        for row in conn.execute(query)
    }


def text(conn: Connection, project: str, number: int) -> CodedText | None:
    query = select(coding_texts).where(coding_texts.c.project == project, coding_texts.c.number == number)
    row = conn.execute(query).one_or_none()
    return None if row is None else _text(row.number, row.session, row.text, json.loads(row.about))


def words(conn: Connection, project: str) -> dict[int, str]:
    """The texts alone, by number."""
    query = select(coding_texts.c.number, coding_texts.c.text).where(coding_texts.c.project == project)
    return {row.number: row.text for row in conn.execute(query.order_by(coding_texts.c.number))}


def count(conn: Connection, project: str) -> int:
    query = select(func.count()).select_from(coding_texts).where(coding_texts.c.project == project)
    return int(conn.execute(query).scalar_one())


def stamp(conn: Connection, project: str) -> tuple[int, int]:
    """Changes whenever a text comes or goes."""
    query = select(func.count(), func.max(coding_texts.c.number)).where(coding_texts.c.project == project)
    row = conn.execute(query).one()
    return int(row[0]), int(row[1] or 0)


def _text(number: int, session: str | None, words: str, about: Mapping[str, Any]) -> CodedText:
    fields = {name: value for name, value in about.items() if name != "media"}
    fields |= {"stimuli": tuple(fields["stimuli"]), "conditions": tuple(fields["conditions"])}
    media = tuple(Shown(digest, bool(replay)) for digest, replay in about["media"])
    return CodedText(number, Response(text=words, session=session, **fields), media)
