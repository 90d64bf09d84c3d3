"""`believable list`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click

from believable.app.list import StudySummary, list_studies
from believable.cli.derive import derive


@derive(
    list_studies,
    name="list",
    example="""
      believable list my-study
      believable list --data /srv/studies --json
      believable list --protocols
    """,
)
def command(result: Sequence[StudySummary] | Mapping[str, str]) -> None:
    if isinstance(result, Mapping):
        width = max(map(len, result))
        for name, about in result.items():
            click.echo(f"{name:<{width}}  {about}")
        return
    if not result:
        click.echo("No studies here yet. Serve one first: believable serve STUDY")
    for row in result:
        click.echo(f"{row.id}  ({row.state})  {row.title}")
        for kind, link in row.links.items():
            click.echo(f"  {kind + ' link':<16} {link}")
        for pool, numbers in row.sessions.items():
            shown = [
                f"{count} {name.replace('_', ' ')}"
                for name, count in numbers.items()
                if count and name != "n_events"
            ]
            click.echo(f"  {pool + ' sessions':<18} {', '.join(shown) or 'none'}")
