"""Taking the data away: the bundle of a study as one file."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from believable.bundle.folder import zip_folder
from believable.core.errors import InvalidInput
from believable.store import monitor
from believable.store.bundle_export import export
from believable.web.console.console_page import RESEARCHERS, Console, ConsoleVisit, Route
from believable.web.console.studies_page import the_study

POOLS = ("real", "simulated")


async def page(visit: ConsoleVisit) -> Response:
    study = await the_study(visit)
    sizes = await visit.read(lambda conn: monitor.pool_sizes(conn, study.id))
    return visit.render("export.html", study=study, sizes=sizes)


async def download(visit: ConsoleVisit) -> Response:
    study, pool = await the_study(visit), visit.form.get("pool", "")
    if pool not in POOLS:
        raise InvalidInput(f"pool: expected real or simulated, got {pool[:20]!r}. Previews are never exported.")
    hashes = visit.form.get("recruiter_hashes") == "yes"
    folder = Path(tempfile.mkdtemp(prefix="believable-export-"))
    try:
        async with visit.console.exporting:
            file = await asyncio.to_thread(_zipped, visit.console, study.id, pool, hashes, folder)
        with_hashes = " with recruiter hashes" if hashes else ""
        what = f"exported the {pool} sessions{with_hashes}"
        await visit.change(lambda conn: None, what, study=study.id, kind="export")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    cleaning = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
    return FileResponse(file, media_type="application/zip", filename=file.name, background=cleaning)


def _zipped(console: Console, study: str, pool: str, hashes: bool, folder: Path) -> Path:
    name = study if pool == "real" else f"{study}-{pool}"
    export(
        console.store,
        study,
        folder / name,
        kinds=console.kinds,
        simulated=pool == "simulated",
        with_recruiter_hashes=hashes,
        media_dir=console.media_dir,
    )
    target = folder / f"{name}.zip"
    zip_folder(folder / name, target)
    return target


ROUTES = (
    Route("GET", "/studies/{study}/export", RESEARCHERS, page, tab="Export"),
    Route("POST", "/studies/{study}/export", RESEARCHERS, download),
)
