"""Live results: the report's own parts while data come in, blinded until a researcher decides otherwise, which is logged."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import orjson
from markupsafe import Markup
from starlette.responses import FileResponse, RedirectResponse, Response

from believable.core.errors import InvalidInput, NotFound
from believable.report.live_records import Wish
from believable.report.page_files import script_name, static, stylesheet
from believable.store import monitor, results
from believable.store.audit import Entry
from believable.store.studies import StudyRow
from believable.web.console.balance import balance
from believable.web.console.computing import About, Kept
from believable.web.console.desk import RESEARCHERS, Console, Page, Visit
from believable.web.console.guard import PATH
from believable.web.console.pools import pool_to_show
from believable.web.console.studies import the_study
from believable.web.publish import study_id

POOLS = {"real": "Participants", "simulated": "Simulated"}
CODE_LIFE = "private, max-age=3600"


async def state_of(visit: Visit, study: StudyRow, pool: str) -> tuple[About, str, Entry | None]:
    """Which results are asked for, the fingerprint of their data, and who unblinded them."""
    opened = await visit.read(lambda conn: results.unblinded(conn, study.id, pool))
    key = await visit.read(lambda conn: results.fingerprint(conn, study.id, pool))
    return About(study.id, pool, blinded=opened is None), key, opened


def wish_for(console: Console, about: About) -> Wish:
    address = console.store.database.url.render_as_string(hide_password=False)
    return Wish(
        database=address,
        study=about.study,
        simulated=about.pool == "simulated",
        blinded=about.blinded,
        media_dir=str(console.media_dir),
        folder=study_folder(console, about.study),
        script=str(script_file(console)),
        base=f"{PATH}/studies/{about.study}/watch/{about.pool}",
    )


def study_folder(console: Console, study: str) -> str | None:
    """Where the registered plan lies: data are kept inside the study's folder unless a server says otherwise."""
    folder = console.media_dir.parent.parent
    return str(folder) if (folder / "study.yaml").is_file() and study_id(folder) == study else None


def script_file(console: Console) -> Path:
    return console.media_dir.parent / "cache" / script_name()


async def page(visit: Visit) -> Response:
    study = await the_study(visit)
    pool = await pool_to_show(visit, study.id, POOLS)
    about, key, opened = await state_of(visit, study, pool)
    definition = await visit.definition(study.definition)
    computing = visit.console.computing
    declared = definition.study.analysis is not None
    if declared:
        computing.ask(about, key, wish_for(visit.console, about), visit.now_ms)
    now_ms = visit.now_ms
    groups = await visit.read(lambda conn: monitor.groups(conn, study.id, pool, now_ms=now_ms))
    kept = computing.kept(about)
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


async def as_json(visit: Visit) -> Response:
    """Whether there is anything newer than what the page shows. Asking also starts what is due."""
    study = await the_study(visit)
    pool = await pool_to_show(visit, study.id, POOLS)
    about, key, _ = await state_of(visit, study, pool)
    computing = visit.console.computing
    definition = await visit.definition(study.definition)
    if definition.study.analysis is not None:
        computing.ask(about, key, wish_for(visit.console, about), visit.now_ms)
    kept = computing.kept(about)
    told = {
        "key": None if kept is None else kept.key,
        "at_ms": None if kept is None else kept.at_ms,
        "fresh": _fresh(kept, key),
        "busy": computing.busy(about),
        "blinded": about.blinded,
    }
    return Response(orjson.dumps(told), media_type="application/json")


def _fresh(kept: Kept | None, key: str) -> bool:
    return kept is not None and kept.key == key


async def unblind(visit: Visit) -> Response:
    """From here on the names are known; there is no way back."""
    study = await the_study(visit)
    pool = await pool_to_show(visit, study.id, POOLS)
    if visit.form.get("sure") != "yes":
        raise InvalidInput(
            "sure: expected a tick, got none. Tick the box if the results are to be unblinded."
        )
    opened = await visit.read(lambda conn: results.unblinded(conn, study.id, pool))
    if opened is None:
        await visit.change(lambda conn: None, results.unblinding(pool), study=study.id)
    return RedirectResponse(f"{PATH}/studies/{study.id}/results?pool={pool}", 303)


async def style(visit: Visit) -> Response:
    return Response(stylesheet(), media_type="text/css", headers={"cache-control": CODE_LIFE})


async def script(visit: Visit) -> Response:
    return Response(static("report.js"), media_type="text/javascript", headers={"cache-control": CODE_LIFE})


async def library(visit: Visit) -> Response:
    """The drawing library, as the first computation left it."""
    path = script_file(visit.console)
    if not path.is_file():
        raise NotFound("the drawing library is not there yet. It comes with the first results.")
    return FileResponse(path, media_type="text/javascript", headers={"cache-control": CODE_LIFE})


PAGES = (
    Page("GET", "/studies/{study}/results", RESEARCHERS, page),
    Page("GET", "/studies/{study}/results.json", RESEARCHERS, as_json, form="json"),
    Page("POST", "/studies/{study}/unblind", RESEARCHERS, unblind),
    Page("GET", "/results/report.css", RESEARCHERS, style),
    Page("GET", "/results/report.js", RESEARCHERS, script),
    Page("GET", "/results/library.js", RESEARCHERS, library),
)
