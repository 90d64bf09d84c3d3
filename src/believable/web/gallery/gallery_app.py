"""The gallery as an application: the participants' own pages and scripts, with a page around each
example.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import anyio.to_thread
import uvicorn
from fastapi import APIRouter, FastAPI
from fastapi import Path as PathParameter
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from believable.app.settings import Settings
from believable.contracts.fields import keys, type_words
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.texts import LANGUAGES, built_in, choose_texts
from believable.core.errors import StudyError
from believable.web import app as believable_app
from believable.web.gallery.example_study import QUESTION, ExampleRequest, ExampleStudies
from believable.web.gallery.examples import EXAMPLES, Example, example
from believable.web.templating import markdown_line, page

router = APIRouter(include_in_schema=False)

Name = Annotated[str, PathParameter(max_length=64)]


class EventBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    kind: str
    data: dict[str, Any]


class MountBody(ExampleRequest):
    events: Annotated[list[EventBody], Field(default_factory=list)]


class AnswerBody(ExampleRequest):
    value: Any


class SimulateBody(ExampleRequest):
    seed: int = 0


@router.get("/")
async def to_overview() -> Response:
    return RedirectResponse("/gallery", 303)


@router.get("/gallery")
async def overview() -> Response:
    groups = [("Instruments", "instruments"), ("Players", "players"), ("Pages", "pages")]
    shown = [
        (
            title,
            [shown_example for shown_example in EXAMPLES.values() if shown_example.group == group],
        )
        for title, group in groups
    ]
    return page(
        "gallery/overview.html", groups=shown, examples=tuple(EXAMPLES.values()), current=None
    )


@router.get("/gallery/{group}/{name}")
async def one_example(request: Request, group: Name, name: Name) -> Response:
    shown = example(group, name)
    state = {
        "path": shown.path,
        "examples": shown.examples,
        "question": QUESTION,
        "annotates": shown.annotates,
        "texts": {
            language: {**_brought_texts(shown, language), **built_in(language)}
            for language in LANGUAGES
        },
        "declared": {event.kind: event.data for event in shown.events},
    }
    return page(
        "gallery/example.html",
        current=shown,
        examples=tuple(EXAMPLES.values()),
        fields=_fields(shown),
        line=markdown_line,
        languages=LANGUAGES,
        players=_studies(request).samples.names()
        if shown.n_stimuli and shown.group != "players"
        else (),
        state=Markup(json.dumps(state).replace("<", "\\u003c")),
    )


@router.post("/gallery/{group}/{name}/mount")
async def mount(request: Request, group: Name, name: Name, body: MountBody) -> Response:
    """The trial to show, with earlier records; wrong parameters are reported by line."""
    events = [event.model_dump() for event in body.events]
    return await _answer(lambda: _studies(request).mount(example(group, name), body, events))


@router.post("/gallery/{group}/{name}/answer")
async def answer(request: Request, group: Name, name: Name, body: AnswerBody) -> Response:
    """What would be kept of an answer."""
    return await _answer(lambda: _studies(request).read(example(group, name), body, body.value))


@router.post("/gallery/{group}/{name}/simulate")
async def simulate(request: Request, group: Name, name: Name, body: SimulateBody) -> Response:
    """The actions of a simulated person."""
    return await _answer(lambda: _studies(request).simulate(example(group, name), body, body.seed))


async def _answer(work: Any) -> Response:
    try:
        return JSONResponse(await anyio.to_thread.run_sync(work))
    except StudyError as error:
        problems = [
            {
                "line": problem.line,
                "path": problem.path,
                "message": problem.message,
                "cure": problem.cure,
            }
            for problem in error.problems
        ]
        return JSONResponse({"problems": problems}, status_code=422)


def _brought_texts(shown: Example, language: str) -> Mapping[str, str]:
    """The sentences that an instrument brings itself."""
    return choose_texts(INSTRUMENTS[shown.name], language) if shown.group == "instruments" else {}


def _fields(shown: Example) -> list[tuple[str, str, str]]:
    """Name, type and meaning of each parameter."""
    rows = []
    for key, name in keys(shown.params).items():
        field = shown.params.model_fields[name]
        rows.append((key, type_words(field.annotation), shown.params.descriptions().get(name, "")))
    return rows


def _studies(request: Request) -> ExampleStudies:
    studies: ExampleStudies = request.app.state.examples
    return studies


# ---------------------------------------------------------------------------------------------- the
# application


def create_app(folder: Path, base_url: str) -> FastAPI:
    """Everything it needs while it runs is kept below `folder`."""
    settings = Settings(data_dir=folder / "data", study_folders=(), base_url=base_url)
    app = believable_app.create_app(settings, start=router)
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with inner(app):
            stimuli = folder / "stimuli"
            stimuli.mkdir(parents=True, exist_ok=True)
            app.state.examples = ExampleStudies(app.state.collect, stimuli, settings.media_dir)
            yield

    app.router.lifespan_context = lifespan
    return app


def serve(host: str, port: int) -> None:
    """Serves until stopped, from a temporary folder that is then deleted."""
    with tempfile.TemporaryDirectory(prefix="believable-gallery-") as folder:
        app = create_app(Path(folder), f"http://{host}:{port}")
        uvicorn.run(
            app, host=host, port=port, access_log=False, server_header=False, log_level="warning"
        )
