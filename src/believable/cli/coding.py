"""`believable code`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from believable.app import coding
from believable.app.coding import CodedTexts, CodingFiles, CodingProgress
from believable.cli.derive import derive


@click.group()
def command() -> None:
    """Bring free texts and labels to the coder's desk, and take them out.

    Coding itself happens in the console, under Coding: coders work at the desk, a coordinator sees
    how far they agree.

    \b
    Example:
      believable code import my-study reasons.csv --title "Pilot reasons" --codebook codes.yaml
      believable code export my-study pilot-reasons --out coded
    """


@derive(coding.list_projects, group=command, name="list", example="believable code list my-study")
def list_projects(result: Sequence[CodingProgress]) -> None:
    for project in result:
        click.echo(
            f"{project.id}  {project.n_texts} texts ({project.pool}), {project.n_coded} of"
            f" {project.n_assigned} coded  {project.title}"
        )


@derive(
    coding.import_texts,
    group=command,
    name="import",
    example="believable code import my-study reasons.csv"
    ' --title "Pilot reasons" --codebook codes.yaml',
)
def import_texts(result: CodedTexts) -> None:
    click.echo(
        f"{result.project}: {result.n_texts} texts, codebook {result.codebook!r}. Draw a round in"
        " the console, under Coding."
    )


@derive(
    coding.import_labels,
    group=command,
    name="labels",
    example="believable code labels my-study pilot-reasons labels.csv --round 1",
)
def import_labels(result: CodedTexts) -> None:
    click.echo(f"{result.project}: labels of {result.n_texts} texts.")


@derive(
    coding.export_coding,
    group=command,
    name="export",
    example="believable code export my-study pilot-reasons --out coded",
)
def export_coding(result: CodingFiles) -> None:
    click.echo(f"{result.folder}: {', '.join(result.files)}")


@derive(
    coding.simulate_coding,
    group=command,
    name="simulate",
    example="believable code simulate my-study",
)
def simulate_coding(result: Sequence[CodedTexts]) -> None:
    for coded in result:
        click.echo(
            f"{coded.project}: {coded.n_texts} texts, {coded.n_marks} marks by simulated coders."
        )
