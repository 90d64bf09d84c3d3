"""`believable check` and `believable schema`."""

from __future__ import annotations

import click

from believable.app.check import CheckResult, check
from believable.app.check import schema as write_schema
from believable.cli.derive import derive


@derive(check, example="believable check my-study")
def command(result: CheckResult) -> None:
    for problem in result.problems:
        click.echo(str(problem))
    parts = [f"{result.errors} problem{'s' * (result.errors != 1)}"]
    if warnings := result.count("warning"):
        parts.append(f"{warnings} warning{'s' * (warnings != 1)}")
    if unchecked := result.count("unchecked"):
        parts.append(f"{unchecked} not checked")
    click.echo(", ".join(parts) + ".")


@derive(write_schema, example="believable schema -o study.schema.json", json_option=False)
def schema(text: str) -> None:
    click.echo(text)
