"""Where things are: the options that several commands share, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from believable.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from believable.store.engine import Store
    from believable.web.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

study_argument = click.argument("study", type=click.Path(path_type=Path))

_EXTENSIONS = "believable.allow_extensions"


def _remember_extensions(ctx: click.Context, parameter: click.Parameter, allowed: bool) -> None:
    ctx.meta[_EXTENSIONS] = allowed


#: For commands that read the study's definition: `study_folder` then lets the instruments run that the folder carries.
extensions_option = click.option(
    "--allow-extensions", is_flag=True, expose_value=False, is_eager=True, callback=_remember_extensions,
    help="Run the instruments in the study's extensions folder: code with all your rights.",
)  # fmt: skip


#: For commands whose work can be done by others: `with working_on(cluster):` around it.
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", envvar="BELIEVABLE_CLUSTER",
    help="Let a Dask cluster do the work: its scheduler, tcp://HOST:8786. The results are the same.",
)  # fmt: skip


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
            f"{folder}: there is no study.yaml here. Name the folder of a study, or start one with: believable new {folder}"
        )
    context = click.get_current_context(silent=True)
    if context is not None and context.meta.get(_EXTENSIONS):
        from believable.plugins import allow_extensions

        allow_extensions(folder.resolve())
    return folder.resolve()


def data_options(function: F) -> F:
    """`--data` and `--database`, the same everywhere."""
    database = click.option(
        "--database", metavar="URL", envvar="BELIEVABLE_DATABASE",
        help="postgresql://… or sqlite:///…; default: believable.db in the data folder.",
    )  # fmt: skip
    data = click.option(
        "--data", type=click.Path(file_okay=False, path_type=Path), envvar="BELIEVABLE_DATA",
        help="The data folder (database, key, media); default: .believable in the study folder.",
    )  # fmt: skip
    return data(database(function))


def data_folder(studies: Sequence[Path], data: Path | None) -> Path:
    """Where data are kept: as told, or inside the only study."""
    if data is not None:
        return data.resolve()
    if len(studies) != 1:
        raise InvalidInput(
            f"--data: {len(studies)} studies share one data folder, but none was named. Add --data FOLDER."
        )
    return studies[0] / ".believable"


def settings_for(
    studies: Sequence[Path], data: Path | None, database: str | None, base_url: str | None = None
) -> Settings:
    """The settings that all commands on the same studies share. Without a `base_url`, links carry the address served last."""
    from believable.web.settings import Settings

    folder = data_folder(studies, data)
    return Settings(
        data_dir=folder,
        database_url=database,
        study_folders=tuple(studies),
        base_url=(base_url or served_address(folder)).rstrip("/"),
    )


ADDRESS_FILE = "address.txt"
_NEVER_SERVED = "http://127.0.0.1:8000"

#: For commands that print links.
base_url_option = click.option(
    "--base-url", metavar="URL", help="The address to print links with; default: the one that was served last."
)


def remember_address(folder: Path, base_url: str) -> None:
    """So that commands on this data folder print links that lead somewhere."""
    from believable.store.database import owner_folder

    (owner_folder(folder) / ADDRESS_FILE).write_text(base_url + "\n", encoding="utf-8")


def served_address(folder: Path) -> str:
    """Where the data folder was served last."""
    file = folder / ADDRESS_FILE
    return (file.read_text("utf-8").strip() if file.is_file() else "") or _NEVER_SERVED


def open_store(settings: Settings) -> Store:
    """The database of these settings, which must have been made already."""
    from believable.core.clock import WallClock
    from believable.store.engine import Store

    file = settings.url.removeprefix("sqlite:///")
    if file != settings.url and not Path(file).exists():
        raise NotFound(
            f"{settings.data_dir}: there is no database here. Serve the study first: believable serve STUDY, "
            "or try it: believable simulate STUDY"
        )
    return Store.open(settings.url, clock=WallClock())
