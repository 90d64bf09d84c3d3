"""Rounds: drawing one, closing it, and how far coders agree, live."""

from __future__ import annotations

import hashlib

import orjson
from starlette.responses import RedirectResponse, Response

from believable.coding.coder_agreement import KappaRow, kappa_table
from believable.coding.samples import RoundKind, RoundPlan, Stratify
from believable.core.errors import InvalidInput
from believable.store import coding_marks, coding_rounds
from believable.store.coding_projects import BookVersion, CodingProject
from believable.store.engine import Connection
from believable.store.rights import coders_for
from believable.web.console.coding_views import (
    SAMPLES,
    label_words,
    optional_whole,
    round_agreement,
    the_book,
    the_project,
)
from believable.web.console.console_page import COORDINATORS, ConsoleVisit, Route
from believable.web.console.guard import PATH
from believable.web.form_numbers import whole_number
from believable.web.templating import fragment

_KINDS: dict[str, RoundKind] = {"joint": "joint", "agreement": "agreement", "split": "split"}
_STRATA: dict[str, Stratify] = {"none": "none", "condition": "condition", "judge": "judge"}
#: Disagreements listed at once.
LISTED = 200


async def add(visit: ConsoleVisit) -> Response:
    project, form, at_ms = await the_project(visit), visit.form, visit.now_ms
    kind, strata = _KINDS.get(form.get("kind", "")), _STRATA.get(form.get("stratify", "condition"))
    if kind is None or strata is None:
        raise InvalidInput("round: expected a kind and how to stratify. Choose from the lists.")
    coders = [name.removeprefix("coder:") for name in form if name.startswith("coder:")]
    if not coders:
        raise InvalidInput("round: expected at least one coder, got none. Tick who codes.")
    may_code = await visit.read(lambda conn: coders_for(conn, project))
    stranger = next((name for name in coders if name not in may_code), None)
    if stranger is not None:
        raise InvalidInput(
            f"round: {stranger[:64]!r} has no role in this study. Give them one under People first."
        )
    again = optional_whole(form.get("again", ""), "again")
    plan = RoundPlan(
        kind=kind,
        n=optional_whole(form.get("n", ""), "texts"),
        per_judge=optional_whole(form.get("per_judge", ""), "texts per judge"),
        overlap=whole_number(form.get("overlap", "25") or "25", "overlap", least=0, most=100) / 100,
        stratify=strata,
    )
    drawn = await visit.change(
        lambda conn: coding_rounds.add_round(
            conn, project, plan, coders, again=again, user=visit.user, at_ms=at_ms
        ),
        f"coding {project.id}: drew a {kind} round for {', '.join(coders)}",
        study=project.study,
    )
    return RedirectResponse(f"{PATH}/coding/{project.id}#round-{drawn.number}", 303)


async def set_state(visit: ConsoleVisit) -> Response:
    project, state = await the_project(visit), visit.form.get("state", "")
    number = whole_number(visit.path("round"), "round")
    await visit.change(
        lambda conn: coding_rounds.set_round_state(conn, project.id, number, state),
        f"coding {project.id}: round {number} is {state}",
        study=project.study,
    )
    return RedirectResponse(f"{PATH}/coding/{project.id}#round-{number}", 303)


# ----------------------------------------------------------------------------------------------
# agreement


async def page(visit: ConsoleVisit) -> Response:
    project = await the_project(visit)
    book, number = await the_book(visit, project), whole_number(visit.path("round"), "round")
    content = await visit.read(lambda conn: _content(conn, project, book, number))
    stamp, html = content
    round_ = await visit.read(lambda conn: coding_rounds.get_round(conn, project.id, number))
    return visit.render(
        "coding/agreement.html", project=project, round=round_, stamp=stamp, content=html
    )


async def live(visit: ConsoleVisit) -> Response:
    """Changes since the page was made: none, or the whole content again."""
    project = await the_project(visit)
    book, number = await the_book(visit, project), whole_number(visit.path("round"), "round")
    now = await visit.read(lambda conn: _stamp(conn, project.id, book.version))
    if visit.query("stamp") == now:
        return Response(orjson.dumps({"stamp": now}), media_type="application/json")
    stamp, html = await visit.read(lambda conn: _content(conn, project, book, number))
    return Response(
        orjson.dumps({"stamp": stamp, "html": str(html)}), media_type="application/json"
    )


def _stamp(conn: Connection, project: str, version: int) -> str:
    decided = sum(len(outcome) for outcome in coding_marks.outcomes(conn, project).values())
    parts = (*coding_marks.marks_stamp(conn, project), version, decided)
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _content(
    conn: Connection, project: CodingProject, book: BookVersion, number: int
) -> tuple[str, object]:
    measured = round_agreement(conn, project.id, book.book, number)
    texts = {label.number: label for label in coding_marks.final_labels(conn, project)}
    decided = coding_marks.outcomes(conn, project.id)
    settled = {
        name: {
            disagreement.number: decided[disagreement.number][-1]
            for disagreement in agreed.disagreements
            if any(outcome.round == number for outcome in decided.get(disagreement.number, ()))
        }
        for name, agreed in measured.items()
    }
    html = fragment(
        "console/coding/measures.html",
        project=project,
        book=book.book,
        number=number,
        measured=measured,
        samples=SAMPLES,
        settled=settled,
        finals=texts,
        words=lambda key: label_words(book.book, key),
        most=LISTED,
        progress=[
            progress
            for progress in coding_rounds.coder_progress(conn, project.id)
            if progress.round == number
        ],
    )
    return _stamp(conn, project.id, book.version), html


async def table_page(visit: ConsoleVisit) -> Response:
    """κ per code × direction, agreement sample against overlap sample, over all rounds."""
    project = await the_project(visit)
    book = await the_book(visit, project)

    def look(conn: Connection) -> tuple[KappaRow, ...]:
        first = second = None
        for round_ in coding_rounds.rounds(conn, project.id):
            begun = {
                name: agreed
                for name, agreed in round_agreement(
                    conn, project.id, book.book, round_.number
                ).items()
                if agreed.n_texts
            }
            first, second = begun.get("agreement", first), begun.get("overlap", second)
        return kappa_table(book.book, first, second)

    return visit.render("coding/table.html", project=project, rows=await visit.read(look))


ROUTES = (
    Route(method="POST", path="/coding/{project}/rounds", access=COORDINATORS, answer=add),
    Route(method="GET", path="/coding/{project}/agreement", access=COORDINATORS, answer=table_page),
    Route(method="GET", path="/coding/{project}/rounds/{round}", access=COORDINATORS, answer=page),
    Route(
        method="GET",
        path="/coding/{project}/rounds/{round}/live",
        access=COORDINATORS,
        answer=live,
        form="json",
    ),
    Route(
        method="POST",
        path="/coding/{project}/rounds/{round}/state",
        access=COORDINATORS,
        answer=set_state,
    ),
)
