"""A dataset as one file: written in a separate process, so participants never wait for seconds of
work. The server never imports this module: it needs the analyses of all protocols, which decide
about `included`.
"""

from __future__ import annotations

from pathlib import Path

from believable.analysis.followed_plan import plan_to_follow
from believable.app.export import write_dataset
from believable.bundle.folder import zip_folder
from believable.core.clock import WallClock
from believable.core.system import lower_priority
from believable.store.engine import Store
from believable.web.export_request import ExportRequest


def write_zip(wish: ExportRequest) -> Path:
    lower_priority()
    bundle = wish.folder / (f"{wish.study}-simulated" if wish.simulated else wish.study)
    with Store.open(wish.database, clock=WallClock()) as store:
        write_dataset(
            store,
            wish.study,
            bundle,
            study_folder=wish.study_folder,
            plan=plan_to_follow(wish.study_folder),
            media_dir=wish.media_dir,
            simulated=wish.simulated,
            hashes=wish.recruiter_hashes,
        )
    target = bundle.with_name(f"{bundle.name}.zip")
    zip_folder(bundle, target)
    return target
