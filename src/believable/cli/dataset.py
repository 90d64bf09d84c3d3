"""The data a command analyses: a bundle as it is, or what a study's database holds now."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import settings_for, study_folder
from believable.core.errors import NotFound

if TYPE_CHECKING:
    from believable.analysis.registered import Registration
    from believable.bundle.read import Bundle

BUNDLE_FILE = "datapackage.json"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A verified bundle, and the study folder and registered plan it belongs to, where there are such."""

    bundle: Bundle
    folder: Path | None
    registered: Registration | None


@contextmanager
def open_dataset(
    source: Path, data: Path | None, database: str | None, *, blinded: bool = False
) -> Iterator[Dataset]:
    """`source` is a bundle's folder or a study; of a study: its real sessions if there are any, else its simulated ones.

    Unless they are to be shown `blinded`, the study's audit log says that its results were read.
    """
    from believable.analysis import registered
    from believable.bundle.read import read

    if (source / BUNDLE_FILE).is_file():
        yield Dataset(read(source), None, _beside(source))
        return
    folder = study_folder(source)
    with tempfile.TemporaryDirectory(prefix="believable-") as room:
        exported = export_now(folder, Path(room) / "bundle", data, database, blinded=blinded)
        yield Dataset(read(exported), folder, registered.read(folder))


def _beside(bundle: Path) -> Registration | None:
    """A release keeps the registered plan beside the bundle."""
    from believable.analysis import registered

    return registered.read(bundle.parent)


def export_now(
    folder: Path, target: Path, data: Path | None, database: str | None, *, blinded: bool = False
) -> Path:
    """What the study's database holds now, as a bundle. Whoever reads it unblinded is noted in the audit log."""
    from believable.cli.export import export_to
    from believable.cli.user import ACTOR
    from believable.core.clock import WallClock
    from believable.store import audit, results
    from believable.store.engine import Store
    from believable.store.export import count
    from believable.web.publish import study_id

    settings = settings_for([folder], data, database)
    if settings.database_url is None and not (settings.data_dir / "believable.db").exists():
        raise NotFound(
            f"{settings.data_dir}: there is no database here. Serve the study, or try it: believable simulate {folder}"
        )
    name = study_id(folder)
    with Store.open(settings.url, clock=WallClock()) as store:
        real = store.read(lambda conn: count(conn, name, simulated=False))
        simulated = store.read(lambda conn: count(conn, name, simulated=True))
        if not real and not simulated:
            raise NotFound(f"{folder}: nobody has taken part yet. Try it: believable simulate {folder}")
        if not blinded:
            what = results.reading("real" if real else "simulated")
            at_ms = WallClock().now_ms()
            store.write(lambda conn: audit.note(conn, user=ACTOR, what=what, study=name, at_ms=at_ms))
    if real and simulated:
        click.echo(f"{simulated} simulated sessions are left out: they never mix with real ones.", err=True)
    export_to(target, folder, settings, simulated=not real, with_recruiter_hashes=False)
    return target
