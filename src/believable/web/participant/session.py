"""A session's page and its JSON API, except the hot route."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path as FilePath
from typing import Annotated, Literal

import anyio
import orjson
from fastapi import APIRouter, Path
from markupsafe import Markup
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from believable.app.settings import Settings
from believable.collect.context import LatestKept
from believable.collect.desk import Collect, SessionView
from believable.collect.leave import PersonProof
from believable.contracts.registries import PAGES
from believable.core.errors import Withdrawn
from believable.core.object_storage import medium_file
from believable.pages.message import TrialMessage
from believable.players import PLAYER_TEXTS
from believable.web.connections import place_of
from believable.web.module_graph import MAIN, preload_files
from believable.web.participant.landing_page import (
    HOLDER_COOKIE,
    keep_holder,
    message,
    remembered_query,
)
from believable.web.participant.media_ranges import (
    CountedResponse,
    asked_range,
    medium_response,
    sent_by_proxy,
)
from believable.web.participant.trial import texts_in, texts_of, trial_json, trial_message
from believable.web.problems import waits_out
from believable.web.security import ARRIVAL
from believable.web.templating import from_header, kept_page

router = APIRouter(tags=["session"])

Token = Annotated[str, Path(max_length=64)]
#: Numbers that every database keeps.
Count = Annotated[int, Field(ge=0, le=2**31 - 1)]

#: Beginnings of the texts that scripts show on any page.
_SCRIPT_TEXTS = (
    "status.",
    "send.",
    "taken.",
    "withdraw.",
    "finish.sending",
    "finish.waiting",
    "flags.",
    "trace.",
    "button.",
    "question.",
    "refused.",
    "page.error",
    "progress.value",
    "progress.left",
    *PLAYER_TEXTS,
)
#: Of those that recordings of rounds show: time, score, what just happened.
_RECORDED_TEXTS = ("play.",)
_NOTICES = {"preview": "landing.preview", "simulated": "landing.simulated"}


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class ClaimBody(_Body):
    pass


class AdvanceBody(_Body):
    epoch: Count
    position: Count
    seq: Count
    events: list[tuple[int, str]] = []


class FinishBody(_Body):
    epoch: Count
    seq: Count
    head: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


class WithdrawBody(_Body):
    """`code` is the one for continuing later. After the end it is asked of browsers that did not
    take part.
    """

    code: Annotated[str, Field(max_length=40)] = ""


class SimulatedPage(BaseModel):
    trial: str
    condition: str | None


class SimulatedPart(BaseModel):
    """The assignment of a simulated session: its arms, and its pages by position. Other sessions
    never get it.
    """

    arms: dict[str, str]
    pages: list[SimulatedPage]


class ClaimAnswer(BaseModel):
    """`trial` is the current trial with its stored events; a browser with more to send asks for it
    again afterwards. `simulated` is set for simulated sessions only.
    """

    epoch: int
    ack: int
    head: str
    position: int
    trial: TrialMessage
    simulated: SimulatedPart | None = None


class AdvanceAnswer(BaseModel):
    """`trial` is the next trial, if there is one; `ack` the highest event up to which nothing is
    missing.
    """

    ack: int
    status: Literal["next", "again", "finished"]
    errors: dict[str, str]
    trial: TrialMessage | None = None


class FinishAnswer(BaseModel):
    outcome: Literal["complete", "screened_out", "failed_checks", "declined"]
    receipt: str
    code: str | None
    redirect: str | None


class LaterAnswer(BaseModel):
    link: str
    code: str


class WithdrawAnswer(BaseModel):
    withdrawn: Literal[True] = True


def _desk(request: Request) -> Collect:
    desk: Collect = request.app.state.collect
    return desk


@router.get("/s/{token}", include_in_schema=False)
@waits_out
async def session_page(request: Request, token: Token) -> Response:
    """The page, with the current trial rendered in it."""
    try:
        view = await _desk(request).view(token)
    except Withdrawn:
        language = from_header(request.headers.get("accept-language", ""))
        return message(language, "refused.withdrawn", 410, scripts=("forget",))
    view = await _with_redirect(request, token, view)
    texts, trial = texts_of(view), _trial(request, token, view)
    active = view.finished is None
    own_script = PAGES[trial.kind].script_address if trial.kind in PAGES else None
    scripts = preload_files((MAIN, own_script, *trial.modules.values())) if active else ()
    total, resume_address = len(view.plan), f"{request.app.state.settings.base_url}/resume"
    position, notice = view.position if active else total, _NOTICES.get(view.link_kind)
    return kept_page(
        "participant/session.html",
        (
            view.definition.hash,
            view.language,
            scripts,
            tuple(trial.styles),
            position,
            total,
            trial.minutes_left,
            active,
            resume_address,
            notice,
        ),
        {"state": _state(token, view, active), "html": Markup(trial.html)},
        lambda: {
            "texts": texts,
            "arrival": Markup(ARRIVAL),
            "title": view.definition.study.title.in_language(view.language),
            "scripts": scripts,
            "styles": trial.styles,
            "position": position,
            "total": total,
            "minutes_left": trial.minutes_left,
            "active": active,
            "can_resume": view.definition.study.resume != "forbid",
            "demonstration": view.definition.study.demonstration,
            "resume_address": resume_address,
            "notice": notice,
        },
    )


@router.get(
    "/s/{token}/trial", response_model=None
)  # a tenth of the start-up otherwise; `web.openapi` describes it
async def current_trial(request: Request, token: Token) -> Response:
    """The current trial: HTML, questions, media, drafts. `kind` is `finish` when only that is left,
    then `finished`.
    """
    view = await _with_redirect(request, token, await _desk(request).view(token))
    return Response(_trial_json(request, token, view), media_type="application/json")


@router.post("/s/{token}/claim", response_model=None)
async def claim(request: Request, token: Token, body: ClaimBody) -> Response:
    """Take over writing."""
    desk = _desk(request)
    claimed = await desk.claim(token)
    view = await _with_redirect(request, token, await desk.view_after_claim(token, claimed))
    answer = {
        "epoch": claimed.epoch,
        "ack": claimed.ack,
        "head": claimed.head,
        "position": claimed.position,
        "trial": orjson.Fragment(_trial_json(request, token, view)),
    }
    if view.link_kind == "simulated":
        pages = [{"trial": page.trial.id, "condition": page.condition} for page in view.plan]
        answer["simulated"] = {"arms": dict(view.arms), "pages": pages}
    response = Response(orjson.dumps(answer), media_type="application/json")
    if view.finished is None and HOLDER_COOKIE not in request.cookies:
        keep_holder(response, token, desk, request.app.state.settings)
    return response


@router.post("/s/{token}/advance", response_model=None)
async def advance(request: Request, token: Token, body: AdvanceBody) -> Response:
    """Store `events`, then close the trial whose `trial.submit` is event `seq`: both or neither.
    Errors are words for the page, by question id.
    """
    desk = _desk(request)
    advanced = await desk.advance(token, body.epoch, body.position, body.seq, body.events)
    texts = texts_in(advanced.standing.definition, advanced.standing.session.language)
    errors = {
        name: texts[error.key].format(**error.values) for name, error in advanced.errors.items()
    }
    trial = (
        _trial_json(request, token, await desk.next(token, advanced))
        if advanced.status == "next"
        else None
    )
    answer = {
        "ack": advanced.standing.session.head_seq,
        "status": advanced.status,
        "errors": errors,
        "trial": None if trial is None else orjson.Fragment(trial),
    }
    return Response(orjson.dumps(answer), media_type="application/json")


@router.post("/s/{token}/finish")
async def finish(request: Request, token: Token, body: FinishBody) -> FinishAnswer:
    """End the session: only when every event up to `seq` is stored and both chains have this
    head.
    """
    finished = await _desk(request).finish(
        token, body.epoch, body.seq, body.head, remembered_query(request)
    )
    return FinishAnswer(
        outcome=finished.outcome,
        receipt=finished.receipt,
        code=finished.code,
        redirect=finished.redirect,
    )


@router.get("/s/{token}/later")
async def later(request: Request, token: Token) -> LaterAnswer:
    """A personal link and a short code to continue on any device. After the end, only for browsers
    that took part.
    """
    ticket = await _desk(request).later(token, PersonProof(request.cookies.get(HOLDER_COOKIE, "")))
    return LaterAnswer(
        link=f"{request.app.state.settings.base_url}/s/{ticket.token}", code=ticket.code
    )


@router.post("/s/{token}/withdraw")
async def withdraw(request: Request, token: Token, body: WithdrawBody) -> WithdrawAnswer:
    """Delete everything of this session, at once and for good. After the end, a browser that did
    not take part needs the code.
    """
    proof = PersonProof(request.cookies.get(HOLDER_COOKIE, ""), body.code, place_of(request))
    await _desk(request).withdraw(token, proof)
    return WithdrawAnswer()


@router.get("/s/{token}/media/{name}", response_class=Response)
async def medium(
    request: Request, token: Token, name: Annotated[str, Path(max_length=64)]
) -> Response:
    """A medium under this session's own name for it, with Range."""
    settings: Settings = request.app.state.settings
    own_name, content = name, await _desk(request).medium(token, name)
    if not isinstance(content, bytes):
        if not content.is_file():  # the first time on this server
            name = content.relative_to(settings.media_dir).as_posix()
            await anyio.to_thread.run_sync(medium_file, settings.media_dir, name)
        if settings.sendfile is not None:
            await _note_proxied(request, token, own_name, content)
            return sent_by_proxy(settings.sendfile, content.relative_to(settings.media_dir))
    response = await medium_response(request, content)
    if request.method == "HEAD" or response.status_code not in (200, 206):
        return response
    return CountedResponse(response, partial(_note_sent, request, token, own_name))


async def _note_sent(request: Request, token: str, name: str, n_bytes: int) -> None:
    await _desk(request).note_sent(token, name, n_bytes)


async def _note_proxied(request: Request, token: str, name: str, content: FilePath) -> None:
    """A proxy does not report bytes. A request to it counts as sent."""
    size = (await anyio.Path(content).stat()).st_size
    try:
        start, end = asked_range(request.headers.get("range", ""), size) or (0, size - 1)
    except ValueError:
        return
    await _note_sent(request, token, name, end - start + 1)


_said_by_scripts: LatestKept[tuple[str, str, frozenset[str]], orjson.Fragment] = LatestKept(100)


def _state(token: str, view: SessionView, active: bool) -> Markup:
    """The initial data of the scripts, as JSON that cannot end its element."""
    kinds = frozenset(page.trial.kind for page in view.plan)
    key = (view.definition.hash, view.language, kinds)
    said = _said_by_scripts.get(key)
    if said is None:
        beginnings = (
            *_SCRIPT_TEXTS,
            *(beginning for kind in kinds for beginning in PAGES[kind].looks.script_texts),
        )
        if any(medium.is_replay for medium in view.definition.media.values()):
            beginnings += _RECORDED_TEXTS
        known = texts_of(view)
        texts = {
            name: text
            for name, text in known.items()
            if name.startswith(beginnings) or name in known.brought
        }
        said = _said_by_scripts.put(
            key, orjson.Fragment(orjson.dumps(texts).replace(b"<", b"\\u003c"))
        )
    state = {"base": f"/s/{token}", "active": active, "texts": said}
    return Markup(orjson.dumps(state).decode().replace("<", "\\u003c"))


async def _with_redirect(request: Request, token: str, view: SessionView) -> SessionView:
    """An address that needs the recruiter's parameters gets them from this browser's cookie."""
    query = remembered_query(request)
    if view.finished is None or view.finished.redirect is not None or not query:
        return view
    own = view.session
    return replace(
        view,
        finished=await _desk(request).finish(token, own.epoch, own.head_seq, own.head_hash, query),
    )


def _trial_json(request: Request, token: str, view: SessionView) -> bytes:
    return trial_json(view, base=f"/s/{token}", now_ms=_desk(request).context.clock.now_ms())


def _trial(request: Request, token: str, view: SessionView) -> TrialMessage:
    return trial_message(view, base=f"/s/{token}", now_ms=_desk(request).context.clock.now_ms())
