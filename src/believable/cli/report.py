"""`believable report`: the paper's tables and figures, in one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.analyse import open_dataset
from believable.cli.place import (
    FOLDER,
    PATH,
    DataPlace,
    cluster_option,
    data_options,
    extensions_option,
    setting,
    working_on,
)
from believable.core.errors import InvalidInput

if TYPE_CHECKING:
    from believable.analysis.findings import Analysis
    from believable.report.page import ReportFolder


@click.command()
@click.argument("sources", metavar="STUDY_OR_BUNDLE…", type=PATH, nargs=-1, required=True)
@click.option("--out", type=FOLDER, help="Where to; default: a folder named after the study, here.")
@setting(
    "--formats", default="svg,pdf,png", help="Figures as files: some of svg, pdf, png; '' for none."
)
@setting(
    "--theme",
    type=click.Choice(["light", "dark"]),
    default="light",
    help="Colours of the figures' files; the page has both.",
)
@click.option(
    "--blinded", is_flag=True, help="Show conditions as A, B, … in everything that is written."
)
@click.option(
    "--ended",
    is_flag=True,
    help=(
        "Collecting has ended although the stopping rule is not met: show tests all the same;"
        " hypotheses stay unjudged."
    ),
)
@click.option(
    "--console",
    metavar="URL",
    help="Address of a running server: moments in the report open its player there.",
)
@click.option(
    "--protocol",
    help="For data whose study declares no analysis: a protocol (believable list --protocols).",
)
@cluster_option
@data_options
@extensions_option
def command(
    sources: tuple[Path, ...],
    out: Path | None,
    formats: str,
    theme: str,
    blinded: bool,
    ended: bool,
    console: str | None,
    protocol: str | None,
    cluster: str | None,
    where: DataPlace,
) -> None:
    """Analyse a study and write its report.

    One self-contained page that works offline, prints, and carries hashes of definition, data and
    plan; figures as files, tables as CSV and LaTeX, all results as JSON. Results count as
    confirmatory only where `believable preregister` put them on record. Unless --blinded is given,
    the study's audit log says that its results were read with the conditions' names.

    \b
    Example:
      believable report my-study
      believable report my-study-bundle --out report --formats pdf
      believable report symbolic hybrid shaped --out three-agents

    Several studies of one protocol give a report over all of them, with each one's own report in a
    folder beside it.

    The folder must be new or empty, or hold an earlier report. Files that you added to a report
    stay. If you edited one of its files, the command lists it and stops.
    """
    from believable.analysis.followed_plan import plan_to_follow
    from believable.analysis.run import run
    from believable.analysis.side_by_side import side_by_side
    from believable.protocols import PROTOCOLS
    from believable.report.blind import blinded_run
    from believable.report.chart_rows import Links, moments, no_links
    from believable.report.colours import THEMES
    from believable.report.figure_files import check_formats, converter, script_ahead
    from believable.report.page import check_report_folder, write_report
    from believable.web.settings import study_id

    wanted = check_formats(formats)
    converter()  # says what is missing before anything is computed
    several = len(sources) > 1
    if several and out is None:
        raise InvalidInput(
            "--out: several studies need a folder for their report. Add --out FOLDER."
        )
    names = [source.resolve().name.removesuffix(".yaml") for source in sources]
    targets = [
        (out / f"{place}-{name}" if several else out) if out is not None else Path(f"{name}-report")
        for place, name in enumerate(names, start=1)
    ]
    for target in (*targets, *([out] if several and out is not None else [])):
        check_report_folder(target)
    analyses = []
    with working_on(cluster), script_ahead() as script:
        for source, target in zip(sources, targets, strict=True):
            with open_dataset(source, where, blinded=blinded) as dataset:
                analyse = blinded_run if blinded else run
                analysis = analyse(
                    dataset.bundle,
                    dataset.registered,
                    protocols=PROTOCOLS,
                    plan=plan_to_follow(dataset.folder, PROTOCOLS),
                    protocol=protocol,
                    ended=ended,
                )
                pool = "simulated" if analysis.source.simulated else "real"
                links: Links = no_links
                if console is not None:
                    if dataset.folder is None:
                        raise InvalidInput(
                            "--console: a bundle does not say which study of the server it belongs"
                            " to. Name the study."
                        )
                    links = moments(
                        f"{console.rstrip('/')}/console/studies/{study_id(dataset.folder)}/watch/{pool}"
                    )
                written = write_report(
                    analysis,
                    target,
                    formats=wanted,
                    theme=THEMES[theme],
                    links=links,
                    blinded=blinded,
                    script=script,
                )
            analyses.append(analysis)
            _say(analysis, written)
        if several and out is not None:
            together = side_by_side(analyses)
            written = write_report(
                together, out, formats=wanted, theme=THEMES[theme], blinded=blinded, script=script
            )
            click.echo(
                f"{written.page}: {len(analyses)} studies side by side, {written.tables} tables"
            )


def _say(analysis: Analysis, written: ReportFolder) -> None:
    kind = " simulated" if analysis.source.simulated else ""
    analysed = analysis.funnel[-1].after if analysis.funnel else 0
    click.echo(
        f"{written.page}: {analysed}{kind} sessions analysed, {written.figures} figures,"
        f" {written.tables} tables"
    )
    for warning in (*analysis.source.marks, *analysis.warnings):
        click.echo(f"  {warning}")
