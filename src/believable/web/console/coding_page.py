"""Coding projects: the list, a new one from a study or from a file, a project's own page, and its
files out and in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from starlette.responses import RedirectResponse, Response

from believable.bundle.marks import Logs
from believable.coding.label_files import read_labels, read_texts
from believable.core.errors import InvalidInput, Refused
from believable.store import bundle_export, coding_marks, coding_projects, coding_rounds, studies
from believable.store.coding_projects import CodingProject, project_id
from believable.store.coding_rounds import CoderProgress
from believable.store.engine import Connection
from believable.store.rights import coders_for, role_in_project
from believable.study.codebook import Codebook, ready, ready_names, resolve_codebook
from believable.web.console.coding_views import averages, the_book, the_project
from believable.web.console.console_page import COORDINATORS, EVERY_USER, ConsoleVisit, Route
from believable.web.console.guard import PATH
from believable.web.form_numbers import whole_number

POOL_WORDS: Mapping[str, str] = {
    "real": "participants",
    "simulated": "simulated participants",
    "imported": "imported texts",
}
RULE_WORDS: Mapping[str, str] = {
    "none": "stay open until a person decides",
    "random_coder": "take the labels of one coder, drawn by the seed",
}


async def list_page(visit: ConsoleVisit) -> Response:
    """Coders see the projects assigned to them; a researcher who leads coding in a study sees all
    its projects."""
    user, rights = visit.user, visit.rights

    def look(conn: Connection) -> tuple[list[ProjectLine], list[ProjectLine]]:
        led, own = [], []
        assigned = {project.id for project in coding_projects.projects_of_coder(conn, user)}
        for project in coding_projects.all_projects(conn):
            role = role_in_project(conn, rights, user, project)
            if role in COORDINATORS:
                led.append(project)
            elif role is not None and project.id in assigned:
                own.append(project)
        return _lines(conn, led), _lines(conn, own)

    led, own = await visit.read(look)
    if not led and not rights.somewhere(COORDINATORS):
        return visit.render("coding/list.html", lines=own, mine=user)
    rows = [
        study for study in await visit.read(studies.every) if rights.may(study.id, COORDINATORS)
    ]
    offers = [(study, await _codebooks(visit, study.definition)) for study in rows]
    return visit.render(
        "coding/overview.html",
        lines=led,
        own=own,
        mine=user,
        offers=offers,
        ready=ready_names(),
        pools=POOL_WORDS,
    )


ProjectLine: TypeAlias = tuple[CodingProject, int, tuple[CoderProgress, ...]]


def _lines(conn: Connection, projects: Sequence[CodingProject]) -> list[ProjectLine]:
    return [
        (
            project,
            coding_projects.count_texts(conn, project.id),
            coding_rounds.coder_progress(conn, project.id),
        )
        for project in projects
    ]


async def _codebooks(visit: ConsoleVisit, definition: str) -> list[Codebook]:
    parsed = await visit.definition(definition)
    return [resolve_codebook(codebook) for codebook in parsed.study.codebooks]


# ---------------------------------------------------------------------------------------------- new


async def create(visit: ConsoleVisit) -> Response:
    """From a study: its own codebook or a ready one; texts are collected at once."""
    form, at_ms = visit.form, visit.now_ms
    _must_lead(visit, form.get("study", ""))
    study = await visit.read(lambda conn: studies.get(conn, form.get("study", "")))
    pool = form.get("pool", "real")
    if pool not in ("real", "simulated"):
        raise InvalidInput(f"pool: expected real or simulated, got {pool[:20]!r}.")
    book = await _chosen_book(visit, study.definition, form.get("codebook", ""))
    suffix = "" if pool == "real" else f"-{pool}"
    name, title = project_id(study.id, f"{book.id}{suffix}"), f"{study.title}: {book.title}"
    project = CodingProject(
        id=name, study=study.id, pool=pool, title=title, sources=book.of, created_ms=at_ms
    )
    collect = _collecting(visit, project)

    def make(conn: Connection) -> int:
        coding_projects.create_project(conn, project, book, user=visit.user)
        return collect(conn)

    await visit.change(make, f"began coding {project.id}", study=study.id)
    return RedirectResponse(f"{PATH}/coding/{project.id}", 303)


def _must_lead(visit: ConsoleVisit, study: str) -> None:
    """The form names the study, and the guard does not read forms."""
    if not visit.rights.may(study, COORDINATORS):
        raise Refused(
            f"You do not lead the coding of a study {study[:64]!r}. Ask an owner of the study."
        )


async def _chosen_book(visit: ConsoleVisit, definition: str, wanted: str) -> Codebook:
    """`study:ID` is one of the study's codebooks, anything else a ready one."""
    kind, _, name = wanted.partition(":")
    if kind == "study":
        for book in await _codebooks(visit, definition):
            if book.id == name:
                return book
        raise InvalidInput(
            f"codebook: the study has none called {name[:40]!r}. Open the page again."
        )
    return resolve_codebook(ready(wanted))


async def import_texts(visit: ConsoleVisit) -> Response:
    form, at_ms = visit.form, visit.now_ms
    title = form.get("title", "").strip()
    if not title or len(title) > 200:
        raise InvalidInput("title: expected 1 to 200 characters. Give the project a name.")
    study = form.get("study", "") or None
    if study is None and not visit.rights.administrator:
        raise InvalidInput(
            "study: expected one, got none. Choose the study whose people may see the texts."
        )
    if study is not None:
        _must_lead(visit, study)
        await visit.read(lambda conn: studies.get(conn, study))
    responses = read_texts(form.get("texts", ""))
    book = resolve_codebook(ready(form.get("codebook", "")))
    project = CodingProject(
        id=project_id(study, title), study=study, pool="imported", title=title, created_ms=at_ms
    )
    await visit.change(
        lambda conn: coding_projects.import_texts(conn, project, book, responses, user=visit.user),
        f"imported {len(responses)} texts as coding project {project.id}",
        study=study,
    )
    return RedirectResponse(f"{PATH}/coding/{project.id}", 303)


def _collecting(visit: ConsoleVisit, project: CodingProject) -> Callable[[Connection], int]:
    """What adds the texts of the study that are not in the project yet."""
    logs = Logs(visit.console.media_dir)
    return lambda conn: bundle_export.collect_texts(conn, project, logs=logs)


# ---------------------------------------------------------------------------------------------- one
# project


async def project_page(visit: ConsoleVisit) -> Response:
    project = await the_project(visit)
    book = await the_book(visit, project)

    def look(conn: Connection) -> dict[str, Any]:
        held = coding_marks.final_labels(conn, project)
        counts: dict[str, int] = {}
        for final in held:
            counts[final.how] = counts.get(final.how, 0) + 1
        return {
            "n_texts": coding_projects.count_texts(conn, project.id),
            "rounds": coding_rounds.rounds(conn, project.id),
            "progress": coding_rounds.coder_progress(conn, project.id),
            "versions": coding_projects.books(conn, project.id),
            "finals": counts,
            "coders": coders_for(conn, project),
            "averages": averages(conn, project.id, book.book),
        }

    facts = await visit.read(look)
    return visit.render(
        "coding/project.html",
        project=project,
        book=book,
        rules=RULE_WORDS,
        pools=POOL_WORDS,
        **facts,
    )


async def change_settings(visit: ConsoleVisit) -> Response:
    project = await the_project(visit)
    suggestions, rule = visit.form.get("suggestions") == "yes", visit.form.get("rule", "none")
    await visit.change(
        lambda conn: coding_projects.change_project(
            conn, project.id, suggestions=suggestions, rule=rule
        ),
        f"coding {project.id}: suggestions {'on' if suggestions else 'off'}, open disagreements:"
        f" {rule}",
        study=project.study,
    )
    return RedirectResponse(f"{PATH}/coding/{project.id}", 303)


async def collect_again(visit: ConsoleVisit) -> Response:
    project = await the_project(visit)
    what = f"collected new texts for coding {project.id}"
    await visit.change(_collecting(visit, project), what, study=project.study)
    return RedirectResponse(f"{PATH}/coding/{project.id}", 303)


# ----------------------------------------------------------------------------------------------
# files


#: The content type of each file.
MEDIA_TYPES = {"csv": "text/csv; charset=utf-8", "qdc": "application/xml; charset=utf-8"}


def download(name: str) -> Callable[[ConsoleVisit], Awaitable[Response]]:
    """The page that gives one of the project's files."""

    async def page(visit: ConsoleVisit) -> Response:
        project = await the_project(visit)
        what = f"exported {name} of coding {project.id}"
        await visit.change(lambda conn: None, what, study=project.study, kind="export")
        files = await visit.read(lambda conn: bundle_export.files_of(conn, project.id))
        stem, _, ending = name.rpartition(".")
        file = f"{project.id}.qdc" if ending == "qdc" else f"{project.id}-{stem}.csv"
        headers = {"content-disposition": f'attachment; filename="{file}"'}
        return Response(files[name], media_type=MEDIA_TYPES[ending], headers=headers)

    return page


async def import_labels(visit: ConsoleVisit) -> Response:
    """Labels made elsewhere, into a round that is open: for texts that their coders have on their
    lists.
    """
    project, at_ms = await the_project(visit), visit.now_ms
    book = await the_book(visit, project)
    number = whole_number(visit.form.get("round", ""), "round")
    words = await visit.read(lambda conn: coding_projects.words(conn, project.id))
    marked = read_labels(visit.form.get("labels", ""), book.book, words)
    if not marked:
        raise InvalidInput("labels: there is nothing in the file.")
    await visit.change(
        lambda conn: bundle_export.put_labels(
            conn, project.id, number, marked, version=book.version, at_ms=at_ms
        ),
        f"coding {project.id}: imported labels of {len(marked)} texts into round {number}",
        study=project.study,
    )
    return RedirectResponse(f"{PATH}/coding/{project.id}/rounds/{number}", 303)


ROUTES = (
    Route(method="GET", path="/coding", access=EVERY_USER, answer=list_page, tab="Coding"),
    Route(method="POST", path="/coding", access=COORDINATORS, answer=create),
    Route(method="POST", path="/coding/import", access=COORDINATORS, answer=import_texts),
    Route(method="GET", path="/coding/{project}", access=COORDINATORS, answer=project_page),
    Route(
        method="POST",
        path="/coding/{project}/settings",
        access=COORDINATORS,
        answer=change_settings,
    ),
    Route(
        method="POST", path="/coding/{project}/collect", access=COORDINATORS, answer=collect_again
    ),
    *(
        Route(
            method="GET",
            path=f"/coding/{{project}}/{name}",
            access=COORDINATORS,
            answer=download(name),
        )
        for name in ("codebook.csv", "codebook.qdc", "texts.csv", "labels.csv", "final.csv")
    ),
    Route(
        method="POST", path="/coding/{project}/labels", access=COORDINATORS, answer=import_labels
    ),
)
