"""`believable audit`: who looked at what of a study, took what away, changed what."""

from __future__ import annotations

from pathlib import Path

import click

from believable.cli.place import data_options, open_store, settings_for, study_folder


@click.command()
@click.argument("study", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="A CSV file; default: print it.")
@click.option("--kind", metavar="KIND", default="", help="Only view, export, unblind, change or account.")
@data_options
def command(study: Path, out: Path | None, kind: str, data: Path | None, database: str | None) -> None:
    """Write the audit log of a study as CSV, oldest line first.

    \b
    Example:
      believable audit my-study --out my-study-audit.csv
      believable audit my-study --kind export
    """
    from believable.core.errors import InvalidInput
    from believable.core.registry import did_you_mean
    from believable.store import audit_log
    from believable.store.audit_log import AUDIT_KINDS, AuditFilter
    from believable.web.console.audit_page import as_csv
    from believable.web.settings import study_id

    if kind and kind not in AUDIT_KINDS:
        raise InvalidInput(f"--kind: unknown kind of line {kind[:20]!r}. {did_you_mean(kind, AUDIT_KINDS)}")
    folder = study_folder(study)
    wanted = AuditFilter(study_id(folder), kind)
    with open_store(settings_for([folder], data, database)) as store:
        entries = store.read(lambda conn: list(audit_log.whole_audit(conn, wanted)))
    if out is None:
        click.echo(as_csv(entries), nl=False)
        return
    out.write_text(as_csv(entries), encoding="utf-8")
    click.echo(f"{out}: {len(entries)} lines")
