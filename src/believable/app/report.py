"""Analyse studies and write their reports: the paper's tables and figures, in one page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from believable.analysis.findings import Analysis
from believable.analysis.followed_plan import plan_to_follow
from believable.analysis.run import run
from believable.analysis.side_by_side import side_by_side
from believable.app.analyse import PROTOCOL, Dataset, DatasetOptions, open_dataset
from believable.app.options import AnyPath, argument, option, options, setting, use_case
from believable.app.settings import study_id
from believable.app.study_data import ClusterOptions
from believable.bundle.read import Bundle
from believable.core.errors import WrongUsage
from believable.giveaways.certificate import certificate_sentence
from believable.report.blind import blinded_run
from believable.report.chart_rows import Links, moments, no_links
from believable.report.colours import THEMES
from believable.report.figure_files import check_formats, converter, script_ahead
from believable.report.page import ReportFolder, check_report_folder, write_report

FORMATS = "Figures as files: some of svg, pdf, png; '' for none."


@options
class ReportOptions(DatasetOptions, ClusterOptions):
    sources: AnyPath | Bundle | Sequence[AnyPath | Bundle] = argument(
        "Studies or bundles.", metavar="STUDY_OR_BUNDLE…", kw_only=False
    )
    out: AnyPath | None = option(
        "Folder of the report; default: named after the study, here.", default=None, path="folder"
    )
    formats: str = setting(FORMATS, default="svg,pdf,png")
    theme: Literal["light", "dark"] = setting(
        "Colours of the figures' files; the page has both.", default="light"
    )
    blinded: bool = option(
        "Show conditions as A, B, … in everything that is written.", default=False
    )
    ended: bool = option(
        "Collecting has ended although the stopping rule is not met: show tests all the same;"
        " hypotheses stay unjudged.",
        default=False,
    )
    console: str | None = option(
        "Address of a running server: moments in the report open its player there.",
        default=None,
        metavar="URL",
    )
    protocol: str | None = option(PROTOCOL, default=None, metavar="NAME")

    @property
    def source_list(self) -> list[AnyPath | Bundle]:
        """The sources as a list; a single source may be given without one."""
        if isinstance(self.sources, Path | str | Bundle):
            return [self.sources]
        return [*self.sources]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenReport:
    """One report that was written."""

    folder: ReportFolder
    analysis: Analysis

    @property
    def n_analysed(self) -> int:
        """Sessions that the analysis used."""
        return self.analysis.funnel[-1].after if self.analysis.funnel else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """A report for each source; of several, also one over all of them."""

    reports: Sequence[WrittenReport]
    together: WrittenReport | None = None

    def as_json(self) -> object:
        written = [*self.reports, *([self.together] if self.together else [])]
        return [
            {
                "page": report.folder.page,
                "title": report.analysis.title,
                "n_analysed": report.n_analysed,
                "simulated": report.analysis.source.simulated,
                "figures": report.folder.figures,
                "tables": report.folder.tables,
                "warnings": (*report.analysis.source.marks, *report.analysis.warnings),
            }
            for report in written
        ]


@use_case(ReportOptions)
def report(options: ReportOptions) -> Reports:
    """Analyse a study and write its report.

    One self-contained page that works offline, prints, and carries hashes of definition, data and
    plan; figures as files, tables as CSV and LaTeX, all results as JSON. Results count as
    confirmatory only if `believable preregister` put them on record. Unless --blinded is given,
    the study's audit log says that its results were read with the conditions' names.

    Several studies of one protocol make a report over all of them; the folder also has the report
    of each.

    The folder must be new or empty, or hold an earlier report. Files that you added to a report
    stay. If you edited one of its files, the command lists it and stops.
    """
    formats, sources = check_formats(options.formats), options.source_list
    converter()  # reports a missing part before anything is computed
    out = None if options.out is None else Path(options.out)
    if len(sources) > 1 and out is None:
        raise WrongUsage("--out: several studies need a folder for their report. Add --out FOLDER.")
    if out is not None and len(sources) > 1:
        names = [f"{number}-{_name(source)}" for number, source in enumerate(sources, start=1)]
        targets = [out / name for name in names]
    else:
        targets = [out or Path(f"{_name(sources[0])}-report")]
        out = None
    for target in (*targets, *([out] if out is not None else [])):
        check_report_folder(target)
    reports = []
    with options.working(), script_ahead() as script:

        def write_one(
            analysis: Analysis, target: Path, links: Links, folder_of: Path | None = None
        ) -> WrittenReport:
            folder = write_report(
                analysis,
                target,
                formats=formats,
                theme=THEMES[options.theme],
                links=links,
                blinded=options.blinded,
                certificate=certificate_sentence(folder_of),
                script=script,
            )
            return WrittenReport(folder=folder, analysis=analysis)

        for source, target in zip(sources, targets, strict=True):
            with open_dataset(source, options, blinded=options.blinded) as dataset:
                analysis = (blinded_run if options.blinded else run)(
                    dataset.bundle,
                    dataset.registered,
                    plan=plan_to_follow(dataset.folder),
                    protocol=options.protocol,
                    ended=options.ended,
                )
                links = _links(options.console, dataset, simulated=analysis.source.simulated)
                reports.append(write_one(analysis, target, links, dataset.folder))
        if out is None:
            return Reports(reports=reports)
        together = side_by_side([report.analysis for report in reports])
        return Reports(reports=reports, together=write_one(together, out, no_links))


def _name(source: AnyPath | Bundle) -> str:
    if isinstance(source, Bundle):
        return "bundle"
    return Path(source).resolve().name.removesuffix(".yaml")


def _links(console: str | None, dataset: Dataset, *, simulated: bool) -> Links:
    """Links from moments in the report to the player of the console."""
    if console is None:
        return no_links
    if dataset.folder is None:
        raise WrongUsage(
            "--console: a bundle does not say which study of the server it belongs to. Name the"
            " study."
        )
    study, pool = study_id(dataset.folder), "simulated" if simulated else "real"
    return moments(f"{console.rstrip('/')}/console/studies/{study}/watch/{pool}")
