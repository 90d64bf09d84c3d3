"""The versions of a study, what changed between them, and the form that asks for the reason of a
change while it runs.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from starlette.responses import RedirectResponse, Response

from believable.app.settings import whole_definition
from believable.collect.revise import (
    REASON_CHARACTERS,
    PendingChange,
    checked_reason,
    pending_change,
    revise,
)
from believable.core.errors import BelievableError, Conflict, NotFound
from believable.core.processes import in_child
from believable.store.study_versions import StudyVersion, study_versions
from believable.study.changes import Change, definition_changes
from believable.study.definition import Definition
from believable.web.console.console_page import RESEARCHERS, ConsoleVisit, Route
from believable.web.console.guard import PATH
from believable.web.console.studies_page import the_study


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """A version with its changes from the one before."""

    version: StudyVersion
    changes: tuple[Change, ...]


def definition_text(folder: Path, media_dir: Path) -> str:
    """Return the study in a folder, with its media prepared, as text: runs in a separate
    process.
    """
    return whole_definition(folder, media_dir).to_json()


async def read_folder(visit: ConsoleVisit, study: str) -> Definition | None:
    """The study as its folder has it now; None if the server was started without the folder."""
    folder = visit.console.study_folders.get(study)
    if folder is None:
        return None
    text = await asyncio.to_thread(in_child, definition_text, folder, visit.console.media_dir)
    return Definition.from_json(text)


async def page(visit: ConsoleVisit) -> Response:
    study = await the_study(visit)
    problem, pending, has_folder = "", None, study.id in visit.console.study_folders
    try:
        current = await read_folder(visit, study.id)
    except BelievableError as error:
        current, problem = None, str(error)
    if current is not None:
        definition = current
        pending = await visit.read(
            lambda conn: pending_change(conn, study_id=study.id, definition=definition)
        )
    shown: list[ShownVersion] = []
    before: Definition | None = None
    for version in await visit.read(lambda conn: study_versions(conn, study.id)):
        now = await visit.definition(version.definition)
        shown.append(
            ShownVersion(version, () if before is None else definition_changes(before, now))
        )
        before = now
    return visit.render(
        "versions.html",
        study=study,
        versions=shown,
        pending=pending,
        problem=problem,
        has_folder=has_folder,
        reason_characters=REASON_CHARACTERS,
    )


async def record_reason(visit: ConsoleVisit) -> Response:
    """Store the reason, and give the changed study to later sessions."""
    study, user, at_ms = (await the_study(visit), visit.user, visit.now_ms)
    reason = checked_reason(visit.form.get("reason", ""))
    definition = await read_folder(visit, study.id)
    if definition is None:
        raise NotFound(
            f"study {study.id!r}: the server was started without its folder. Run `believable"
            " revise` there."
        )
    if definition.hash != visit.form.get("definition", ""):
        raise Conflict(
            "The study folder changed after the page was opened. Open the page again and read the"
            " changes."
        )
    pending = await visit.read(
        lambda conn: pending_change(conn, study_id=study.id, definition=definition)
    )
    if pending is not None and _changes_code(pending):
        raise Conflict(
            "The code of an instrument changed, and this server still runs the old code. Stop the"
            " server, run `believable revise`, and start it again."
        )
    await visit.change(
        lambda conn: revise(
            conn, study_id=study.id, definition=definition, reason=reason, user=user, at_ms=at_ms
        ),
        f"revised the study to {definition.hash[:12]}: {reason}",
        study=study.id,
    )
    return RedirectResponse(f"{PATH}/studies/{study.id}/versions", 303)


def _changes_code(pending: PendingChange) -> bool:
    return any(change.part == "extension" for change in pending.changes)


ROUTES = (
    Route(
        method="GET",
        path="/studies/{study}/versions",
        access=RESEARCHERS,
        answer=page,
        tab="Versions",
    ),
    Route(
        method="POST", path="/studies/{study}/versions", access=RESEARCHERS, answer=record_reason
    ),
)
