"""The root address: which studies are open here, how to take part, and the way in for researchers.

Studies are listed only if the settings say so (`Settings.listed`): a researcher who recruits
through a platform wants every participant to use it. A study that is still being made is shown with
its progress, which its maker writes to a file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from believable.app.settings import Settings
from believable.collect.desk import Collect
from believable.contracts.registries import PROTOCOLS
from believable.contracts.texts import Texts
from believable.store import accounts, studies
from believable.store.engine import Connection
from believable.web.templating import from_header, page, preferred_language

PREPARATION_FILE = "preparing.json"

router = APIRouter()


@dataclass(frozen=True, slots=True)
class StudyInPreparation:
    """A study that will be open soon. `done` of `total` pieces are made; a total of 0: it waits for
    its turn.
    """

    title: str
    about: str
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenStudy:
    """A study as the page shows it, in the visitor's language if it is offered in it."""

    title: str
    about: str
    address: str
    languages: tuple[str, ...]
    demonstration: bool


def tell_preparation(data_dir: Path, coming: Sequence[StudyInPreparation]) -> None:
    """Write the current step, for the page to show; an empty text when it is finished."""
    path = data_dir / PREPARATION_FILE
    if not coming:
        path.unlink(missing_ok=True)
        return
    data_dir.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.write_text(json.dumps([asdict(study) for study in coming]), encoding="utf-8")
    draft.replace(path)


def in_preparation(data_dir: Path) -> tuple[StudyInPreparation, ...]:
    try:
        text = (data_dir / PREPARATION_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ()
    return tuple(StudyInPreparation(**study) for study in json.loads(text))


@router.get("/", include_in_schema=False)
async def start(request: Request) -> Response:
    """The page at the root address."""
    settings: Settings = request.app.state.settings
    collect: Collect = request.app.state.collect
    accepts = request.headers.get("accept-language", "")

    def look(conn: Connection) -> tuple[list[OpenStudy], bool]:
        has_owner = any(
            user.administrator and user.has_password for user in accounts.everyone(conn)
        )
        return _open_studies(conn, collect, settings, accepts), has_owner

    open_here, has_owner = await collect.store.aread(look)
    return page(
        "participant/start.html",
        texts=from_header(accepts),
        listed=settings.listed,
        studies=open_here,
        coming=in_preparation(settings.data_dir) if settings.listed else (),
        has_owner=has_owner,
    )


def _open_studies(
    conn: Connection, collect: Collect, settings: Settings, accepts: str
) -> list[OpenStudy]:
    if settings.listed is None:
        return []
    shown = []
    for row in sorted(studies.every(conn), key=lambda row: (row.created_ms, row.id)):
        links = studies.links_of(conn, row.id, (settings.listed,))
        if row.state != "open" or not links:
            continue
        study = collect.context.definitions.get(conn, row.definition).study
        words = [Texts(study, language) for language in study.languages]
        # The purpose of a study is for those who run it: participants would know what to look for.
        protocol = (
            None if study.analysis is None or settings.listed == "open" else study.analysis.protocol
        )
        shown.append(
            OpenStudy(
                title=study.title.in_language(preferred_language(accepts, study.languages)),
                about=PROTOCOLS[protocol].about
                if protocol is not None and protocol in PROTOCOLS
                else "",
                address=f"/join/{links[-1].token}",
                languages=tuple(texts["language.name"] for texts in words),
                demonstration=study.demonstration,
            )
        )
    return shown
