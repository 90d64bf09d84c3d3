"""One shape for every error: JSON for scripts, a page with the same words for people."""

from __future__ import annotations

import logging
from dataclasses import dataclass

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

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
from believable.web.pages import page
from believable.web.words import from_header

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Answer:
    """How an error is told: HTTP status, a code for scripts, the key of the page's words, and the cure."""

    status: int
    code: str
    words: str
    cure: str


#: First match wins, so a subclass stands before its parent.
ANSWERS: tuple[tuple[type[BelievableError], Answer], ...] = (
    (Withdrawn, Answer(410, "withdrawn", "refused.withdrawn", "Nothing of this session is kept.")),
    (TakenOver, Answer(409, "taken_over", "taken", "Claim the session again to go on here.")),
    (Conflict, Answer(409, "conflict", "page.error", "Do not change an event after it was numbered.")),
    (TooLarge, Answer(413, "too_large", "page.error", "Send less at once.")),
    (TooManyTries, Answer(429, "too_many", "page.too_many", "Wait a few minutes.")),
    (StorageFull, Answer(507, "storage_full", "page.error", "Keep the events and send them again later.")),
    (Unavailable, Answer(503, "unavailable", "page.error", "Keep the events and send them again later.")),
    (NotFound, Answer(404, "unknown", "page.not_found", "Compare the address with the one you were given.")),
    (Refused, Answer(403, "refused", "page.method", "See the message.")),
    (InvalidInput, Answer(422, "invalid", "page.method", "See the message.")),
)

_INTERNAL = Answer(
    500, "internal", "page.error", "Try again; if it stays, tell the person who runs the study."
)
_METHOD = Answer(405, "method", "page.method", "Use one of the methods in the Allow header.")
_UNKNOWN = Answer(404, "unknown", "page.not_found", "Compare the address with the one you were given.")


def error_json(status: int, code: str, message: str, cure: str) -> Response:
    """The one JSON shape of an error."""
    body = orjson.dumps({"error": {"code": code, "message": message, "cure": cure}})
    return Response(body, status_code=status, media_type="application/json")


def answer_for(error: BelievableError) -> Answer:
    """Status, code and words of an error. A refusal may carry a finer code of its own."""
    answer = next((answer for kind, answer in ANSWERS if isinstance(error, kind)), _INTERNAL)
    code = getattr(error, "code", None)
    if answer.code == "refused" and isinstance(code, str):
        return Answer(answer.status, code, f"refused.{code}", answer.cure)
    return answer


def wants_page(request: Request) -> bool:
    """Whether a person is looking: browsers ask for HTML when they go somewhere, scripts do not."""
    return "text/html" in request.headers.get("accept", "")


def tell(request: Request, answer: Answer, message: str) -> Response:
    if not wants_page(request):
        return error_json(answer.status, answer.code, message, answer.cure)
    texts = from_header(request.headers.get("accept-language", ""))
    known = f"{answer.words}.title" in texts
    words = answer.words if known else "page.error"
    return page("participant/message.html", answer.status, texts=texts, words=words, links=(), scripts=())


def install(app: FastAPI) -> None:
    """Answers every error of the app in the one shape."""

    @app.exception_handler(BelievableError)
    async def believable_error(request: Request, error: BelievableError) -> Response:
        return tell(request, answer_for(error), str(error))

    @app.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        places = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        return error_json(422, "invalid", places, "Send what the API description asks for.")

    @app.exception_handler(HTTPException)
    async def http_error(request: Request, error: HTTPException) -> Response:
        known = {404: _UNKNOWN, 405: _METHOD}
        answer = known.get(
            error.status_code, Answer(error.status_code, "refused", "page.method", "See the message.")
        )
        response = tell(request, answer, str(error.detail))
        for name, value in (error.headers or {}).items():
            response.headers[name] = value
        return response

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        log.error(
            "unexpected error at %s",
            request.scope["route"].path if "route" in request.scope else "?",
            exc_info=error,
        )
        return tell(request, _INTERNAL, "something went wrong on the server; nothing was acknowledged.")
