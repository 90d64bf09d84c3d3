"""Rounds: drawing one, closing it, and how far coders agree, live."""

from __future__ import annotations

import hashlib

import orjson
from starlette.responses import RedirectResponse, Response

from believable.coding.agreement import KappaRow, kappa_table
from believable.coding.samples import Kind, Plan, Stratify
from believable.core.errors import InvalidInput
from believable.store import coding_marks, coding_rounds
from believable.store.coding_projects import BookVersion, Project
from believable.store.engine import Connection
from believable.web.console.coding.access import COORDINATORS, optional_whole, the_book, the_project, whole
from believable.web.console.coding.agreement import SAMPLES, label_words, of_round
from believable.web.console.desk import Page, Visit
from believable.web.console.guard import PATH
from believable.web.pages import fragment

_KINDS: dict[str, Kind] = {"joint": "joint", "agreement": "agreement", "split": "split"}
_STRATA: dict[str, Stratify] = {"none": "none", "condition": "condition", "judge": "judge"}
#: Disagreements listed at once.
LISTED = 200


async def add(visit: Visit) -> Response:
    project, form, at_ms = await the_project(visit), visit.form, visit.now_ms
    kind, strata = _KINDS.get(form.get("kind", "")), _STRATA.get(form.get("stratify", "condition"))
    if kind is None or strata is None:
        raise InvalidInput("round: expected a kind and how to stratify. Choose from the lists.")
    coders = [name.removeprefix("coder:") for name in form if name.startswith("coder:")]
    if not coders:
        raise InvalidInput("round: expected at least one coder, got none. Tick who codes.")
    again = optional_whole(form.get("again", ""), "again")
    plan = Plan(
        kind,
        optional_whole(form.get("n", ""), "texts"),
        optional_whole(form.get("per_judge", ""), "texts per judge"),
        whole(form.get("overlap", "25") or "25", "overlap", least=0, most=100) / 100,
        strata,
    )
    made = await visit.change(
        lambda conn: coding_rounds.add(
            conn, project, plan, coders, again=again, user=visit.user, at_ms=at_ms
        ),
        f"coding {project.id}: drew a {kind} round for {', '.join(coders)}",
        study=project.study,
    )
    return RedirectResponse(f"{PATH}/coding/{project.id}#round-{made.number}", 303)


async def set_state(visit: Visit) -> Response:
    project, state = await the_project(visit), visit.form.get("state", "")
    number = whole(visit.path("round"), "round")
    await visit.change(
        lambda conn: coding_rounds.set_state(conn, project.id, number, state),
        f"coding {project.id}: round {number} is {state}",
        study=project.study,
    )
    return RedirectResponse(f"{PATH}/coding/{project.id}#round-{number}", 303)


# ---------------------------------------------------------------------------------------------- agreement


async def page(visit: Visit) -> Response:
    project = await the_project(visit)
    book, number = await the_book(visit, project), whole(visit.path("round"), "round")
    content = await visit.read(lambda conn: _content(conn, project, book, number))
    stamp, html = content
    one = await visit.read(lambda conn: coding_rounds.get(conn, project.id, number))
    return visit.render("coding/agreement.html", project=project, round=one, stamp=stamp, content=html)


async def live(visit: Visit) -> Response:
    """What changed since the page was made: nothing, or the whole content anew."""
    project = await the_project(visit)
    book, number = await the_book(visit, project), whole(visit.path("round"), "round")
    now = await visit.read(lambda conn: _stamp(conn, project.id, book.version))
    if visit.query("stamp") == now:
        return Response(orjson.dumps({"stamp": now}), media_type="application/json")
    stamp, html = await visit.read(lambda conn: _content(conn, project, book, number))
    return Response(orjson.dumps({"stamp": stamp, "html": str(html)}), media_type="application/json")


def _stamp(conn: Connection, project: str, version: int) -> str:
    decided = sum(len(given) for given in coding_marks.outcomes(conn, project).values())
    parts = (*coding_marks.stamp(conn, project), version, decided)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _content(conn: Connection, project: Project, book: BookVersion, number: int) -> tuple[str, object]:
    found = of_round(conn, project.id, book.book, number)
    texts = {one.number: one for one in coding_marks.final_labels(conn, project)}
    decided = coding_marks.outcomes(conn, project.id)
    settled = {
        name: {
            one.number: decided[one.number][-1]
            for one in agreed.disagreements
            if any(outcome.round == number for outcome in decided.get(one.number, ()))
        }
        for name, agreed in found.items()
    }
    html = fragment(
        "console/coding/measures.html",
        project=project,
        book=book.book,
        number=number,
        found=found,
        samples=SAMPLES,
        settled=settled,
        finals=texts,
        words=lambda key: label_words(book.book, key),
        most=LISTED,
        progress=[one for one in coding_rounds.progress(conn, project.id) if one.round == number],
    )
    return _stamp(conn, project.id, book.version), html


async def table_page(visit: Visit) -> Response:
    """κ per code × direction, agreement sample against overlap sample, over all rounds."""
    project = await the_project(visit)
    book = await the_book(visit, project)

    def look(conn: Connection) -> tuple[KappaRow, ...]:
        first = second = None
        for one in coding_rounds.rounds(conn, project.id):
            begun = {
                name: agreed
                for name, agreed in of_round(conn, project.id, book.book, one.number).items()
                if agreed.n_texts
            }
            first, second = begun.get("agreement", first), begun.get("overlap", second)
        return kappa_table(book.book, first, second)

    return visit.render("coding/table.html", project=project, rows=await visit.read(look))


PAGES = (
    Page("POST", "/coding/{project}/rounds", COORDINATORS, add),
    Page("GET", "/coding/{project}/agreement", COORDINATORS, table_page),
    Page("GET", "/coding/{project}/rounds/{round}", COORDINATORS, page),
    Page("GET", "/coding/{project}/rounds/{round}/live", COORDINATORS, live, form="json"),
    Page("POST", "/coding/{project}/rounds/{round}/state", COORDINATORS, set_state),
)
