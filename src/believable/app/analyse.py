"""Compute the declared analysis of a study or a dataset."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from believable.analysis import registered
from believable.analysis.findings import Analysis, JudgedHypothesis
from believable.analysis.followed_plan import plan_to_follow
from believable.analysis.registered import Registration
from believable.analysis.result_files import holds_results, write
from believable.analysis.run import run
from believable.app.export import export_to
from believable.app.options import (
    AnyPath,
    Options,
    UseCaseOutcome,
    argument,
    option,
    options,
    use_case,
)
from believable.app.study_data import ClusterOptions, DataOptions, ExtensionOptions, StudyData
from believable.bundle.read import Bundle, read
from believable.core.errors import InvalidInput, NotFound
from believable.core.registry import did_you_mean
from believable.core.whole_files import check_writable, results_folder
from believable.store import review
from believable.store.collected import count

BUNDLE_FILE = "datapackage.json"
RESULT = "result of `analyse`"
PROTOCOL = (
    "For a dataset whose study declares no analysis: a protocol (believable list --protocols),"
    " with its defaults."
)


@options
class DatasetOptions(DataOptions, ExtensionOptions):
    """For use cases that take studies or bundles."""

    def data_of(self, source: AnyPath) -> StudyData:
        """Return a study with its data."""
        folder = self.folder_of(source)
        return StudyData(source, folder, self.settings([folder]), self.actor)


@options
class AnalyseOptions(DatasetOptions, ClusterOptions):
    source: AnyPath | Bundle = argument(
        "A study's folder, or a bundle (its folder, or as read).",
        metavar="STUDY_OR_BUNDLE",
        kw_only=False,
    )
    out: AnyPath | None = option(
        "Write results.json and one CSV per table to this folder; the command line's default: a"
        " folder named after the study, here.",
        default=None,
        path="folder",
    )
    protocol: str | None = option(PROTOCOL, default=None, metavar="NAME")
    require: Sequence[str] = option(
        "A hypothesis that must be met, by its id in the plan. The command ends with exit code 5 if"
        " it is not met, and with 6 if it cannot be judged yet. Repeatable.",
        default=(),
        metavar="ID",
    )


@dataclass(frozen=True, slots=True)
class Dataset:
    """A verified bundle, and the study folder and registered plan that it belongs to, if any."""

    bundle: Bundle
    folder: Path | None = None
    registered: Registration | None = None


@use_case(AnalyseOptions)
def analyse(options: AnalyseOptions) -> Analysis:
    """Compute the declared analysis of a study.

    Takes a study folder (its database is exported first: real sessions if there are any, else
    simulated ones) or a bundle. Writes results.json and one CSV per table, and prints the findings.
    With a registered plan (believable preregister) every result is marked confirmatory or
    exploratory, and deviations are listed. The folder must be new or empty, or hold earlier
    results. Files that you added to them stay. If you edited one of them, the command lists it and
    stops. With --require, hypotheses decide the exit code.
    """
    target = None if options.out is None else Path(options.out)
    if target is not None:
        check_writable(target, RESULT, is_ours=holds_results(target))
    with options.working(), open_dataset(options.source, options) as dataset:
        analysis = run(
            dataset.bundle,
            dataset.registered,
            plan=plan_to_follow(dataset.folder),
            protocol=options.protocol,
        )
    if target is not None:
        with results_folder(target, RESULT, is_ours=holds_results(target)) as draft:
            written = write(analysis, draft)
        options.say(f"{target}: {len(written)} files")
    for claim in required_claims(analysis, options.require):
        options.say(f"{claim.id}: {claim.verdict} ({claim.status})")
    return analysis


def required_claims(analysis: Analysis, required: Sequence[str]) -> tuple[JudgedHypothesis, ...]:
    """Return the hypotheses with these ids, in this order."""
    by_id = {claim.id: claim for claim in analysis.hypotheses}
    for name in required:
        if name not in by_id:
            cure = did_you_mean(name, by_id) if by_id else "The plan declares no hypothesis."
            raise InvalidInput(f"--require: there is no hypothesis {name!r}. {cure}")
    return tuple(by_id[name] for name in required)


def requirement_outcome(analysis: Analysis, required: Sequence[str]) -> UseCaseOutcome:
    """Return how the required hypotheses ended. One that is not met decides, then one that cannot
    be judged.
    """
    verdicts = {claim.supported for claim in required_claims(analysis, required)}
    if False in verdicts:
        return UseCaseOutcome.NOT_MET
    return UseCaseOutcome.OPEN if None in verdicts else UseCaseOutcome.DONE


def is_bundle(source: AnyPath) -> bool:
    return (Path(source) / BUNDLE_FILE).is_file()


@contextmanager
def open_dataset(
    source: AnyPath | Bundle, options: DatasetOptions, *, blinded: bool = False
) -> Iterator[Dataset]:
    """`source` is a bundle or a study; of a study: its real sessions if there are any, else its
    simulated ones.

    Unless they are shown `blinded`, the study's audit log says that its results were read.
    """
    if isinstance(source, Bundle):
        yield Dataset(source)
    elif is_bundle(source):
        # a release keeps the plan next to the bundle
        yield Dataset(read(Path(source)), None, registered.read(Path(source).parent))
    else:
        study = options.data_of(source)
        with tempfile.TemporaryDirectory(prefix="believable-") as room:
            bundle = Path(room) / "bundle"
            export_now(study, bundle, options, blinded=blinded)
            yield Dataset(read(bundle), study.folder, registered.read(study.folder))


def export_now(study: StudyData, target: Path, options: Options, *, blinded: bool = False) -> None:
    """Write a bundle of the sessions that the database holds now. The audit log says who reads it
    unblinded.
    """
    name = study.name
    with study.open() as store:
        real = store.read(lambda conn: count(conn, name, simulated=False))
        simulated = store.read(lambda conn: count(conn, name, simulated=True))
        if not real and not simulated:
            raise NotFound(
                f"{study.folder}: nobody has taken part yet. Try it: {study.command('simulate')}"
            )
        if not blinded:
            study.note(store, review.reading("real" if real else "simulated"), "unblind")
    if real and simulated:
        options.say(f"{simulated} simulated sessions are left out: they never mix with real ones.")
    export_to(study, options, target, simulated=not real)
