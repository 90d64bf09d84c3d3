"""Live results: the report's parts during collection, blinded until a researcher decides otherwise,
which is logged.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import asdict
from pathlib import Path

import orjson
from markupsafe import Markup
from starlette.responses import FileResponse, RedirectResponse, Response

from believable.analysis import registered
from believable.analysis.media_versions import split_name
from believable.contracts.controls import Controls
from believable.contracts.registries import PLAYERS
from believable.contracts.texts import built_in
from believable.core.errors import InvalidInput, NotFound
from believable.report.colours import script_name, static, stylesheet
from believable.report.live_records import ReportRequest
from believable.stimuli.judging import shown_file
from believable.store import monitor, review, study_versions
from believable.store.audit_log import AuditEntry
from believable.store.studies import StudyRow
from believable.study.definition import Medium
from believable.study.load import STUDY_FILE
from believable.web.console.balance import balance
from believable.web.console.console_page import (
    RESEARCHERS,
    Console,
    ConsoleVisit,
    Route,
    pool_to_show,
)
from believable.web.console.guard import HEADERS, PATH
from believable.web.console.live_results import KeptResults, ResultsKey
from believable.web.console.studies_page import the_study
from believable.web.form_numbers import is_whole_number
from believable.web.participant.media_ranges import medium_response

POOLS = {"real": "Participants", "simulated": "Simulated"}
CODE_LIFE = "private, max-age=3600"


async def state_of(
    visit: ConsoleVisit, study: StudyRow, pool: str
) -> tuple[ResultsKey, str, AuditEntry | None]:
    """Which results are asked for, the fingerprint of their data and plan, and who unblinded
    them.
    """
    opened = await visit.read(lambda conn: review.first_unblinding(conn, study.id, pool))
    key = await visit.read(lambda conn: review.results_fingerprint(conn, study.id, pool))
    key += await asyncio.to_thread(_plan_fingerprint, visit.console.study_folders.get(study.id))
    return ResultsKey(study.id, pool, blinded=opened is None), key, opened


#: Results follow the plan in the one, and are compared with the other.
_PLAN_FILES = (Path(STUDY_FILE), Path(registered.FOLDER, registered.PLAN_FILE))


def _plan_fingerprint(folder: Path | None) -> str:
    """Another text whenever the plan or its registration may have changed."""
    if folder is None:
        return ""
    stats = [path.stat() if (path := folder / name).is_file() else None for name in _PLAN_FILES]
    return "".join(
        "-0" if stat is None else f"-{stat.st_mtime_ns:x}.{stat.st_size:x}" for stat in stats
    )


def wish_for(console: Console, about: ResultsKey) -> ReportRequest:
    address = console.store.database.url.render_as_string(hide_password=False)
    folder = console.study_folders.get(about.study)
    return ReportRequest(
        database=address,
        study=about.study,
        simulated=about.pool == "simulated",
        blinded=about.blinded,
        media_dir=str(console.media_dir),
        folder=None if folder is None else str(folder),
        script=str(script_file(console)),
        base=f"{PATH}/studies/{about.study}/watch/{about.pool}",
        drafts=str(console.drafts_dir),
    )


def script_file(console: Console) -> Path:
    return console.media_dir.parent / "cache" / script_name()


async def results_page(visit: ConsoleVisit) -> Response:
    study = await the_study(visit)
    pool = await pool_to_show(visit, study.id, POOLS)
    about, key, opened = await state_of(visit, study, pool)
    names = "blinded" if about.blinded else "unblinded"
    await visit.log_look(f"looked at the results of the {pool} sessions, {names}", study=study.id)
    definition = await visit.definition(study.definition)
    computing = visit.console.computing
    declared = definition.study.analysis is not None
    if declared:
        computing.ask(about, key, wish_for(visit.console, about), visit.now_ms)
    now_ms = visit.now_ms
    groups = await visit.read(lambda conn: monitor.groups(conn, study.id, pool, now_ms=now_ms))
    kept = computing.find(about)
    return visit.render(
        "results.html",
        study=study,
        pool=pool,
        pools=POOLS,
        declared=declared,
        demonstration=definition.study.demonstration,
        opened=opened,
        kept=kept,
        body=Markup(kept.live.html) if kept is not None else "",
        fresh=_fresh(kept, key),
        balance=asdict(balance(definition.study, groups)),
    )


async def as_json(visit: ConsoleVisit) -> Response:
    """Return whether there is anything newer than the page. Asking also starts computations that
    are due."""
    study = await the_study(visit)
    pool = await pool_to_show(visit, study.id, POOLS)
    about, key, _ = await state_of(visit, study, pool)
    computing = visit.console.computing
    definition = await visit.definition(study.definition)
    if definition.study.analysis is not None:
        computing.ask(about, key, wish_for(visit.console, about), visit.now_ms)
    kept = computing.find(about)
    state = {
        "key": None if kept is None else kept.key,
        "at_ms": None if kept is None else kept.at_ms,
        "fresh": _fresh(kept, key),
        "busy": computing.busy(about),
        "blinded": about.blinded,
    }
    return Response(orjson.dumps(state), media_type="application/json")


def _fresh(kept: KeptResults | None, key: str) -> bool:
    return kept is not None and kept.key == key


async def unblind(visit: ConsoleVisit) -> Response:
    """From here on the names are known; there is no way back."""
    study = await the_study(visit)
    pool = await pool_to_show(visit, study.id, POOLS)
    if visit.form.get("sure") != "yes":
        raise InvalidInput(
            "sure: expected a tick, got none. Tick the box if the results are to be unblinded."
        )
    opened = await visit.read(lambda conn: review.first_unblinding(conn, study.id, pool))
    if opened is None:
        await visit.change(
            lambda conn: None, review.unblinding(pool), study=study.id, kind="unblind"
        )
    return RedirectResponse(f"{PATH}/studies/{study.id}/results?pool={pool}", 303)


async def style(visit: ConsoleVisit) -> Response:
    return Response(stylesheet(), media_type="text/css", headers={"cache-control": CODE_LIFE})


async def script(visit: ConsoleVisit) -> Response:
    return Response(
        static("report.js"), media_type="text/javascript", headers={"cache-control": CODE_LIFE}
    )


async def library(visit: ConsoleVisit) -> Response:
    """The drawing library, as the first computation left it."""
    path = script_file(visit.console)
    if not path.is_file():
        raise NotFound("the drawing library is not there yet. It arrives with the first results.")
    return FileResponse(path, media_type="text/javascript", headers={"cache-control": CODE_LIFE})


# ----------------------------------------------------------------------------------------------
# watching a stimulus


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


async def watch_page(visit: ConsoleVisit) -> Response:
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
            key: text
            for key, text in built_in("en").items()
            if key.split(".")[0] in ("media", "replay")
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


async def watched_medium(visit: ConsoleVisit) -> Response:
    """The medium itself, without what participants never see."""
    medium = await _medium(visit, visit.path("stimulus"))
    folder = visit.console.media_dir
    path = await asyncio.to_thread(shown_file, folder, medium.digest, is_replay=medium.is_replay)
    return await medium_response(visit.request, path)


async def _medium(visit: ConsoleVisit, shown: str) -> Medium:
    """Behind a number while the results are blinded, else by its id."""
    study, pool = await the_study(visit), visit.path("pool")
    if pool not in POOLS:
        raise NotFound(f"there are no results of {pool[:20]!r}. Open the results of the study.")
    opened = await visit.read(lambda conn: review.first_unblinding(conn, study.id, pool))
    name, digest = split_name(shown)
    if opened is None:
        kept = visit.console.computing.find(ResultsKey(study.id, pool, blinded=True))
        name = "" if kept is None else kept.live.stimuli.get(name, "")
    versions = await visit.read(lambda conn: study_versions.study_versions(conn, study.id, pool))
    for hash_ in (study.definition, *(version.definition for version in versions)):
        medium = (await visit.definition(hash_)).media.get(name)
        if medium is not None and medium.digest.startswith(digest):
            return medium
    raise NotFound(
        f"there is no stimulus {shown[:64]!r} to watch. Open the results of the study again."
    )


def _at_ms(text: str) -> int:
    return int(text) if is_whole_number(text, least=0, most=10**11) else 0


ROUTES = (
    Route(
        method="GET",
        path="/studies/{study}/results",
        access=RESEARCHERS,
        answer=results_page,
        tab="Results",
    ),
    Route(
        method="GET",
        path="/studies/{study}/results.json",
        access=RESEARCHERS,
        answer=as_json,
        form="json",
    ),
    Route(method="POST", path="/studies/{study}/unblind", access=RESEARCHERS, answer=unblind),
    Route(method="GET", path="/results/report.css", access=RESEARCHERS, answer=style),
    Route(method="GET", path="/results/report.js", access=RESEARCHERS, answer=script),
    Route(method="GET", path="/results/library.js", access=RESEARCHERS, answer=library),
    Route(
        method="GET",
        path="/studies/{study}/watch/{pool}/{stimulus}",
        access=RESEARCHERS,
        answer=watch_page,
    ),
    Route(
        method="GET",
        path="/studies/{study}/watch/{pool}/{stimulus}/medium",
        access=RESEARCHERS,
        answer=watched_medium,
    ),
)
