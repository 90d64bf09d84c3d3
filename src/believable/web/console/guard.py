"""The door of the console: who is it, may they, and did their own page send this form?"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from believable.core import ids
from believable.core.errors import (
    BelievableError,
    InvalidInput,
    NotFound,
    Refused,
    StorageFull,
    TooLarge,
    Unavailable,
)
from believable.store import ROLES, Role, coding_projects, log_ins, second_factor
from believable.store.engine import Connection
from believable.store.log_ins import LOGIN_LIFE_MS, Login
from believable.store.rights import role_in_project
from believable.web.console.console_page import Console, ConsoleVisit, Route, render
from believable.web.problems import PLACE, answer_for, error_json, public_message

log = logging.getLogger(__name__)

COOKIE = "believable_console"
#: Before the log-in: a random value that the form's token is derived from.
VISITOR_COOKIE = "believable_visitor"
#: After a log-in, for long: that this person has used this browser, so that guesses of others do
#: not count here.
DEVICE_COOKIE = "believable_device"
DEVICE_LIFE_S = 400 * 24 * 3600
PATH = "/console"
CSRF_FIELD = "csrf"
LARGEST_FORM_BYTES = 256 * 1024
MOST_FIELDS = 1_000

HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src"
        " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    # Not `no-referrer`: with that, browsers send `Origin: null` with forms, and the origin could
    # not be checked.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class WrongOrigin(Refused):
    """A form that was not sent by a page of this console."""


def guard_page(console: Console, page: Route) -> Callable[[Request], Awaitable[Response]]:
    """The page as a route: nothing of it runs before the visitor was let in."""

    async def route(request: Request) -> Response:
        login = None
        request.scope[PLACE] = f"{PATH}{page.path}"
        try:
            login = await _login(console, request)
            closed = await _refuse(console, page, request, login)
            response = closed or await _answer(console, page, request, login)
        except BelievableError as error:
            response = error_response(page, error, login)
        if login is not None and request.cookies.get(COOKIE):
            await _prolong(console, request, response, login)
        response.headers.update({k: v for k, v in HEADERS.items() if k not in response.headers})
        return response

    return route


async def _answer(console: Console, page: Route, request: Request, login: Login | None) -> Response:
    form: Mapping[str, str] = {}
    if page.method == "POST":
        check_origin(console, request)
        form = await _form(request)
        _check_csrf(console, request, login, form)
    return await page.answer(ConsoleVisit(console, request, login, form))


async def _login(console: Console, request: Request) -> Login | None:
    token = request.cookies.get(COOKIE)
    if not token:
        return None
    now_ms = console.clock.now_ms()
    return await console.store.aread(lambda conn: log_ins.who(conn, token, now_ms=now_ms))


async def _refuse(
    console: Console, page: Route, request: Request, login: Login | None
) -> Response | None:
    """Return the answer to a user without access, or None."""
    if page.access == "anybody":
        return None
    if login is None:
        if page.form == "json":
            return error_json(401, "log_in", "you are not logged in.", "Log in at /console/login.")
        return RedirectResponse(f"{PATH}/login{_way_back(request)}", 303)
    if await _lacks_factor(console, page, login):
        if page.form == "json":
            return error_response(
                page,
                Refused(
                    "every account needs a second factor here. Set yours up at /console/account."
                ),
                login,
            )
        return RedirectResponse(f"{PATH}/account/second-factor", 303)
    if page.access == "users" or login.rights.administrator:
        return None
    if page.access == "administrators":
        return error_response(
            page, Refused("This page is for administrators of the server. Ask one of them."), login
        )
    if await _has_role(console, request, login, page.access):
        return None
    # Another owner's study and a missing one get the same answer: names of studies stay private.
    needed = " or ".join(role for role in ROLES if role in page.access)
    message = f"This page is for the role {needed} in its study; you are {login.rights.in_words}."
    return error_response(
        page, Refused(f"{message} Ask an owner of the study, or an administrator."), login
    )


async def _lacks_factor(console: Console, page: Route, login: Login) -> bool:
    """Whether a second factor is required and this person has none yet; their own account is open
    to set it up.
    """
    if page.path.startswith(("/account", "/logout")):
        return False
    name = login.user.name
    return await console.store.aread(
        lambda conn: (
            second_factor.is_required(conn) and not second_factor.second_factor(conn, name).on
        )
    )


async def _has_role(
    console: Console, request: Request, login: Login, roles: frozenset[Role]
) -> bool:
    rights, names = login.rights, request.path_params
    if "study" in names:
        return rights.may(names["study"], roles)
    if "project" not in names:
        return rights.somewhere(roles)

    def role(conn: Connection) -> Role | None:
        project = coding_projects.find_project(conn, names["project"])
        return None if project is None else role_in_project(conn, rights, login.user.name, project)

    return await console.store.aread(role) in roles


def _way_back(request: Request) -> str:
    """Where to go after the log-in: only to pages, not to what forms are sent to."""
    if request.method != "GET":
        return ""
    target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return f"?next={quote(target, safe='/')}"


def safe_next(target: str) -> str:
    """A way back that stays inside the console; anything else leads to its first page."""
    parts = urlsplit(target)
    inside = parts.path == PATH or parts.path.startswith(f"{PATH}/")
    strange = (
        target.startswith("//")
        or not target.isascii()
        or "\\" in target
        or ".." in parts.path
        or any(ord(character) < 32 for character in target)
    )
    if parts.scheme or parts.netloc or strange or not inside:
        return PATH
    return target


# ----------------------------------------------------------------------------------------------
# forms


def check_origin(console: Console, request: Request) -> None:
    """Browsers name the origin of every form; one from elsewhere, or none at all, is refused."""
    origin = request.headers.get("origin", "")
    sender = urlsplit(origin)
    known = {urlsplit(console.base_url).netloc, request.headers.get("host", "")}
    if sender.scheme not in ("http", "https") or sender.netloc not in known:
        raise WrongOrigin(
            f"the form came from {origin[:100] or 'nowhere'!r}, expected this console. Open the"
            " page again here and repeat."
        )


async def _form(request: Request) -> Mapping[str, str]:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise InvalidInput(
            f"the form came as {kind[:60]!r}, expected application/x-www-form-urlencoded. Use the"
            " page."
        )
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST_FORM_BYTES:
            raise TooLarge(
                f"the form is larger than {LARGEST_FORM_BYTES} bytes. Send less at once."
            )
    strict: dict[str, Any] = {
        "strict_parsing": bool(body),
        "max_num_fields": MOST_FIELDS,
        "errors": "strict",
    }
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, **strict)
    except ValueError as error:
        raise InvalidInput(f"the form cannot be read ({error}). Use the page.") from None
    if any("\x00" in value for _, value in fields):
        raise InvalidInput("the form holds a NUL character, which no database keeps. Remove it.")
    return dict(fields)


def form_token(console: Console, login: Login | None, visitor: str) -> str:
    """The token a form must carry: of the log-in, or derived from the visitor's cookie before there
    is one.
    """
    return (
        login.csrf if login is not None else ids.keyed_hash(console.key, "console visitor", visitor)
    )


def _check_csrf(
    console: Console, request: Request, login: Login | None, form: Mapping[str, str]
) -> None:
    visitor = request.cookies.get(VISITOR_COOKIE, "")
    expected = form_token(console, login, visitor)
    known = login is not None or bool(visitor)
    if not known or not hmac.compare_digest(expected.encode(), form.get(CSRF_FIELD, "").encode()):
        raise WrongOrigin(
            "the form is too old or was not made for you. Open the page again and repeat."
        )


# ----------------------------------------------------------------------------------------------
# cookies


def _set_cookie(
    console: Console, response: Response, name: str, value: str, life_s: int | None = None
) -> None:
    response.set_cookie(
        name,
        value,
        max_age=life_s,
        path=PATH,
        secure=console.secure,
        httponly=True,
        samesite="strict",
    )


def set_login(console: Console, response: Response, token: str) -> None:
    _set_cookie(console, response, COOKIE, token, LOGIN_LIFE_MS // 1000)


def drop_login(response: Response) -> None:
    response.delete_cookie(COOKIE, path=PATH, httponly=True, samesite="strict")


def device_of(request: Request) -> str:
    return request.cookies.get(DEVICE_COOKIE, "")[:200]


def set_device(console: Console, response: Response, mark: str) -> None:
    _set_cookie(console, response, DEVICE_COOKIE, mark, DEVICE_LIFE_S)


def visitor_token(request: Request) -> str:
    return request.cookies.get(VISITOR_COOKIE) or ids.new_token()


def set_visitor(console: Console, response: Response, visitor: str) -> None:
    _set_cookie(console, response, VISITOR_COOKIE, visitor)


async def _prolong(console: Console, request: Request, response: Response, login: Login) -> None:
    """Slides the expiry. A store that cannot write now must not keep researchers from reading."""
    until_ms = log_ins.prolonged_until(login, now_ms=console.clock.now_ms())
    if until_ms is None or "set-cookie" in response.headers:
        return
    try:
        await console.store.awrite(lambda conn: log_ins.prolong(conn, login, until_ms))
    except (StorageFull, Unavailable) as error:
        log.warning("a log-in was not prolonged: %s", error)
        return
    set_login(console, response, request.cookies[COOKIE])


# ----------------------------------------------------------------------------------------------
# errors


def error_response(page: Route, error: BelievableError, login: Login | None) -> Response:
    """An error as JSON, or as a page with the same words."""
    answer, message = answer_for(error), public_message(error)
    if page.form == "json":
        return error_json(answer.status, answer.code, message, answer.cure)
    title = {
        NotFound: "Not found",
        StorageFull: "The disk is full",
        InvalidInput: "That does not work",
    }
    words = next((text for kind, text in title.items() if isinstance(error, kind)), "Not now")
    return render("error.html", login, status=answer.status, title=words, message=message)
