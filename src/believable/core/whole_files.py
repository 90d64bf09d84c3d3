"""Files and folders that appear completely or not at all, and the messages if a disk refuses them.

`whole_file`     a draft to write, which gets its name when it is finished
`whole_folder`   the same for several files: none of them is replaced before all are written
`put_in_place`   a draft from elsewhere on the same disk
`write_whole`    a text, at once
`refuse_outside_links`   before anything is written into a folder that a stranger may have made
`disk_error`     a disk's message, as our error with the fix

One rule for every command that writes a folder: it takes a new or empty one, or an earlier result
of the same command. A file that it did not write itself is never deleted or overwritten, and
neither is one that was edited since; it refuses and lists them.

`seal`               stores the files of a command: the SHA-256 of each file
`check_replaceable`  before a folder is replaced as a whole
`check_writable`     before files are added to a folder with others
`results_folder`     the same around the writing: a folder to write into, whose files are sealed and
                     take their places
`replace_folder`     puts a finished folder in the place of an earlier one
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

from believable.core.errors import NO_SPACE, BelievableError, Conflict, Refused, StorageFull

_RIGHTS = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
#: The path is neither a file nor a folder.
_IN_THE_WAY = frozenset({errno.ENOTDIR, errno.EISDIR, errno.EEXIST, errno.ENOTEMPTY})


def disk_error(error: OSError, place: object = None) -> BelievableError:
    """With the path, the system's message, and the fix. The system does not always name the file.

    >>> disk_error(OSError(errno.ENOSPC, "No space left on device"), "report")
    StorageFull('report: No space left on device. Free space on that disk, or name another place.')
    """
    number, words = _first(error)
    named = place or error.filename2 or error.filename or "a file"
    if number in NO_SPACE:
        return StorageFull(f"{named}: {words}. Free space on that disk, or name another place.")
    if number in _RIGHTS:
        return Refused(
            f"{named}: {words}. Give this account the right to it, or name another place."
        )
    if number in _IN_THE_WAY:  # the existing path may be a folder above
        return Refused(
            f"{error.filename2 or error.filename or named}: {words}. Name another place, or move"
            " away the file in the way."
        )
    return Refused(f"{named}: {words}. Check that it is there and can be read and written.")


def _first(error: OSError) -> tuple[int | None, str]:
    """Copying a folder reports all files that failed at once: the first is enough, and the others
    failed alike.
    """
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        number = re.search(r"\[Errno (\d+)\]", str(error.args[0][0][2]))
        return (
            (int(number[1]), os.strerror(int(number[1])))
            if number
            else (None, str(error.args[0][0][2]))
        )
    return error.errno, error.strerror or str(error)


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Around what writes there."""
    try:
        yield
    except OSError as error:
        raise disk_error(error, place) from error


@contextmanager
def whole_file(target: Path, mode: int = 0o666) -> Iterator[Path]:
    """A file to write that gets its name when it is finished, and durable. A new one has these
    rights, less the process's umask; a replaced one keeps its rights. A path that is no file, such
    as /dev/stdout, is written as it is.
    """
    with writing(target):
        if target.exists() and not target.is_file() and not target.is_dir():
            yield target
            return
        real = target.resolve()  # a link stays one
        real.parent.mkdir(parents=True, exist_ok=True)
        draft = real.with_name(f".{real.name}.{os.getpid()}.{threading.get_ident()}.part")
        try:
            os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode))
            if real.is_file():
                draft.chmod(real.stat().st_mode & 0o777)
            yield draft
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            os.replace(draft, real)
        finally:
            draft.unlink(missing_ok=True)


def refuse_outside_links(folder: Path, name: str) -> Path:
    """`folder / name`, if neither it nor anything in it is a link to a place outside of `folder`.

    A stranger may have made a study folder: a link in it would let them choose a file elsewhere
    that we write.
    """
    home, path = folder.resolve(), folder / name
    inside = (
        Path(parent, entry)
        for parent, folders, files in os.walk(path)
        for entry in (*folders, *files)
    )
    for place in (path, *inside):
        if place.is_symlink() and not place.resolve().is_relative_to(home):
            raise Refused(
                f"{place}: a link to {os.readlink(place)!r}, which is outside of {folder}. Nothing"
                " is written there. Remove the link, or name the other place yourself (--data for"
                " a data folder)."
            )
    return path


def write_whole(target: Path, text: str) -> None:
    with whole_file(target) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")


@contextmanager
def whole_folder(target: Path) -> Iterator[Path]:
    """A folder to write into, next to `target`. In the end its files are moved there; other files
    there stay.
    """
    with writing(target):
        real = target.resolve()
        real.parent.mkdir(parents=True, exist_ok=True)
        draft = real.with_name(f".{real.name}.{os.getpid()}.{threading.get_ident()}.part")
        try:
            draft.mkdir()
            yield draft
            put_in_place(draft, real)
        finally:
            shutil.rmtree(draft, ignore_errors=True)


SUMS = "SHA256SUMS"
#: Files that file managers leave behind. They may be deleted.
_LITTER = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
#: The number of files named in a refusal.
_NAMED = 8


def seal(folder: Path, others: Mapping[str, str] = MappingProxyType({})) -> None:
    """Write down the SHA-256 of every file of a folder, by which later edits and additions are
    known. `others`: digests of files that are elsewhere by now, by name.
    """
    files = (path for path in folder.rglob("*") if path.is_file() and path != folder / SUMS)
    digests = {**others, **{path.relative_to(folder).as_posix(): _sha256(path) for path in files}}
    lines = (f"{digest}  {name}\n" for name, digest in sorted(digests.items()))
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def check_replaceable(folder: Path, what: str, *, is_ours: bool, option: str = "--out") -> None:
    """Refuse to replace anything but an earlier `what`, as it was written. `is_ours`: whether the
    folder holds one.
    """
    found = _content(folder)
    if not found:
        return
    if not is_ours:
        raise Conflict(
            f"{folder}: there is something else here, and it is not a {what}. Choose another place"
            f" with {option}."
        )
    _refuse(folder, what, sorted(found - _sums(folder).keys()), _find_edited(folder, found), option)


def check_writable(folder: Path, what: str, *, is_ours: bool, option: str = "--out") -> None:
    """Refuse to write a `what` into a folder with something else, or over files that were edited.
    Files that were added stay.
    """
    found = _content(folder)
    if found and not is_ours:
        raise Conflict(
            f"{folder}: there is something else here, and it is not a {what}. Choose another place"
            f" with {option}."
        )
    _refuse(folder, what, [], _find_edited(folder, found), option)


@contextmanager
def results_folder(
    target: Path, what: str, *, is_ours: bool, option: str = "--out"
) -> Iterator[Path]:
    """A folder to write a `what` into. In the end its files take their places in `target`, if that
    overwrites only files that an earlier `what` wrote there and that were not edited since.
    """
    check_writable(target, what, is_ours=is_ours, option=option)
    with whole_folder(target) as draft:
        yield draft
        check_writable(
            target, what, is_ours=is_ours, option=option
        )  # it may have changed meanwhile
        found, before = _content(target), _sums(target)
        new = {path.relative_to(draft).as_posix() for path in draft.rglob("*") if path.is_file()}
        if before:  # results of early versions are not sealed: their changes cannot be detected
            _refuse(target, what, sorted((new & found) - before.keys()), [], option)
        seal(
            draft,
            {name: digest for name, digest in before.items() if digest and name in found - new},
        )


def replace_folder(draft: Path, target: Path) -> None:
    """A finished folder takes the place of an earlier one of the same disk, which is gone only
    then.
    """
    real = target.resolve()
    old = real.with_name(f".{real.name}.{os.getpid()}.old")
    if real.exists():
        os.replace(real, old)
    try:
        os.replace(draft, real)
    except OSError:
        if old.exists():
            os.replace(old, real)
        raise
    shutil.rmtree(old, ignore_errors=True)


def _first_names(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _refuse(
    folder: Path, what: str, added: Sequence[str], edited: Sequence[str], option: str
) -> None:
    if not added and not edited:
        return
    parts = [
        f"{label}: {_first_names(names)}"
        for label, names in (("added", added), ("edited", edited))
        if names
    ]
    raise Conflict(
        f"{folder}: this {what} was changed since it was written ({'; '.join(parts)}). To replace"
        f" it would lose that. Move these files away, or choose another place with {option}."
    )


def _content(folder: Path) -> set[str]:
    """The files in a folder, and links, by their names in it."""
    if not folder.is_dir():
        if folder.exists() or folder.is_symlink():
            raise Conflict(
                f"{folder}: this is a file, and a folder is to be written. Choose another place."
            )
        return set()
    found = (path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir())
    return {path.relative_to(folder).as_posix() for path in found if path.name not in _LITTER}


def _sums(folder: Path) -> dict[str, str]:
    """The digests of a sealed folder by name, and its own file with them, which has none."""
    path = folder / SUMS
    if not path.is_file():
        return {}
    entries = (line.partition("  ") for line in path.read_text("utf-8", "replace").splitlines())
    return {SUMS: ""} | {name: digest for digest, _, name in entries}


def _find_edited(folder: Path, found: Set[str]) -> list[str]:
    written = _sums(folder).items()
    return sorted(
        name
        for name, digest in written
        if digest and name in found and _sha256(folder / name) != digest
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def put_in_place(draft: Path, target: Path) -> None:
    """The files of a folder take their places in another of the same disk, which takes no space;
    others that are there stay.
    """
    if not target.exists():
        os.replace(draft, target)
        return
    for path in sorted(draft.rglob("*")):
        place = target / path.relative_to(draft)
        if path.is_dir():
            place.mkdir(exist_ok=True)
        else:
            os.replace(path, place)
