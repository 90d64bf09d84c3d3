"""`believable analyse`: results of a study or a dataset as files; and how commands open the data
they analyse.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import (
    FOLDER,
    PATH,
    DataPlace,
    StudyData,
    cluster_option,
    data_options,
    extensions_option,
    note,
    working_on,
)
from believable.core.errors import NotFound
from believable.core.shell import quote_command

if TYPE_CHECKING:
    from believable.analysis.findings import Analysis
    from believable.analysis.registered import Registration
    from believable.bundle.read import Bundle


BUNDLE_FILE = "datapackage.json"


@dataclass(frozen=True, slots=True)
class Dataset:
    """A verified bundle, and the study folder and registered plan it belongs to, where there are
    such.
    """

    bundle: Bundle
    folder: Path | None
    registered: Registration | None


@contextmanager
def open_dataset(source: Path, where: DataPlace, *, blinded: bool = False) -> Iterator[Dataset]:
    """`source` is a bundle's folder or a study; of a study: its real sessions if there are any,
    else its simulated ones.

    Unless they are to be shown `blinded`, the study's audit log says that its results were read.
    """
    from believable.analysis import registered
    from believable.bundle.read import read

    if (source / BUNDLE_FILE).is_file():
        yield Dataset(
            read(source), None, registered.read(source.parent)
        )  # a release keeps the plan beside the bundle
        return
    study = where.of(source)
    with tempfile.TemporaryDirectory(prefix="believable-") as room:
        exported = export_now(study, Path(room) / "bundle", blinded=blinded)
        yield Dataset(read(exported), study.folder, registered.read(study.folder))


def export_now(study: StudyData, target: Path, *, blinded: bool = False) -> Path:
    """What the study's database holds now, as a bundle. Whoever reads it unblinded is noted in the
    audit log.
    """
    from believable.cli.export import export_to
    from believable.store import review
    from believable.store.collected import count

    name = study.name
    with study.open() as store:
        real = store.read(lambda conn: count(conn, name, simulated=False))
        simulated = store.read(lambda conn: count(conn, name, simulated=True))
        if not real and not simulated:
            raise NotFound(
                f"{study.folder}: nobody has taken part yet. Try it:"
                f" {quote_command('believable simulate', study.folder)}"
            )
        if not blinded:
            note(store, review.reading("real" if real else "simulated"), study=name, kind="unblind")
    if real and simulated:
        click.echo(
            f"{simulated} simulated sessions are left out: they never mix with real ones.", err=True
        )
    export_to(target, study, simulated=not real, with_recruiter_hashes=False)
    return target


@click.command()
@click.argument("source", type=PATH, metavar="STUDY_OR_BUNDLE")
@click.option("--out", type=FOLDER, help="Where to; default: a folder named after the study, here.")
@click.option(
    "--protocol",
    metavar="NAME",
    help=(
        "For a dataset whose study declares no analysis: a protocol (believable list --protocols),"
        " with its defaults."
    ),
)
@cluster_option
@data_options
@extensions_option
def command(
    source: Path, out: Path | None, protocol: str | None, cluster: str | None, where: DataPlace
) -> None:
    """Compute the declared analysis of a study.

    Takes a study folder (its database is exported first: real sessions if there are any, else
    simulated ones) or a bundle. Writes results.json and one CSV per table, and prints what was
    found. With a registered plan (believable preregister) every result is marked confirmatory or
    exploratory, and deviations are listed. The folder must be new or empty, or hold earlier
    results. Files that you added to them stay. If you edited one of them, the command lists it and
    stops.

    \b
    Example:
      believable analyse my-study
      believable analyse my-study-bundle --out results
    """
    from believable.analysis.followed_plan import plan_to_follow
    from believable.analysis.result_files import holds_results, write
    from believable.analysis.run import run
    from believable.core.whole_files import check_writable, results_folder
    from believable.protocols import PROTOCOLS

    name = (source.parent if source.name == "study.yaml" else source).resolve().name
    target = out or Path(f"{name}-results")
    check_writable(target, "result of `analyse`", is_ours=holds_results(target))
    with working_on(cluster), open_dataset(source, where) as dataset:
        plan = plan_to_follow(dataset.folder, PROTOCOLS)
        analysis = run(
            dataset.bundle, dataset.registered, protocols=PROTOCOLS, plan=plan, protocol=protocol
        )
    with results_folder(target, "result of `analyse`", is_ours=holds_results(target)) as draft:
        written = write(analysis, draft)
    click.echo(findings_text(analysis))
    click.echo(f"\n{target}: {len(written)} files")


def findings_text(analysis: Analysis) -> str:
    """What was found, for the terminal."""
    lines = [analysis.title, ""]
    lines += [f"! {warning}" for warning in (*analysis.source.marks, *analysis.warnings)]
    lines += [f"≠ {deviation}" for deviation in analysis.deviations]
    lines += [
        f"{step.title}: {step.after}"
        + (
            f" ({step.before - step.after} left out: {step.reason})"
            if step.before > step.after
            else ""
        )
        for step in analysis.funnel
    ]
    for section in analysis.sections:
        if section.findings:
            lines += ["", section.title]
            lines += [f"  {finding.status:<13} {finding.sentence}" for finding in section.findings]
    return "\n".join(lines)
