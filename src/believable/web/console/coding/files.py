"""Taking texts, codebook and labels away, and bringing labels in."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from believable.coding.files import Marked, read_labels, table, write_codebook, write_labels
from believable.coding.qdc import to_qdc
from believable.coding.rows import final_rows
from believable.core.errors import InvalidInput
from believable.store import coding_files, coding_marks, coding_rounds, coding_texts
from believable.store.coding_export import pseudonyms
from believable.store.engine import Connection
from believable.web.console.coding.access import COORDINATORS, the_book, the_project, whole
from believable.web.console.desk import Page, Visit
from believable.web.console.guard import PATH

FINAL_COLUMNS = (
    "response",
    "code",
    "direction",
    "side",
    "spans",
    "discard",
    "how",
    "coder",
    "round",
    "sample",
    "version",
    "note",
)


def _download(text: str, name: str, kind: str) -> Response:
    return Response(text, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})


async def codebook_csv(visit: Visit) -> Response:
    project = await the_project(visit)
    book = await the_book(visit, project)
    return _download(write_codebook(book.book), f"{project.id}-codebook.csv", "text/csv; charset=utf-8")


async def codebook_qdc(visit: Visit) -> Response:
    project = await the_project(visit)
    book = await the_book(visit, project)
    return _download(to_qdc(book.book), f"{project.id}.qdc", "application/xml; charset=utf-8")


async def texts_csv(visit: Visit) -> Response:
    """Number, question and text: what a coder may see."""
    project = await the_project(visit)
    found = await visit.read(lambda conn: coding_texts.texts(conn, project.id))
    rows = [
        {"response": number, "prompt": one.response.prompt, "text": one.response.text}
        for number, one in found.items()
    ]
    return _download(
        table(("response", "prompt", "text"), rows), f"{project.id}-texts.csv", "text/csv; charset=utf-8"
    )


async def labels_csv(visit: Visit) -> Response:
    project = await the_project(visit)
    stored = await visit.read(lambda conn: coding_marks.marks(conn, project.id))
    marks = [Marked(one.number, one.coder, one.mark) for one in stored if one.mark.done]
    return _download(write_labels(marks), f"{project.id}-labels.csv", "text/csv; charset=utf-8")


async def final_csv(visit: Visit) -> Response:
    project = await the_project(visit)
    book = await the_book(visit, project)

    def look(conn: Connection) -> list[dict[str, object]]:
        texts = {number: one.response for number, one in coding_texts.texts(conn, project.id).items()}
        held = [one for one in coding_marks.final_labels(conn, project) if one.number in texts]
        rows = final_rows(
            book.book.id, held, texts, pseudonyms(conn, project), coding_rounds.samples(conn, project.id)
        )
        return [dict(row) for row in rows]

    rows = await visit.read(look)
    return _download(table(FINAL_COLUMNS, rows), f"{project.id}-final.csv", "text/csv; charset=utf-8")


async def import_labels(visit: Visit) -> Response:
    """Labels made elsewhere, into a round that is open: for texts that their coders have on their lists."""
    project, at_ms = await the_project(visit), visit.now_ms
    book = await the_book(visit, project)
    number = whole(visit.form.get("round", ""), "round")
    words = await visit.read(lambda conn: coding_texts.words(conn, project.id))
    found = read_labels(visit.form.get("labels", ""), book.book, words)
    if not found:
        raise InvalidInput("labels: there is nothing in the file.")
    await visit.change(
        lambda conn: coding_files.put_labels(
            conn, project.id, number, found, version=book.version, at_ms=at_ms
        ),
        f"coding {project.id}: imported labels of {len(found)} texts into round {number}",
        study=project.study,
    )
    return RedirectResponse(f"{PATH}/coding/{project.id}/rounds/{number}", 303)


PAGES = (
    Page("GET", "/coding/{project}/codebook.csv", COORDINATORS, codebook_csv),
    Page("GET", "/coding/{project}/codebook.qdc", COORDINATORS, codebook_qdc),
    Page("GET", "/coding/{project}/texts.csv", COORDINATORS, texts_csv),
    Page("GET", "/coding/{project}/labels.csv", COORDINATORS, labels_csv),
    Page("GET", "/coding/{project}/final.csv", COORDINATORS, final_csv),
    Page("POST", "/coding/{project}/labels", COORDINATORS, import_labels),
)
