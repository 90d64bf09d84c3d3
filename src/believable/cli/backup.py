"""`believable backup` and `believable restore`: a verified copy of the database, made while it is in use, and back in its place
without what people have withdrawn since.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import click

from believable.cli.place import data_options, settings_for, study_folder
from believable.core.errors import InvalidInput, NotFound


@click.command()
@click.argument("study", required=False, type=click.Path(path_type=Path))
@data_options
@click.option(
    "--to", "target", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="The new file.",
)  # fmt: skip
@click.option(
    "--into", "folder", type=click.Path(file_okay=False, path_type=Path), metavar="FOLDER",
    help="Where the new file goes, named by date and time; default: backups/ in the data folder.",
)  # fmt: skip
@click.option(
    "--keep", type=click.IntRange(1), metavar="N",
    help="Of the backups named by date and time in that folder, keep the newest N.",
)  # fmt: skip
@click.option("--with-key", is_flag=True, help="Put a copy of secret.key beside the backup, readable by you alone.")
def command(
    study: Path | None,
    data: Path | None,
    database: str | None,
    target: Path | None,
    folder: Path | None,
    keep: int | None,
    with_key: bool,
) -> None:
    """Copy the database while it is in use.

    The copy is one file, whatever the database, and is verified: its structure, and the hash chain of every session. Codes and
    links are made with secret.key, which is not in it: --with-key puts a copy beside it. With --keep, older backups go only
    after the new one is verified.

    \b
    Example:
      believable backup my-study
      believable backup --data /srv/studies --to /mnt/safe/monday.backup
      believable backup --data /srv/studies --into /mnt/safe --keep 30 --with-key
    """
    from datetime import UTC, datetime

    from believable.core.clock import WallClock
    from believable.store.backups import backup

    if target is not None and (folder is not None or keep is not None):
        raise InvalidInput(
            "backup: --to names one file; --into and --keep are for a folder of them. Give one or the other."
        )
    folders = [study_folder(study)] if study is not None else ([Path.cwd()] if data is None else [])
    settings = settings_for(folders, data, database)
    moment = datetime.fromtimestamp(WallClock().now_ms() / 1000, UTC)
    place = folder or settings.data_dir / "backups"
    path = target or place / f"{moment:%Y-%m-%dT%H%M%SZ}{SUFFIX}"
    with click.progressbar(length=1000, label="Copying", file=sys.stderr) as bar:
        copy = backup(
            settings.url, path, progress=lambda done, total: bar.update(1000 * done // max(total, 1) - bar.pos)
        )
    if with_key:
        copy_key(key_path(settings.data_dir), key_beside(path))
    held = copy.verified
    click.echo(
        f"{copy.path}\n{held.n_sessions} sessions, {held.n_events} events, {held.n_tombstones} withdrawn, "
        f"{copy.n_bytes} bytes; verified."
    )
    for old in surplus(place, keep) if keep is not None else ():
        key_beside(old).unlink(missing_ok=True)
        old.unlink()
        click.echo(f"Removed {old}")


SUFFIX = ".backup"
#: As they are named where nobody names them.
DATED = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z\.backup")


def surplus(folder: Path, keep: int) -> list[Path]:
    """The backups named by date and time beyond the newest `keep`, oldest first. Other files are nobody's business."""
    dated = sorted(path for path in folder.iterdir() if DATED.fullmatch(path.name))
    return dated[:-keep]


def key_path(data_dir: Path) -> Path:
    """The key that the server uses."""
    from believable.collect.context import KEY_FILE, KEY_VARIABLE

    return Path(os.environ.get(KEY_VARIABLE) or data_dir / KEY_FILE)


def key_beside(backup: Path) -> Path:
    return backup.with_name(f"{backup.name}.key")


def copy_key(source: Path, target: Path) -> None:
    """Readable by its owner alone from the first byte on."""
    if not source.is_file():
        raise NotFound(f"{source}: there is no key to copy. Serve the study once, or leave --with-key out.")
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(source.read_bytes())
        file.flush()
        os.fsync(file.fileno())


def put_key_back(backup: Path, data_dir: Path) -> str:
    """The key beside a backup goes where the server looks for it, unless it is there; what was done, in words."""
    kept, live = key_beside(backup), key_path(data_dir)
    if not kept.is_file():
        return ""
    if not live.is_file():
        live.parent.mkdir(parents=True, exist_ok=True)
        copy_key(kept, live)
        return f"Put back {live}: codes and links work again."
    if live.read_bytes().strip() == kept.read_bytes().strip():
        return ""
    return (
        f"{live} is another key than {kept}: links, codes and recruiters' hashes of the restored sessions are made with the"
        " latter. Put it in its place before you serve, unless you know why it differs."
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
    and of any --newer one are applied. A replaced SQLite file is put aside, not deleted. A key beside the backup is put back
    where there is none. Stop the server first.

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
    if words := put_key_back(file, settings.data_dir):
        click.echo(words)
