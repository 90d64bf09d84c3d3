"""The desk: everything of a coder's list in one page, and the routes its script sends to and asks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson
from starlette.responses import Response

from believable.coding.labels import as_json
from believable.coding.suggest import Likeness, hits
from believable.core.errors import InvalidInput, NotFound, Refused
from believable.core.ids import new_token
from believable.store import coding_log, coding_marks, coding_rounds, coding_texts
from believable.store.coding_projects import Project
from believable.store.engine import Connection, Store
from believable.web.console.coding.access import the_book, the_project, whole
from believable.web.console.coding.kept import Kept
from believable.web.console.coding.media import media_json, path_of
from believable.web.console.desk import EVERY_USER, Page, Visit
from believable.web.participant.media import medium_response

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


async def page(visit: Visit) -> Response:
    project = await the_project(visit)
    book = await the_book(visit, project)
    coder = visit.user

    def look(conn: Connection) -> tuple[Any, ...]:
        return (
            coding_rounds.tasks_of(conn, project.id, coder),
            coding_texts.texts(conn, project.id),
            coding_marks.marks(conn, project.id, coder=coder),
            coding_rounds.rounds(conn, project.id),
        )

    tasks, texts, marks, rounds = await visit.read(look)
    if not tasks:
        raise NotFound("there is nothing to code for you in this project now. See the list under Coding.")
    shown = [texts[task.number] for task in tasks]
    media, headers = media_json(visit, project, shown)
    state = {
        "base": f"/console/coding/{project.id}/desk",
        "log": f"coding {project.id} {coder}",
        "title": project.title,
        "book": _book(book.book.model_dump(mode="json")),
        "version": book.version,
        "suggestions": project.suggestions,
        "rounds": {one.number: one.kind for one in rounds},
        "tasks": [_task(task, texts[task.number].response) for task in tasks],
        "marks": {f"{one.round}-{one.number}": as_json(one.mark) | {"review": one.review} for one in marks},
        "media": media,
    }
    response = visit.render("coding/desk.html", project=project, book=book, state=state)
    response.headers.update(headers)
    return response


def _book(book: dict[str, Any]) -> dict[str, Any]:
    """What the desk shows of the codebook. Which questions it is about is not a coder's business."""
    return {name: value for name, value in book.items() if name not in ("of", "ready")}


def _task(task: coding_rounds.AssignedText, response: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"round": task.round, "number": task.number, "text": response.text}
    if response.prompt:
        found["prompt"] = response.prompt
    if response.chosen is not None:
        found["chosen"] = _LETTERS[response.chosen]
    if response.moment_ms is not None:
        found["moment_ms"] = response.moment_ms
    return found


# ---------------------------------------------------------------------------------------------- zero loss


async def claim(visit: Visit) -> Response:
    project, coder = await the_project(visit), visit.user
    new_id = new_token()
    claimed = await visit.console.store.awrite(
        lambda conn: coding_log.claim(conn, project.id, coder, new_id=new_id)
    )
    body = {"log": claimed.log, "epoch": claimed.epoch, "ack": claimed.ack, "head": claimed.head}
    return Response(orjson.dumps(body), media_type="application/json")


async def events(visit: Visit) -> Response:
    project, coder, at_ms = await the_project(visit), visit.user, visit.now_ms
    epoch, sent = parse_batch(visit.form.get("batch", ""))
    ack = await visit.console.store.awrite(
        lambda conn: coding_log.append(conn, project.id, coder, epoch, sent, at_ms=at_ms)
    )
    return Response(orjson.dumps({"ack": ack}), media_type="application/json")


def parse_batch(text: str) -> tuple[int, list[tuple[int, str]]]:
    """`{epoch, events: [[seq, body], …]}`. Pure."""
    try:
        data = json.loads(text)
        epoch, sent = data["epoch"], data["events"]
        sound = type(epoch) is int and all(
            type(seq) is int and seq > 0 and isinstance(body, str) for seq, body in sent
        )
    except (ValueError, KeyError, TypeError):
        sound = False
    if not sound:
        raise InvalidInput("batch: expected {epoch, events: [[number, text], …]}. Reload the page.")
    return epoch, [(seq, body) for seq, body in sent]


# ---------------------------------------------------------------------------------------------- suggestions


#: TF-IDF of all texts.
_LIKENESS: Kept[Likeness] = Kept()


async def suggestions(visit: Visit) -> Response:
    """Keyword hits, and what this coder said about the texts most like it. Never what others said."""
    project, coder = await the_project(visit), visit.user
    if not project.suggestions:
        raise Refused("suggestions are switched off in this project.")
    book, number = await the_book(visit, project), whole(visit.path("number"), "text")
    found = await visit.read(lambda conn: _suggested(conn, visit.console.store, project, coder, number))
    text = found.pop("text")
    words = [
        {"code": one.code, "direction": one.direction, "spans": [list(span) for span in one.spans]}
        for one in hits(book.book, text)
    ]
    return Response(orjson.dumps({"hits": words, **found}), media_type="application/json")


def _suggested(conn: Connection, store: Store, project: Project, coder: str, number: int) -> dict[str, Any]:
    mine = {one.number for one in coding_rounds.tasks_of(conn, project.id, coder)}
    text = coding_texts.text(conn, project.id, number)
    if number not in mine or text is None:
        raise NotFound(f"text {number} is not on your list. Reload the page.")
    own: Mapping[int, Any] = {
        one.number: one.mark
        for one in coding_marks.marks(conn, project.id, coder=coder)
        if one.mark.done and one.mark.labels and one.number != number
    }
    alike = _LIKENESS.get(store, conn, project.id, lambda: Likeness(coding_texts.words(conn, project.id)))
    near = alike.nearest(number, own)
    words = {one.number: coding_texts.text(conn, project.id, one.number) for one in near}
    return {
        "text": text.response.text,
        "neighbours": [
            {
                "number": one.number,
                "likeness": round(one.likeness, 2),
                "text": found.response.text[:160],
                "labels": as_json(own[one.number])["labels"],
            }
            for one in near
            if (found := words[one.number]) is not None
        ],
    }


async def medium(visit: Visit) -> Response:
    project = await the_project(visit)
    path = await path_of(visit, project, visit.path("name"))
    return await medium_response(visit.request, path)


PAGES = (
    Page("GET", "/coding/{project}/desk", EVERY_USER, page),
    Page("POST", "/coding/{project}/desk/claim", EVERY_USER, claim, form="json"),
    Page("POST", "/coding/{project}/desk/events", EVERY_USER, events, form="json"),
    Page("GET", "/coding/{project}/desk/suggestions/{number}", EVERY_USER, suggestions, form="json"),
    Page("GET", "/coding/{project}/media/{name}", EVERY_USER, medium, form="json"),
)
