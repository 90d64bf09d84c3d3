"""Where files are kept beyond this machine: a bucket of S3-compatible storage, or a folder that
several machines have mounted.

`storage_at`    the storage behind `s3://bucket/prefix` or a folder
`medium_file`   a file of the media folder, fetched first where only the storage behind that folder
                has it

A media folder remembers the storage behind it in `storage.txt`, so every process and every command
that works on it knows. Its files are copies: each is fetched once, checked by its name, and read
from the disk from then on, so people continue watching while the storage cannot be reached.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from believable.core.errors import (
    BelievableError,
    InvalidInput,
    MissingExtra,
    NotFound,
    Refused,
    Unavailable,
)
from believable.core.whole_files import whole_file, write_whole

SCHEME = "s3://"
_ADDRESS = re.compile(r"s3://(?P<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:/(?P<prefix>[^?#]*))?")
#: How long the storage may take to answer, and how often it is asked again.
CONNECT_S, ANSWER_S, TRIES = 5, 60, 3
_PIECE_BYTES = 1 << 20


class Storage(Protocol):
    """Files by name; names may have slashes. Everything raises `Unavailable`, `Refused` or
    `NotFound` with the address.
    """

    address: str

    def check(self) -> None:
        """Whether it can be reached and read."""

    def has(self, name: str) -> bool:
        """Whether the file is there, whole."""

    def put(self, name: str, source: Path) -> None:
        """A copy of the file, in place of one of this name."""

    def fetch(self, name: str, target: Path, mode: int = 0o666) -> None:
        """A copy in a new file with these rights, less the process's umask; `target` appears whole
        or not at all.
        """

    def names(self) -> list[str]:
        """All files, in order."""

    def remove(self, name: str) -> None:
        """The file must be there."""


def is_bucket(address: str) -> bool:
    return address.startswith(SCHEME)


def storage_at(address: str) -> Storage:
    """Reached with the credentials of the environment (`AWS_ACCESS_KEY_ID`,
    `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, and `AWS_ENDPOINT_URL` if it is not Amazon's), or those
    of the machine's role.
    """
    if is_bucket(address):
        return BucketStorage(address)
    if "://" in address:
        raise InvalidInput(
            f"{address}: expected s3://BUCKET/PREFIX or a folder. Other storage: mount it as a"
            " folder."
        )
    return FolderStorage(Path(address))


def split_name(address: str) -> tuple[str, str]:
    """The place and the last name of a file's address.

    >>> split_name("s3://lab/backups/monday.backup")
    ('s3://lab/backups', 'monday.backup')
    """
    place, _, name = address.rstrip("/").rpartition("/")
    if not name or place in ("s3:", "s3:/"):
        raise InvalidInput(f"{address}: expected s3://BUCKET/…/FILE. Add the name of the file.")
    return place, name


class FolderStorage:
    """A folder, as a network file system would be mounted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self.address = str(self._folder)

    def check(self) -> None:
        if not self._folder.is_dir():
            raise NotFound(
                f"{self.address}: there is no such folder. Mount it, or make it: mkdir -p"
                f" {self.address}"
            )

    def has(self, name: str) -> bool:
        return (self._folder / name).is_file()

    def put(self, name: str, source: Path) -> None:
        with whole_file(self._folder / name) as unfinished:
            shutil.copyfile(source, unfinished)

    def fetch(self, name: str, target: Path, mode: int = 0o666) -> None:
        if not self.has(name):
            raise NotFound(f"{self.address}: there is no {name!r}.")
        with whole_file(target, mode) as unfinished:
            shutil.copyfile(self._folder / name, unfinished)

    def names(self) -> list[str]:
        files = (
            path
            for path in self._folder.rglob("*")
            if path.is_file() and not path.name.startswith(".")
        )
        return sorted(path.relative_to(self._folder).as_posix() for path in files)

    def remove(self, name: str) -> None:
        (self._folder / name).unlink()


class BucketStorage:
    """A bucket of S3-compatible storage, by the library obstore."""

    def __init__(self, address: str) -> None:
        match = _ADDRESS.fullmatch(address)
        if match is None:
            raise InvalidInput(
                f"{address}: expected s3://BUCKET/PREFIX, the bucket in small letters, digits, -"
                " and dots."
            )
        self.address = address.rstrip("/")
        _must_be_endpoints()
        try:
            self._library: Any = importlib.import_module("obstore")
            self._errors: Any = importlib.import_module("obstore.exceptions")
            stores: Any = importlib.import_module("obstore.store")
        except ImportError:
            raise MissingExtra(what="object storage", extra="s3") from None
        # A private server without TLS is named by the person who sets the endpoint; Amazon's has
        # only https.
        options = {
            "allow_http": True,
            "connect_timeout": f"{CONNECT_S}s",
            "timeout": f"{ANSWER_S}s",
        }
        with self._errors_told():
            self._store = stores.S3Store.from_url(
                self.address, client_options=options, retry_config={"max_retries": TRIES}
            )

    def check(self) -> None:
        with self._errors_told():
            for _ in self._library.list(self._store, chunk_size=1):
                return

    def has(self, name: str) -> bool:
        try:
            with self._errors_told():
                self._library.head(self._store, name)
        except NotFound:
            return False
        return True

    def put(self, name: str, source: Path) -> None:
        with self._errors_told():
            self._library.put(self._store, name, source)

    def fetch(self, name: str, target: Path, mode: int = 0o666) -> None:
        with self._errors_told(name):
            content = self._library.get(self._store, name)
            with whole_file(target, mode) as unfinished, unfinished.open("wb") as file:
                for piece in content.stream(min_chunk_size=_PIECE_BYTES):
                    file.write(piece)

    def names(self) -> list[str]:
        with self._errors_told():
            return sorted(
                entry["path"] for entries in self._library.list(self._store) for entry in entries
            )

    def remove(self, name: str) -> None:
        with self._errors_told():
            self._library.delete(self._store, name)

    @contextmanager
    def _errors_told(self, name: str = "") -> Iterator[None]:
        """The library's message, as a sentence with the fix."""
        try:
            yield
        except BelievableError:
            raise
        except (FileNotFoundError, self._errors.BaseError) as error:
            # For a list it reports everything as the same error: only the text holds the storage's
            # answer.
            if "NoSuchBucket" in str(error):
                cure = "Make it in the storage's console, or correct the name."
                raise NotFound(f"{self.address}: there is no such bucket. {cure}") from None
            if isinstance(error, FileNotFoundError):
                raise NotFound(f"{self.address}: there is no {name!r}.") from None
            reason = _first_words(str(error))
            if re.search(r"status code: 40[13]", str(error)):
                cure = (
                    "Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the rights of that account."
                )
                raise Refused(f"{self.address}: the storage refuses ({reason}). {cure}") from None
            cure = "Check the network, AWS_ENDPOINT_URL, AWS_REGION and that credentials are set."
            raise Unavailable(
                f"{self.address}: the storage cannot be used now ({reason}). {cure}"
            ) from None


def _must_be_endpoints() -> None:
    """The library ends the whole program where one is no address."""
    for variable in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"):
        value = os.environ.get(variable, "")
        if value and not re.fullmatch(r"https?://[^\s/]+(/\S*)?", value):
            raise InvalidInput(
                f"environment variable {variable}: expected http(s)://HOST, got {value!r}. Correct"
                " or unset it."
            )


def _first_words(text: str) -> str:
    """The library repeats a whole answer and its own state after the sentence that matters."""
    code = re.search(r"<Code>(\w+)</Code>", text)
    first = text.splitlines()[0].partition(", after ")[0].partition(" - Server returned")[0]
    return f"{first[:200]}: {code[1]}" if code else first[:200]


def digest_of(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# ---------------------------------------------------------------------------------------------- the
# storage behind a media folder


STORAGE_FILE = "storage.txt"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_storages: dict[str, Storage] = {}
#: Several people may be the first to ask for a clip: it is fetched once.
_fetching = threading.Lock()


def remember_storage(media_dir: Path, address: str) -> None:
    """From now on this storage is behind the folder."""
    storage = storage_at(address)
    storage.check()
    write_whole(media_dir / STORAGE_FILE, storage.address + "\n")


def storage_behind(media_dir: Path) -> Storage | None:
    try:
        address = (media_dir / STORAGE_FILE).read_text(encoding="utf-8").strip()
    except OSError:
        return None
    if address not in _storages:
        _storages[address] = storage_at(address)
    return _storages[address]


def medium_file(media_dir: Path, name: str) -> Path:
    """Where the file is, fetched first where only the storage behind the folder has it. It may be
    missing in both.
    """
    path = media_dir / name
    if path.is_file() or (storage := storage_behind(media_dir)) is None:
        return path
    with _fetching:
        if not path.is_file():
            try:
                storage.fetch(name, path)
            except NotFound:
                return path
            if _DIGEST.fullmatch(name) and digest_of(path) != name:
                path.unlink()
                raise Unavailable(
                    f"{storage.address}/{name} is damaged: its content has another SHA-256 than its"
                    " name."
                )
    return path


def keep_medium(media_dir: Path, name: str) -> None:
    """Put a file of the folder into the storage behind it, if there is one and it lacks the
    file.
    """
    storage = storage_behind(media_dir)
    if storage is not None and not storage.has(name):
        storage.put(name, media_dir / name)
