"""Taking texts, codebook and labels away, and bringing labels in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.responses import RedirectResponse, Response

from believable.coding.files import read_labels
from believable.core.errors import InvalidInput
from believable.store import coding_files, coding_texts
from believable.web.console.coding.access import COORDINATORS, the_book, the_project, whole
from believable.web.console.desk import Page, Visit
from believable.web.console.guard import PATH

#: What each file is, as browsers are told.
KINDS = {"csv": "text/csv; charset=utf-8", "qdc": "application/xml; charset=utf-8"}


def download(name: str) -> Callable[[Visit], Awaitable[Response]]:
    """The page that gives one of the project's files."""

    async def page(visit: Visit) -> Response:
        project = await the_project(visit)
        found = await visit.read(lambda conn: coding_files.files_of(conn, project.id))
        stem, _, ending = name.rpartition(".")
        file = f"{project.id}.qdc" if ending == "qdc" else f"{project.id}-{stem}.csv"
        headers = {"content-disposition": f'attachment; filename="{file}"'}
        return Response(found[name], media_type=KINDS[ending], headers=headers)

    return page


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
    *(
        Page("GET", f"/coding/{{project}}/{name}", COORDINATORS, download(name))
        for name in ("codebook.csv", "codebook.qdc", "texts.csv", "labels.csv", "final.csv")
    ),
    Page("POST", "/coding/{project}/labels", COORDINATORS, import_labels),
)
