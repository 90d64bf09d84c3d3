"""`believable audit`."""

from __future__ import annotations

import click

from believable.app.audit import AuditLog, audit, audit_csv
from believable.cli.derive import derive


@derive(
    audit,
    example="""
      believable audit my-study --out my-study-audit.csv
      believable audit my-study --kind export
    """,
)
def command(log: AuditLog) -> None:
    if log.written is None:
        click.echo(audit_csv(log.entries), nl=False)
    else:
        click.echo(f"{log.written}: {len(log.entries)} lines")
