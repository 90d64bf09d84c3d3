"""Taking the data away: the bundle of a study as one file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from believable.core.draft_folders import make_draft
from believable.core.errors import InvalidInput
from believable.core.processes import FunctionElsewhere, in_child
from believable.store import monitor
from believable.web.console.console_page import RESEARCHERS, ConsoleVisit, Route
from believable.web.console.studies_page import the_study
from believable.web.export_request import ExportRequest

POOLS = ("real", "simulated")
#: Needs the analyses, which the server does not load.
WRITE_ZIP = FunctionElsewhere("believable.web.export_worker", "write_zip")


async def page(visit: ConsoleVisit) -> Response:
    study = await the_study(visit)
    sizes = await visit.read(lambda conn: monitor.pool_sizes(conn, study.id))
    return visit.render("export.html", study=study, sizes=sizes)


async def download(visit: ConsoleVisit) -> Response:
    study, pool = await the_study(visit), visit.form.get("pool", "")
    if pool not in POOLS:
        raise InvalidInput(
            f"pool: expected real or simulated, got {pool[:20]!r}. Previews are never exported."
        )
    hashes = visit.form.get("recruiter_hashes") == "yes"
    draft = make_draft(visit.console.drafts_dir)
    try:
        database = visit.console.store.database.url.render_as_string(hide_password=False)
        source = visit.console.study_folders.get(study.id)
        wish = ExportRequest(
            database=database,
            study=study.id,
            simulated=pool == "simulated",
            recruiter_hashes=hashes,
            media_dir=visit.console.media_dir,
            folder=draft.path,
            study_folder=source,
        )
        async with visit.console.exporting:
            file: Path = await asyncio.to_thread(in_child, WRITE_ZIP, wish)
        with_hashes = " with recruiter hashes" if hashes else ""
        what = f"exported the {pool} sessions{with_hashes}"
        await visit.change(lambda conn: None, what, study=study.id, kind="export")
    except BaseException:
        draft.remove()
        raise
    return FileResponse(
        file,
        media_type="application/zip",
        filename=file.name,
        background=BackgroundTask(draft.remove),
    )


ROUTES = (
    Route(
        method="GET", path="/studies/{study}/export", access=RESEARCHERS, answer=page, tab="Export"
    ),
    Route(method="POST", path="/studies/{study}/export", access=RESEARCHERS, answer=download),
)
