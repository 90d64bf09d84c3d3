"""Where coders differ: a third person decides, or a discussion's outcome is written down. Blind, one text at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Literal

from starlette.responses import RedirectResponse, Response

from believable.coding.agreement import disagreements
from believable.coding.labels import Mark, from_json, problems
from believable.core.errors import InvalidInput, NotFound
from believable.store import coding_marks, coding_texts
from believable.store.coding_marks import StoredMark
from believable.store.coding_projects import BookVersion, Project
from believable.store.engine import Connection
from believable.web.console.coding.access import COORDINATORS, the_book, the_project, whole
from believable.web.console.coding.agreement import label_words
from believable.web.console.coding.media import media_json
from believable.web.console.desk import Page, Visit
from believable.web.console.guard import PATH

_HOW: dict[str, Literal["adjudicated", "discussed"]] = {
    "adjudicated": "adjudicated",
    "discussed": "discussed",
}


def differing(conn: Connection, project: Project, book: BookVersion, number: int) -> list[int]:
    """The texts of a round on which coders differ, worst first."""
    shared: dict[int, dict[str, Mark]] = {}
    for one in coding_marks.marks(conn, project.id, round_number=number):
        if one.mark.done:
            shared.setdefault(one.number, {})[one.coder] = one.mark
    several = {text: given for text, given in shared.items() if len(given) > 1}
    return [one.number for one in disagreements(book.book, several)]


async def page(visit: Visit) -> Response:
    project = await the_project(visit)
    book = await the_book(visit, project)
    number = whole(visit.path("round"), "round")
    queue = await visit.read(lambda conn: differing(conn, project, book, number))
    decided = await visit.read(lambda conn: coding_marks.outcomes(conn, project.id))
    settled = {text for text in queue if any(one.round == number for one in decided.get(text, ()))}
    wanted = visit.query("text")
    at = whole(wanted, "text") if wanted else next((one for one in queue if one not in settled), 0)
    if not at:
        return visit.render("coding/resolved.html", project=project, round_number=number, n=len(queue))
    found = await visit.read(lambda conn: coding_texts.text(conn, project.id, at))
    if found is None:
        raise NotFound(f"text {at} is not there any more; its session may have been withdrawn.")
    given = await visit.read(lambda conn: _given(conn, project, number, at))
    place = queue.index(at) if at in queue else 0
    outcome = next((one for one in reversed(decided.get(at, ())) if one.round == number), None)
    media, headers = media_json(visit, project, [found])
    response = visit.render(
        "coding/resolve.html",
        project=project,
        book=book,
        round_number=number,
        text=found,
        given=given,
        queue=queue,
        place=place,
        settled=settled,
        outcome=outcome,
        words=lambda key: label_words(book.book, key),
        after=queue[place + 1] if place + 1 < len(queue) else None,
        before=queue[place - 1] if place > 0 else None,
        marks=json.dumps({one.coder: _plain(one) for one in given}),
        media=media,
    )
    response.headers.update(headers)
    return response


def _given(conn: Connection, project: Project, number: int, text: int) -> list[StoredMark]:
    return [one for one in coding_marks.marks(conn, project.id, round_number=number) if one.number == text]


def _plain(one: StoredMark) -> list[str]:
    return sorted(" ".join(part or "" for part in key) for key in one.mark.keys)


def chosen(form: Mapping[str, str], book: BookVersion, given: list[StoredMark], text: str) -> Mark:
    """One coder's labels, or those ticked. Pure."""
    taken = form.get("take", "")
    if taken and taken != "own":
        for one in given:
            if one.coder == taken:
                return one.mark
        raise InvalidInput(f"decision: {taken[:40]!r} did not code this text. Choose one who did.")
    if form.get("discard"):
        mark = Mark(discard=form["discard"], done=True)
    else:
        ticked = [json.loads(name.removeprefix("label:")) for name in form if name.startswith("label:")]
        labels = [{"code": code, "direction": direction, "side": side} for code, direction, side in ticked]
        mark = from_json({"labels": labels, "done": True})
    wrong = problems(book.book, mark, text)
    if wrong:
        raise InvalidInput(f"decision: {wrong[0]}. Tick what the codebook has.")
    return mark


async def decide(visit: Visit) -> Response:
    project, form, at_ms = await the_project(visit), visit.form, visit.now_ms
    book = await the_book(visit, project)
    number, at = whole(visit.path("round"), "round"), whole(form.get("text", ""), "text")
    how = _HOW.get(form.get("how", "adjudicated"))
    if how is None:
        raise InvalidInput("decision: expected adjudicated or discussed. Choose one.")
    queue = await visit.read(lambda conn: differing(conn, project, book, number))
    given = await visit.read(lambda conn: _given(conn, project, number, at))
    found = await visit.read(lambda conn: coding_texts.text(conn, project.id, at))
    mark = chosen(form, book, given, "" if found is None else found.response.text)
    await visit.change(
        lambda conn: coding_marks.decide(
            conn,
            project.id,
            round_number=number,
            number=at,
            how=how,
            mark=mark,
            version=book.version,
            note=form.get("note", ""),
            user=visit.user,
            at_ms=at_ms,
        ),
        f"coding {project.id}: {how} text {at} of round {number}",
        study=project.study,
    )
    decided = await visit.read(lambda conn: coding_marks.outcomes(conn, project.id))
    open_ones = [one for one in queue if not any(given.round == number for given in decided.get(one, ()))]
    later = [one for one in open_ones if at in queue and queue.index(one) > queue.index(at)]
    target = (later or open_ones or [0])[0]
    address = f"{PATH}/coding/{project.id}/rounds/{number}/resolve"
    return RedirectResponse(f"{address}?text={target}" if target else address, 303)


PAGES = (
    Page("GET", "/coding/{project}/rounds/{round}/resolve", COORDINATORS, page),
    Page("POST", "/coding/{project}/rounds/{round}/resolve", COORDINATORS, decide),
)
