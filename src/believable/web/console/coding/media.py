"""The stimuli that texts are about, for coders: under names that tell nothing, shown by the participants' players."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from believable.core.errors import NotFound
from believable.core.ids import opaque_name
from believable.players import PLAYERS
from believable.stimuli.judging import Variant, judged_replay
from believable.store import coding_texts
from believable.store.coding_projects import Project
from believable.store.coding_texts import CodedText, Shown
from believable.store.engine import Connection
from believable.study.catalogue import ENGLISH
from believable.web.console.coding.kept import Kept
from believable.web.console.desk import Console, Visit
from believable.web.console.guard import HEADERS, PATH

#: The console's policy, with media and drawings of the players.
MEDIA_POLICY = HEADERS["content-security-policy"].replace(
    "img-src 'self'", "img-src 'self' data:; media-src 'self' blob:"
)


def name_of(console: Console, project: str, shown: Shown) -> str:
    return opaque_name(console.key, f"coding {project}", shown.digest)


def media_json(
    visit: Visit, project: Project, texts: Iterable[CodedText]
) -> tuple[dict[str, Any], Mapping[str, str]]:
    """Names → player and address, each text's names in order, words for the controls; and the headers the page needs."""
    base = f"{PATH}/coding/{project.id}/media"
    sources: dict[str, dict[str, str]] = {}
    of_text: dict[int, list[str]] = {}
    for one in texts:
        for shown in one.media:
            name = name_of(visit.console, project.id, shown)
            player = "replay" if shown.replay else "video"
            sources[name] = {"player": player, "src": f"{base}/{name}"}
            of_text.setdefault(one.number, []).append(name)
    players = {one.name: f"/static/players/{one.name}/{one.module}" for one in PLAYERS}
    words = {key: text for key, text in ENGLISH.items() if key.startswith(("media.", "replay.", "button."))}
    found = {
        "sources": sources,
        "texts": of_text,
        "players": players,
        "styles": [f"/static/players/{one.name}/{one.style}" for one in PLAYERS] if sources else [],
        "words": words if sources else {},
    }
    return found, {"content-security-policy": MEDIA_POLICY}


#: Name → medium: a video is fetched in many pieces.
_NAMES: Kept[dict[str, Shown]] = Kept()


def _named(conn: Connection, console: Console, project: str) -> dict[str, Shown]:
    shown = {one for text in coding_texts.texts(conn, project).values() for one in text.media}
    return {name_of(console, project, one): one for one in shown}


async def path_of(visit: Visit, project: Project, name: str) -> Path:
    """The file behind a name, if this project shows it."""
    console = visit.console
    known = await visit.read(
        lambda conn: _NAMES.get(console.store, conn, project.id, lambda: _named(conn, console, project.id))
    )
    if name not in known:
        raise NotFound("this project has no medium with this name. Reload the page.")
    shown, folder = known[name], console.media_dir
    return judged_replay(folder, shown.digest, Variant()) if shown.replay else folder / shown.digest
