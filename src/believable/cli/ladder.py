"""`believable ladder`."""

from __future__ import annotations

import click

from believable.analysis.numbers import cell
from believable.app.ladder import JoinedLadder, ladder
from believable.cli.derive import derive


@derive(
    ladder,
    example="""
      believable ladder march april may
      believable ladder versus-v1-v2 versus-v2-v3 --out ladder
    """,
    answer=lambda result: list(result.analysis.table("living")),
)
def command(result: JoinedLadder) -> None:
    analysis = result.analysis
    for warning in (*analysis.source.marks, *analysis.warnings):
        click.echo(f"! {warning}")
    table = analysis.table("living")
    rows = [[column.title for column in table.columns]]
    rows += [
        [cell(column, value) for column, value in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    for row in rows:
        click.echo("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)))
    for finding in analysis.findings:
        click.echo(finding.sentence)
    click.echo(str(result.folder.page))
