"""One shape for every error: JSON for scripts, a page with the same words for people."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar, cast
from urllib.parse import quote

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match, Mount

from believable.core.errors import (
    BelievableError,
    Conflict,
    InvalidInput,
    NotFound,
    Refused,
    StorageFull,
    TakenOver,
    TooLarge,
    TooManyTries,
    Unavailable,
    Withdrawn,
)
from believable.web.templating import from_header, page

log = logging.getLogger(__name__)
PageRoute = TypeVar("PageRoute", bound=Callable[..., Coroutine[Any, Any, Response]])

#: How long a visitor waits for a database that is gone: as long as a killed one takes to restart.
OUTAGE_S = 20.0
#: Between two tries.
PAUSE_S = 0.25
#: An error page about a temporary problem reloads itself after this time.
RELOAD_S = 5


@dataclass(frozen=True, slots=True)
class ProblemAnswer:
    """How an error is reported: HTTP status, a code for scripts, the key of the page's text, and
    the fix.
    """

    status: int
    code: str
    words: str
    cure: str


#: First match wins, so a subclass precedes its parent.
ANSWERS: tuple[tuple[type[BelievableError], ProblemAnswer], ...] = (
    (
        Withdrawn,
        ProblemAnswer(410, "withdrawn", "refused.withdrawn", "Nothing of this session is kept."),
    ),
    (
        TakenOver,
        ProblemAnswer(409, "taken_over", "taken", "Claim the session again to continue here."),
    ),
    (
        Conflict,
        ProblemAnswer(
            409, "conflict", "page.error", "Do not change an event after it was numbered."
        ),
    ),
    (TooLarge, ProblemAnswer(413, "too_large", "page.error", "Send less at once.")),
    (TooManyTries, ProblemAnswer(429, "too_many", "page.too_many", "Wait a few minutes.")),
    (
        StorageFull,
        ProblemAnswer(
            507, "storage_full", "page.error", "Keep the events and send them again later."
        ),
    ),
    (
        Unavailable,
        ProblemAnswer(
            503, "unavailable", "page.error", "Keep the events and send them again later."
        ),
    ),
    (
        NotFound,
        ProblemAnswer(
            404, "unknown", "page.not_found", "Compare the address with the one you were given."
        ),
    ),
    (Refused, ProblemAnswer(403, "refused", "page.method", "See the message.")),
    (InvalidInput, ProblemAnswer(422, "invalid", "page.method", "See the message.")),
)

_INTERNAL = ProblemAnswer(
    500, "internal", "page.error", "Try again; if it stays, inform the person who runs the study."
)
_METHOD = ProblemAnswer(405, "method", "page.method", "Use one of the methods in the Allow header.")
_UNKNOWN = ProblemAnswer(
    404, "unknown", "page.not_found", "Compare the address with the one you were given."
)


def error_json(status: int, code: str, message: str, cure: str) -> Response:
    """The one JSON shape of an error."""
    body = orjson.dumps({"error": {"code": code, "message": message, "cure": cure}})
    return Response(body, status_code=status, media_type="application/json")


def answer_for(error: BelievableError) -> ProblemAnswer:
    """Status, code and text of an error. A refusal may carry a more specific code."""
    answer = next((answer for kind, answer in ANSWERS if isinstance(error, kind)), _INTERNAL)
    code = getattr(error, "code", None)
    if answer.code == "refused" and isinstance(code, str):
        return ProblemAnswer(answer.status, code, f"refused.{code}", answer.cure)
    return answer


def wants_page(request: Request) -> bool:
    """Whether a person is looking: browsers ask for HTML when they go somewhere, scripts do not."""
    return "text/html" in request.headers.get("accept", "")


def tell(request: Request, answer: ProblemAnswer, message: str) -> Response:
    if not wants_page(request):
        return error_json(answer.status, answer.code, message, answer.cure)
    texts = from_header(request.headers.get("accept-language", ""))
    known = f"{answer.words}.title" in texts
    words = answer.words if known else "page.error"
    response = page(
        "participant/message.html", answer.status, texts=texts, words=words, links=(), scripts=()
    )
    if answer.status == 503 and request.method == "GET":
        response.headers["refresh"] = str(RELOAD_S)
    return response


#: The public text that replaces a driver's message about hosts, ports and files.
OUTAGE_MESSAGES: tuple[tuple[type[BelievableError], str], ...] = (
    (
        StorageFull,
        (
            "there is no room to store anything now; nothing was acknowledged. The log of the"
            " server has the details."
        ),
    ),
    (
        Unavailable,
        (
            "the server cannot reach what it needs now; nothing was acknowledged. Its log has the"
            " details."
        ),
    ),
)


def public_message(error: BelievableError) -> str:
    """The words of an error for who asked. Those about an outage name machines and files: they go
    into the log only.
    """
    for kind, message in OUTAGE_MESSAGES:
        if isinstance(error, kind):
            log.warning("%s: %s", kind.__name__, error)
            return message
    return str(error)


#: Under this name a request carries the pattern of its address, without the parts that identify
#: people.
PLACE = "believable.place"


def place_of_route(request: Request) -> str:
    """The pattern of the address that was asked for."""
    scope = request.scope
    return str(scope["route"].path if "route" in scope else scope.get(PLACE, "an unknown address"))


def report_fault(request: Request, error: Exception) -> Response:
    """A fault of ours: reported in the log, without the address, and as little as possible to the
    client.
    """
    log.error("unexpected error at %s %s", request.method, place_of_route(request), exc_info=error)
    return tell(request, _INTERNAL, "something went wrong on the server; nothing was acknowledged.")


def waits_out(route: PageRoute) -> PageRoute:
    """For the pages that people go to: a short outage of the database makes them wait, and shows
    them no error. What scripts ask for is answered at once, because scripts try again by
    themselves. `Unavailable` means that nothing was acknowledged, so that the whole may be done
    again.
    """

    @functools.wraps(route)
    async def patient(request: Request, **named: Any) -> Response:
        clock = asyncio.get_running_loop().time
        until_s = clock() + OUTAGE_S
        while True:
            try:
                return await route(request=request, **named)
            except Unavailable:
                if not wants_page(request) or clock() > until_s:
                    raise
            await asyncio.sleep(PAUSE_S)

    return cast(PageRoute, patient)


def without_slash(request: Request) -> str:
    """The address without its last slash, if there is a page of that address; else ''. Without a
    host: a browser can name any host.
    """
    path = request.url.path
    shorter = path.rstrip("/")
    if request.method not in ("GET", "HEAD") or shorter in ("", path) or path.startswith("//"):
        return ""
    scope = {**request.scope, "path": shorter}
    pages = (route for route in request.app.routes if not isinstance(route, Mount))
    if not any(route.matches(scope)[0] == Match.FULL for route in pages):
        return ""
    return quote(shorter, safe="/") + (f"?{request.url.query}" if request.url.query else "")


def install(app: FastAPI) -> None:
    """Answers every error of the app in the one shape."""

    @app.exception_handler(BelievableError)
    async def believable_error(request: Request, error: BelievableError) -> Response:
        return tell(request, answer_for(error), public_message(error))

    @app.exception_handler(RequestValidationError)
    async def answer_malformed(request: Request, error: RequestValidationError) -> Response:
        places = "; ".join(
            f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}" for problem in error.errors()
        )
        return error_json(422, "invalid", places, "Follow the API description.")

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404 and (address := without_slash(request)):
            return RedirectResponse(address, 307)
        known = {404: _UNKNOWN, 405: _METHOD}
        answer = known.get(
            error.status_code,
            ProblemAnswer(error.status_code, "refused", "page.method", "See the message."),
        )
        response = tell(request, answer, str(error.detail))
        for name, value in (error.headers or {}).items():
            response.headers[name] = value
        return response

    @app.exception_handler(Exception)
    async def answer_broken(request: Request, error: Exception) -> Response:
        return report_fault(request, error)
