"""`believable backup` and `believable restore`: a verified copy of the database, made while it is in use, and back in its place
without what people have withdrawn since.
"""

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
    from believable.store.backups import backup

    folders = [study_folder(study)] if study is not None else ([Path.cwd()] if data is None else [])
    settings = settings_for(folders, data, database)
    moment = datetime.fromtimestamp(WallClock().now_ms() / 1000, UTC)
    path = target or settings.data_dir / "backups" / f"{moment:%Y-%m-%dT%H%M%SZ}.backup"
    with click.progressbar(length=1000, label="Copying", file=sys.stderr) as bar:
        copy = backup(
            settings.url, path, progress=lambda done, total: bar.update(1000 * done // max(total, 1) - bar.pos)
        )
    held = copy.verified
    click.echo(
        f"{copy.path}\n{held.n_sessions} sessions, {held.n_events} events, {held.n_tombstones} withdrawn, "
        f"{copy.n_bytes} bytes; verified."
    )


@click.command("restore")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("study", required=False, type=click.Path(path_type=Path))
@data_options
@click.option(
    "--newer", multiple=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="A later backup, looked through for withdrawals only. May be given several times.",
)  # fmt: skip
@click.option("--live-lost", is_flag=True, help="The live database does not exist any more or cannot be read.")
@click.option("--check", "only_check", is_flag=True, help="Verify the backup and change nothing.")
def restore(
    file: Path,
    study: Path | None,
    data: Path | None,
    database: str | None,
    newer: tuple[Path, ...],
    live_lost: bool,
    only_check: bool,
) -> None:
    """Put a verified backup back in place.

    Whoever has withdrawn since the backup was made stays withdrawn: the deletion lists of the live database, of the backup
    and of any --newer one are applied. A replaced SQLite file is put aside, not deleted. Stop the server first.

    \b
    Example:
      believable restore monday.backup my-study
      believable restore monday.backup --check
    """
    from believable.store import restoration
    from believable.store.backups import verify_file

    if only_check:
        held = verify_file(file)
        click.echo(
            f"{file}: {held.n_sessions} sessions, {held.n_events} events, {held.n_tombstones} withdrawn; verified."
        )
        return
    folders = [study_folder(study)] if study is not None else ([Path.cwd()] if data is None else [])
    settings = settings_for(folders, data, database)
    with click.progressbar(length=1000, label="Restoring", file=sys.stderr) as bar:
        done = restoration.restore(
            file,
            settings.url,
            newer=newer,
            live_lost=live_lost,
            progress=lambda part, total: bar.update(1000 * part // max(total, 1) - bar.pos),
        )
    held = done.verified
    click.echo(f"{held.n_sessions} sessions, {held.n_events} events; verified.")
    if done.n_erased:
        click.echo(f"{done.n_erased} sessions of the backup were withdrawn since and have been deleted from it.")
    if done.aside is not None:
        click.echo(f"The database that was live before is now {done.aside}")
