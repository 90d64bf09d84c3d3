"""The two databases we speak to.

SQLite: one file in WAL mode with `synchronous=FULL`, so a commit that returned survives a power
cut. Writers begin with `BEGIN IMMEDIATE`: they wait for each other instead of failing half-way.
PostgreSQL: `synchronous_commit=on`; a transaction with changes takes an exclusive advisory lock and
one with event batches only a shared one, so changes never deadlock and batches of several processes
still run side by side.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError

from believable.core.errors import InvalidInput, MissingExtra, Unavailable
from believable.store.fixed_statements import run_text
from believable.store.trouble import Trouble, trouble, troubles_told

#: How long SQLite waits for another process's transaction.
BUSY_TIMEOUT_MS = 30_000
#: The writing thread keeps its connection (`writing`); other changes on this engine use another
#: one.
SPARE = 1
#: The key of PostgreSQL's advisory locks: "believab" in ASCII.
ADVISORY_KEY = int.from_bytes(b"believab", "big")


#: Durable commits; and a process that vanished with its machine does not keep its locks for hours.
POSTGRES_OPTIONS = (
    "-c synchronous_commit=on -c timezone=UTC -c idle_in_transaction_session_timeout=60s "
    "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"
)


#: How a SQLite commit reaches the disk. `FULL`: before it is answered. `NORMAL`: some time later,
#: in order; a power cut may take the latest commits of this process, never damages the file and
#: never takes what another process has stored with `FULL`.
Synchronous: TypeAlias = Literal["FULL", "NORMAL"]


#: At most this number of problems of a file is listed.
MOST_DAMAGES = 20


def owner_folder(path: Path) -> Path:
    """The folder, made if needed. Others may neither list nor change it; a web server that knows a
    medium's exact name may still pass through to it, because files that hold people's data are
    closed themselves (`owner_only`).
    """
    try:
        path.mkdir(mode=0o711, parents=True, exist_ok=True)
    except OSError as error:
        in_the_way = isinstance(error, FileExistsError | NotADirectoryError)
        cure = (
            "Move away the file in the way, or name another."
            if in_the_way
            else "Make it, or name another."
        )
        raise Unavailable(
            f"the folder {str(path)!r} cannot be made: {error.strerror}. {cure}"
        ) from None
    return path


def owner_file(path: Path, flags: int) -> int:
    """A descriptor of the file, made if needed, which only its owner reads. The files of an
    administrator's command belong to the owner of the folder: the server that runs there under
    another account must be able to use them.
    """
    descriptor = os.open(path, flags | os.O_CREAT, 0o600)
    if sys.platform != "win32" and os.geteuid() == 0:
        with contextlib.suppress(OSError):  # storage of another machine may refuse it
            os.fchown(descriptor, path.parent.stat().st_uid, -1)
    return descriptor


_making = threading.Lock()


def owner_only(path: Path) -> None:
    """Make the file if there is none, and let only its owner read it. SQLite gives its logs the
    same rights.

    A file that is there is never opened: closing any descriptor of it would let go of all locks
    that this process holds on it, and two writers that believe to be alone destroy a database.
    Hence O_EXCL, and one thread at a time.
    """
    # If it exists already, or may not be made, opening the database says so.
    with _making, contextlib.suppress(OSError):
        os.close(owner_file(path, os.O_RDONLY | os.O_EXCL))
    for file in (path, Path(f"{path}-wal"), Path(f"{path}-shm")):
        with contextlib.suppress(OSError):
            if (mode := file.stat().st_mode) & 0o077:
                file.chmod(mode & 0o700)


def parse_url(url: str) -> URL:
    """`sqlite:///path/to/file.db` or `postgresql://user@host/name`, with the driver we use."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise _bad_url(url) from None
    backend = parsed.get_backend_name()
    if backend == "postgresql":
        return parsed.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and parsed.database not in (None, "", ":memory:"):
        return parsed.set(drivername="sqlite+pysqlite")
    raise _bad_url(url)


def read_only(path: Path) -> Engine:
    """A SQLite file that must not be touched, such as a backup."""
    address = URL.create(
        "sqlite", database=f"file:{quote(str(path))}", query={"mode": "ro", "uri": "true"}
    )
    return create_engine(address, poolclass=NullPool)


def _bad_url(url: str) -> InvalidInput:
    shown = url.split("@")[-1]  # the text before it may be a password
    return InvalidInput(
        "database address: expected sqlite:///path/to/file.db or postgresql://user@host/name, got"
        f" …{shown!r}. Give one of these forms."
    )


@dataclass(frozen=True, slots=True)
class Ticket:
    """One transaction, such that its fate can be asked for after the connection broke. SQLite needs
    no mark.
    """

    mark: str | None


class Database:
    """Engines for writing (one connection) and reading (a few), configured for durability."""

    def __init__(
        self,
        url: str,
        *,
        max_pages: int | None = None,
        readers: int = 4,
        synchronous: Synchronous = "FULL",
    ) -> None:
        self.url = parse_url(url)
        self.dialect = self.url.get_backend_name()
        self.max_pages = max_pages
        self._synchronous = synchronous
        self._writer_id = secrets.token_hex(16)
        self._closed_to_others = False
        self._kept: Connection | None = None
        if self.dialect == "sqlite":
            self.path: Path | None = Path(self.url.database or "")
            owner_folder(self.path.parent)
            self.writer, self.reader = (
                self._sqlite("BEGIN IMMEDIATE", 1),
                self._sqlite("BEGIN", readers),
            )
        else:
            self.path = None
            self.writer = self._postgres(1, "READ COMMITTED")
            self.reader = self._postgres(readers, "REPEATABLE READ")

    @property
    def name(self) -> str:
        """For people: a file, or an address without its secret parts."""
        if self.path is not None:
            return str(self.path)
        hidden = {key: "hidden" for key in self.url.query if "password" in key}
        return self.url.set(drivername=self.dialect).update_query_dict(hidden).render_as_string()

    def opening(self) -> AbstractContextManager[None]:
        """Around whatever connects for the first time."""
        return troubles_told(f"the database {self.name} cannot be opened")

    def _sqlite(self, begin: str, size: int) -> Engine:
        engine = create_engine(
            self.url,
            hide_parameters=True,
            pool_size=size,
            max_overflow=SPARE if size == 1 else 0,
            pool_timeout=BUSY_TIMEOUT_MS / 1000,
            connect_args={
                "isolation_level": None,
                "check_same_thread": False,
                "timeout": BUSY_TIMEOUT_MS / 1000,
            },
        )

        settings = [
            f"busy_timeout={BUSY_TIMEOUT_MS}",
            "journal_mode=WAL",
            f"synchronous={self._synchronous}",
            "foreign_keys=ON",
            "secure_delete=ON",
            "journal_size_limit=67108864",
            f"wal_autocheckpoint={WRITER_PAGES}",
        ]

        @event.listens_for(engine, "do_connect")
        def closed_to_others(_dialect: Any, _record: Any, _arguments: Any, _options: Any) -> None:
            # Once: SQLite gives its logs the rights of the file.
            if self.path is not None and not self._closed_to_others:
                owner_only(self.path)
                self._closed_to_others = True

        @event.listens_for(engine, "connect")
        def configure(connection: Any, _record: Any) -> None:
            limit = (
                [f"max_page_count={self.max_pages:d}"]
                if self.max_pages is not None and begin != "BEGIN"
                else []
            )
            for setting in (*settings, *limit):
                try:
                    connection.execute(f"PRAGMA {setting}")
                except (
                    sqlite3.Error
                ) as error:  # raised here it would reach callers without the meaning of `trouble`
                    raise OperationalError(f"PRAGMA {setting}", None, error) from error

        @event.listens_for(engine, "begin")
        def start(connection: Connection) -> None:
            run_text(connection, begin)

        return engine

    def _postgres(self, size: int, isolation: Any) -> Engine:
        try:
            return create_engine(
                self.url,
                hide_parameters=True,
                pool_size=size,
                max_overflow=SPARE if size == 1 else 0,
                isolation_level=isolation,
                connect_args={
                    "options": POSTGRES_OPTIONS,
                    "connect_timeout": 10,
                    "client_encoding": "utf8",
                },
            )
        except ImportError:
            raise MissingExtra(what="PostgreSQL", extra="postgres") from None

    @contextlib.contextmanager
    def writing(self) -> Iterator[Connection]:
        """The connection of the writing thread, kept between its transactions; after a failure the
        next one gets a new one.
        """
        conn = self._kept if self._kept is not None else self.writer.connect()
        self._kept = None
        try:
            yield conn
        except BaseException:
            conn.close()
            raise
        if (
            conn.invalidated or conn.in_transaction()
        ):  # a commit that got no answer, and was found to have taken place
            conn.close()
        else:
            self._kept = conn

    def enter(self, conn: Connection, *, exclusive: bool) -> Ticket:
        """Begin a transaction among other processes' ones."""
        conn.begin()
        if self.dialect == "sqlite":
            return Ticket(None)
        lock = "pg_advisory_xact_lock" if exclusive else "pg_advisory_xact_lock_shared"
        conn.exec_driver_sql(f"SELECT {lock}({ADVISORY_KEY})")
        mark = secrets.token_hex(16)
        conn.exec_driver_sql(
            "INSERT INTO writers (id, mark) VALUES (%s, %s) ON CONFLICT (id) DO UPDATE SET mark ="
            " excluded.mark",
            (self._writer_id, mark),
        )
        return Ticket(mark)

    def has_committed(self, ticket: Ticket, *, patience_s: float) -> bool:
        """Whether a transaction whose COMMIT got no answer took place: asked until the server is
        back.

        The mark is the transaction's own row, not its number: a server that crashed gives lost
        numbers out again.
        """
        deadline_s = time.monotonic() + patience_s
        while True:
            try:
                return self._stored_mark() == ticket.mark
            except DBAPIError as error:
                if trouble(error) not in (Trouble.LOST, Trouble.BUSY):
                    raise
            if time.monotonic() > deadline_s:
                raise Unavailable(
                    "the database went away while storing, and it is not known whether the change"
                    " is in. Reload to see the stored state."
                )
            time.sleep(0.1)

    def _stored_mark(self) -> str | None:
        with self.reader.connect() as conn:
            # The lost transaction holds this lock until it has ended one way or the other. Then
            # look, on a new snapshot.
            with conn.begin():
                conn.exec_driver_sql("SET LOCAL lock_timeout = '1s'")
                conn.exec_driver_sql(f"SELECT pg_advisory_xact_lock({ADVISORY_KEY})")
            with conn.begin():
                query = "SELECT mark FROM writers WHERE id = %s"
                return conn.exec_driver_sql(query, (self._writer_id,)).scalar()

    def driver_connection(self, conn: Connection) -> Any:
        return conn.connection.driver_connection

    def scrub(self, conn: Connection) -> bool:
        """SQLite: fold the write-ahead log into the file and empty it, so that erased content is in
        neither. False: try again.
        """
        if self.dialect != "sqlite":
            return True
        raw = self.driver_connection(conn)
        raw.execute("PRAGMA busy_timeout=250")  # never hold up other people's answers for long
        try:
            busy = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        finally:
            raw.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
        return not busy

    def limit_pages(self, conn: Connection, pages: int | None) -> None:
        """SQLite: refuse to grow past this many pages (None: no limit). For drills of a full
        disk.
        """
        self.max_pages = pages
        self.driver_connection(conn).execute(
            f"PRAGMA max_page_count={4294967294 if pages is None else pages:d}"
        )

    def leave_mark(self, conn: Connection) -> None:
        """A small change that says nothing: whether it can be stored is the question."""
        row = {"id": f"ready-{self._writer_id}"[:32], "mark": secrets.token_hex(16)}
        put = (
            "INSERT INTO writers (id, mark) VALUES (:id, :mark) ON CONFLICT (id) DO UPDATE SET mark"
            " = excluded.mark"
        )
        conn.execute(text(put), row)

    def damages(self) -> list[str]:
        """SQLite: the problems that a quick look over the whole file finds. PostgreSQL watches over
        its pages itself.
        """
        if self.path is None:
            return []
        try:
            with self.reader.connect() as conn:
                lines = conn.exec_driver_sql(f"PRAGMA quick_check({MOST_DAMAGES})").scalars().all()
        except DBAPIError as error:
            if trouble(error) is not Trouble.DAMAGED:
                raise
            return [str(error.orig)]
        except UnicodeDecodeError as error:  # names of broken tables may be no text
            return [str(error)]
        return [line for line in lines if line != "ok"]

    def dispose(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None
        self.writer.dispose()
        self.reader.dispose()


# ----------------------------------------------------------------------------------------------
# checkpoints


log = logging.getLogger(__name__)

#: The writer checkpoints by itself at this length of the log (16 MB): by then most of it has been
#: moved already.
WRITER_PAGES = 4_000
CHECKPOINT_INTERVAL_S = 0.5


class Checkpointer:
    """Moves committed pages from SQLite's log into its file, in a separate thread instead of inside
    a commit.

    With a busy disk a commit that does this itself can take seconds; measured at 1,000 batches a
    second, the slowest hundredth waited up to 3 s without this thread and never more than 0.3 s
    with it. It looks twice a second whether the log has grown. If it falls behind or stops, the
    writer does the same work itself once the log holds `WRITER_PAGES`.
    """

    def __init__(self, path: Path, interval_s: float = CHECKPOINT_INTERVAL_S) -> None:
        self._path = path
        self._log = Path(f"{path}-wal")
        self._interval_s = interval_s
        self._stop = threading.Event()
        self._thread = threading.Thread(
            target=self._run, name="believable-checkpointer", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        seen = said = None
        with closing(
            sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        ) as raw:
            while not self._stop.wait(self._interval_s):
                try:
                    status = self._log.stat()
                    now = (status.st_size, status.st_mtime_ns)
                    if now != seen:
                        raw.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
                        seen, said = now, None
                except FileNotFoundError:
                    seen = None
                except sqlite3.Error as error:
                    # A full disk, a lock: the writer meets the same problem and reports it; here
                    # the next round tries again.
                    if str(error) != said:  # once, not twice a second
                        said = str(error)
                        log.warning("checkpoint failed: %s", error)
