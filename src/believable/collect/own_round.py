"""A participant's own round as the stimulus of a later page."""

from __future__ import annotations

from pathlib import Path

from believable.collect.context import Context, Standing, standing
from believable.collect.media import ShownMedium, media_name
from believable.collect.rounds import judged_name, video_name
from believable.store import blobs
from believable.store.engine import Connection
from believable.study.rounds import round_position


def shown_round(conn: Connection, context: Context, here: Standing) -> tuple[ShownMedium, ...]:
    """What the current page shows, where that is a round: a recording that lies in the database, not in a file."""
    session = here.session
    source = round_position(here.plan, session.position)
    if source is None:
        return ()
    name = _name(context, session.id, source, session.run)
    for player, stored in _forms(source, session.run):
        length = blobs.size(conn, session.id, stored)
        if length is not None:
            return (ShownMedium(player, name, Path(), length),)
    return ()


def round_content(conn: Connection, context: Context, token: str, name: str) -> bytes | None:
    """What is behind a session's name for one of its rounds; None where it is no such name."""
    here = standing(conn, context, token)
    session = here.session
    sources = {round_position(here.plan, position) for position in range(len(here.plan))}
    for source in sources:
        if source is not None and name == _name(context, session.id, source, session.run):
            bodies = (blobs.get(conn, session.id, stored) for _, stored in _forms(source, session.run))
            return next((body for body in bodies if body is not None), None)
    return None


def _forms(position: int, run: int) -> tuple[tuple[str, str], ...]:
    """Which player shows a round, and the name it is stored under; one of the two exists."""
    return ("replay", judged_name(position, run)), ("video", video_name(position, run))


def _name(context: Context, session_id: str, position: int, run: int) -> str:
    return media_name(context, session_id, "round", f"{position}-{run}")
