"""Coding projects: the list, a new one from a study or from a file, and a project's own page."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any

from starlette.responses import RedirectResponse, Response

from believable.bundle.marks import Logs
from believable.coding.files import read_texts
from believable.core.errors import InvalidInput
from believable.store import (
    accounts,
    coding_intake,
    coding_marks,
    coding_projects,
    coding_rounds,
    coding_texts,
    studies,
)
from believable.store.coding_projects import Project
from believable.store.coding_rounds import CoderProgress
from believable.store.engine import Connection
from believable.study.codebook import Codebook, ready, ready_names, resolved
from believable.web.console.coding.access import COORDINATORS, the_book, the_project
from believable.web.console.coding.agreement import averages
from believable.web.console.desk import EVERY_USER, Page, Visit
from believable.web.console.guard import PATH

POOL_WORDS: Mapping[str, str] = {
    "real": "participants",
    "simulated": "simulated participants",
    "imported": "imported texts",
}
RULE_WORDS: Mapping[str, str] = {
    "none": "stay open until somebody decides",
    "random_coder": "take the labels of one coder, drawn by the seed",
}


async def list_page(visit: Visit) -> Response:
    """Coders see what is given to them; coordinators everything."""
    assert visit.login is not None
    user, role = visit.user, visit.login.user.role
    if role == "coder":
        own = await visit.read(lambda conn: _lines(conn, coding_projects.of_coder(conn, user)))
        return visit.render("coding/list.html", lines=own, mine=user)
    lines = await visit.read(lambda conn: _lines(conn, coding_projects.every(conn)))
    found = await visit.read(studies.every)
    offers = [(study, await _codebooks(visit, study.definition)) for study in found]
    return visit.render(
        "coding/overview.html", lines=lines, mine=user, offers=offers, ready=ready_names(), pools=POOL_WORDS
    )


def _lines(
    conn: Connection, projects: tuple[Project, ...]
) -> list[tuple[Project, int, tuple[CoderProgress, ...]]]:
    return [(one, coding_texts.count(conn, one.id), coding_rounds.progress(conn, one.id)) for one in projects]


async def _codebooks(visit: Visit, definition: str) -> list[Codebook]:
    found = await visit.definition(definition)
    return [resolved(one) for one in found.study.codebooks]


# ---------------------------------------------------------------------------------------------- new


async def create(visit: Visit) -> Response:
    """From a study: its own codebook or a ready one; texts are collected at once."""
    form, at_ms = visit.form, visit.now_ms
    study = await visit.read(lambda conn: studies.get(conn, form.get("study", "")))
    pool = form.get("pool", "real")
    if pool not in ("real", "simulated"):
        raise InvalidInput(f"pool: expected real or simulated, got {pool[:20]!r}.")
    book = await _chosen_book(visit, study.definition, form.get("codebook", ""))
    suffix = "" if pool == "real" else f"-{pool}"
    project = Project(
        project_name(f"{study.id}-{book.id}{suffix}"), study.id, pool, f"{study.title}: {book.title}", book.of, _seed(), False,
        "none", at_ms,
    )  # fmt: skip
    console = visit.console
    logs = Logs(console.media_dir)

    def make(conn: Connection) -> int:
        coding_projects.create(conn, project, book, user=visit.user)
        return coding_intake.collect(conn, project, instruments=console.instruments, logs=logs)

    await visit.change(make, f"began coding {project.id}", study=study.id)
    return RedirectResponse(f"{PATH}/coding/{project.id}", 303)


async def _chosen_book(visit: Visit, definition: str, wanted: str) -> Codebook:
    """`study:ID` is one of the study's codebooks, anything else a ready one."""
    kind, _, name = wanted.partition(":")
    if kind == "study":
        for one in await _codebooks(visit, definition):
            if one.id == name:
                return one
        raise InvalidInput(f"codebook: the study has none called {name[:40]!r}. Open the page again.")
    return resolved(ready(wanted))


async def import_texts(visit: Visit) -> Response:
    form, at_ms = visit.form, visit.now_ms
    title = form.get("title", "").strip()
    if not title or len(title) > 200:
        raise InvalidInput("title: expected 1 to 200 characters. Give the project a name.")
    found = read_texts(form.get("texts", ""))
    book = resolved(ready(form.get("codebook", "")))
    project = Project(project_name(title), None, "imported", title, (), _seed(), False, "none", at_ms)

    def make(conn: Connection) -> int:
        coding_projects.create(conn, project, book, user=visit.user)
        return coding_texts.put(conn, project, [(one, ()) for one in found])

    await visit.change(make, f"imported {len(found)} texts as coding project {project.id}")
    return RedirectResponse(f"{PATH}/coding/{project.id}", 303)


def project_name(text: str) -> str:
    """A name for addresses: letters, digits and hyphens.

    >>> project_name("Why, at all?")
    'why-at-all'
    """
    name = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:64].strip("-")
    if not name:
        raise InvalidInput(f"title: expected some letters or digits, got {text[:40]!r}.")
    return name


def _seed() -> int:
    return secrets.randbelow(2**53)


# ---------------------------------------------------------------------------------------------- one project


async def project_page(visit: Visit) -> Response:
    project = await the_project(visit)
    book = await the_book(visit, project)

    def look(conn: Connection) -> dict[str, Any]:
        held = coding_marks.final_labels(conn, project)
        counts: dict[str, int] = {}
        for one in held:
            counts[one.how] = counts.get(one.how, 0) + 1
        return {
            "n_texts": coding_texts.count(conn, project.id),
            "rounds": coding_rounds.rounds(conn, project.id),
            "progress": coding_rounds.progress(conn, project.id),
            "versions": coding_projects.books(conn, project.id),
            "finals": counts,
            "coders": [
                user.name
                for user in accounts.everyone(conn)
                if not user.disabled and user.role in ("coder", "coordinator", "researcher", "owner")
            ],
            "averages": averages(conn, project.id, book.book),
        }

    found = await visit.read(look)
    return visit.render(
        "coding/project.html", project=project, book=book, rules=RULE_WORDS, pools=POOL_WORDS, **found
    )


async def change_settings(visit: Visit) -> Response:
    project = await the_project(visit)
    suggestions, rule = visit.form.get("suggestions") == "yes", visit.form.get("rule", "none")
    await visit.change(
        lambda conn: coding_projects.change(conn, project.id, suggestions=suggestions, rule=rule),
        f"coding {project.id}: suggestions {'on' if suggestions else 'off'}, open disagreements: {rule}",
        study=project.study,
    )
    return RedirectResponse(f"{PATH}/coding/{project.id}", 303)


async def collect_again(visit: Visit) -> Response:
    project = await the_project(visit)
    console = visit.console
    logs = Logs(console.media_dir)
    await visit.change(
        lambda conn: coding_intake.collect(conn, project, instruments=console.instruments, logs=logs),
        f"collected new texts for coding {project.id}",
        study=project.study,
    )
    return RedirectResponse(f"{PATH}/coding/{project.id}", 303)


PAGES = (
    Page("GET", "/coding", EVERY_USER, list_page),
    Page("POST", "/coding", COORDINATORS, create),
    Page("POST", "/coding/import", COORDINATORS, import_texts),
    Page("GET", "/coding/{project}", COORDINATORS, project_page),
    Page("POST", "/coding/{project}/settings", COORDINATORS, change_settings),
    Page("POST", "/coding/{project}/collect", COORDINATORS, collect_again),
)
