"""Files that were made for one session, such as the recording of a round. Deleted with it."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, insert, select

from believable.store.tables import blobs


def put(conn: Connection, session: str, name: str, media_type: str, body: bytes) -> None:
    """Keep a file; one of the same name is replaced."""
    conn.execute(delete(blobs).where(blobs.c.session == session, blobs.c.name == name))
    conn.execute(insert(blobs).values(session=session, name=name, media_type=media_type, body=body))


def get(conn: Connection, session: str, name: str) -> bytes | None:
    query = select(blobs.c.body).where(blobs.c.session == session, blobs.c.name == name)
    body = conn.execute(query).scalar_one_or_none()
    return None if body is None else bytes(body)


def size(conn: Connection, session: str, name: str) -> int | None:
    """Its length in bytes; None where there is none."""
    query = select(func.length(blobs.c.body)).where(blobs.c.session == session, blobs.c.name == name)
    found = conn.execute(query).scalar_one_or_none()
    return None if found is None else int(found)
