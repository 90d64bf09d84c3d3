"""A stimulus in the console, at a given moment: what people saw when they flagged it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from starlette.responses import Response

from believable.core.errors import NotFound
from believable.players import PLAYERS
from believable.stimuli.judging import Variant, judged_replay
from believable.store import results
from believable.study.catalogue import CATALOGUE
from believable.study.definition import Medium
from believable.study.records import Controls
from believable.web.console.computing import About
from believable.web.console.desk import RESEARCHERS, Page, Visit
from believable.web.console.guard import HEADERS, PATH
from believable.web.console.results import POOLS
from believable.web.console.studies import the_study
from believable.web.participant.media import medium_response

#: Researchers may do everything with the player.
CONTROLS = Controls(
    pause=True,
    seek=True,
    replay=True,
    must_finish=False,
    volume=True,
    speeds=(0.5, 1, 2, 4, 8),
    speed=1,
    zoom=True,
)
#: Begin a little earlier, so that one sees it coming.
LEAD_MS = 2_000
_POLICY = HEADERS["content-security-policy"] + "; media-src 'self' blob:"


async def page(visit: Visit) -> Response:
    study, pool, shown = await the_study(visit), visit.path("pool"), visit.path("stimulus")
    medium = await _medium(visit, shown)
    at_ms = _at_ms(visit.query("at_ms", "0"))
    player = PLAYERS["replay" if medium.is_replay else "video"]
    state = {
        "module": f"/static/players/{player.name}/{player.module}",
        "medium": f"{PATH}/studies/{study.id}/watch/{pool}/{shown}/medium",
        "replay": medium.is_replay,
        "policy": CONTROLS.model_dump(mode="json"),
        "texts": {
            key: text for key, text in CATALOGUE["en"].items() if key.split(".")[0] in ("media", "replay")
        },
        "at_ms": max(0, at_ms - LEAD_MS),
    }
    response = visit.render(
        "watch.html",
        study=study,
        pool=pool,
        shown=shown,
        at_ms=at_ms,
        style=f"/static/players/{player.name}/{player.style}",
        state=json.dumps(state).replace("<", "\\u003c"),
    )
    response.headers["content-security-policy"] = _POLICY
    return response


async def content(visit: Visit) -> Response:
    """The medium itself, without what participants never see."""
    medium = await _medium(visit, visit.path("stimulus"))
    folder = visit.console.media_dir
    path: Path = folder / medium.digest
    if medium.is_replay:
        path = await asyncio.to_thread(judged_replay, folder, medium.digest, Variant())
    return await medium_response(visit.request, path)


async def _medium(visit: Visit, shown: str) -> Medium:
    """Behind a number while the results are blinded, else by its id."""
    study, pool = await the_study(visit), visit.path("pool")
    if pool not in POOLS:
        raise NotFound(f"there are no results of {pool[:20]!r}. Open the results of the study.")
    opened = await visit.read(lambda conn: results.unblinded(conn, study.id, pool))
    name = shown
    if opened is None:
        kept = visit.console.computing.kept(About(study.id, pool, blinded=True))
        name = "" if kept is None else kept.live.stimuli.get(shown, "")
    definition = await visit.definition(study.definition)
    if name not in definition.media:
        raise NotFound(f"there is no stimulus {shown[:64]!r} to watch. Open the results of the study again.")
    return definition.media[name]


def _at_ms(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


PAGES = (
    Page("GET", "/studies/{study}/watch/{pool}/{stimulus}", RESEARCHERS, page),
    Page("GET", "/studies/{study}/watch/{pool}/{stimulus}/medium", RESEARCHERS, content),
)
