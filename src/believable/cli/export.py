"""`believable export`: the dataset of a study."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import (
    PATH,
    StudyData,
    bar,
    extensions_option,
    note,
    study_argument,
    study_data_options,
)
from believable.core.errors import StudyError
from believable.core.shell import quote_command

if TYPE_CHECKING:
    from believable.bundle.write import WrittenBundle


@click.command()
@study_argument
@click.option("--out", type=PATH, help="Where to; default: a folder named after the study, here.")
@click.option(
    "--simulated",
    is_flag=True,
    help="Export the simulated sessions instead of the real ones. Never both.",
)
@click.option("--zip", "zipped", is_flag=True, help="One zip file instead of a folder.")
@click.option(
    "--with-recruiter-hashes", is_flag=True, help="Add the keyed hashes of the recruiters' ids."
)
@click.option(
    "--parquet", is_flag=True, help="Add the tables as Parquet files, with the same values."
)
@study_data_options
@extensions_option
def command(
    study: StudyData,
    out: Path | None,
    simulated: bool,
    zipped: bool,
    with_recruiter_hashes: bool,
    parquet: bool,
) -> None:
    """Write the dataset of a study.

    Tidy tables, raw events, study definition and codebook in one folder that is both a Psych-DS
    dataset and a Frictionless package. Same data, same bytes. An older bundle at the same place is
    replaced as a whole. The server may be running.

    \b
    Example:
      believable export my-study
      believable export my-study --simulated --zip --out pilot.zip
    """
    target = out or Path(
        f"{study.folder.name}-{'simulated-' if simulated else ''}bundle{'.zip' if zipped else ''}"
    )
    bundle = target.with_name(target.name.removesuffix(".zip") or target.name) if zipped else target
    if zipped:
        bundle = bundle.with_name(f".{bundle.name}.zipping") / bundle.name
    try:
        written = export_to(bundle, study, simulated, with_recruiter_hashes, parquet=parquet)
        if zipped:
            from believable.bundle.folder import zip_folder

            zip_folder(bundle, target)
    finally:
        if zipped:
            shutil.rmtree(bundle.parent, ignore_errors=True)
    kind = "simulated sessions" if simulated else "sessions"
    click.echo(f"{target}: {written.sessions} {kind}, {written.events} events")
    if not written.sessions:
        click.echo(other_sessions(study, simulated), nl=False)


def other_sessions(study: StudyData, simulated: bool) -> str:
    """A line about the sessions that an empty export left out; empty if there are none."""
    from believable.store import sessions

    with study.open() as store:
        others = sessions.POOLS["real" if simulated else "simulated"]
        count = store.read(lambda conn: sessions.next_number(conn, study.name, others)) - 1
    if not count:
        return ""
    kind, option = ("real", ()) if simulated else ("simulated", ("--simulated",))
    command = quote_command("believable export", study.written, *option)
    return (
        f"The study has {count} {kind} session{'s' * (count != 1)}. Export them with: {command}\n"
    )


def export_to(
    bundle: Path,
    study: StudyData,
    simulated: bool,
    with_recruiter_hashes: bool,
    *,
    parquet: bool = False,
) -> WrittenBundle:
    """Write the bundle, with a progress bar."""
    from believable.analysis.analysed_set import find_exclusions, registration_ms
    from believable.analysis.followed_plan import plan_to_follow
    from believable.analysis.registered import read as read_registration
    from believable.pages import KINDS
    from believable.protocols import PROTOCOLS
    from believable.store.bundle_export import export

    name, media_dir = study.name, study.settings.media_dir
    try:
        plan = plan_to_follow(study.folder, PROTOCOLS)
    except StudyError:
        plan = None
        click.echo(
            "study.yaml has problems (believable check), so `included` follows the plan that"
            " sessions began with.",
            err=True,
        )
    with study.open() as store, bar("Exporting") as progress:
        written = export(
            store,
            name,
            bundle,
            kinds=KINDS,
            simulated=simulated,
            with_recruiter_hashes=with_recruiter_hashes,
            media_dir=media_dir,
            leave_out=find_exclusions(PROTOCOLS, plan),
            registered_ms=registration_ms(read_registration(study.folder)),
            parquet=parquet,
            progress=progress,
        )
        pool, hashes = (
            "simulated" if simulated else "real",
            " with recruiter hashes" if with_recruiter_hashes else "",
        )
        note(store, f"exported the {pool} sessions{hashes}", study=name, kind="export")
        return written
