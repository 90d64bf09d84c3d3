"""Coming in: the landing page, starting or resuming a session, and the code from another device."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from believable.app.settings import Settings
from believable.collect.context import Reason, Refusal
from believable.collect.desk import Collect
from believable.collect.join import JoinedSession, Landing
from believable.contracts.registries import PAGES
from believable.contracts.texts import Texts, built_in
from believable.contracts.trial import Block, outline
from believable.core.errors import NotFound, TooManyTries
from believable.pages.expected_time import session_minutes
from believable.study.definition import Definition
from believable.study.records import Study
from believable.web.connections import place_of
from believable.web.module_graph import MAIN, preload_files
from believable.web.participant.trial import styles_of, texts_in
from believable.web.problems import waits_out
from believable.web.templating import Words, from_header, kept_page, page, preferred_language

router = APIRouter()

#: When a visitor may retry, if too many sessions began from one network address.
CROWD_S = 60
#: Fields of a form that are read.
MOST_FIELDS = 10
#: Ours, not the recruiter's: which language the landing page is shown in.
LANGUAGE_PARAMETER = "lang"
#: The recruiter's parameters, kept by the browser itself under the session's own address. The
#: server stores only their hashes, and needs them once more, to send people back at the end.
_COOKIE = "recruiter"
_COOKIE_LONGEST = 3000
#: How long a browser remembers that it took part, in studies that accept each person once: the
#: longest that browsers allow.
_MARK_DAYS = 400
#: Says to programs why there is no way in.
REFUSED_HEADER = "believable-refused"
_NOTICES = {"preview": "landing.preview", "simulated": "landing.simulated"}


@router.get("/join/{link}", include_in_schema=False)
@waits_out
async def landing(request: Request, link: str) -> Response:
    """Show the study; creates nothing, so link previews and prefetchers are harmless."""
    query = _query(request)
    collect: Collect = request.app.state.collect
    try:
        entry = await collect.landing(link, query, request.cookies)
    except NotFound:
        return message(from_header(_accepts(request)), "refused.unknown", 404)
    texts = texts_in(entry.definition, _language(request, entry.languages))
    if entry.refusal is not None:
        return refusal_page(texts, entry.refusal, query)
    notice = "landing.preview" if entry.previews else _NOTICES.get(entry.kind)
    button = "resume.button" if entry.resumes else "landing.start"
    desktop = _looks_like_desktop(request)
    return kept_page(
        "participant/landing.html",
        (entry.definition.hash, texts.language, notice, button, desktop),
        {"action": f"/join/{link}{'?' + urlencode(query) if query else ''}"},
        lambda: {
            "texts": texts,
            "title": entry.study.title.in_language(texts.language),
            "minutes": session_minutes(entry.definition),
            "device": _device(entry.study),
            "coming": _needed_next(entry.definition),
            "notice": notice,
            "start": button,
            "desktop_only": entry.study.recruit.desktop_only,
            "demonstration": entry.study.demonstration,
            "desktop": desktop,
            "languages": [(code, _language_name(entry, code)) for code in entry.languages],
        },
    )


@dataclass(frozen=True, slots=True)
class NeededFiles:
    """Addresses of scripts and styles."""

    scripts: tuple[str, ...]
    styles: tuple[str, ...]


def _needed_next(definition: Definition) -> NeededFiles:
    """The files of the first page: fetched while people read this one, so they do not wait after
    their click.
    """
    trials = (
        entry.item
        for entry in outline(definition.study.timeline)
        if not isinstance(entry.item, Block)
    )
    first = next(trials, None)
    if first is None or first.kind not in PAGES:
        return NeededFiles(preload_files((MAIN,)), ())
    kind, asked = (
        PAGES[first.kind],
        tuple(dict.fromkeys(question.kind for question in first.page_questions)),
    )
    widgets = (f"/static/instruments/{name}/widget.js" for name in asked)
    return NeededFiles(
        preload_files((MAIN, kind.script_address, *widgets)),
        (*styles_of(asked), *kind.looks.styles(first)),
    )


@router.post("/join/{link}", include_in_schema=False)
async def join(request: Request, link: str) -> Response:
    """Start the session, or resume this person's earlier one."""
    async with request.form(max_files=0, max_fields=MOST_FIELDS) as form:
        fields = {name: str(value) for name, value in form.items()}
    return await start(request=request, link=link, fields=fields)


@waits_out
async def start(request: Request, link: str, fields: Mapping[str, str]) -> Response:
    query = _query(request)
    collect: Collect = request.app.state.collect
    wish = fields.get(LANGUAGE_PARAMETER) or fields.get("language") or ""
    desktop = (fields.get("desktop") or ("yes" if _looks_like_desktop(request) else "no")) == "yes"

    def language(offered: Sequence[str]) -> str:
        return wish if wish in offered else _language(request, offered)

    try:
        joined = await collect.join(
            link, query, language, desktop, request.cookies, place_of(request)
        )
    except NotFound:
        return message(from_header(_accepts(request)), "refused.unknown", 404)
    except Refusal as refusal:
        entry = await collect.landing(link, query, request.cookies)
        return refusal_page(
            texts_in(entry.definition, language(entry.languages)), refusal.code, query
        )
    except TooManyTries:
        response = message(from_header(_accepts(request)), "refused.crowd", 429)
        response.headers["retry-after"] = str(CROWD_S)
        return response
    return _lead_to(joined, query, request.app.state.settings)


def _lead_to(joined: JoinedSession, query: Mapping[str, str], settings: Settings) -> Response:
    """Redirect to the session, with the cookie that the browser keeps."""
    response = RedirectResponse(f"/s/{joined.token}", status_code=303)
    remember_query(response, joined.token, query, settings)
    if joined.mark is not None:
        _keep(response, settings, joined.mark, joined.token, path="/join", days=_MARK_DAYS)
    return response


def refusal_page(texts: Texts | Words, reason: Reason, query: Mapping[str, str]) -> Response:
    """A page that says why there is no way in, or asks for the code that opens it."""
    if reason == "code":
        return _code_page(texts, 403, query=query, intro="refused.code")
    response = message(texts, f"refused.{reason}", 403)
    response.headers[REFUSED_HEADER] = reason
    return response


def _code_page(
    texts: Texts | Words,
    status: int = 200,
    *,
    query: Mapping[str, str],
    error: str | None = None,
    intro: str = "resume",
) -> Response:
    """Where the code of a session is entered. The recruiter's parameters travel along: the browser
    keeps them for the end.
    """
    action = f"/resume{'?' + urlencode(query) if query else ''}"
    return page(
        "participant/resume.html", status, texts=texts, error=error, intro=intro, action=action
    )


@router.get("/resume", include_in_schema=False)
async def ask_code(request: Request) -> Response:
    return _code_page(from_header(_accepts(request)), query={})


@router.post("/resume", include_in_schema=False)
@waits_out
async def resume(request: Request) -> Response:
    """Leads back to the session behind a code."""
    collect: Collect = request.app.state.collect
    async with request.form(max_files=0, max_fields=5) as form:
        code = str(form.get("code") or "")[:100]
    who = place_of(request)
    texts = from_header(_accepts(request))
    query = _query(request)
    try:
        joined = await collect.resume(code, who)
    except TooManyTries:
        return _code_page(texts, 429, query=query, error="resume.too_many")
    except NotFound:
        return _code_page(texts, 404, query=query, error="resume.unknown")
    settings: Settings = request.app.state.settings
    response = _lead_to(joined, query, settings)
    keep_holder(response, joined.token, collect, settings)
    return response


#: A browser that took part in a session keeps this under the session's own address.
HOLDER_COOKIE = "holder"


def keep_holder(response: Response, token: str, collect: Collect, settings: Settings) -> None:
    """Lets the browser prove later that it took part, also after the end of the session."""
    _keep(
        response,
        settings,
        HOLDER_COOKIE,
        collect.holder_mark(token),
        path=f"/s/{token}",
        days=_MARK_DAYS,
    )


def message(
    texts: Texts | Words, words: str, status: int, *, scripts: tuple[str, ...] = ()
) -> Response:
    """A page that only says something."""
    return page(
        "participant/message.html", status, texts=texts, words=words, links=(), scripts=scripts
    )


def _query(request: Request) -> dict[str, str]:
    return {
        name: value for name, value in request.query_params.items() if name != LANGUAGE_PARAMETER
    }


def _accepts(request: Request) -> str:
    return request.headers.get("accept-language", "")


def _language(request: Request, offered: Sequence[str]) -> str:
    wished = request.query_params.get(LANGUAGE_PARAMETER)
    return (
        wished
        if wished is not None and wished in offered
        else preferred_language(_accepts(request), offered)
    )


def _language_name(entry: Landing, language: str) -> str:
    texts: Mapping[str, str] = texts_in(entry.definition, language)
    return (
        texts["language.name"]
        if "language.name" in texts
        else built_in(language).get("language.name", language)
    )


def _device(study: Study) -> str:
    """The text about the device that the study needs. Games are played with a keyboard."""
    played = any(entry.item.plays_round for entry in outline(study.timeline))
    return (
        "landing.device.desktop" if study.recruit.desktop_only or played else "landing.device.any"
    )


def _looks_like_desktop(request: Request) -> bool:
    """A first guess, for browsers without scripts; the page's script looks at pointer and
    screen.
    """
    agent = request.headers.get("user-agent", "")
    return not any(word in agent for word in ("Mobi", "Android", "iPhone", "iPad"))


def remember_query(
    response: Response, token: str, query: Mapping[str, str], settings: Settings
) -> None:
    """Sets the cookie, if there is something to remember."""
    value = urlencode(dict(query))
    if not query or len(value) > _COOKIE_LONGEST:
        return
    _keep(
        response,
        settings,
        _COOKIE,
        base64.urlsafe_b64encode(value.encode()).decode(),
        path=f"/s/{token}",
        days=30,
    )


def _keep(
    response: Response, settings: Settings, name: str, value: str, *, path: str, days: int
) -> None:
    """Inside a platform's frame the cookie is a third party's, which browsers keep only if its
    attributes say so.
    """
    framed = settings.secure and bool(settings.frame_ancestors)
    response.set_cookie(
        name,
        value,
        path=path,
        max_age=days * 86400,
        httponly=True,
        secure=settings.secure,
        samesite="none" if framed else "lax",
    )


def remembered_query(request: Request) -> dict[str, str]:
    """The content of the cookie; nothing if it is not ours."""
    try:
        value = base64.urlsafe_b64decode(
            request.cookies.get(_COOKIE, "")[: 2 * _COOKIE_LONGEST]
        ).decode()
    except ValueError:
        return {}
    return dict(parse_qsl(value))
