"""The gallery's pages and what their script asks for."""

from __future__ import annotations

import json
from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Path
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from believable.core.errors import StudyError
from believable.study.catalogue import CATALOGUE
from believable.study.fields import keys, type_words
from believable.web.gallery.exhibits import EXHIBITS, Exhibit, exhibit
from believable.web.gallery.stage import QUESTION, Stage, Wish
from believable.web.pages import page
from believable.web.participant import markdown

router = APIRouter(include_in_schema=False)

Name = Annotated[str, Path(max_length=64)]


class WishBody(BaseModel):
    """How the exhibit is to be shown."""

    model_config = ConfigDict(extra="forbid", strict=True)

    params: Annotated[str, Field(max_length=50_000)]
    player: str = "replay"
    language: str = "en"
    practice: bool = False

    def wish(self) -> Wish:
        language = self.language if self.language in CATALOGUE else "en"
        return Wish(self.params, self.player, language, self.practice)


class EventBody(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    kind: str
    data: dict[str, Any]


class MountBody(WishBody):
    events: list[EventBody] = []


class AnswerBody(WishBody):
    value: Any


class SimulateBody(WishBody):
    seed: int = 0


@router.get("/")
async def entrance() -> Response:
    return RedirectResponse("/gallery", 303)


@router.get("/gallery")
async def overview() -> Response:
    groups = [("Instruments", "instruments"), ("Players", "players"), ("Pages", "pages")]
    shown = [(title, [one for one in EXHIBITS.values() if one.group == group]) for title, group in groups]
    return page("gallery/overview.html", groups=shown, exhibits=tuple(EXHIBITS.values()), here=None)


@router.get("/gallery/{group}/{name}")
async def one_exhibit(request: Request, group: Name, name: Name) -> Response:
    shown = exhibit(group, name)
    state = {
        "path": shown.path,
        "examples": shown.examples,
        "question": QUESTION,
        "annotates": shown.annotates,
        "texts": CATALOGUE,
        "declared": {one.kind: one.data for one in shown.events},
    }
    return page(
        "gallery/exhibit.html",
        here=shown,
        exhibits=tuple(EXHIBITS.values()),
        fields=_fields(shown),
        line=markdown.line,
        languages=tuple(CATALOGUE),
        players=_stage(request).shelf.names() if shown.n_stimuli and shown.group != "players" else (),
        state=Markup(json.dumps(state).replace("<", "\\u003c")),
    )


@router.post("/gallery/{group}/{name}/mount")
async def mount(request: Request, group: Name, name: Name, body: MountBody) -> Response:
    """The trial to show, with what was recorded before; wrong parameters are told by line."""
    events = [one.model_dump() for one in body.events]
    return await _told(lambda: _stage(request).mount(exhibit(group, name), body.wish(), events))


@router.post("/gallery/{group}/{name}/answer")
async def answer(request: Request, group: Name, name: Name, body: AnswerBody) -> Response:
    """What would be kept of an answer."""
    return await _told(lambda: _stage(request).read(exhibit(group, name), body.wish(), body.value))


@router.post("/gallery/{group}/{name}/simulate")
async def simulate(request: Request, group: Name, name: Name, body: SimulateBody) -> Response:
    """What a simulated person does."""
    return await _told(lambda: _stage(request).simulate(exhibit(group, name), body.wish(), body.seed))


async def _told(work: Any) -> Response:
    try:
        return JSONResponse(await anyio.to_thread.run_sync(work))
    except StudyError as error:
        problems = [
            {"line": one.line, "path": one.path, "message": one.message, "cure": one.cure}
            for one in error.problems
        ]
        return JSONResponse({"problems": problems}, status_code=422)


def _fields(shown: Exhibit) -> list[tuple[str, str, str]]:
    """Name, type and meaning of each parameter."""
    found = []
    for key, name in keys(shown.params).items():
        field = shown.params.model_fields[name]
        found.append((key, type_words(field.annotation), field.description or ""))
    return found


def _stage(request: Request) -> Stage:
    stage: Stage = request.app.state.stage
    return stage
