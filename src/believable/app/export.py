"""The dataset of a study as a folder or a zip file."""

from __future__ import annotations

import functools
import tempfile
from dataclasses import dataclass
from pathlib import Path

from believable.analysis.analysed_set import find_exclusions, registration_ms
from believable.analysis.followed_plan import plan_to_follow
from believable.analysis.registered import read as read_registration
from believable.app.options import AnyPath, Options, option, options, use_case
from believable.app.settings import quiet
from believable.app.study_data import StudyData, StudyOptions
from believable.bundle.folder import zip_folder
from believable.bundle.write import WrittenBundle
from believable.core.errors import StudyError
from believable.core.work import Progress
from believable.store import sessions
from believable.store.bundle_export import export as export_bundle
from believable.store.engine import Store
from believable.study.declaration import DeclaredPlan


@options
class ExportOptions(StudyOptions):
    out: AnyPath | None = option(
        "Path of the dataset; default: a folder named after the study, here.", default=None
    )
    simulated: bool = option(
        "Export the simulated sessions instead of the real ones. Never both.", default=False
    )
    zip: bool = option("One zip file instead of a folder.", default=False)
    with_recruiter_hashes: bool = option(
        "Add the keyed hashes of the recruiters' ids.", default=False
    )
    parquet: bool = option("Add the tables as Parquet files, with the same values.", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedDataset:
    """The dataset that was written. `others`: sessions of the other kind, if it is empty."""

    path: Path
    simulated: bool
    sessions: int
    events: int
    others: int = 0
    export_others: str = ""


@use_case(ExportOptions)
def export(options: ExportOptions) -> ExportedDataset:
    """Write the dataset of a study.

    Tidy tables, raw events, study definition and codebook in one folder that is both a Psych-DS
    dataset and a Frictionless package. Same data, same bytes. An older bundle at the same place is
    replaced as a whole. The server may be running.
    """
    study, simulated = options.study_data(), options.simulated
    default = f"{study.folder.name}-{'simulated-' * simulated}bundle{'.zip' * options.zip}"
    target = Path(options.out or default)
    write = functools.partial(
        export_to,
        study,
        options,
        simulated=simulated,
        hashes=options.with_recruiter_hashes,
        parquet=options.parquet,
    )
    if not options.zip:
        written = write(target)
    else:
        name = target.name.removesuffix(".zip") or target.name
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=target.parent) as room:
            written = write(Path(room) / name)
            zip_folder(Path(room) / name, target)
    others = 0 if written.sessions else _count(study, simulated=not simulated)
    return ExportedDataset(
        path=target,
        simulated=simulated,
        sessions=written.sessions,
        events=written.events,
        others=others,
        export_others=study.command("export", *([] if simulated else ["--simulated"])),
    )


def _count(study: StudyData, *, simulated: bool) -> int:
    pool = sessions.POOLS["simulated" if simulated else "real"]
    with study.open() as store:
        return store.read(lambda conn: sessions.next_number(conn, study.name, pool)) - 1


def export_to(
    study: StudyData,
    options: Options,
    bundle: Path,
    *,
    simulated: bool,
    hashes: bool = False,
    parquet: bool = False,
) -> WrittenBundle:
    """Write the bundle and a line in the audit log."""
    try:
        plan = plan_to_follow(study.folder)
    except StudyError:
        plan = None
        options.say(
            "study.yaml has problems (believable check), so `included` follows the plan that"
            " sessions began with."
        )
    with study.open() as store, options.counting("Exporting") as progress:
        written = write_dataset(
            store,
            study.name,
            bundle,
            study_folder=study.folder,
            plan=plan,
            media_dir=study.settings.media_dir,
            simulated=simulated,
            hashes=hashes,
            parquet=parquet,
            progress=progress,
        )
        pool = "simulated" if simulated else "real"
        with_hashes = " with recruiter hashes" if hashes else ""
        study.note(store, f"exported the {pool} sessions{with_hashes}", "export")
        return written


def write_dataset(
    store: Store,
    study: str,
    bundle: Path,
    *,
    study_folder: Path | None,
    plan: DeclaredPlan | None,
    media_dir: Path,
    simulated: bool,
    hashes: bool,
    parquet: bool = False,
    progress: Progress = quiet,
) -> WrittenBundle:
    """Write a study's sessions from the store; `included` follows the plan."""
    record = None if study_folder is None else read_registration(study_folder)
    return export_bundle(
        store,
        study,
        bundle,
        simulated=simulated,
        with_recruiter_hashes=hashes,
        media_dir=media_dir,
        leave_out=find_exclusions(plan),
        registered_ms=registration_ms(record),
        parquet=parquet,
        progress=progress,
    )
