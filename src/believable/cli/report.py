"""`believable report`: the paper's tables and figures, in one page."""

from __future__ import annotations

from pathlib import Path

import click

from believable.cli.dataset import open_dataset
from believable.cli.place import data_options
from believable.core.errors import InvalidInput


@click.command()
@click.argument("source", metavar="STUDY_OR_BUNDLE", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path),
    help="Where to; default: a folder named after the study, here.",
)  # fmt: skip
@click.option(
    "--formats",
    default="svg,pdf,png",
    show_default=True,
    help="Figures as files: some of svg, pdf, png; '' for none.",
)
@click.option(
    "--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True,
    help="Colours of the figures' files; the page has both.",
)  # fmt: skip
@click.option("--blinded", is_flag=True, help="Show conditions as A, B, … in everything that is written.")
@click.option(
    "--console",
    metavar="URL",
    help="Address of a running server: moments in the report open its player there.",
)
@click.option(
    "--protocol", help="For data whose study declares no analysis: trace, replay, clips, hntt or qa."
)
@data_options
def command(
    source: Path,
    out: Path | None,
    formats: str,
    theme: str,
    blinded: bool,
    console: str | None,
    protocol: str | None,
    data: Path | None,
    database: str | None,
) -> None:
    """Analyse a study and write its report.

    One self-contained page that works offline, prints, and carries hashes of definition, data and plan; figures as files, tables
    as CSV and LaTeX, all results as JSON. Results count as confirmatory only where `believable preregister` put them on
    record. Unless --blinded is given, the study's audit log says that its results were read with the conditions' names.

    \b
    Example:
      believable report my-study
      believable report my-study-bundle --out report --formats pdf
    """
    from believable.analysis.run import run
    from believable.cli.analyse import plan_of
    from believable.report.blind import blinded_run
    from believable.report.colours import THEMES
    from believable.report.drawn import Links, moments, no_links
    from believable.report.pictures import check_formats, converter, script_ahead
    from believable.report.write import write_report
    from believable.web.publish import study_id

    wanted = check_formats(formats)
    converter()  # says what is missing before anything is computed
    target = out or Path(f"{source.resolve().name.removesuffix('.yaml')}-report")
    with script_ahead() as script, open_dataset(source, data, database, blinded=blinded) as dataset:
        analyse = blinded_run if blinded else run
        analysis = analyse(
            dataset.bundle,
            dataset.registered,
            plan=plan_of(dataset.folder) if dataset.folder is not None else None,
            protocol=protocol,
        )
        pool = "simulated" if analysis.source.simulated else "real"
        links: Links = no_links
        if console is not None:
            if dataset.folder is None:
                raise InvalidInput(
                    "--console: a bundle does not say which study of the server it belongs to. Name the study."
                )
            links = moments(f"{console.rstrip('/')}/console/studies/{study_id(dataset.folder)}/watch/{pool}")
        written = write_report(
            analysis, target, formats=wanted, theme=THEMES[theme], links=links, blinded=blinded, script=script
        )
    kind = " simulated" if analysis.source.simulated else ""
    analysed = analysis.funnel[-1].after if analysis.funnel else 0
    click.echo(
        f"{written.page}: {analysed}{kind} sessions analysed, {written.figures} figures, {written.tables} tables"
    )
    for warning in (*analysis.source.marks, *analysis.warnings):
        click.echo(f"  {warning}")
