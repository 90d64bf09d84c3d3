"""Where things are: the options that several commands share, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from believable.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from believable.web.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])

study_argument = click.argument("study", type=click.Path(path_type=Path))


def study_folder(study: Path) -> Path:
    """The study's folder, given as such or by its study.yaml."""
    folder = study.parent if study.name == "study.yaml" else study
    if not (folder / "study.yaml").is_file():
        raise NotFound(
            f"{folder}: there is no study.yaml here. Name the folder of a study, or start one with: believable new {folder}"
        )
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
    studies: Sequence[Path], data: Path | None, database: str | None, base_url: str = "http://127.0.0.1:8000"
) -> Settings:
    """The settings that all commands on the same studies share."""
    from believable.web.settings import Settings

    return Settings(
        data_dir=data_folder(studies, data),
        database_url=database,
        study_folders=tuple(studies),
        base_url=base_url.rstrip("/"),
    )
