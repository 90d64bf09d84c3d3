"""The gallery as an application: the participants' own pages and scripts, with a page around each exhibit."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from believable.web import app as believable_app
from believable.web.gallery.routes import router
from believable.web.gallery.stage import Stage
from believable.web.settings import Settings


def create_app(folder: Path, base_url: str) -> FastAPI:
    """Everything it needs while it runs is kept below `folder`."""
    settings = Settings(data_dir=folder / "data", study_folders=(), base_url=base_url)
    app = believable_app.create_app(settings)
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with inner(app):
            stimuli = folder / "stimuli"
            stimuli.mkdir(parents=True, exist_ok=True)
            app.state.stage = Stage(app.state.collect, stimuli, settings.media_dir)
            yield

    app.router.lifespan_context = lifespan
    app.include_router(router)
    return app


def serve(host: str, port: int) -> None:
    """Serves until stopped, from a temporary folder that is then deleted."""
    with tempfile.TemporaryDirectory(prefix="believable-gallery-") as folder:
        app = create_app(Path(folder), f"http://{host}:{port}")
        uvicorn.run(app, host=host, port=port, access_log=False, server_header=False, log_level="warning")
