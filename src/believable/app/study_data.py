"""A study's folder and its data: the options that use cases share, and their meaning."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from believable.app.options import AnyPath, Options, argument, from_environment, option, options
from believable.app.settings import Settings, study_id
from believable.core.clock import WallClock
from believable.core.cluster import on_cluster
from believable.core.errors import NotFound, WrongUsage
from believable.core.shell import quote_command
from believable.core.whole_files import refuse_outside_links, write_whole
from believable.plugins import allow_extensions
from believable.store.audit_log import AuditKind, Change, note_audit, with_note
from believable.store.database import owner_folder
from believable.store.engine import Store
from believable.study.definition import Definition
from believable.study.load import load

T = TypeVar("T")

#: The data of a study, unless another folder is named.
DATA_FOLDER = ".believable"
ADDRESS_FILE = "address.txt"
_NEVER_SERVED = "http://127.0.0.1:8000"


@options
class DataOptions(Options):
    """Where data are."""

    data: AnyPath | None = option(
        "The data folder (database, key, media); default: $BELIEVABLE_DATA, or .believable in the"
        " study folder.",
        default=None,
        path="folder",
    )
    database: str | None = option(
        "postgresql://… or sqlite:///…; default: $BELIEVABLE_DATABASE, or believable.db in the data"
        " folder.",
        default=None,
        metavar="URL",
    )

    @property
    def data_folder(self) -> Path | None:
        """The data folder, if one is named."""
        named = from_environment(self.data, "BELIEVABLE_DATA")
        return None if named is None else Path(named).resolve()

    def settings(self, studies: Sequence[Path], base_url: str | None = None) -> Settings:
        """Return the settings that all commands on these studies share. Without a `base_url`, links
        carry the address served last.
        """
        folder = self.data_folder
        if folder is None:
            if len(studies) != 1:
                raise WrongUsage(
                    f"--data: {len(studies)} studies share one data folder, but none was named. Add"
                    " --data FOLDER."
                )
            folder = refuse_outside_links(studies[0], DATA_FOLDER)
        database = from_environment(self.database, "BELIEVABLE_DATABASE")
        address = (base_url or served_address(folder)).rstrip("/")
        return Settings(folder, database, tuple(studies), address)

    def settings_of(self, study: AnyPath | None) -> Settings:
        """Return the settings of a study; without one, those of the data folder or of the study in
        the current folder.
        """
        if study is not None:
            return self.settings([study_folder(study)])
        return self.settings([Path.cwd()] if self.data_folder is None else [])


@options
class ExtensionOptions(Options):
    """For use cases that read the study's definition."""

    allow_extensions: bool = option(
        "Run the instruments in the study's extensions folder: code with all your rights.",
        default=False,
    )

    def folder_of(self, study: AnyPath) -> Path:
        """Return the study's folder, and let the instruments in it run if that is allowed."""
        folder = study_folder(study)
        if self.allow_extensions:
            allow_extensions(folder)
        return folder


@options
class StudyDataOptions(DataOptions):
    """A study with its data."""

    study: AnyPath = argument("The study's folder.", kw_only=False)

    def study_data(self) -> StudyData:
        folder = study_folder(self.study)
        if isinstance(self, ExtensionOptions):
            self.folder_of(self.study)
        return StudyData(self.study, folder, self.settings([folder]), self.actor)


@options
class StudyOptions(StudyDataOptions, ExtensionOptions):
    """A study with its data, and its definition."""


@options
class ClusterOptions(Options):
    """For use cases whose work others can do."""

    cluster: str | None = option(
        "Let a Dask cluster do the work: its scheduler, tcp://HOST:8786; default:"
        " $BELIEVABLE_CLUSTER. The results are the same.",
        default=None,
        metavar="ADDRESS",
    )

    @property
    def cluster_address(self) -> str | None:
        """The scheduler, if there is one."""
        return from_environment(self.cluster, "BELIEVABLE_CLUSTER")

    @contextmanager
    def working(self, workers: int | None = None) -> Iterator[None]:
        """Run the work of this block elsewhere."""
        if self.cluster_address is not None and workers is not None:
            raise WrongUsage(
                "--cluster and --workers: work is done there or here. Give one of them."
            )
        with on_cluster(self.cluster_address):
            yield


@options
class BaseUrlOptions(Options):
    """For use cases that return links."""

    base_url: str | None = option(
        "The address to print links with; default: the one that was served last.",
        default=None,
        metavar="URL",
    )


@dataclass(frozen=True, slots=True)
class StudyData:
    """A study in its folder, and where its data are. `written`: the study as it was named."""

    written: AnyPath
    folder: Path
    settings: Settings
    actor: str

    @property
    def name(self) -> str:
        """The id of the study in the database."""
        return study_id(self.folder)

    @property
    def has_database(self) -> bool:
        """Whether there is a database yet, as far as files show."""
        return (
            self.settings.database_url is not None
            or (self.settings.data_dir / "believable.db").exists()
        )

    def open(self) -> Store:
        return open_store(self.settings)

    def note(self, store: Store, what: str, kind: AuditKind) -> None:
        """Write into the audit log."""
        note(store, what, user=self.actor, study=self.name, kind=kind)

    def command(self, name: str, *more: str) -> str:
        """Return a command line about this study, quoted for the shell."""
        return quote_command(f"believable {name}", self.written, *more)


def study_folder(study: AnyPath) -> Path:
    """Return the study's folder, given as such or by its study.yaml."""
    study = Path(study)
    folder = study.parent if study.name == "study.yaml" else study
    if not (folder / "study.yaml").is_file():
        raise NotFound(
            f"{folder}: there is no study.yaml here. Name the folder of a study, or start one with:"
            f" {quote_command('believable new', folder)}"
        )
    return folder.resolve()


def load_study(folder: AnyPath) -> Definition:
    """The study in a folder as a checked definition, without media. Raises `StudyError` with all
    problems.
    """
    return load(study_folder(folder))


def open_store(settings: Settings) -> Store:
    """Open the database of these settings, which must exist already."""
    file = settings.url.removeprefix("sqlite:///")
    if file != settings.url and not Path(file).exists():
        raise NotFound(
            f"{settings.data_dir}: there is no database here. Serve the study first: believable"
            " serve STUDY, or try it: believable simulate STUDY"
        )
    return Store.open(settings.url, clock=WallClock())


def note(store: Store, what: str, *, user: str, study: str | None, kind: AuditKind) -> None:
    """Write an action into the audit log."""
    at_ms = store.clock.now_ms()
    store.write(
        lambda conn: note_audit(conn, user=user, what=what, study=study, at_ms=at_ms, kind=kind)
    )


def write_noted(
    store: Store,
    change: Change[T],
    what: str,
    *,
    user: str,
    study: str | None = None,
    kind: AuditKind = "change",
) -> T:
    """Write a change together with its line in the audit log."""
    at_ms = store.clock.now_ms()
    return store.write(with_note(change, user=user, what=what, at_ms=at_ms, study=study, kind=kind))


def remember_address(folder: Path, base_url: str) -> None:
    """Let commands on this data folder print links that lead to this server."""
    write_whole(owner_folder(folder) / ADDRESS_FILE, base_url + "\n")


def served_address(folder: Path) -> str:
    """Return the address at which the data folder was served last."""
    file = folder / ADDRESS_FILE
    return (file.read_text("utf-8").strip() if file.is_file() else "") or _NEVER_SERVED


def utc_now() -> str:
    """`2026-11-15T20:33:41+00:00`."""
    return datetime.datetime.fromtimestamp(WallClock().now_ms() / 1000, datetime.UTC).isoformat(
        timespec="seconds"
    )


def run_async(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to its end, also in a notebook, whose thread has an event loop already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(work())).result()
