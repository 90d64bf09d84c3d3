"""The studies of the demo: the first made at once, the others behind the server, each with some who
have finished.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click

from believable.app.options import Options
from believable.app.settings import Settings, open_collect, publish_folders, study_id
from believable.app.study_folder import choose, write_study
from believable.core.clock import WallClock
from believable.core.ids import new_token
from believable.core.system import lower_priority
from believable.core.work import Progress
from believable.protocols import BUILT_IN
from believable.store.collected import count
from believable.store.engine import Store
from believable.study.load import load
from believable.web.start_page import StudyInPreparation, tell_preparation

SEED = 7
#: Those who have finished came within this time before.
BEFORE_MS = 6 * 3_600_000


def ready_folders(folder: Path, protocols: Sequence[str]) -> tuple[Path, ...]:
    """A study folder for each, the first one made."""
    names = protocols or BUILT_IN
    for name in names:
        choose(protocol=name)  # an unknown one is reported before anything is written
    folders = tuple((folder / name).resolve() for name in names)
    make(folders[0])
    return folders


def make(folder: Path, progress: Progress | None = None) -> None:
    """The study of the protocol that the folder is named after, unless it is there."""
    if not (folder / "study.yaml").is_file():
        for draft in folder.parent.glob(
            f".{folder.name}-*"
        ):  # of a demo that was stopped meanwhile
            shutil.rmtree(draft)
        options = Options()
        if progress is not None:
            options = Options(progress=lambda label, done, total: progress(done, total))
        write_study(choose(protocol=folder.name), folder, options, seed=SEED)


def coming_studies(folders: Sequence[Path]) -> list[StudyInPreparation]:
    """As the start page shows them before their turn."""
    studies = []
    for folder in folders:
        ready = choose(protocol=folder.name)
        study = load(ready.folder).study
        studies.append(
            StudyInPreparation(study.title.in_language(study.languages[0]), ready.about, 0, 0)
        )
    return studies


def prepare_all(settings: Settings, finished: Sequence[Path], wanted: int) -> None:
    """The work of the process behind the server: all studies but the first; then `wanted` people
    who
    have finished each of those in `finished`.
    """
    lower_priority()
    others = settings.study_folders[1:]
    coming = coming_studies(others)
    for index, folder in enumerate(others):
        _prepare(replace(settings, study_folders=(folder,)), folder, coming[index:])
    for folder in finished if wanted else ():
        finish_some(replace(settings, study_folders=(folder,)), wanted)


def _prepare(settings: Settings, folder: Path, coming: Sequence[StudyInPreparation]) -> None:
    """The first half of the bar is for making the study, the second for the media as they are
    shown.
    """

    def tell(done: int, total: int) -> None:
        tell_preparation(
            settings.data_dir, [replace(coming[0], done=done, total=2 * total), *coming[1:]]
        )

    tell(0, 1)
    make(folder, tell)
    store, collect = open_collect(settings, clock=WallClock(), new_id=new_token)
    with store:
        publish_folders(collect, settings, lambda done, total: tell(total + done, total))
    tell_preparation(settings.data_dir, coming[1:])
    click.echo(f"Ready: {coming[0].title}", err=True)


def finish_some(settings: Settings, wanted: int) -> None:
    """Earlier simulated participants, on a separate clock."""
    # loaded only here: the server's own process can do without
    from believable.app.simulate import on_virtual_clock
    from believable.simulate.crowd import Crowd

    crowd = Crowd(participants=wanted, drop_out=0.1, gap_ms=BEFORE_MS // (2 * wanted))
    start_ms = WallClock().now_ms() - BEFORE_MS
    on_virtual_clock(settings, crowd, lambda visit: None, processes=1, start_ms=start_ms)


def without_people(settings: Settings) -> tuple[Path, ...]:
    """The study folders without simulated participants."""
    with Store.open(settings.url, clock=WallClock()) as store:
        people = store.read(
            lambda conn: [
                count(conn, study_id(folder), simulated=True) for folder in settings.study_folders
            ]
        )
    return tuple(
        folder for folder, come in zip(settings.study_folders, people, strict=True) if not come
    )
