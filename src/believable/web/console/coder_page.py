"""The coder's page: everything of a coder's list in one page, and the routes its script sends to
and asks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson
from starlette.responses import Response

from believable.coding.labels import as_json
from believable.coding.suggestions import Likeness, hits
from believable.core.errors import InvalidInput, NotFound, Refused
from believable.core.ids import new_token
from believable.store import coding_marks, coding_projects, coding_rounds
from believable.store.coding_projects import CodingProject
from believable.store.engine import Connection, Store
from believable.web.console.coding_views import (
    ProjectCache,
    media_json,
    path_of,
    the_book,
    the_project,
)
from believable.web.console.console_page import CODERS, ConsoleVisit, Route
from believable.web.form_numbers import whole_number
from believable.web.participant.media_ranges import medium_response

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


async def page(visit: ConsoleVisit) -> Response:
    project = await the_project(visit)
    book = await the_book(visit, project)
    coder = visit.user

    def look(conn: Connection) -> tuple[Any, ...]:
        return (
            coding_rounds.tasks_of(conn, project.id, coder),
            coding_projects.texts(conn, project.id),
            coding_marks.marks(conn, project.id, coder=coder),
            coding_rounds.rounds(conn, project.id),
        )

    tasks, texts, marks, rounds = await visit.read(look)
    if not tasks:
        raise NotFound(
            "there is nothing to code for you in this project now. See the list under Coding."
        )
    await visit.log_look(f"opened their desk of coding {project.id}", study=project.study)
    shown = [texts[task.number] for task in tasks]
    media, headers = media_json(visit, project, shown)
    state = {
        "base": f"/console/coding/{project.id}/desk",
        "log": f"coding {project.id} {coder}",
        "title": project.title,
        "book": _book(book.book.model_dump(mode="json")),
        "version": book.version,
        "suggestions": project.suggestions,
        "rounds": {round_.number: round_.kind for round_ in rounds},
        "tasks": [_task(task, texts[task.number].response) for task in tasks],
        "marks": {
            f"{mark.round}-{mark.number}": as_json(mark.mark) | {"review": mark.review}
            for mark in marks
        },
        "media": media,
    }
    response = visit.render("coding/desk.html", project=project, book=book, state=state)
    response.headers.update(headers)
    return response


def _book(book: dict[str, Any]) -> dict[str, Any]:
    """The part of the codebook that the desk shows. Coders do not see which questions it covers."""
    return {name: value for name, value in book.items() if name not in ("of", "ready")}


def _task(task: coding_rounds.AssignedText, response: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {"round": task.round, "number": task.number, "text": response.text}
    if response.prompt:
        shown["prompt"] = response.prompt
    if response.chosen is not None:
        shown["chosen"] = _LETTERS[response.chosen]
    if response.moment_ms is not None:
        shown["moment_ms"] = response.moment_ms
    return shown


# ----------------------------------------------------------------------------------------------
# zero loss


async def claim(visit: ConsoleVisit) -> Response:
    project, coder = await the_project(visit), visit.user
    new_id = new_token()
    claimed = await visit.console.store.awrite(
        lambda conn: coding_marks.claim_desk(conn, project.id, coder, new_id=new_id)
    )
    body = {"log": claimed.log, "epoch": claimed.epoch, "ack": claimed.ack, "head": claimed.head}
    return Response(orjson.dumps(body), media_type="application/json")


async def events(visit: ConsoleVisit) -> Response:
    project, coder, at_ms = await the_project(visit), visit.user, visit.now_ms
    epoch, sent = parse_batch(visit.form.get("batch", ""))
    ack = await visit.console.store.awrite(
        lambda conn: coding_marks.append_operations(
            conn, project.id, coder, epoch, sent, at_ms=at_ms
        )
    )
    return Response(orjson.dumps({"ack": ack}), media_type="application/json")


def parse_batch(text: str) -> tuple[int, list[tuple[int, str]]]:
    """`{epoch, events: [[seq, body], …]}`. Pure."""
    try:
        data = json.loads(text)
        epoch, sent = data["epoch"], data["events"]
        sound = (
            type(epoch) is int
            and 0 <= epoch < 2**31
            and all(_is_operation(seq, body) for seq, body in sent)
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise InvalidInput("batch: expected {epoch, events: [[number, text], …]}. Reload the page.")
    return epoch, [(seq, body) for seq, body in sent]


def _is_operation(seq: object, body: object) -> bool:
    """A number that a database keeps, and a text that it keeps: no half of a pair of surrogates, no
    NUL.
    """
    whole = type(seq) is int and 0 < seq < 2**53
    return (
        whole
        and isinstance(body, str)
        and "\0" not in body
        and not any("\ud800" <= sign <= "\udfff" for sign in body)
    )


# ----------------------------------------------------------------------------------------------
# suggestions


#: TF-IDF of all texts.
_LIKENESS: ProjectCache[Likeness] = ProjectCache()


async def suggestions(visit: ConsoleVisit) -> Response:
    """Keyword hits, and what this coder said about the texts most like it. Never what others
    said.
    """
    project, coder = await the_project(visit), visit.user
    if not project.suggestions:
        raise Refused("suggestions are switched off in this project.")
    book, number = await the_book(visit, project), whole_number(visit.path("number"), "text")
    suggested = await visit.read(
        lambda conn: _suggest(conn, visit.console.store, project, coder, number)
    )
    text = suggested.pop("text")
    words = [
        {"code": hit.code, "direction": hit.direction, "spans": [list(span) for span in hit.spans]}
        for hit in hits(book.book, text)
    ]
    return Response(orjson.dumps({"hits": words, **suggested}), media_type="application/json")


def _suggest(
    conn: Connection, store: Store, project: CodingProject, coder: str, number: int
) -> dict[str, Any]:
    mine = {task.number for task in coding_rounds.tasks_of(conn, project.id, coder)}
    text = coding_projects.text(conn, project.id, number)
    if number not in mine or text is None:
        raise NotFound(f"text {number} is not on your list. Reload the page.")
    own: Mapping[int, Any] = {
        mark.number: mark.mark
        for mark in coding_marks.marks(conn, project.id, coder=coder)
        if mark.mark.done and mark.mark.labels and mark.number != number
    }
    alike = _LIKENESS.get(
        store, conn, project.id, lambda: Likeness(coding_projects.words(conn, project.id))
    )
    near = alike.nearest(number, own)
    words = {like.number: coding_projects.text(conn, project.id, like.number) for like in near}
    return {
        "text": text.response.text,
        "neighbours": [
            {
                "number": like.number,
                "likeness": round(like.likeness, 2),
                "text": other.response.text[:160],
                "labels": as_json(own[like.number])["labels"],
            }
            for like in near
            if (other := words[like.number]) is not None
        ],
    }


async def medium(visit: ConsoleVisit) -> Response:
    project = await the_project(visit)
    path = await path_of(visit, project, visit.path("name"))
    return await medium_response(visit.request, path)


ROUTES = (
    Route(method="GET", path="/coding/{project}/desk", access=CODERS, answer=page),
    Route(
        method="POST", path="/coding/{project}/desk/claim", access=CODERS, answer=claim, form="json"
    ),
    Route(
        method="POST",
        path="/coding/{project}/desk/events",
        access=CODERS,
        answer=events,
        form="json",
    ),
    Route(
        method="GET",
        path="/coding/{project}/desk/suggestions/{number}",
        access=CODERS,
        answer=suggestions,
        form="json",
    ),
    Route(
        method="GET",
        path="/coding/{project}/media/{name}",
        access=CODERS,
        answer=medium,
        form="json",
    ),
)
