"""The audit log: who looked at a study's data, exported them, or changed something."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.app.options import AnyPath, option, options, use_case
from believable.app.study_data import StudyDataOptions
from believable.bundle.cells import csv_line, neutralise
from believable.core.errors import WrongUsage
from believable.core.registry import did_you_mean
from believable.core.whole_files import write_whole
from believable.store.audit_log import AUDIT_KINDS, AuditEntry, AuditFilter, whole_audit


@options
class AuditOptions(StudyDataOptions):
    out: AnyPath | None = option("A CSV file; default: print it.", default=None, path="file")
    kind: str = option("Only view, export, unblind, change or account.", default="", metavar="KIND")


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLog:
    """The lines, and the file that they were written to, if any."""

    entries: Sequence[AuditEntry]
    written: Path | None


@use_case(AuditOptions)
def audit(options: AuditOptions) -> AuditLog:
    """Write the audit log of a study as CSV, oldest line first."""
    study = options.study_data()
    wanted = AuditFilter(study.name, check_kind(options.kind))
    with study.open() as store:
        entries = store.read(lambda conn: list(whole_audit(conn, wanted)))
        study.note(store, "exported the audit log", "export")
    written = None if options.out is None else Path(options.out)
    if written is not None:
        write_whole(written, audit_csv(entries))
    return AuditLog(entries=entries, written=written)


def check_kind(kind: str) -> str:
    """Return a kind of line, or '' for every kind."""
    if kind and kind not in AUDIT_KINDS:
        raise WrongUsage(
            f"kind: unknown kind of line {kind[:20]!r}. {did_you_mean(kind, AUDIT_KINDS)}"
        )
    return kind


def audit_csv(entries: Sequence[AuditEntry]) -> str:
    """The lines as CSV, with times in UTC."""
    lines = [csv_line(["number", "time_utc", "user", "kind", "study", "what"])]
    for entry in entries:
        at = datetime.datetime.fromtimestamp(entry.at_ms / 1000, datetime.UTC)
        cells = [str(entry.id), f"{at:%Y-%m-%d %H:%M:%S}", entry.user, entry.kind]
        lines.append(csv_line([*cells, entry.study or "", neutralise(entry.what)]))
    return "".join(lines)
