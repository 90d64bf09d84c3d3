"""The audit log: of one study for those who run it, of the whole server for administrators."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import Response

from believable.app.audit import audit_csv, check_kind
from believable.core.errors import InvalidInput
from believable.store import audit_log
from believable.store.audit_log import AuditFilter
from believable.store.studies import StudyRow
from believable.web.console.console_page import ADMINISTRATORS, RESEARCHERS, ConsoleVisit, Route
from believable.web.console.studies_page import the_study
from believable.web.form_numbers import is_whole_number

LINES = 200
#: The subject of the lines of each kind, as the page words it.
KIND_WORDS: Mapping[str, str] = {
    "view": "looked",
    "export": "took away",
    "unblind": "unblinded",
    "change": "changed",
    "account": "accounts and roles",
}


def wanted_lines(visit: ConsoleVisit, study: str | None) -> AuditFilter:
    kind = check_kind(visit.query("kind"))
    return AuditFilter(study, kind, visit.query("user")[:64])


async def _page(visit: ConsoleVisit, study: StudyRow | None, address: str) -> Response:
    wanted, before = wanted_lines(visit, None if study is None else study.id), visit.query("before")
    if before and not is_whole_number(before, least=0, most=10**15):
        raise InvalidInput(
            f"before: expected the number of a line, got {before[:20]!r}. Use the links on the"
            " page."
        )
    lines = await visit.read(
        lambda conn: audit_log.recent_audit(
            conn, LINES, wanted, before=int(before) if before else None
        )
    )
    return visit.render(
        "audit.html",
        study=study,
        lines=lines,
        wanted=wanted,
        kinds=KIND_WORDS,
        address=address,
        older=lines[-1].id if len(lines) == LINES else None,
    )


async def page(visit: ConsoleVisit) -> Response:
    return await _page(visit, None, "/console/audit")


async def study_page(visit: ConsoleVisit) -> Response:
    study = await the_study(visit)
    return await _page(visit, study, f"/console/studies/{study.id}/audit")


async def study_csv(visit: ConsoleVisit) -> Response:
    """Taking the log away is itself noted."""
    study = await the_study(visit)
    wanted = wanted_lines(visit, study.id)
    await visit.change(lambda conn: None, "exported the audit log", study=study.id, kind="export")
    entries = await visit.read(lambda conn: list(audit_log.whole_audit(conn, wanted)))
    headers = {"content-disposition": f'attachment; filename="{study.id}-audit.csv"'}
    return Response(audit_csv(entries), media_type="text/csv; charset=utf-8", headers=headers)


ROUTES = (
    Route(
        method="GET",
        path="/studies/{study}/audit",
        access=RESEARCHERS,
        answer=study_page,
        tab="Audit log",
    ),
    Route(method="GET", path="/studies/{study}/audit.csv", access=RESEARCHERS, answer=study_csv),
    Route(method="GET", path="/audit", access=ADMINISTRATORS, answer=page, tab="Audit log"),
)
