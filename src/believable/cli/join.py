"""`believable join`."""

from __future__ import annotations

import click

from believable.app.join import JoinedDataset, join
from believable.cli.derive import derive


@derive(
    join,
    example="""
      believable join berlin-bundle paris-bundle --out joined
      believable join a b --site Berlin --site Paris --out joined
    """,
)
def command(joined: JoinedDataset) -> None:
    for site, count in joined.sessions.items():
        click.echo(f"{site}: {count} sessions")
    click.echo(f"{joined.path}: {sum(joined.sessions.values())} sessions, plan {joined.plan[:12]}")
