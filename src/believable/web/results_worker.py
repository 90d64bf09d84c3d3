"""Results during collection, and other work that needs the analyses of all protocols: runs in a
separate process, so collecting never waits. The server never imports this module.
"""

from __future__ import annotations

import os
from pathlib import Path

from believable.analysis import registered
from believable.analysis.analysed_set import registration_ms
from believable.analysis.findings import Analysis
from believable.analysis.followed_plan import plan_to_follow
from believable.analysis.resolution import resolve
from believable.analysis.run import prepare_data, run, settle, study_of
from believable.analysis.verdicts import stopping
from believable.bundle.read import Bundle, read
from believable.core.clock import WallClock
from believable.core.draft_folders import draft_folder
from believable.core.system import lower_priority
from believable.report import figure_files
from believable.report.blind import blinded_run, stimulus_names
from believable.report.chart_rows import moments
from believable.report.live_records import LiveReport, ReportRequest
from believable.report.page import fragment
from believable.store.bundle_export import export
from believable.store.engine import Store
from believable.study.declaration import DeclaredPlan
from believable.study.definition import Definition


def compute(wish: ReportRequest) -> LiveReport:
    """Export the stored data, analyse it, and lay it out. Runs in a separate process, which it
    gives a low priority.
    """
    lower_priority()
    with draft_folder(Path(wish.drafts)) as room:
        target = room / "bundle"
        folder = Path(wish.folder) if wish.folder else None
        record = None if folder is None else registered.read(folder)
        plan = plan_to_follow(folder)
        with Store.open(wish.database, clock=WallClock()) as store:
            export(
                store,
                wish.study,
                target,
                simulated=wish.simulated,
                media_dir=Path(wish.media_dir),
                registered_ms=registration_ms(record),
            )
        bundle = read(target)
        if not len(bundle["participants"]):
            return LiveReport(error="There are no sessions yet.")
        analysis = (blinded_run if wish.blinded else run)(bundle, record, plan=plan)
        keep_script(Path(wish.script))
        return _live(bundle, analysis, wish, plan, registered_plan=record is not None)


def _live(
    bundle: Bundle,
    analysis: Analysis,
    wish: ReportRequest,
    plan: DeclaredPlan | None,
    *,
    registered_plan: bool,
) -> LiveReport:
    _, study = study_of(bundle)
    settled = settle(study, plan, None)
    state = stopping(prepare_data(bundle, settled, study), settled)
    hidden = stimulus_names(bundle) if wish.blinded else {}
    return LiveReport(
        html=fragment(analysis, links=moments(wish.base)),
        analysed=analysis.funnel[-1].after if analysis.funnel else 0,
        came=analysis.funnel[0].before if analysis.funnel else 0,
        stopping=state.words,
        target=state.target,
        reached=state.reached,
        met=state.met,
        registered=registered_plan,
        stimuli={shown: name for name, shown in hidden.items()},
    )


def keep_script(path: Path) -> None:
    """The drawing library as a file that the console serves; written once, whole or not at all."""
    if path.is_file():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    part.write_text(figure_files.script(), encoding="utf-8")
    part.replace(path)


def plan_digest(definition: str) -> str:
    """What names the plan that a stored definition declares, once its roles are settled."""
    study = Definition.from_json(definition).study
    assert study.analysis is not None
    return registered.plan_hash(resolve(study.analysis, study))
