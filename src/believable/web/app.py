"""The web application: its parts, how it starts and stops, and how it is served."""

from __future__ import annotations

import asyncio
import gc
import gzip
import hashlib
import math
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any, Literal

import anyio
import uvicorn
from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from ruamel.yaml import YAML
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from believable import __version__
from believable.app.settings import (
    SETTINGS_VARIABLE,
    Progress,
    PublishedFolder,
    Settings,
    open_collect,
    publish_folders,
    quiet,
    study_id,
)
from believable.collect.context import load_key
from believable.core.clock import Clock, WallClock
from believable.core.draft_folders import sweep_drafts
from believable.core.ids import new_token
from believable.pages.message import TrialMessage
from believable.store.database import Synchronous
from believable.store.engine import LINGER_S, Store
from believable.web import participant, problems, start_page
from believable.web.bundles import ADDRESS, find_successor
from believable.web.connections import (
    RETRY_AFTER_S,
    LimitedConnection,
    connection_limit,
    raise_descriptor_limit,
)
from believable.web.console import Console, first_link
from believable.web.console import router as console_router
from believable.web.module_graph import WORLD_SCRIPTS, served_folders, world_folder
from believable.web.oidc_tokens import OidcClient, OidcProvider
from believable.web.participant.round_course import FilmRenderer, RoundServices
from believable.web.participant.round_room import RoundRoom
from believable.web.participant.round_writer import RoundWriter
from believable.web.participant.session import AdvanceAnswer, ClaimAnswer
from believable.web.problems import error_json
from believable.web.security import BodyLimit, SecurityHeaders

#: The loop takes turns with the writing thread; rounds at thirty steps a second cannot wait for the
#: usual 5 ms.
SWITCH_S = 0.001
#: Whether it can be stored is tried at most this often.
READY_S = 1.0
#: Balancers expect an answer within 2 s. If the database has stored nothing by then, the answer is
#: "no".
READY_PATIENCE_S = 1.5

#: Scripts and styles are served from their folders, always checked for a newer version, and nothing
#: else from there.

SERVED = frozenset({".js", ".map", ".css", ".svg", ".png", ".ico", ".woff2"})

__all__ = ["PublishedFolder", "Settings", "app_from_environment", "create_app", "prepare", "serve"]


class Health(BaseModel):
    """Whether the process lives: restart it when it does not say so."""

    status: Literal["ok"] = "ok"


async def health(request: Request) -> Health:
    """Answers as long as the process can."""
    return Health()


class Readiness:
    """Whether answers can be stored: a change reaches the disk through the writing thread,
    there is space, nothing is damaged. Any number of requests leads to one check a second.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._looking = asyncio.Lock()
        self._looked_s = -math.inf
        self._troubles: Mapping[str, str] = {}

    async def troubles(self) -> Mapping[str, str]:
        async with self._looking:
            if time.monotonic() - self._looked_s > READY_S:
                self._troubles = await self._store.atroubles(READY_PATIENCE_S)
                self._looked_s = time.monotonic()
            return self._troubles


async def ready(request: Request) -> Response:
    """200 while this server should get people, 503 with the reason while it should not. For
    balancers.
    """
    readiness: Readiness = request.app.state.readiness
    troubles = await readiness.troubles()
    if not troubles:
        return Response(b'{"status":"ready"}', media_type="application/json")
    reasons = "; ".join(f"{concerned}: {trouble}" for concerned, trouble in troubles.items())
    response = error_json(
        503,
        "not_ready",
        f"answers cannot be stored now. {reasons}.",
        "See the alarms in the console.",
    )
    response.headers["retry-after"] = str(RETRY_AFTER_S)
    return response


#: The password of this server at the provider where people may log in.
OIDC_SECRET_VARIABLE = "BELIEVABLE_OIDC_SECRET"


def oidc_client(settings: Settings) -> OidcClient | None:
    """The client of the provider that users log in with; None without one."""
    if settings.oidc_issuer is None:
        return None
    secret = os.environ.get(OIDC_SECRET_VARIABLE, "")
    return OidcClient(provider=OidcProvider(settings.oidc_issuer, settings.oidc_client, secret))


def create_app(
    settings: Settings,
    *,
    clock: Clock | None = None,
    new_id: Callable[[], str] = new_token,
    linger_s: float = LINGER_S,
    synchronous: Synchronous = "FULL",
    start: APIRouter = start_page.router,
) -> FastAPI:
    """The whole application. Its lifespan opens the store and publishes `settings.study_folders`.
    `start` has the root page.

    `linger_s` is how long a commit waits for others to join it; use 0 if one person acts at a time.
    `synchronous` other than `FULL` is for simulated people only: acknowledged events may be lost
    after a power cut. While it runs, `app.state` holds `store`, `collect`, `settings` and
    `published`.
    """
    wall = clock or WallClock()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        store, collect = open_collect(
            settings, clock=wall, new_id=new_id, linger_s=linger_s, synchronous=synchronous
        )
        # One thread at a time makes and rebuilds rounds, so that those being played wait for one at
        # most.
        rounds = ThreadPoolExecutor(1, thread_name_prefix="believable-rounds")
        try:
            app.state.store, app.state.collect, app.state.settings = store, collect, settings
            app.state.rounds = RoundServices(
                store=store,
                context=collect.context,
                executor=rounds,
                films=FilmRenderer(settings.drafts_dir),
                writer=RoundWriter(store),
                room=RoundRoom(settings.rounds_at_once),
            )
            app.state.readiness = Readiness(store)
            if not settings.published:
                sweep_drafts(settings.drafts_dir)
            app.state.published = () if settings.published else publish_folders(collect, settings)
            console = Console(
                store=store,
                collect=collect,
                clock=wall,
                key=load_key(settings.data_dir),
                base_url=settings.base_url,
                media_dir=settings.media_dir,
                drafts_dir=settings.drafts_dir,
                study_folders={
                    study_id(folder): folder.resolve() for folder in settings.study_folders
                },
                oidc=oidc_client(settings),
            )
            app.include_router(console_router(console))
            try:
                yield
            finally:
                await console.computing.close()
                await console.upkeep.close()
        finally:
            rounds.shutdown()
            store.close()

    app = participant.StudyServer(
        frame_ancestors=settings.frame_ancestors,
        secure=settings.secure,
        title="believable",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # the framework's redirects name the host that the browser sent
    )
    problems.install(app)
    app.add_middleware(BodyLimit)
    app.add_middleware(
        SecurityHeaders, frame_ancestors=settings.frame_ancestors, secure=settings.secure
    )
    app.add_api_route("/health", health)
    app.add_route("/ready", ready, methods=["GET"])
    app.include_router(start)
    app.include_router(participant.router)
    app.router.routes.append(Mount(WORLD_SCRIPTS, WorldFiles()))
    for address, folder in served_folders():
        app.router.routes.append(Mount(address, CodeFiles(directory=folder)))
    describe(app)
    return app


def app_from_environment() -> FastAPI:
    """The application of a worker process, which finds its settings in the environment."""
    sys.setswitchinterval(SWITCH_S)
    app = create_app(Settings.from_json(os.environ[SETTINGS_VARIABLE]))
    # Everything loaded by now stays for good: the collector need not look through it during rounds.
    gc.collect()
    gc.freeze()
    return app


def prepare(
    settings: Settings, progress: Progress = quiet
) -> tuple[Sequence[PublishedFolder], str | None]:
    """Publishes the studies once, before any worker starts: their links, and the one-time link of
    the first researcher.
    """
    clock = WallClock()
    store, collect = open_collect(settings, clock=clock, new_id=new_token)
    try:
        sweep_drafts(settings.drafts_dir)
        store.examine()
        return publish_folders(collect, settings, progress), first_link(
            store, clock=clock, base_url=settings.base_url
        )
    finally:
        store.close()


def serve(settings: Settings, host: str = "127.0.0.1", port: int = 8000, workers: int = 1) -> None:
    """Serves until stopped. The studies must have been published by `prepare`. Addresses of
    visitors are not logged.
    """
    os.environ[SETTINGS_VARIABLE] = replace(settings, published=True).to_json()
    most = connection_limit(raise_descriptor_limit(), settings.most_connections)
    uvicorn.run(
        "believable.web.app:app_from_environment",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        http=LimitedConnection,
        limit_concurrency=most,
        backlog=min(most, 4096),
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=",".join(settings.trusted_proxies),
        loop="auto",
        ws_per_message_deflate=False,  # thirty short messages a second gain nothing from it
        ws_max_size=64 * 1024,
        access_log=False,
        server_header=False,
        log_level="warning",
        timeout_graceful_shutdown=10,
        # A worker that does not answer in time is ended and begun again. On a busy machine it may
        # need longer than the usual 5 s to load its code, and would never get to the end of it.
        timeout_worker_healthcheck=60,
    )


#: How long a browser uses scripts and styles without asking again: from a landing page, which
#: fetches them, to a first page. A longer time could mix scripts of two versions of the server.
KEPT_S = 120
FOREVER = "max-age=31536000, immutable"


class CodeFiles(StaticFiles):
    """Static files of kinds a page may load. Python sources and templates in the same folder are
    not served.
    """

    async def get_response(self, path: str, scope: Scope) -> Response:
        suffix = PurePath(path).suffix
        if suffix not in SERVED:
            raise HTTPException(404)
        if successor := find_successor(f"/static/{path}"):
            return RedirectResponse(successor, headers={"cache-control": "no-store"})
        response = await super().get_response(path, scope)
        if suffix == ".js" and response.status_code == 200:
            full_path, stat = await anyio.to_thread.run_sync(self.lookup_path, path)
            assert stat is not None
            response = _script(Path(full_path), stat.st_mtime_ns, scope)
        named_by_content = f"/static/{path}".startswith(ADDRESS)
        response.headers["cache-control"] = FOREVER if named_by_content else f"max-age={KEPT_S}"
        return response


class WorldFiles(CodeFiles):
    """The same of worlds, each of which is loaded when a page asks for something of it."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        if (place := world_folder(path)) is None:
            return "", None
        folder, rest = place
        return CodeFiles(directory=folder, check_dir=False).lookup_path(rest)


def _script(path: Path, modified_ns: int, scope: Scope) -> Response:
    body, zipped = _read(path, modified_ns)
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    asked = dict(scope["headers"])
    headers = {"etag": tag, "vary": "accept-encoding"}
    if tag in asked.get(b"if-none-match", b"").decode("latin-1"):
        return Response(status_code=304, headers=headers)
    if b"gzip" in asked.get(b"accept-encoding", b""):
        return Response(
            zipped, media_type="text/javascript", headers={**headers, "content-encoding": "gzip"}
        )
    return Response(body, media_type="text/javascript", headers=headers)


@lru_cache(maxsize=256)
def _read(path: Path, modified_ns: int) -> tuple[bytes, bytes]:
    """A script plain and compressed, as most browsers ask for it."""
    body = path.read_bytes()
    return body, gzip.compress(body, mtime=0)


# ---------------------------------------------------------------------------------------------- the
# API, described

_API_PARTS = Path(__file__).with_name("api_description.yaml")


def describe(app: FastAPI) -> None:
    """Serves the description and makes it say which errors every operation can give."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = get_openapi(title=app.title, version=app.version, routes=app.routes)
            parts = YAML(typ="safe", pure=True).load(_API_PARTS)
            content = {"application/json": {"schema": parts["error"]}}
            errors = {
                status: {"description": words, "content": content}
                for status, words in parts["reasons"].items()
            }
            schema["paths"]["/s/{token}/events"] = parts["events"]
            _add_trial(schema)
            for operations in schema["paths"].values():
                for operation in operations.values():
                    operation["responses"] |= errors
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]

    @app.get("/openapi.json", include_in_schema=False)
    async def description() -> dict[str, Any]:
        return openapi()


def _add_trial(schema: dict[str, Any]) -> None:
    """The message of a trial is written by its own model, past the framework."""
    trial = TrialMessage.model_json_schema(
        mode="serialization", ref_template="#/components/schemas/{model}"
    )
    schema["components"]["schemas"] |= trial.pop("$defs") | {"TrialMessage": trial}
    _answers(schema["paths"]["/s/{token}/trial"]["get"], "TrialMessage")
    for step, answer in (("claim", ClaimAnswer), ("advance", AdvanceAnswer)):
        model = answer.model_json_schema(
            mode="serialization", ref_template="#/components/schemas/{model}"
        )
        schema["components"]["schemas"] |= model.pop("$defs") | {answer.__name__: model}
        _answers(schema["paths"][f"/s/{{token}}/{step}"]["post"], answer.__name__)


def _answers(operation: dict[str, Any], model: str) -> None:
    operation["responses"]["200"]["content"] = {
        "application/json": {"schema": {"$ref": f"#/components/schemas/{model}"}}
    }
