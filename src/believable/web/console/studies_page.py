"""Studies: the list, one study's page, its state, its links and its definitions."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence

from starlette.responses import RedirectResponse, Response

from believable.bundle.cells import csv_line, neutralise
from believable.collect.desk import SHARED_KINDS, personal_links
from believable.core.errors import BelievableError, InvalidInput, NotFound, Refused
from believable.giveaways.certificate import Certificate, current
from believable.store import monitor, overview, studies
from believable.store.overview import PersonalLink
from believable.store.studies import StudyRow
from believable.study.definition import Definition
from believable.study.plan import cell_count
from believable.web.console.console_page import RESEARCHERS, ConsoleVisit, Route
from believable.web.console.guard import PATH
from believable.web.form_numbers import whole_number

MOST_LINKS_AT_ONCE = 1_000
LABEL_CHARACTERS = 200
LINKS_SHOWN = 200
DEEDS = {"open": "opened", "paused": "paused", "closed": "closed"}


async def the_study(visit: ConsoleVisit) -> StudyRow:
    name = visit.path("study")
    return await visit.read(lambda conn: studies.get(conn, name))


async def list_page(visit: ConsoleVisit) -> Response:
    now_ms = visit.now_ms
    lines = await visit.read(lambda conn: overview.study_lines(conn, now_ms=now_ms))
    own = [line for line in lines if visit.rights.may(line.study.id, RESEARCHERS)]
    return visit.render("studies.html", lines=own)


def join_address(visit: ConsoleVisit, token: str) -> str:
    return f"{visit.console.base_url.rstrip('/')}/join/{token}"


async def study_page(visit: ConsoleVisit) -> Response:
    study = await the_study(visit)
    personal = await visit.read(lambda conn: overview.personal_links(conn, study.id))
    shared = await visit.read(
        lambda conn: studies.links_of(conn, study.id, ("open", "preview", "simulated"))
    )
    definition = await visit.definition(study.definition)
    return visit.render(
        "study.html",
        study=study,
        shared=[
            (link.kind, join_address(visit, link.token))
            for link in sorted(shared, key=lambda link: SHARED_KINDS.index(link.kind))
        ],
        personal=[(link, join_address(visit, link.token)) for link in personal[:LINKS_SHOWN]],
        n_personal=len(personal),
        n_used=sum(link.used for link in personal),
        most=MOST_LINKS_AT_ONCE,
        versions=await visit.read(lambda conn: overview.versions(conn, study.id)),
        definition=definition,
        n_cells=cell_count(definition.study),
        sizes=await visit.read(lambda conn: monitor.pool_sizes(conn, study.id)),
    )


def current_certificate(
    visit: ConsoleVisit, study: StudyRow, definition: Definition
) -> Certificate | None:
    """The certificate of the stimuli that the study shows. Reads the disk."""
    folder = visit.console.study_folders.get(study.id)
    if folder is None:
        return None
    try:
        return current(folder, definition.study.stimuli)
    except BelievableError:
        return None


async def set_state(visit: ConsoleVisit) -> Response:
    study, state = await the_study(visit), visit.form.get("state", "")
    if state not in DEEDS:
        raise InvalidInput(
            f"state: expected open, paused or closed, got {state[:40]!r}. Use the buttons."
        )
    if state == "open":
        definition = await visit.definition(study.definition)
        kept = await asyncio.to_thread(current_certificate, visit, study, definition)
        if kept is not None and kept.stops_launch:
            raise Refused(
                f"study {study.id!r} cannot be opened: artifacts tell conditions apart above chance"
                f" ({'; '.join(kept.artifacts)}). Remove them and run believable giveaways again,"
                " or"
                ' write a reason: believable giveaways STUDY --accept "REASON"'
            )
    await visit.change(
        lambda conn: studies.set_state(conn, study.id, state),
        f"{DEEDS[state]} the study",
        study=study.id,
    )
    return RedirectResponse(f"{PATH}/studies/{study.id}", 303)


# ----------------------------------------------------------------------------------------------
# personal links


def labels_from(number: str, labels: str) -> tuple[str, ...]:
    """One label per line, or a number of links without labels. Pure."""
    lines = tuple(line.strip() for line in labels.splitlines() if line.strip())
    if lines and number.strip() not in ("", str(len(lines))):
        raise InvalidInput(
            f"links: {number[:20]} were asked for, but there are {len(lines)} labels. Give as many"
            " labels, or leave the number empty."
        )
    wanted = number.strip() or str(len(lines))
    n_links = whole_number(
        wanted, "links", most=MOST_LINKS_AT_ONCE, cure="Make more in several steps."
    )
    too_long = next((line for line in lines if len(line) > LABEL_CHARACTERS), None)
    if too_long is not None:
        raise InvalidInput(
            f"label {too_long[:40]!r}…: expected at most {LABEL_CHARACTERS} characters, got"
            f" {len(too_long)}. Shorten it."
        )
    return lines or ("",) * n_links


async def make_links(visit: ConsoleVisit) -> Response:
    study = await the_study(visit)
    labels = labels_from(visit.form.get("number", ""), visit.form.get("labels", ""))
    context = visit.console.collect.context
    await visit.change(
        lambda conn: personal_links(conn, context, study_id=study.id, labels=labels),
        f"made {len(labels)} personal links",
        study=study.id,
    )
    return RedirectResponse(f"{PATH}/studies/{study.id}#links", 303)


async def links_csv(visit: ConsoleVisit) -> Response:
    study = await the_study(visit)
    await visit.change(
        lambda conn: None, "exported the personal links", study=study.id, kind="export"
    )
    links = await visit.read(lambda conn: overview.personal_links(conn, study.id))
    lines = [csv_line(["label", "link", "used", "session", "outcome"])]
    lines += [csv_line(_cells(link, join_address(visit, link.token))) for link in links]
    headers = {"content-disposition": f'attachment; filename="{study.id}-links.csv"'}
    return Response("".join(lines), media_type="text/csv; charset=utf-8", headers=headers)


def _cells(link: PersonalLink, address: str) -> list[str]:
    number = "" if link.number is None else str(link.number)
    label = neutralise(link.label) if link.label else ""
    return [
        label,
        address,
        "true" if link.used else "false",
        number,
        link.outcome or link.state or "",
    ]


# ----------------------------------------------------------------------------------------------
# definitions


async def definition_page(visit: ConsoleVisit) -> Response:
    """One version of the study, as sessions were pinned to it."""
    study, wanted = await the_study(visit), visit.path("hash")
    versions: Sequence[overview.Version] = await visit.read(
        lambda conn: overview.versions(conn, study.id)
    )
    version = next((version for version in versions if version.hash == wanted), None)
    if version is None:
        raise NotFound(
            f"study {study.id!r} has no definition {wanted[:12]!r}. See the history on its page."
        )
    body = await visit.read(lambda conn: studies.definition_body(conn, wanted))
    shown = json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    return visit.render(
        "definition.html",
        study=study,
        version=version,
        current=wanted == study.definition,
        text=shown,
    )


ROUTES = (
    Route(method="GET", path="/studies", access=RESEARCHERS, answer=list_page, tab="Studies"),
    Route(
        method="GET", path="/studies/{study}", access=RESEARCHERS, answer=study_page, tab="Overview"
    ),
    Route(method="POST", path="/studies/{study}/state", access=RESEARCHERS, answer=set_state),
    Route(method="POST", path="/studies/{study}/links", access=RESEARCHERS, answer=make_links),
    Route(method="GET", path="/studies/{study}/links.csv", access=RESEARCHERS, answer=links_csv),
    Route(
        method="GET",
        path="/studies/{study}/definitions/{hash}",
        access=RESEARCHERS,
        answer=definition_page,
    ),
)
