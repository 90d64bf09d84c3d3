"""Where coders differ: a third person decides, or a discussion's outcome is written down. Blind,
one text at a time.
"""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

from starlette.responses import RedirectResponse, Response

from believable.coding.coder_agreement import disagreements
from believable.coding.labels import Key, Mark, Span, from_json, merge_spans, problems
from believable.core.errors import InvalidInput, NotFound
from believable.store import coding_marks, coding_projects
from believable.store.coding_marks import StoredMark
from believable.store.coding_projects import BookVersion, CodingProject
from believable.store.engine import Connection
from believable.web.console.coding_views import label_words, media_json, the_book, the_project
from believable.web.console.console_page import COORDINATORS, ConsoleVisit, Route
from believable.web.console.guard import PATH
from believable.web.form_numbers import whole_number

_HOW: dict[str, Literal["adjudicated", "discussed"]] = {
    "adjudicated": "adjudicated",
    "discussed": "discussed",
}


def differing(
    conn: Connection, project: CodingProject, book: BookVersion, number: int
) -> list[int]:
    """The texts of a round on which coders differ, worst first."""
    shared: dict[int, dict[str, Mark]] = {}
    for mark in coding_marks.marks(conn, project.id, round_number=number):
        if mark.mark.done:
            shared.setdefault(mark.number, {})[mark.coder] = mark.mark
    several = {text: by_coder for text, by_coder in shared.items() if len(by_coder) > 1}
    return [disagreement.number for disagreement in disagreements(book.book, several)]


async def page(visit: ConsoleVisit) -> Response:
    project = await the_project(visit)
    book = await the_book(visit, project)
    number = whole_number(visit.path("round"), "round")
    queue = await visit.read(lambda conn: differing(conn, project, book, number))
    decided = await visit.read(lambda conn: coding_marks.outcomes(conn, project.id))
    settled = {
        text for text in queue if any(outcome.round == number for outcome in decided.get(text, ()))
    }
    wanted = visit.query("text")
    at = (
        whole_number(wanted, "text")
        if wanted
        else next((text for text in queue if text not in settled), 0)
    )
    if not at:
        return visit.render(
            "coding/resolved.html", project=project, round_number=number, n=len(queue)
        )
    coded_text = await visit.read(lambda conn: coding_projects.text(conn, project.id, at))
    if coded_text is None:
        raise NotFound(f"text {at} is not there any more; its session may have been withdrawn.")
    await visit.log_look(
        f"looked at texts of coding {project.id} that coders differ on", study=project.study
    )
    marks = await visit.read(lambda conn: _marks_of(conn, project, number, at))
    place = queue.index(at) if at in queue else 0
    outcome = next(
        (outcome for outcome in reversed(decided.get(at, ())) if outcome.round == number), None
    )
    media, headers = media_json(visit, project, [coded_text])
    response = visit.render(
        "coding/resolve.html",
        project=project,
        book=book,
        round_number=number,
        text=coded_text,
        verdicts=assign_letters(marks, project.id, number, at),
        queue=queue,
        place=place,
        settled=settled,
        outcome=outcome,
        words=lambda key: label_words(book.book, key),
        after=queue[place + 1] if place + 1 < len(queue) else None,
        before=queue[place - 1] if place > 0 else None,
        media=media,
    )
    response.headers.update(headers)
    return response


def _marks_of(conn: Connection, project: CodingProject, number: int, text: int) -> list[StoredMark]:
    return [
        mark
        for mark in coding_marks.marks(conn, project.id, round_number=number)
        if mark.number == text
    ]


def assign_letters(
    marks: list[StoredMark], project: str, number: int, text: int
) -> dict[str, StoredMark]:
    """The coders as A, B, …: the letters differ from text to text, so no name or habit influences a
    decision. Pure.
    """

    def shuffle_key(stored: StoredMark) -> str:
        return hashlib.sha256(f"{project}/{number}/{text}/{stored.coder}".encode()).hexdigest()

    return {
        string.ascii_uppercase[i]: stored
        for i, stored in enumerate(sorted(marks, key=shuffle_key)[:26])
    }


def choose_labels(
    form: Mapping[str, str], book: BookVersion, by_letter: Mapping[str, StoredMark], text: str
) -> Mark:
    """One coder's labels, or those ticked, on the words that the coders gave them. They keep the
    codebook's rules. Pure.
    """
    taken = form.get("take", "")
    if taken and taken != "own":
        if taken not in by_letter:
            raise InvalidInput(
                f"decision: there is no coder {taken[:40]!r} of this text. Choose one of those"
                " shown."
            )
        mark = by_letter[taken].mark
    elif form.get("discard"):
        mark = Mark(discard=form["discard"], done=True)
    else:
        ticked = [
            _parse_label(name.removeprefix("label:")) for name in form if name.startswith("label:")
        ]
        mark = from_json({"labels": ticked, "done": True})
        mark = replace(
            mark,
            labels=tuple(
                replace(label, spans=_spans(label.key, by_letter.values())) for label in mark.labels
            ),
        )
    wrong = problems(book.book, mark, text)
    if wrong:
        raise InvalidInput(f"decision: {wrong[0]}. Tick what the codebook has.")
    return mark


def _parse_label(text: str) -> Mapping[str, Any]:
    """A label as the page names it: code, direction and side as a JSON list."""
    try:
        code, direction, side = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        raise InvalidInput(
            f"decision: expected a label of the page, got {text[:60]!r}. Tick what the codebook"
            " has."
        ) from None
    return {"code": code, "direction": direction, "side": side}


def _spans(key: Key, marks: Iterable[StoredMark]) -> tuple[Span, ...]:
    """The spans that coders marked for a label; none, which is the whole text, if one coder marked
    the whole text or no coder marked a span.
    """
    spans = [label.spans for stored in marks for label in stored.mark.labels if label.key == key]
    return merge_spans([span for own in spans for span in own]) if all(spans) else ()


async def decide(visit: ConsoleVisit) -> Response:
    project, form, at_ms = await the_project(visit), visit.form, visit.now_ms
    book = await the_book(visit, project)
    number, at = (
        whole_number(visit.path("round"), "round"),
        whole_number(form.get("text", ""), "text"),
    )
    how = _HOW.get(form.get("how", "adjudicated"))
    if how is None:
        raise InvalidInput("decision: expected adjudicated or discussed. Choose one.")
    queue = await visit.read(lambda conn: differing(conn, project, book, number))
    marks = await visit.read(lambda conn: _marks_of(conn, project, number, at))
    text = await visit.read(lambda conn: coding_projects.text(conn, project.id, at))
    mark = choose_labels(
        form,
        book,
        assign_letters(marks, project.id, number, at),
        "" if text is None else text.response.text,
    )
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
    open_ones = [
        text_number
        for text_number in queue
        if not any(outcome.round == number for outcome in decided.get(text_number, ()))
    ]
    later = [
        text_number
        for text_number in open_ones
        if at in queue and queue.index(text_number) > queue.index(at)
    ]
    target = (later or open_ones or [0])[0]
    address = f"{PATH}/coding/{project.id}/rounds/{number}/resolve"
    return RedirectResponse(f"{address}?text={target}" if target else address, 303)


ROUTES = (
    Route(
        method="GET",
        path="/coding/{project}/rounds/{round}/resolve",
        access=COORDINATORS,
        answer=page,
    ),
    Route(
        method="POST",
        path="/coding/{project}/rounds/{round}/resolve",
        access=COORDINATORS,
        answer=decide,
    ),
)
