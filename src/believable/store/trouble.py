"""The meaning of the errors of the two databases, and their messages: one line, with the fix."""

from __future__ import annotations

import enum
import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

from believable.core.errors import NO_SPACE, StorageFull, Unavailable


class Trouble(enum.Enum):
    """The meaning of an exception from the database for the transaction."""

    FULL = "no space"
    LOST = "the connection or file is gone"
    BUSY = "another writer was in the way"
    DAMAGED = "the file is damaged"
    READ_ONLY = "nothing may be written"
    OTHER = "the statement itself"


_SQLITE = {
    "SQLITE_FULL": Trouble.FULL,
    "SQLITE_IOERR_WRITE": Trouble.FULL,  # a disk quota or file size limit
    "SQLITE_BUSY": Trouble.BUSY,
    "SQLITE_LOCKED": Trouble.BUSY,
    "SQLITE_CANTOPEN": Trouble.LOST,
    "SQLITE_IOERR": Trouble.LOST,
    "SQLITE_CORRUPT": Trouble.DAMAGED,
    "SQLITE_NOTADB": Trouble.DAMAGED,
    "SQLITE_READONLY": Trouble.READ_ONLY,
}
_POSTGRES = {
    "53100": Trouble.FULL,
    "40001": Trouble.BUSY,
    "40P01": Trouble.BUSY,
    "55P03": Trouble.BUSY,
    "53300": Trouble.LOST,
    "57P01": Trouble.LOST,
    "57P02": Trouble.LOST,
    "57P03": Trouble.LOST,
    "25006": Trouble.READ_ONLY,  # a standby, or default_transaction_read_only
    "42501": Trouble.READ_ONLY,  # an account without the right
    "XX001": Trouble.DAMAGED,
    "XX002": Trouble.DAMAGED,
}


def trouble(error: BaseException) -> Trouble:
    """Sort an exception raised while talking to the database."""
    if not isinstance(error, DBAPIError):
        return Trouble.OTHER
    if (name := _sqlite_name(error.orig)) is not None:
        return _sqlite_trouble(name)
    state = getattr(error.orig, "sqlstate", None)
    if state is not None:
        return Trouble.LOST if state.startswith("08") else _POSTGRES.get(state, Trouble.OTHER)
    # psycopg raises without a state when the server cannot be reached at all.
    if error.connection_invalidated or isinstance(error, OperationalError | InterfaceError):
        return Trouble.LOST
    return Trouble.OTHER


def _sqlite_name(error: BaseException | None) -> str | None:
    return getattr(error, "sqlite_errorname", None)


def _sqlite_trouble(name: str) -> Trouble:
    family = "_".join(name.split("_")[:2])
    return _SQLITE.get(name) or _SQLITE.get(family) or Trouble.OTHER


# ----------------------------------------------------------------------------------------------
# messages


RESTORE = (
    "Restore a backup: believable restore BACKUP (with --live-lost if the withdrawals in it"
    " cannot be read)."
)
_RIGHTS = "Give this account the right to write the file and its folder."
_ANYWHERE = {
    Trouble.BUSY: "Another program holds it: end that, or try again.",
    Trouble.DAMAGED: RESTORE,
    Trouble.OTHER: f"Its tables were changed by another program. {RESTORE}",
}
#: For a database that is a file.
_IN_A_FILE = {
    **_ANYWHERE,
    Trouble.FULL: "Free space on its disk.",
    Trouble.LOST: _RIGHTS,
    Trouble.READ_ONLY: _RIGHTS,
}
_ON_A_SERVER = {
    **_ANYWHERE,
    Trouble.FULL: "Free space on the disk of its server.",
    Trouble.LOST: "Check its address, and that it runs.",
    Trouble.READ_ONLY: (
        "Name an account in its address that owns the tables, and a server that may be written."
    ),
}
#: A server that refuses a connection gives no state, only a text.
_REFUSALS = (
    (
        re.compile(
            r"password|authentication|pg_hba\.conf|role \S+ (does not exist|is not permitted)",
            re.IGNORECASE,
        ),
        "Check user and password in its address.",
    ),
    (
        re.compile(r"database \S+ does not exist"),
        "Make it (createdb NAME), or correct its name in the address.",
    ),
    (
        re.compile(r"too many (clients|connections)|connection slots"),
        "Close other connections, or raise max_connections of its server.",
    ),
)

Cures = Mapping[Trouble, str]


def cures_in(folder: Path) -> Cures:
    """Fixes for a new database that is written into a folder."""
    return {
        **_IN_A_FILE,
        Trouble.FULL: f"Free space on the disk of {folder}, or name another place.",
        Trouble.LOST: (
            f"Check that {folder} is there, has space and may be written by this account, or name"
            " another place."
        ),
        Trouble.READ_ONLY: f"Give this account the right to write {folder}, or name another place.",
    }


def driver_words(error: BaseException) -> str:
    """The message as a part of a sentence, without the lines of advice and the punctuation that
    drivers add.
    """
    if isinstance(error, OSError):
        return error.strerror or str(error)
    said = str(error.orig if isinstance(error, DBAPIError) else error).strip()
    return " ".join(said.split("\n")[0].split()).rstrip(".?! ")[:300]


@contextmanager
def troubles_told(what: str, *, file_cures: Cures = _IN_A_FILE) -> Iterator[None]:
    """Turn errors of drivers and disks into one error, while a database is opened or copied. `what`
    names the failed operation. `file_cures` are the fixes for files; those for servers are fixed.
    """
    try:
        yield
    except (DBAPIError, sqlite3.Error, UnicodeDecodeError, OSError) as error:
        kind, cure = _diagnosis(error, file_cures)
        raise (StorageFull if kind is Trouble.FULL else Unavailable)(
            f"{what}: {driver_words(error)}. {cure}"
        ) from error


def _diagnosis(
    error: DBAPIError | sqlite3.Error | UnicodeDecodeError | OSError, file_cures: Cures
) -> tuple[Trouble, str]:
    if isinstance(error, OSError):
        kind = Trouble.FULL if error.errno in NO_SPACE else Trouble.LOST
        return kind, file_cures[kind]
    driver_error = error.orig if isinstance(error, DBAPIError) else error
    name = _sqlite_name(driver_error)
    kind = trouble(error) if name is None else _sqlite_trouble(name)
    if name is not None or not isinstance(error, DBAPIError):
        return kind, file_cures[kind]
    refusals = (
        cure
        for pattern, cure in _REFUSALS
        if kind is Trouble.LOST and pattern.search(str(driver_error))
    )
    return kind, next(refusals, _ON_A_SERVER[kind])
