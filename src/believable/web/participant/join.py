"""Coming in: the landing page, starting or resuming a session, and the code from another device."""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from believable.collect.desk import Collect, Landing
from believable.collect.refusals import Refusal
from believable.core.errors import NotFound, TooManyTries
from believable.study.texts import Texts, built_in
from believable.web.pages import page
from believable.web.participant import cookie
from believable.web.words import Words, from_header, preferred

router = APIRouter()

#: Ours, not the recruiter's: which language the landing page is shown in.
LANGUAGE_PARAMETER = "lang"
_NOTICES = {"preview": "landing.preview", "simulated": "landing.simulated"}


@router.get("/join/{link}", include_in_schema=False)
async def landing(request: Request, link: str) -> Response:
    """Shows what the study is; creates nothing, so link previews and prefetchers are harmless."""
    query = _query(request)
    collect: Collect = request.app.state.collect
    try:
        found = await collect.alanding(link, query)
    except NotFound:
        return message(from_header(_accepts(request)), "refused.unknown", 404)
    texts = Texts(found.study, _language(request, found))
    if found.refusal is not None:
        return message(texts, f"refused.{found.refusal}", 403)
    return page(
        "participant/landing.html",
        texts=texts,
        title=found.study.title.in_language(texts.language),
        notice="landing.preview" if found.previews else _NOTICES.get(found.kind),
        start="resume.button" if found.resumes else "landing.start",
        desktop_only=found.study.recruit.desktop_only,
        demonstration=found.study.demonstration,
        desktop=_looks_like_desktop(request),
        action=f"/join/{link}{'?' + urlencode(query) if query else ''}",
        languages=[(code, _language_name(found, code)) for code in found.languages],
    )


@router.post("/join/{link}", include_in_schema=False)
async def join(request: Request, link: str) -> Response:
    """Starts the session, or goes on with the one this person has."""
    query = _query(request)
    collect: Collect = request.app.state.collect
    try:
        found = await collect.alanding(link, query)
    except NotFound:
        return message(from_header(_accepts(request)), "refused.unknown", 404)
    async with request.form(max_files=0, max_fields=10) as form:
        given = str(form.get(LANGUAGE_PARAMETER) or form.get("language") or "")
        desktop = str(form.get("desktop") or ("yes" if _looks_like_desktop(request) else "no")) == "yes"
    language = given if given in found.languages else _language(request, found)
    try:
        joined = await collect.ajoin(link, query, language, desktop)
    except Refusal as refusal:
        return message(Texts(found.study, language), f"refused.{refusal.code}", 403)
    response = RedirectResponse(f"/s/{joined.token}", status_code=303)
    cookie.remember(response, joined.token, query, request.app.state.settings)
    return response


@router.get("/resume", include_in_schema=False)
async def ask_code(request: Request) -> Response:
    return page("participant/resume.html", texts=from_header(_accepts(request)), error=None)


@router.post("/resume", include_in_schema=False)
async def resume(request: Request) -> Response:
    """Leads back to the session behind a code."""
    collect: Collect = request.app.state.collect
    async with request.form(max_files=0, max_fields=5) as form:
        code = str(form.get("code") or "")[:100]
    who = request.client.host if request.client else ""
    texts = from_header(_accepts(request))
    try:
        token = await collect.aresume(code, who)
    except TooManyTries:
        return page("participant/resume.html", 429, texts=texts, error="resume.too_many")
    except NotFound:
        return page("participant/resume.html", 404, texts=texts, error="resume.unknown")
    return RedirectResponse(f"/s/{token}", status_code=303)


def message(texts: Texts | Words, words: str, status: int, *, scripts: tuple[str, ...] = ()) -> Response:
    """A page that only says something."""
    return page("participant/message.html", status, texts=texts, words=words, links=(), scripts=scripts)


def _query(request: Request) -> dict[str, str]:
    return {name: value for name, value in request.query_params.items() if name != LANGUAGE_PARAMETER}


def _accepts(request: Request) -> str:
    return request.headers.get("accept-language", "")


def _language(request: Request, found: Landing) -> str:
    wished = request.query_params.get(LANGUAGE_PARAMETER)
    return wished if wished in found.languages else preferred(_accepts(request), found.languages)


def _language_name(found: Landing, language: str) -> str:
    return Texts(found.study, language).get("language.name") or built_in(language).get(
        "language.name", language
    )


def _looks_like_desktop(request: Request) -> bool:
    """A first guess, for browsers without scripts; the page's script looks at pointer and screen."""
    agent = request.headers.get("user-agent", "")
    return not any(word in agent for word in ("Mobi", "Android", "iPhone", "iPad"))
