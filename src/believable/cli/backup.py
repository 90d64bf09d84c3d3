"""`believable backup` and `believable restore`: a verified copy of the database, made while it is
in use, and back in its place without what people have withdrawn since.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import PATH, DataPlace, data_options
from believable.core.errors import Conflict, InvalidInput, NotFound, Unavailable

if TYPE_CHECKING:
    from believable.store.backups import Backup
    from believable.web.settings import Settings


@click.command()
@click.argument("study", required=False, type=PATH)
@data_options
@click.option(
    "--to", "target", metavar="FILE", help="The new file, or its address: s3://BUCKET/PREFIX/FILE."
)
@click.option(
    "--into",
    "place",
    metavar="FOLDER",
    help=(
        "Where the new file goes, named by date and time: a folder or s3://BUCKET/PREFIX; default:"
        " backups/ in the data folder."
    ),
)
@click.option(
    "--keep",
    type=click.IntRange(1),
    metavar="N",
    help="Of the backups named by date and time in that folder, keep the newest N.",
)
@click.option(
    "--with-key",
    is_flag=True,
    help="Put a copy of secret.key beside the backup, readable by you alone.",
)
def command(
    study: Path | None,
    where: DataPlace,
    target: str | None,
    place: str | None,
    keep: int | None,
    with_key: bool,
) -> None:
    """Copy the database while it is in use.

    The copy is one file, whatever the database, and is verified: its structure, and the hash chain
    of every session. Codes and links are made with secret.key, which is not in it: --with-key puts
    a copy beside it. With --keep, older backups go only after the new one is verified. What goes to
    S3-compatible storage is verified first, then read back and compared; credentials come from the
    environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL). Needs the extra `s3`.

    \b
    Example:
      believable backup my-study
      believable backup --data /srv/studies --to /mnt/safe/monday.backup
      believable backup --data /srv/studies --into /mnt/safe --keep 30 --with-key
      believable backup --data /srv/studies --into s3://lab-backups/believable --keep 30 --with-key
    """
    from datetime import UTC, datetime

    from believable.core.clock import WallClock
    from believable.core.object_storage import is_bucket, split_name

    if target is not None and (place is not None or keep is not None):
        raise InvalidInput(
            "backup: --to names one file; --into and --keep are for a folder of them. Give one or"
            " the other."
        )
    settings = where.settings_here(study)
    now_ms = WallClock().now_ms()
    name = f"{datetime.fromtimestamp(now_ms / 1000, UTC):%Y-%m-%dT%H%M%SZ}{SUFFIX}"
    folder = place or str(settings.data_dir / "backups")
    if is_bucket(target or folder):
        address, name = (folder, name) if target is None else split_name(target)
        _into_bucket(settings, address, name, keep, with_key)
    else:
        path = Path(folder) / name if target is None else Path(target)
        _described(_copied(settings, path, with_key), str(path))
        for old in surplus((entry.name for entry in path.parent.iterdir()), keep):
            key_beside(path.with_name(old)).unlink(missing_ok=True)
            path.with_name(old).unlink()
            click.echo(f"Removed {path.with_name(old)}")
    _note(settings.data_dir, now_ms)


def _copied(settings: Settings, path: Path, with_key: bool) -> Backup:
    from believable.store.backups import backup

    with click.progressbar(length=1000, label="Copying", file=sys.stderr) as bar:
        copy = backup(
            settings.url,
            path,
            progress=lambda done, total: bar.update(1000 * done // max(total, 1) - bar.pos),
        )
    if with_key:
        copy_key(key_path(settings.data_dir), key_beside(path))
    return copy


def _into_bucket(
    settings: Settings, address: str, name: str, keep: int | None, with_key: bool
) -> None:
    """Made and verified beside the data, then stored, read back and compared; only then older ones
    go.
    """
    from believable.core.object_storage import digest_of, storage_at

    storage = storage_at(address)
    storage.check()
    if storage.has(name):
        raise Conflict(
            f"{address}/{name} exists already. Choose another name: a backup never replaces one."
        )
    with _work_folder(settings.data_dir) as folder:
        path = folder / name
        copy = _copied(settings, path, with_key)
        for file in (path, key_beside(path)) if with_key else (path,):
            storage.put(file.name, file)
            stored = folder / f"{file.name}.stored"
            storage.fetch(file.name, stored, 0o600)
            if digest_of(stored) != digest_of(file):
                raise Unavailable(
                    f"{address}/{file.name}: what the storage gives back is not what it was given."
                    " Try again."
                )
            stored.unlink()
        _described(copy, f"{address}/{name}")
    for old in surplus(names := storage.names(), keep):
        for file_name in {old, f"{old}.key"} & {*names}:
            storage.remove(file_name)
        click.echo(f"Removed {address}/{old}")


@contextmanager
def _work_folder(data_dir: Path) -> Iterator[Path]:
    """On the disk of the data, where there is space for a copy of them, and nobody else may
    look.
    """
    from believable.store.database import owner_folder

    with tempfile.TemporaryDirectory(prefix=".backup-", dir=owner_folder(data_dir)) as folder:
        yield Path(folder)


def _described(copy: Backup, place: str) -> None:
    held = copy.verified
    click.echo(
        f"{place}\n{held.n_sessions} sessions, {held.n_events} events, {held.n_tombstones}"
        f" withdrawn, {copy.n_bytes} bytes; verified."
    )


def _note(data_dir: Path, at_ms: int) -> None:
    """So that the console knows of backups that lie elsewhere."""
    from believable.store.backups import BACKED_UP

    try:
        (data_dir / BACKED_UP).write_text(f"{at_ms}\n", encoding="ascii")
    except OSError as error:
        click.echo(
            f"{data_dir} cannot be written ({error.strerror}): the console will not know of this"
            " backup.",
            err=True,
        )


SUFFIX = ".backup"
#: As they are named where nobody names them.
DATED = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z\.backup")


def surplus(names: Iterable[str], keep: int | None) -> list[str]:
    """The backups named by date and time beyond the newest `keep`, oldest first. Other files are
    nobody's business.
    """
    return [] if keep is None else sorted(name for name in names if DATED.fullmatch(name))[:-keep]


def key_path(data_dir: Path) -> Path:
    """The key that the server uses."""
    from believable.collect.context import KEY_FILE, KEY_VARIABLE

    return Path(os.environ.get(KEY_VARIABLE) or data_dir / KEY_FILE)


def key_beside(backup: Path) -> Path:
    return backup.with_name(f"{backup.name}.key")


def copy_key(source: Path, target: Path) -> None:
    """Readable by its owner alone from the first byte on."""
    from believable.store.database import owner_file

    if not source.is_file():
        raise NotFound(
            f"{source}: there is no key to copy. Serve the study once, or leave --with-key out."
        )
    descriptor = owner_file(target, os.O_WRONLY | os.O_EXCL)
    with os.fdopen(descriptor, "wb") as file:
        file.write(source.read_bytes())
        file.flush()
        os.fsync(file.fileno())


def put_key_back(backup: Path, data_dir: Path, called: str) -> str:
    """The key beside a backup goes where the server looks for it, unless it is there; what was
    done, in words.
    """
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
        f"{live} is another key than {called}: links, codes and recruiters' hashes of the restored"
        " sessions are made with the latter. Put it in its place before you serve, unless you know"
        " why it differs."
    )


@click.command("restore")
@click.argument("file")
@click.argument("study", required=False, type=PATH)
@data_options
@click.option(
    "--newer",
    multiple=True,
    metavar="FILE",
    help="A later backup, looked through for withdrawals only. May be given several times.",
)
@click.option(
    "--live-lost", is_flag=True, help="The live database does not exist any more or cannot be read."
)
@click.option("--check", "only_check", is_flag=True, help="Verify the backup and change nothing.")
def restore(
    file: str,
    study: Path | None,
    where: DataPlace,
    newer: tuple[str, ...],
    live_lost: bool,
    only_check: bool,
) -> None:
    """Put a verified backup back in place.

    Whoever has withdrawn since the backup was made stays withdrawn: the deletion lists of the live
    database, of the backup and of any --newer one are applied. A replaced SQLite file is put aside,
    not deleted. A key beside the backup is put back where there is none. Stop the server first.

    FILE is a backup, or a folder of them: then the newest is taken. Both may be in storage:
    s3://BUCKET/PREFIX/FILE.

    \b
    Example:
      believable restore monday.backup my-study
      believable restore monday.backup --check
      believable restore s3://lab-backups/believable --data /srv/studies --live-lost
    """
    with ExitStack() as stack:
        if only_check:
            _check(_local(stack, file, Path(tempfile.gettempdir())))
            return
        settings = where.settings_here(study)
        local = _local(stack, file, settings.data_dir)
        later = [_local(stack, address, settings.data_dir).path for address in newer]
        _restored(settings, local, later, live_lost)


@dataclass(frozen=True, slots=True)
class _LocalBackup:
    """`called`: its name where it came from."""

    path: Path
    called: str


def _local(stack: ExitStack, address: str, data_dir: Path) -> _LocalBackup:
    """The backup as a file of this machine, with the key beside it if there is one."""
    from believable.core.object_storage import is_bucket, split_name, storage_at

    if not is_bucket(address):
        path = Path(address)
        if path.is_dir():
            path /= _newest((entry.name for entry in path.iterdir()), address)
        return _LocalBackup(path, str(path))
    if address.endswith(SUFFIX):
        place, name = split_name(address)
        storage = storage_at(place)
    else:
        storage = storage_at(address)
        name = _newest(storage.names(), address)
    path = stack.enter_context(_work_folder(data_dir)) / name
    storage.fetch(name, path, 0o600)
    if storage.has(key := key_beside(path).name):
        storage.fetch(key, path.with_name(key), 0o600)
    return _LocalBackup(path, f"{storage.address}/{name}")


def _newest(names: Iterable[str], place: str) -> str:
    dated = sorted(name for name in names if DATED.fullmatch(name))
    if not dated:
        raise NotFound(
            f"{place}: there is no backup named by date and time here. Name the file itself."
        )
    click.echo(f"Taking the newest of {len(dated)}: {dated[-1]}")
    return dated[-1]


def _check(copy: _LocalBackup) -> None:
    from believable.store.backups import verify_file

    held = verify_file(copy.path)
    click.echo(
        f"{copy.called}: {held.n_sessions} sessions, {held.n_events} events, {held.n_tombstones}"
        " withdrawn; verified."
    )


def _restored(
    settings: Settings, copy: _LocalBackup, newer: Sequence[Path], live_lost: bool
) -> None:
    from believable.store import restoration

    with click.progressbar(length=1000, label="Restoring", file=sys.stderr) as bar:
        done = restoration.restore(
            copy.path,
            settings.url,
            newer=newer,
            live_lost=live_lost,
            progress=lambda part, total: bar.update(1000 * part // max(total, 1) - bar.pos),
        )
    held = done.verified
    click.echo(f"{held.n_sessions} sessions, {held.n_events} events; verified.")
    if done.n_erased:
        click.echo(
            f"{done.n_erased} sessions of the backup were withdrawn since and have been deleted"
            " from it."
        )
    if done.aside is not None:
        click.echo(f"The database that was live before is now {done.aside}")
    if words := put_key_back(copy.path, settings.data_dir, f"{copy.called}.key"):
        click.echo(words)
