"""The web application: what it is made of, how it starts and stops, and how it is served."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace

import uvicorn
from fastapi import FastAPI
from starlette.routing import Mount

from believable import __version__
from believable.collect.desk import Collect
from believable.collect.secret import load_key
from believable.core.clock import Clock, WallClock
from believable.core.ids import new_token
from believable.instruments import INSTRUMENTS
from believable.instruments.tracing import FOLDER as TRACING
from believable.store.engine import LINGER_S, Store
from believable.web import health, participant, problems
from believable.web.console import Console, first_link
from believable.web.console import router as console_router
from believable.web.files import CodeFiles
from believable.web.openapi import describe
from believable.web.pages import STATIC
from believable.web.participant.scribe import Scribe
from believable.web.participant.studio import Studio
from believable.web.publish import Progress, Published, publish_folders, quiet
from believable.web.security import BodyLimit, SecurityHeaders
from believable.web.settings import SETTINGS_VARIABLE, Settings

#: The loop takes turns with the writing thread; rounds at thirty steps a second cannot wait for the usual 5 ms.
SWITCH_S = 0.001

__all__ = ["Published", "Settings", "app_from_environment", "create_app", "open_collect", "prepare", "serve"]


def open_collect(
    settings: Settings, *, clock: Clock, new_id: Callable[[], str], linger_s: float = LINGER_S
) -> tuple[Store, Collect]:
    """The store and the desk over it, as every process of a server opens them."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    store = Store.open(settings.url, clock=clock, linger_s=linger_s)
    collect = Collect(
        store,
        clock=clock,
        key=load_key(settings.data_dir),
        instruments=INSTRUMENTS,
        media_dir=settings.media_dir,
        new_id=new_id,
    )
    return store, collect


def create_app(
    settings: Settings,
    *,
    clock: Clock | None = None,
    new_id: Callable[[], str] = new_token,
    linger_s: float = LINGER_S,
) -> FastAPI:
    """The whole application. Its lifespan opens the store and publishes `settings.study_folders`.

    `linger_s` is how long a commit waits for others to join it: for nothing where one person acts at a time.
    While it runs, `app.state` holds `store`, `collect`, `settings` and `published`.
    """
    time = clock or WallClock()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store, collect = open_collect(settings, clock=time, new_id=new_id, linger_s=linger_s)
        # One thread at a time makes and rebuilds rounds, so that those being played wait for one at most.
        workshop = ThreadPoolExecutor(1, thread_name_prefix="believable-rounds")
        try:
            app.state.store, app.state.collect, app.state.settings = store, collect, settings
            app.state.workshop, app.state.studio, app.state.scribe = workshop, Studio(), Scribe(store)
            app.state.published = publish_folders(collect, settings)
            console = Console(
                store=store,
                collect=collect,
                clock=time,
                key=load_key(settings.data_dir),
                base_url=settings.base_url,
                instruments=INSTRUMENTS,
                media_dir=settings.media_dir,
            )
            app.include_router(console_router(console))
            try:
                yield
            finally:
                await console.computing.close()
        finally:
            workshop.shutdown()
            store.close()

    app = FastAPI(
        title="believable",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
    )
    problems.install(app)
    app.add_middleware(participant.EventsFirst)
    app.add_middleware(BodyLimit)
    app.add_middleware(SecurityHeaders, frame_ancestors=settings.frame_ancestors, secure=settings.secure)
    app.include_router(health.router)
    app.include_router(participant.router)
    participant.add_events_route(app)
    for one in INSTRUMENTS:
        app.router.routes.append(Mount(f"/static/instruments/{one.name}", CodeFiles(directory=one.folder)))
    app.router.routes.append(Mount("/static/instruments/tracing", CodeFiles(directory=TRACING)))
    app.router.routes.append(Mount("/static/players", CodeFiles(directory=participant.PLAYERS)))
    app.router.routes.append(Mount("/static", CodeFiles(directory=STATIC)))
    describe(app)
    return app


def app_from_environment() -> FastAPI:
    """The application of a worker process, which finds its settings in the environment."""
    sys.setswitchinterval(SWITCH_S)
    app = create_app(Settings.from_json(os.environ[SETTINGS_VARIABLE]))
    # What is loaded by now stays for good: the collector need not look through it while rounds are played.
    gc.collect()
    gc.freeze()
    return app


def prepare(settings: Settings, progress: Progress = quiet) -> tuple[Sequence[Published], str | None]:
    """Publishes the studies once, before any worker starts: their links, and the one-time link of the first researcher."""
    clock = WallClock()
    store, collect = open_collect(settings, clock=clock, new_id=new_token)
    try:
        return publish_folders(collect, settings, progress), first_link(
            store, clock=clock, base_url=settings.base_url
        )
    finally:
        store.close()


def serve(settings: Settings, host: str = "127.0.0.1", port: int = 8000, workers: int = 1) -> None:
    """Serves until stopped. The studies must have been published by `prepare`. Addresses of visitors are not logged."""
    os.environ[SETTINGS_VARIABLE] = replace(settings, study_folders=()).to_json()
    uvicorn.run(
        "believable.web.app:app_from_environment",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        http="httptools",
        loop="uvloop",
        ws_per_message_deflate=False,  # thirty short messages a second gain nothing from it
        ws_max_size=64 * 1024,
        access_log=False,
        server_header=False,
        log_level="warning",
        timeout_graceful_shutdown=10,
    )
