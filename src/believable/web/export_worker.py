"""A dataset as one file: made in a process of its own, so that participants never wait for seconds
of work. The server itself never imports this: it needs the analyses of all protocols, which say
what `included` means.
"""

from __future__ import annotations

import os
from pathlib import Path

from believable.analysis import registered
from believable.analysis.analysed_set import find_exclusions, registration_ms
from believable.analysis.followed_plan import plan_to_follow
from believable.bundle.folder import zip_folder
from believable.core.clock import WallClock
from believable.pages import KINDS
from believable.protocols import PROTOCOLS
from believable.store.bundle_export import export
from believable.store.engine import Store
from believable.web.export_request import ExportRequest

#: Polite to the server on the same machine.
NICENESS = 10


def write_zip(wish: ExportRequest) -> Path:
    os.nice(NICENESS)
    bundle = wish.folder / (f"{wish.study}-simulated" if wish.simulated else wish.study)
    record = None if wish.study_folder is None else registered.read(wish.study_folder)
    plan = plan_to_follow(wish.study_folder, PROTOCOLS)
    with Store.open(wish.database, clock=WallClock()) as store:
        export(
            store,
            wish.study,
            bundle,
            kinds=KINDS,
            simulated=wish.simulated,
            with_recruiter_hashes=wish.recruiter_hashes,
            media_dir=wish.media_dir,
            leave_out=find_exclusions(PROTOCOLS, plan),
            registered_ms=registration_ms(record),
        )
    target = bundle.with_name(f"{bundle.name}.zip")
    zip_folder(bundle, target)
    return target
