"""`believable code`: texts, labels and codebooks of the coder's desk, in and out; simulated coders
for pilots.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from believable.cli.place import (
    ACTOR,
    FOLDER,
    KNOWN_FILE,
    StudyData,
    definition_of,
    extensions_option,
    note,
    setting,
    study_argument,
    study_data_options,
)
from believable.core.errors import InvalidInput, NotFound
from believable.core.shell import quote_command

if TYPE_CHECKING:
    from believable.study.codebook import Codebook


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


def _codebook(name: str) -> Codebook:
    """A ready codebook by name, or one from a YAML or CSV file."""
    from believable.coding.label_files import read_codebook, text_file
    from believable.study.codebook import from_yaml, ready, resolved

    path = Path(name)
    if path.suffix == ".csv":
        return read_codebook(text_file(path), path.stem, file=path.name)
    if path.suffix in (".yaml", ".yml"):
        return resolved(from_yaml(path.read_bytes(), path.name))
    return resolved(ready(name))


@command.command("list")
@study_argument
@study_data_options
def list_projects(study: StudyData) -> None:
    """List the coding projects with their texts and how far they are.

    \b
    Example:
      believable code list my-study
    """
    from believable.store import coding_projects, coding_rounds
    from believable.store.engine import Connection

    def lines(conn: Connection) -> Iterator[str]:
        for project in coding_projects.all_projects(conn):
            progress = coding_rounds.coder_progress(conn, project.id)
            done, assigned = (
                sum(coder.done for coder in progress),
                sum(coder.n for coder in progress),
            )
            n = coding_projects.count_texts(conn, project.id)
            yield (
                f"{project.id}  {n} texts ({project.pool}), {done} of {assigned} coded "
                f" {project.title}"
            )

    with study.open() as store:
        for line in store.read(lambda conn: list(lines(conn))):
            click.echo(line)


@command.command("import")
@study_argument
@click.argument("texts", type=KNOWN_FILE)
@click.option("--title", required=True, help="Name of the new coding project.")
@click.option(
    "--codebook",
    required=True,
    help="The name of one that a protocol brings, or a file: .yaml or .csv.",
)
@study_data_options
def import_texts(study: StudyData, texts: Path, title: str, codebook: str) -> None:
    """Begin a coding project with the texts of a CSV file.

    The column `text` is needed; `judge`, `condition`, `scenario` and `prompt` are used where they
    are there. STUDY says in whose data folder the project is kept.

    \b
    Example:
      believable code import my-study reasons.csv --title "Pilot reasons" --codebook codes.yaml
    """
    from believable.coding.label_files import read_texts, text_file
    from believable.core.clock import WallClock
    from believable.store import coding_projects
    from believable.store.coding_projects import CodingProject, project_id

    responses = read_texts(text_file(texts), texts.name)
    book = _codebook(codebook)
    project = CodingProject(
        project_id(None, title), None, "imported", title, created_ms=WallClock().now_ms()
    )
    with study.open() as store:
        n = store.write(
            lambda conn: coding_projects.import_texts(conn, project, book, responses, user=ACTOR)
        )
    click.echo(
        f"{project.id}: {n} texts, codebook {book.title!r}. Draw a round in the console, under"
        " Coding."
    )


@command.command("labels")
@study_argument
@click.argument("project")
@click.argument("labels", type=KNOWN_FILE)
@click.option("--round", "round_number", type=int, required=True, help="The round they belong to.")
@study_data_options
def import_labels(study: StudyData, project: str, labels: Path, round_number: int) -> None:
    """Bring labels made elsewhere into a round: `response, coder, code, direction, side` as in an
    export.

    \b
    Example:
      believable code labels my-study pilot-reasons labels.csv --round 1
    """
    from believable.coding.label_files import read_labels, text_file
    from believable.core.clock import WallClock
    from believable.store import bundle_export, coding_projects

    now_ms = WallClock().now_ms()
    with study.open() as store:
        book = store.read(
            lambda conn: coding_projects.book(conn, coding_projects.get_project(conn, project).id)
        )
        words = store.read(lambda conn: coding_projects.words(conn, project))
        coder_labels = read_labels(text_file(labels), book.book, words, labels.name)
        n = store.write(
            lambda conn: bundle_export.put_labels(
                conn, project, round_number, coder_labels, version=book.version, at_ms=now_ms
            )
        )
    click.echo(f"{project}: labels of {n} texts in round {round_number}.")


@command.command("export")
@study_argument
@click.argument("project")
@click.option("--out", type=FOLDER, help="Where to; default: a folder of that name.")
@study_data_options
def export(study: StudyData, project: str, out: Path | None) -> None:
    """Write texts, labels, final labels and the codebook (CSV and REFI-QDA) of a project into a
    folder.

    \b
    Example:
      believable code export my-study pilot-reasons --out coded
    """
    from believable.core.whole_files import whole_folder
    from believable.store import bundle_export, coding_projects

    with study.open() as store:
        written = store.read(lambda conn: bundle_export.files_of(conn, project))
        owned_by = store.read(lambda conn: coding_projects.get_project(conn, project).study)
        note(store, f"exported coding {project}", study=owned_by, kind="export")
    folder = out or Path(project)
    with whole_folder(folder) as draft:
        for name, text in written.items():
            (draft / name).write_text(text, encoding="utf-8")
    click.echo(f"{folder}: {', '.join(written)}")


@command.command("simulate")
@study_argument
@setting("--error", type=float, default=0.05, help="Chance that a coder goes wrong about a label.")
@study_data_options
@extensions_option
def simulate(study: StudyData, error: float) -> None:
    """Let two simulated coders code the simulated texts of a study, by every codebook of its file.

    Needs texts that simulated participants wrote (believable simulate). An agreement sample, then
    three texts per participant with a quarter of overlap; open disagreements are settled by a coder
    drawn at random.

    \b
    Example:
      believable code simulate my-study
    """
    from believable.bundle.marks import Logs
    from believable.coding.phrases import CodingSettings as Coding
    from believable.coding.phrases import phrases as phrases_of
    from believable.core.clock import WallClock
    from believable.pages import KINDS
    from believable.store import bundle_export, coding_projects, coding_rounds
    from believable.store.coding_projects import CodingProject, project_id
    from believable.store.engine import Connection
    from believable.study.codebook import resolved

    if not 0 <= error <= 1:
        raise InvalidInput(f"--error: expected a chance from 0 to 1, got {error}.")
    folder, now_ms, logs = study.folder, WallClock().now_ms(), Logs(study.settings.media_dir)
    books = definition_of(folder).study.codebooks
    if not books:
        raise NotFound(
            f"{folder}: its study.yaml has no codebooks. Add `codebooks:`, see"
            " docs/how-to/coding.md."
        )
    with study.open() as store:
        for book in books:
            phrases, whole = book.ready or book.id, resolved(book)
            phrases_of(phrases)
            project = CodingProject(
                project_id(folder.name, f"{book.id}-simulated"),
                folder.name,
                "simulated",
                f"Simulated: {whole.title}",
                book.of,
                1,
                False,
                "random_coder",
                now_ms,
            )

            def make(
                conn: Connection,
                project: CodingProject = project,
                whole: Codebook = whole,
                phrases: str = phrases,
            ) -> tuple[int, int]:
                coding_projects.create_project(conn, project, whole, user="simulated")
                n = bundle_export.collect_texts(conn, project, kinds=KINDS, logs=logs)
                if not n:
                    raise NotFound(
                        f"{project.id}: there are no simulated texts. Run:"
                        f" {quote_command('believable simulate', study.written)}"
                    )
                return n, coding_rounds.simulate_coders(
                    conn, project, phrases=phrases, settings=Coding(error=error), at_ms=now_ms
                )

            n, marks = store.write(make)
            click.echo(f"{project.id}: {n} texts, {marks} marks by simulated coders.")
