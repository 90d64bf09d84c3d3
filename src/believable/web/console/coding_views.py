"""How the pages for coding find their project, count agreement, and show the stimuli under names
that reveal nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar
from weakref import WeakKeyDictionary

from believable.coding.coder_agreement import CoderAgreement, agreement, by_sample
from believable.coding.labels import Key
from believable.contracts.registries import PLAYERS
from believable.contracts.texts import built_in
from believable.core.errors import NotFound
from believable.core.ids import opaque_name
from believable.stimuli.judging import shown_file
from believable.store import coding_marks, coding_projects, coding_rounds
from believable.store.coding_projects import BookVersion, CodedText, CodingProject, TextMedium
from believable.store.engine import Connection, Store
from believable.study.codebook import Codebook
from believable.web.console.console_page import Console, ConsoleVisit
from believable.web.console.guard import HEADERS, PATH
from believable.web.form_numbers import whole_number


async def the_project(visit: ConsoleVisit) -> CodingProject:
    name = visit.path("project")
    return await visit.read(lambda conn: coding_projects.get_project(conn, name))


async def the_book(visit: ConsoleVisit, project: CodingProject) -> BookVersion:
    return await visit.read(lambda conn: coding_projects.book(conn, project.id))


def optional_whole(text: str, name: str) -> int | None:
    return None if not text.strip() else whole_number(text.strip(), name)


# ----------------------------------------------------------------------------------------------
# agreement


#: Samples in which several coders code the same texts, with their names.
SAMPLES = {"agreement": "Agreement sample", "overlap": "Overlap sample", "joint": "Joint coding"}


def round_agreement(
    conn: Connection, project: str, book: Codebook, number: int
) -> dict[str, CoderAgreement]:
    """Agreement in each sample of a round that two coders have begun."""
    samples = coding_rounds.samples(conn, project)
    stored = coding_marks.marks(conn, project, round_number=number)
    grouped = by_sample(
        (samples[mark.round, mark.number], mark.number, mark.coder, mark.mark)
        for mark in stored
        if (mark.round, mark.number) in samples
    )
    return {name: agreement(book, grouped[name]) for name in SAMPLES if name in grouped}


def averages(
    conn: Connection, project: str, book: Codebook
) -> dict[int, dict[str, CoderAgreement]]:
    """All rounds, for the overview: κ round by round shows whether refining helped."""
    return {
        round_.number: round_agreement(conn, project, book, round_.number)
        for round_ in coding_rounds.rounds(conn, project)
    }


def label_words(book: Codebook, key: Key) -> str:
    """`Smoothness of movement + · more human-like`."""
    code, direction, side = key
    label = book.by_id[code].label if code in book.by_id else code
    sign = {"+": " +", "-": " −", None: ""}[direction]
    return f"{label}{sign}" + (f" · {side}" if side else "")


# ----------------------------------------------------------------------------------------------
# cached views


T = TypeVar("T")


class ProjectCache(Generic[T]):
    """Recomputed if a text is added or removed: numbers are never reused, so count and latest
    number identify the set.
    """

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._kept: WeakKeyDictionary[Store, dict[str, tuple[tuple[int, int], T]]] = (
            WeakKeyDictionary()
        )

    def get(self, store: Store, conn: Connection, project: str, make: Callable[[], T]) -> T:
        of_store = self._kept.setdefault(store, {})
        stamp = coding_projects.texts_stamp(conn, project)
        kept = of_store.get(project)
        if kept is None or kept[0] != stamp:
            kept = of_store[project] = (stamp, make())
            while len(of_store) > self._most:
                of_store.pop(next(iter(of_store)))
        return kept[1]


# ----------------------------------------------------------------------------------------------
# stimuli


#: The console's policy, with media and drawings of the players.
MEDIA_POLICY = HEADERS["content-security-policy"].replace(
    "img-src 'self'", "img-src 'self' data:; media-src 'self' blob:"
)


def name_of(console: Console, project: str, shown: TextMedium) -> str:
    return opaque_name(console.key, f"coding {project}", shown.digest)


def media_json(
    visit: ConsoleVisit, project: CodingProject, texts: Iterable[CodedText]
) -> tuple[dict[str, Any], Mapping[str, str]]:
    """Names → player and address, each text's names in order, words for the controls; and the
    headers the page needs.
    """
    base = f"{PATH}/coding/{project.id}/media"
    sources: dict[str, dict[str, str]] = {}
    of_text: dict[int, list[str]] = {}
    for text in texts:
        for shown in text.media:
            name = name_of(visit.console, project.id, shown)
            player = "replay" if shown.replay else "video"
            sources[name] = {"player": player, "src": f"{base}/{name}"}
            of_text.setdefault(text.number, []).append(name)
    players = {player.name: f"/static/players/{player.name}/{player.module}" for player in PLAYERS}
    words = {
        key: text
        for key, text in built_in("en").items()
        if key.startswith(("media.", "replay.", "button."))
    }
    state = {
        "sources": sources,
        "texts": of_text,
        "players": players,
        "styles": [f"/static/players/{player.name}/{player.style}" for player in PLAYERS]
        if sources
        else [],
        "words": words if sources else {},
    }
    return state, {"content-security-policy": MEDIA_POLICY}


#: Name → medium: a video is fetched in many pieces.
_NAMES: ProjectCache[dict[str, TextMedium]] = ProjectCache()


def _text_media(conn: Connection, console: Console, project: str) -> dict[str, TextMedium]:
    shown = {
        medium for text in coding_projects.texts(conn, project).values() for medium in text.media
    }
    return {name_of(console, project, medium): medium for medium in shown}


async def path_of(visit: ConsoleVisit, project: CodingProject, name: str) -> Path:
    """The file behind a name, if this project shows it."""
    console = visit.console
    known = await visit.read(
        lambda conn: _NAMES.get(
            console.store, conn, project.id, lambda: _text_media(conn, console, project.id)
        )
    )
    if name not in known:
        raise NotFound("this project has no medium with this name. Reload the page.")
    shown = known[name]
    return await asyncio.to_thread(
        shown_file, console.media_dir, shown.digest, is_replay=shown.replay
    )
