"""`believable restore`: a verified backup becomes the database, without what people have withdrawn since."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from believable.cli.place import data_options, settings_for, study_folder


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("study", required=False, type=click.Path(path_type=Path))
@data_options
@click.option(
    "--newer", multiple=True, type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="A later backup, looked through for withdrawals only. May be given several times.",
)  # fmt: skip
@click.option(
    "--live-lost", is_flag=True, help="The live database does not exist any more or cannot be read."
)
@click.option("--check", "only_check", is_flag=True, help="Verify the backup and change nothing.")
def command(
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
    from believable.store.restore import restore
    from believable.store.verify import verify_file

    if only_check:
        held = verify_file(file)
        click.echo(
            f"{file}: {held.n_sessions} sessions, {held.n_events} events, {held.n_tombstones} withdrawn; verified."
        )
        return
    folders = [study_folder(study)] if study is not None else ([Path.cwd()] if data is None else [])
    settings = settings_for(folders, data, database)
    with click.progressbar(length=1000, label="Restoring", file=sys.stderr) as bar:
        done = restore(
            file,
            settings.url,
            newer=newer,
            live_lost=live_lost,
            progress=lambda part, total: bar.update(1000 * part // max(total, 1) - bar.pos),
        )
    held = done.verified
    click.echo(f"{held.n_sessions} sessions, {held.n_events} events; verified.")
    if done.n_erased:
        click.echo(
            f"{done.n_erased} sessions of the backup were withdrawn since and have been deleted from it."
        )
    if done.aside is not None:
        click.echo(f"The database that was live before is now {done.aside}")
