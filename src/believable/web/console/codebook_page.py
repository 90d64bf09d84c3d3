"""The codebook: reading it, changing it, and deciding what becomes of labels made before."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from starlette.responses import RedirectResponse, Response

from believable.coding.labels import POLICIES, POLICY_WORDS, CodeChange, Policy, changes
from believable.core.errors import InvalidInput
from believable.store import coding_projects
from believable.store.coding_projects import BookVersion, CodingProject
from believable.study.codebook import Codebook, from_yaml
from believable.web.console.codebook_fields import (
    blank_card,
    book_tree,
    cards_of,
    code_cards,
    discard_cards,
)
from believable.web.console.coding_views import the_book, the_project
from believable.web.console.console_page import COORDINATORS, ConsoleVisit, Route
from believable.web.console.guard import PATH
from believable.web.form_numbers import whole_number

#: Keys that are left out if they have no content.
_QUIET = (
    "short",
    "keywords",
    "examples",
    "parent",
    "excludes",
    "wins_over",
    "direction",
    "side",
    "other",
    "ready",
    "of",
)


def as_yaml(book: Codebook) -> str:
    """For editing: what says nothing is left out."""
    return tree_as_yaml(book.model_dump(mode="json"))


def tree_as_yaml(tree: Mapping[str, Any]) -> str:
    data = _without_silence(tree)
    data["codes"] = [_without_silence(code) for code in data.get("codes", [])]
    writer = YAML()
    writer.default_flow_style = False
    writer.width = 72
    written = io.StringIO()
    writer.dump(data, written)
    return written.getvalue()


def _without_silence(data: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value
        for name, value in data.items()
        if name not in _QUIET or value not in (None, "", [], False)
    }


def read(text: str, before: Codebook) -> Codebook:
    """Return the codebook of the page, or raise an error that names the field. Its id and its
    questions stay."""
    try:
        book = from_yaml(text.encode(), "codebook")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InvalidInput(
            f"codebook {where}: {first['msg']}, got {str(first['input'])[:60]!r}."
        ) from None
    ids = [code.id for code in book.codes]
    if not ids or len(set(ids)) != len(ids):
        raise InvalidInput(
            "codebook: expected codes, each id once. Rename or remove the double one."
        )
    for code in book.codes:
        for name in (*code.excludes, *code.wins_over, *([code.parent] if code.parent else [])):
            if name not in ids or name == code.id:
                raise InvalidInput(
                    f"codebook {code.id}: there is no other code {name!r}. Correct the name."
                )
    return book.model_copy(
        update={"id": before.id, "of": before.of, "ready": None, "pick": book.pick or "many"}
    )


async def page(visit: ConsoleVisit) -> Response:
    project = await the_project(visit)
    book = await the_book(visit, project)
    versions = await visit.read(lambda conn: coding_projects.books(conn, project.id))
    return _editor(visit, project, book, as_yaml(book.book), versions=versions)


def _editor(
    visit: ConsoleVisit,
    project: CodingProject,
    book: BookVersion,
    text: str,
    *,
    versions: tuple[BookVersion, ...] = (),
    changed: tuple[CodeChange, ...] = (),
    counts: Mapping[str, int] | None = None,
    message: str = "",
    status: int = 200,
    shown: Codebook | None = None,
) -> Response:
    """Return the page. Fields hold the typed text if there is any, else the codebook, or the
    changed one that is `shown`.
    """
    typed = visit.form.get("fields") == "yes"
    held = shown or book.book
    codes = cards_of(visit.form, "code") if typed else code_cards(held.codes)
    discards = cards_of(visit.form, "discard") if typed else discard_cards(held.discards)
    add = visit.form.get("add", "")
    return visit.render(
        "coding/codebook.html",
        status=status,
        project=project,
        book=book,
        text=text,
        versions=versions,
        changed=changed,
        counts=counts or {},
        policies=POLICY_WORDS,
        message=message,
        codes=[*codes, *([blank_card(codes)] if add == "code" else ())],
        discards=[*discards, *([blank_card(discards)] if add == "discard" else ())],
        title=visit.form.get("title", held.title),
        pick=visit.form.get("pick", held.pick or "many"),
        added=add,
    )


async def change(visit: ConsoleVisit) -> Response:
    """First show the effect of the change and ask about earlier labels; then store the new
    version.
    """
    project, form, at_ms = await the_project(visit), visit.form, visit.now_ms
    book = await the_book(visit, project)
    typed = form.get("fields") == "yes"
    text = tree_as_yaml(book_tree(form, book.book)) if typed else form.get("text", "")
    if typed and form.get("add"):
        return _editor(visit, project, book, as_yaml(book.book))
    try:
        new = await asyncio.to_thread(read, text, book.book)
    except InvalidInput as error:
        return _editor(visit, project, book, text, message=str(error), status=422)
    changed = changes(book.book, new)
    if new == book.book:
        return _editor(visit, project, book, text, message="Nothing has changed.")
    touched = [code_change.code for code_change in changed if code_change.touches_labels]
    counts = await visit.read(
        lambda conn: coding_projects.affected_labels(conn, project.id, touched)
    )
    asked = [
        code_change
        for code_change in changed
        if code_change.touches_labels and counts[code_change.code]
    ]
    policies = _policies(form, [code_change.code for code_change in asked])
    if form.get("step") != "confirm" or len(policies) < len(asked):
        return _editor(visit, project, book, text, changed=changed, counts=counts, shown=new)
    after = whole_number(form.get("after", ""), "version")
    await visit.change(
        lambda conn: coding_projects.add_version(
            conn,
            project.id,
            new,
            policies,
            after=after,
            note=form.get("note", "").strip()[:1000],
            user=visit.user,
            at_ms=at_ms,
        ),
        f"coding {project.id}: version {after + 1} of the codebook",
        study=project.study,
    )
    return RedirectResponse(f"{PATH}/coding/{project.id}/codebook", 303)


def _policies(form: Mapping[str, str], codes: list[str]) -> dict[str, Policy]:
    policies: dict[str, Policy] = {}
    for code in codes:
        wanted = form.get(f"policy:{code}", "")
        for policy in POLICIES:
            if wanted == policy:
                policies[code] = policy
    return policies


ROUTES = (
    Route(method="GET", path="/coding/{project}/codebook", access=COORDINATORS, answer=page),
    Route(method="POST", path="/coding/{project}/codebook", access=COORDINATORS, answer=change),
)
