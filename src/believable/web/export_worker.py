"""A dataset as one file: made in a process of its own, since seconds of work beside the loop make everybody wait who answers."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from believable.bundle.folder import zip_folder
from believable.core.clock import WallClock
from believable.pages import KINDS
from believable.store.bundle_export import export
from believable.store.engine import Store

#: Polite to the server on the same machine.
NICENESS = 10


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What to take away. `database` is the store's address, `folder` where the file goes."""

    database: str
    study: str
    simulated: bool
    recruiter_hashes: bool
    media_dir: Path
    folder: Path


def write_zip(wish: ExportRequest) -> Path:
    os.nice(NICENESS)
    bundle = wish.folder / (f"{wish.study}-simulated" if wish.simulated else wish.study)
    with Store.open(wish.database, clock=WallClock()) as store:
        export(
            store,
            wish.study,
            bundle,
            kinds=KINDS,
            simulated=wish.simulated,
            with_recruiter_hashes=wish.recruiter_hashes,
            media_dir=wish.media_dir,
        )
    target = bundle.with_name(f"{bundle.name}.zip")
    zip_folder(bundle, target)
    return target
