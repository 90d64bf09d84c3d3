"""Media under per-session names: stable inside a session, unrelated to the file, to the stimulus and to other sessions."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path

from believable.collect.context import Context, standing
from believable.core.errors import NotFound
from believable.core.ids import opaque_name, token_hash
from believable.store.engine import Connection

#: Sessions whose names are kept in memory.
SESSIONS_KEPT = 2_000


def media_name(context: Context, session_id: str, stimulus_id: str) -> str:
    return opaque_name(context.key, session_id, stimulus_id)


def media_of(conn: Connection, context: Context, token: str) -> Mapping[str, Path]:
    """Name → file, for the stimuli that this session shows and no others."""
    here = standing(conn, context, token)
    shown = {planned.stimulus_id for planned in here.plan if planned.stimulus_id in here.definition.media}
    return {
        media_name(context, here.session.id, stimulus): context.media_dir
        / here.definition.media[stimulus].digest
        for stimulus in sorted(filter(None, shown))
    }


class MediaNames:
    """The names of the sessions that were asked for last: a video is fetched in many pieces."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, Mapping[str, Path]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, token: str) -> Mapping[str, Path] | None:
        with self._lock:
            return self._known.get(token_hash(token))

    def put(self, token: str, names: Mapping[str, Path]) -> None:
        with self._lock:
            self._known[token_hash(token)] = names
            while len(self._known) > SESSIONS_KEPT:
                self._known.popitem(last=False)

    def forget(self, token: str) -> None:
        with self._lock:
            self._known.pop(token_hash(token), None)


def chosen(names: Mapping[str, Path], name: str) -> Path:
    if name not in names:
        raise NotFound("this session has no medium with this name. Reload the page.")
    return names[name]
