"""A verified copy of the database, made while it is in use, and its return without the data that
people have withdrawn since.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from believable.app.options import AnyPath, Options, argument, option, options, use_case
from believable.app.settings import Settings
from believable.app.study_data import DataOptions
from believable.collect.context import KEY_FILE, KEY_VARIABLE
from believable.core.clock import WallClock
from believable.core.errors import Conflict, NotFound, Unavailable, WrongUsage
from believable.core.object_storage import digest_of, is_bucket, split_name, storage_at
from believable.store import restoration
from believable.store.backups import BACKED_UP, Backup, Verified, verify_file
from believable.store.backups import backup as copy_database
from believable.store.database import owner_file, owner_folder

SUFFIX = ".backup"
#: The default name.
DATED = re.compile(r"\d{4}-\d\d-\d\dT\d{6}Z\.backup")


@options
class BackupOptions(DataOptions):
    study: AnyPath | None = argument(
        "The study; default: the data folder.", default=None, kw_only=False
    )
    to: str | None = option(
        "The new file, or its address: s3://BUCKET/PREFIX/FILE.", default=None, metavar="FILE"
    )
    into: str | None = option(
        "Where the new file goes, named by date and time: a folder or s3://BUCKET/PREFIX; default:"
        " backups/ in the data folder.",
        default=None,
        metavar="FOLDER",
    )
    keep: int | None = option(
        "Of the backups named by date and time in that folder, keep the newest N.",
        default=None,
        metavar="N",
        ge=1,
    )
    with_key: bool = option(
        "Put a copy of secret.key next to the backup, readable by you alone.", default=False
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupResult:
    """The new backup, and older ones that were removed. `written`: its path or address."""

    written: str
    verified: Verified
    n_bytes: int
    removed: Sequence[str]


@use_case(BackupOptions)
def backup(options: BackupOptions) -> BackupResult:
    """Copy the database while it is in use.

    The copy is one file, whatever the database, and is verified: its structure, and the hash chain
    of every session. Codes and links are made with secret.key, which is not in it: --with-key
    puts a copy next to it. With --keep, older backups go only after the new one is verified. A
    backup in
    S3-compatible storage is verified first, then read back and compared; credentials are taken
    from the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL). Needs the
    extra `s3`.
    """
    if options.to is not None and (options.into is not None or options.keep is not None):
        raise WrongUsage(
            "backup: --to names one file; --into and --keep are for a folder of them. Give one or"
            " the other."
        )
    settings = options.settings_of(options.study)
    now_ms = WallClock().now_ms()
    name = f"{datetime.fromtimestamp(now_ms / 1000, UTC):%Y-%m-%dT%H%M%SZ}{SUFFIX}"
    folder = options.into or str(settings.data_dir / "backups")
    if is_bucket(options.to or folder):
        address, name = (folder, name) if options.to is None else split_name(options.to)
        result = _into_bucket(settings, address, name, options)
    else:
        path = Path(folder) / name if options.to is None else Path(options.to)
        copy, removed = _copy(settings, path, options), []
        for old in surplus((entry.name for entry in path.parent.iterdir()), options.keep):
            key_beside(path.with_name(old)).unlink(missing_ok=True)
            path.with_name(old).unlink()
            removed.append(str(path.with_name(old)))
        result = BackupResult(
            written=str(path), verified=copy.verified, n_bytes=copy.n_bytes, removed=removed
        )
    _note(settings.data_dir, now_ms, options)
    return result


def _copy(settings: Settings, path: Path, options: BackupOptions) -> Backup:
    with options.counting("Copying") as progress:
        copy = copy_database(settings.url, path, progress=progress)
    if options.with_key:
        copy_key(key_path(settings.data_dir), key_beside(path))
    return copy


def _into_bucket(
    settings: Settings, address: str, name: str, options: BackupOptions
) -> BackupResult:
    """Make and verify the backup next to the data, then store, read back and compare it; only then
    older ones go.
    """
    storage = storage_at(address)
    storage.check()
    if storage.has(name):
        raise Conflict(
            f"{address}/{name} exists already. Choose another name: a backup never replaces one."
        )
    with _work_folder(settings.data_dir) as folder:
        path = folder / name
        copy = _copy(settings, path, options)
        for file in (path, key_beside(path)) if options.with_key else (path,):
            storage.put(file.name, file)
            stored = folder / f"{file.name}.stored"
            storage.fetch(file.name, stored, 0o600)
            if digest_of(stored) != digest_of(file):
                raise Unavailable(
                    f"{address}/{file.name}: the storage returns another content than it was given."
                    " Try again."
                )
            stored.unlink()
    removed = []
    for old in surplus(names := storage.names(), options.keep):
        for file_name in {old, f"{old}.key"} & {*names}:
            storage.remove(file_name)
        removed.append(f"{address}/{old}")
    return BackupResult(
        written=f"{address}/{name}", verified=copy.verified, n_bytes=copy.n_bytes, removed=removed
    )


@contextmanager
def _work_folder(data_dir: Path) -> Iterator[Path]:
    """A folder on the disk of the data, which has space for a copy of them, readable by its owner
    only.
    """
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=owner_folder(data_dir)) as folder:
        yield Path(folder)


def _note(data_dir: Path, at_ms: int, options: Options) -> None:
    """Let the console know of backups in other folders."""
    try:
        (data_dir / BACKED_UP).write_text(f"{at_ms}\n", encoding="ascii")
    except OSError as error:
        options.say(
            f"{data_dir} cannot be written ({error.strerror}): the console will not know of this"
            " backup."
        )


def surplus(names: Iterable[str], keep: int | None) -> list[str]:
    """The backups named by date and time beyond the newest `keep`, oldest first. Other files
    stay.
    """
    return [] if keep is None else sorted(name for name in names if DATED.fullmatch(name))[:-keep]


def key_path(data_dir: Path) -> Path:
    """The key that the server uses."""
    return Path(os.environ.get(KEY_VARIABLE) or data_dir / KEY_FILE)


def key_beside(backup: Path) -> Path:
    return backup.with_name(f"{backup.name}.key")


def copy_key(source: Path, target: Path) -> None:
    """Readable by its owner alone from the first byte on."""
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
    """Put the key of a backup into the server's folder, unless it is there; return a sentence
    about it.
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


@options
class RestoreOptions(DataOptions):
    file: str = argument("A backup, or a folder of them.", kw_only=False)
    study: AnyPath | None = argument(
        "The study; default: the data folder.", default=None, kw_only=False
    )
    newer: Sequence[str] = option(
        "A later backup, looked through for withdrawals only. May be given several times.",
        default=(),
        metavar="FILE",
    )
    live_lost: bool = option(
        "The live database does not exist any more or cannot be read.", default=False
    )
    check: bool = option("Verify the backup and change nothing.", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreResult:
    """The verified backup, and what became of it.

    restored  the database has its content now
    erased    sessions of the backup that were withdrawn since
    aside     the database that was live before
    key       a sentence about the key of the backup
    """

    called: str
    verified: Verified
    restored: bool
    erased: int = 0
    aside: Path | None = None
    key: str = ""


@use_case(RestoreOptions)
def restore(options: RestoreOptions) -> RestoreResult:
    """Put a verified backup back in place.

    People who have withdrawn since the backup was made stay withdrawn: the deletion lists of the
    live database, of the backup and of any --newer one are applied. A replaced SQLite file is put
    aside, not deleted. A key next to the backup is put back if there is none. Stop the server
    first.

    FILE is a backup, or a folder of them: then the newest is taken. Both may be in storage:
    s3://BUCKET/PREFIX/FILE.
    """
    with ExitStack() as stack:
        if options.check:
            copy = _local(stack, options.file, Path(tempfile.gettempdir()), options)
            verified = verify_file(copy.path)
            return RestoreResult(called=copy.called, verified=verified, restored=False)
        settings = options.settings_of(options.study)
        copy = _local(stack, options.file, settings.data_dir, options)
        newer = [
            _local(stack, address, settings.data_dir, options).path for address in options.newer
        ]
        with options.counting("Restoring") as progress:
            done = restoration.restore(
                copy.path, settings.url, newer=newer, live_lost=options.live_lost, progress=progress
            )
        return RestoreResult(
            called=copy.called,
            verified=done.verified,
            restored=True,
            erased=done.n_erased,
            aside=done.aside,
            key=put_key_back(copy.path, settings.data_dir, f"{copy.called}.key"),
        )


@dataclass(frozen=True, slots=True)
class _LocalBackup:
    """`called`: its original name."""

    path: Path
    called: str


def _local(stack: ExitStack, address: str, data_dir: Path, options: Options) -> _LocalBackup:
    """The backup as a file of this machine, with its key if there is one."""
    if not is_bucket(address):
        path = Path(address)
        if path.is_dir():
            path /= _newest((entry.name for entry in path.iterdir()), address, options)
        return _LocalBackup(path, str(path))
    if address.endswith(SUFFIX):
        place, name = split_name(address)
        storage = storage_at(place)
    else:
        storage = storage_at(address)
        name = _newest(storage.names(), address, options)
    path = stack.enter_context(_work_folder(data_dir)) / name
    storage.fetch(name, path, 0o600)
    if storage.has(key := key_beside(path).name):
        storage.fetch(key, path.with_name(key), 0o600)
    return _LocalBackup(path, f"{storage.address}/{name}")


def _newest(names: Iterable[str], folder: str, options: Options) -> str:
    dated = sorted(name for name in names if DATED.fullmatch(name))
    if not dated:
        raise NotFound(
            f"{folder}: there is no backup named by date and time here. Name the file itself."
        )
    options.say(f"Taking the newest of {len(dated)}: {dated[-1]}")
    return dated[-1]
