"""`believable backup`: a verified copy of the database, made while it is in use."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from believable.cli.place import data_options, settings_for, study_folder


@click.command()
@click.argument("study", required=False, type=click.Path(path_type=Path))
@data_options
@click.option(
    "--to", "target", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="The new file; default: backups/ in the data folder, named by date and time.",
)  # fmt: skip
def command(study: Path | None, data: Path | None, database: str | None, target: Path | None) -> None:
    """Copy the database while it is in use.

    The copy is one file, whatever the database, and is verified: its structure, and the hash chain of every session. The
    secret key is not in it: keep a copy of secret.key in another place, since codes and links are made with it.

    \b
    Example:
      believable backup my-study
      believable backup --data /srv/studies --to /mnt/safe/monday.backup
    """
    from datetime import UTC, datetime

    from believable.core.clock import WallClock
    from believable.store.backup import backup

    folders = [study_folder(study)] if study is not None else ([Path.cwd()] if data is None else [])
    settings = settings_for(folders, data, database)
    moment = datetime.fromtimestamp(WallClock().now_ms() / 1000, UTC)
    path = target or settings.data_dir / "backups" / f"{moment:%Y-%m-%dT%H%M%SZ}.backup"
    with click.progressbar(length=1000, label="Copying", file=sys.stderr) as bar:
        made = backup(
            settings.url,
            path,
            progress=lambda done, total: bar.update(1000 * done // max(total, 1) - bar.pos),
        )
    held = made.verified
    click.echo(
        f"{made.path}\n{held.n_sessions} sessions, {held.n_events} events, {held.n_tombstones} withdrawn, "
        f"{made.n_bytes} bytes; verified."
    )
