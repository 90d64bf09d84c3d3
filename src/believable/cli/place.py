"""Where things are: the options that several commands share, and what they mean."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from believable.core.clock import WallClock
from believable.core.errors import InvalidInput, NotFound
from believable.core.shell import quote_command

if TYPE_CHECKING:
    from believable.core.work import Progress
    from believable.store.audit_log import AuditKind
    from believable.store.engine import Store
    from believable.study.definition import Definition
    from believable.web.settings import Settings

PATH = click.Path(path_type=Path)
FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
KNOWN_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
KNOWN_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)

#: An option whose default the help names.
setting = partial(click.option, show_default=True)
study_argument = click.argument("study", type=PATH)

#: Who the audit log names for what commands do.
ACTOR = "command line"
#: Where a study's data are, if nothing else is said.
DATA_FOLDER = ".believable"
_EXTENSIONS = "believable.allow_extensions"


def _remember_extensions(ctx: click.Context, parameter: click.Parameter, allowed: bool) -> None:
    ctx.meta[_EXTENSIONS] = allowed


#: For commands that read the study's definition: `study_folder` then lets the instruments run that
#: the folder carries.
extensions_option = click.option(
    "--allow-extensions",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_remember_extensions,
    help="Run the instruments in the study's extensions folder: code with all your rights.",
)


#: For commands whose work can be done by others: `with working_on(cluster):` around it.
cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    envvar="BELIEVABLE_CLUSTER",
    help=(
        "Let a Dask cluster do the work: its scheduler, tcp://HOST:8786. The results are the same."
    ),
)


@contextmanager
def working_on(cluster: str | None, workers: int | None = None) -> Iterator[None]:
    """Around what a command computes."""
    from believable.core.work import on_cluster

    if cluster is not None and workers is not None:
        raise InvalidInput("--cluster and --workers: work is done there or here. Give one of them.")
    with on_cluster(cluster):
        yield


def study_folder(study: Path) -> Path:
    """The study's folder, given as such or by its study.yaml."""
    folder = study.parent if study.name == "study.yaml" else study
    if not (folder / "study.yaml").is_file():
        raise NotFound(
            f"{folder}: there is no study.yaml here. Name the folder of a study, or start one with:"
            f" {quote_command('believable new', folder)}"
        )
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(_EXTENSIONS):
        from believable.plugins import allow_extensions

        allow_extensions(folder.resolve())
    return folder.resolve()


def definition_of(folder: Path) -> Definition:
    """What the study file in a folder says."""
    from believable.pages import KINDS
    from believable.protocols import PROTOCOLS
    from believable.study.load import load

    return load(folder, kinds=KINDS, protocols=PROTOCOLS)


@dataclass(frozen=True, slots=True)
class DataPlace:
    """Where data are kept, as `--data` and `--database` say it."""

    data: Path | None = None
    database: str | None = None

    def folder(self, studies: Sequence[Path]) -> Path:
        """As told, or inside the only study."""
        if self.data is not None:
            return self.data.resolve()
        if len(studies) != 1:
            raise InvalidInput(
                f"--data: {len(studies)} studies share one data folder, but none was named. Add"
                " --data FOLDER."
            )
        from believable.core.whole_files import refuse_outside_links

        return refuse_outside_links(studies[0], DATA_FOLDER)

    def settings(self, studies: Sequence[Path], base_url: str | None = None) -> Settings:
        """Those that all commands on the same studies share. Without a `base_url`, links carry the
        address served last.
        """
        from believable.web.settings import Settings

        folder, address = (
            self.folder(studies),
            (base_url or served_address(self.folder(studies))).rstrip("/"),
        )
        return Settings(folder, self.database, tuple(studies), address)

    def settings_here(self, study: Path | None) -> Settings:
        """Of a study, if one is named; else of the data folder, or of the study one stands in."""
        if study is not None:
            return self.settings([study_folder(study)])
        return self.settings([Path.cwd()] if self.data is None else [])

    def of(self, study: Path) -> StudyData:
        folder = study_folder(study)
        return StudyData(study, folder, self.settings([folder]))


@dataclass(frozen=True, slots=True)
class StudyData:
    """A study in its folder, and where its data are kept. `written`: the study as the command names
    it.
    """

    written: Path
    folder: Path
    settings: Settings

    @property
    def name(self) -> str:
        """What the database knows it by."""
        from believable.web.settings import study_id

        return study_id(self.folder)

    @property
    def served(self) -> bool:
        """Whether there is a database yet, as far as can be told without opening it."""
        return (
            self.settings.database_url is not None
            or (self.settings.data_dir / "believable.db").exists()
        )

    def open(self) -> Store:
        return open_store(self.settings)


def with_options(command: Callable[..., Any], *options: Callable[..., Any]) -> Callable[..., Any]:
    """The command with these options, as if they stood above it."""
    for option in reversed(options):
        command = option(command)
    return command


def data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """`--data` and `--database`, the same everywhere: the command gets them as `where`."""

    @wraps(function)
    def placed(*, data: Path | None, database: str | None, **values: Any) -> Any:
        return function(where=DataPlace(data, database), **values)

    url = click.option(
        "--database",
        metavar="URL",
        envvar="BELIEVABLE_DATABASE",
        help="postgresql://… or sqlite:///…; default: believable.db in the data folder.",
    )
    folder = click.option(
        "--data",
        type=FOLDER,
        envvar="BELIEVABLE_DATA",
        help="The data folder (database, key, media); default: .believable in the study folder.",
    )
    return folder(url(placed))


def study_data_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for commands on one study, which get it with its data as `study`."""

    @wraps(function)
    def placed(*, study: Path, where: DataPlace, **values: Any) -> Any:
        return function(study=where.of(study), **values)

    return data_options(placed)


@contextmanager
def bar(label: str, length: int = 1) -> Iterator[Progress]:
    """A progress bar, and what to call with (done, in all)."""
    with click.progressbar(
        length=length, label=label, file=sys.stderr, hidden=length == 0
    ) as shown:

        def progress(done: int, total: int) -> None:
            shown.length = total
            shown.update(done - shown.pos)

        yield progress


def utc_now() -> str:
    """`2026-11-15T20:33:41+00:00`."""
    import datetime

    return datetime.datetime.fromtimestamp(WallClock().now_ms() / 1000, datetime.UTC).isoformat(
        timespec="seconds"
    )


ADDRESS_FILE = "address.txt"
_NEVER_SERVED = "http://127.0.0.1:8000"

#: For commands that print links.
base_url_option = click.option(
    "--base-url",
    metavar="URL",
    help="The address to print links with; default: the one that was served last.",
)


def remember_address(folder: Path, base_url: str) -> None:
    """So that commands on this data folder print links that lead somewhere."""
    from believable.core.whole_files import write_whole
    from believable.store.database import owner_folder

    write_whole(owner_folder(folder) / ADDRESS_FILE, base_url + "\n")


def served_address(folder: Path) -> str:
    """Where the data folder was served last."""
    file = folder / ADDRESS_FILE
    return (file.read_text("utf-8").strip() if file.is_file() else "") or _NEVER_SERVED


def open_store(settings: Settings) -> Store:
    """The database of these settings, which must have been made already."""
    from believable.store.engine import Store

    file = settings.url.removeprefix("sqlite:///")
    if file != settings.url and not Path(file).exists():
        raise NotFound(
            f"{settings.data_dir}: there is no database here. Serve the study first: believable"
            " serve STUDY, or try it: believable simulate STUDY"
        )
    return Store.open(settings.url, clock=WallClock())


def note(store: Store, what: str, *, study: str | None, kind: AuditKind) -> None:
    """Writes into the audit log what a command does."""
    from believable.store.audit_log import note_audit

    at_ms = store.clock.now_ms()
    store.write(
        lambda conn: note_audit(conn, user=ACTOR, what=what, study=study, at_ms=at_ms, kind=kind)
    )
