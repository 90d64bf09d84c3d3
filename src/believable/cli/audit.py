"""`believable audit`: who looked at what of a study, took what away, changed what."""

from __future__ import annotations

from pathlib import Path

import click

from believable.cli.place import FILE, StudyData, note, study_argument, study_data_options


@click.command()
@study_argument
@click.option("--out", type=FILE, help="A CSV file; default: print it.")
@click.option(
    "--kind", metavar="KIND", default="", help="Only view, export, unblind, change or account."
)
@study_data_options
def command(study: StudyData, out: Path | None, kind: str) -> None:
    """Write the audit log of a study as CSV, oldest line first.

    \b
    Example:
      believable audit my-study --out my-study-audit.csv
      believable audit my-study --kind export
    """
    from believable.core.errors import InvalidInput
    from believable.core.registry import did_you_mean
    from believable.core.whole_files import write_whole
    from believable.store import audit_log
    from believable.store.audit_log import AUDIT_KINDS, AuditFilter
    from believable.web.console.audit_page import as_csv

    if kind and kind not in AUDIT_KINDS:
        raise InvalidInput(
            f"--kind: unknown kind of line {kind[:20]!r}. {did_you_mean(kind, AUDIT_KINDS)}"
        )
    wanted = AuditFilter(study.name, kind)
    with study.open() as store:
        entries = store.read(lambda conn: list(audit_log.whole_audit(conn, wanted)))
        note(store, "exported the audit log", study=study.name, kind="export")
    if out is None:
        click.echo(as_csv(entries), nl=False)
        return
    write_whole(out, as_csv(entries))
    click.echo(f"{out}: {len(entries)} lines")
