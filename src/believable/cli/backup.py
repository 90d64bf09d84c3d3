"""`believable backup` and `believable restore`."""

from __future__ import annotations

import click

from believable.app.backup import BackupResult, RestoreResult, backup
from believable.app.backup import restore as restore_backup
from believable.cli.derive import derive


@derive(
    backup,
    example="""
      believable backup my-study
      believable backup --data /srv/studies --to /mnt/safe/monday.backup
      believable backup --data /srv/studies --into /mnt/safe --keep 30 --with-key
      believable backup --data /srv/studies --into s3://lab-backups/believable --keep 30 --with-key
    """,
)
def command(result: BackupResult) -> None:
    held = result.verified
    click.echo(
        f"{result.written}\n{held.n_sessions} sessions, {held.n_events} events,"
        f" {held.n_tombstones} withdrawn, {result.n_bytes} bytes; verified."
    )
    for old in result.removed:
        click.echo(f"Removed {old}")


@derive(
    restore_backup,
    example="""
      believable restore monday.backup my-study
      believable restore monday.backup --check
      believable restore s3://lab-backups/believable --data /srv/studies --live-lost
    """,
)
def restore(result: RestoreResult) -> None:
    held = result.verified
    if not result.restored:
        click.echo(
            f"{result.called}: {held.n_sessions} sessions, {held.n_events} events,"
            f" {held.n_tombstones} withdrawn; verified."
        )
        return
    click.echo(f"{held.n_sessions} sessions, {held.n_events} events; verified.")
    if result.erased:
        click.echo(
            f"{result.erased} sessions of the backup were withdrawn since and have been deleted"
            " from it."
        )
    if result.aside is not None:
        click.echo(f"The database that was live before is now {result.aside}")
    if result.key:
        click.echo(result.key)
