"""Coding projects: texts, labels and codebooks in and out, and simulated coders for pilots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.app.options import AnyPath, argument, option, options, setting, use_case
from believable.app.study_data import StudyDataOptions, StudyOptions, load_study, note
from believable.bundle.marks import Logs
from believable.coding.label_files import read_codebook, read_labels, read_texts, text_file
from believable.coding.phrases import CodingSettings, phrases
from believable.core.clock import WallClock
from believable.core.errors import NotFound, WrongUsage
from believable.core.whole_files import whole_folder
from believable.store import bundle_export, coding_projects, coding_rounds
from believable.store.coding_projects import CodingProject, project_id
from believable.store.engine import Connection
from believable.study.codebook import Codebook, from_yaml, ready, resolve_codebook


def _codebook(name: str) -> Codebook:
    """A ready codebook by name, or one from a YAML or CSV file."""
    path = Path(name)
    if path.suffix == ".csv":
        return read_codebook(text_file(path), path.stem, file=path.name)
    if path.suffix in (".yaml", ".yml"):
        return resolve_codebook(from_yaml(path.read_bytes(), path.name))
    return resolve_codebook(ready(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class CodingProgress:
    """How far the coders of a project are."""

    id: str
    title: str
    pool: str
    n_texts: int
    n_coded: int
    n_assigned: int


@use_case(StudyDataOptions)
def list_projects(options: StudyDataOptions) -> Sequence[CodingProgress]:
    """List the coding projects with their texts and how far they are."""

    def read(conn: Connection) -> list[CodingProgress]:
        rows = []
        for project in coding_projects.all_projects(conn):
            coders = coding_rounds.coder_progress(conn, project.id)
            rows.append(
                CodingProgress(
                    id=project.id,
                    title=project.title,
                    pool=project.pool,
                    n_texts=coding_projects.count_texts(conn, project.id),
                    n_coded=sum(coder.done for coder in coders),
                    n_assigned=sum(coder.n for coder in coders),
                )
            )
        return rows

    with options.study_data().open() as store:
        return store.read(read)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedTexts:
    """Texts of a project that were imported, labelled or marked."""

    project: str
    n_texts: int
    codebook: str = ""
    n_marks: int = 0


@options
class ImportTextsOptions(StudyDataOptions):
    texts: AnyPath = argument("A CSV file.", path="known file", kw_only=False)
    title: str = option("Name of the new coding project.")
    codebook: str = option("The name of one that a protocol brings, or a file: .yaml or .csv.")


@use_case(ImportTextsOptions)
def import_texts(options: ImportTextsOptions) -> CodedTexts:
    """Begin a coding project with the texts of a CSV file.

    The column `text` is needed; `judge`, `condition`, `scenario` and `prompt` are used if they are
    there. The project is kept in the data folder of STUDY.
    """
    texts = Path(options.texts)
    responses, book = read_texts(text_file(texts), texts.name), _codebook(options.codebook)
    identifier = project_id(None, options.title)
    now_ms = WallClock().now_ms()
    project = CodingProject(
        id=identifier, study=None, pool="imported", title=options.title, created_ms=now_ms
    )
    with options.study_data().open() as store:
        n = store.write(
            lambda conn: coding_projects.import_texts(
                conn, project, book, responses, user=options.actor
            )
        )
    return CodedTexts(project=identifier, n_texts=n, codebook=str(book.title))


@options
class LabelsOptions(StudyDataOptions):
    project: str = argument("The project's id.", kw_only=False)
    labels: AnyPath = argument("A CSV file.", path="known file", kw_only=False)
    round: int = option("The round they belong to.")


@use_case(LabelsOptions)
def import_labels(options: LabelsOptions) -> CodedTexts:
    """Bring labels made elsewhere into a round: `response, coder, code, direction, side` as in an
    export.
    """
    project, labels = options.project, Path(options.labels)
    with options.study_data().open() as store:
        book = store.read(
            lambda conn: coding_projects.book(conn, coding_projects.get_project(conn, project).id)
        )
        texts = store.read(lambda conn: coding_projects.words(conn, project))
        coder_labels = read_labels(text_file(labels), book.book, texts, labels.name)
        n = store.write(
            lambda conn: bundle_export.put_labels(
                conn,
                project,
                options.round,
                coder_labels,
                version=book.version,
                at_ms=WallClock().now_ms(),
            )
        )
    return CodedTexts(project=project, n_texts=n)


@options
class ExportCodingOptions(StudyDataOptions):
    project: str = argument("The project's id.", kw_only=False)
    out: AnyPath | None = option(
        "Where to; default: a folder of that name.", default=None, path="folder"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CodingFiles:
    """The files that were written."""

    folder: Path
    files: Sequence[str]


@use_case(ExportCodingOptions)
def export_coding(options: ExportCodingOptions) -> CodingFiles:
    """Write texts, labels, final labels and the codebook (CSV and REFI-QDA) of a project into a
    folder.
    """
    project, folder = options.project, Path(options.out or options.project)
    with options.study_data().open() as store:
        written = store.read(lambda conn: bundle_export.files_of(conn, project))
        owner = store.read(lambda conn: coding_projects.get_project(conn, project).study)
        note(store, f"exported coding {project}", user=options.actor, study=owner, kind="export")
    with whole_folder(folder) as draft:
        for name, text in written.items():
            (draft / name).write_text(text, encoding="utf-8")
    return CodingFiles(folder=folder, files=tuple(written))


@options
class SimulateCodingOptions(StudyOptions):
    error: float = setting("Chance that a coder goes wrong about a label.", default=0.05)


@use_case(SimulateCodingOptions)
def simulate_coding(options: SimulateCodingOptions) -> Sequence[CodedTexts]:
    """Let two simulated coders code the simulated texts of a study, by every codebook of its file.

    Needs texts that simulated participants wrote (believable simulate). An agreement sample, then
    three texts per participant with a quarter of overlap; open disagreements are settled by a coder
    drawn at random.
    """
    if not 0 <= options.error <= 1:
        raise WrongUsage(f"--error: expected a chance from 0 to 1, got {options.error}.")
    study = options.study_data()
    books = load_study(study.folder).study.codebooks
    if not books:
        raise NotFound(
            f"{study.folder}: its study.yaml has no codebooks. Add `codebooks:`, see"
            " docs/how-to/coding.md."
        )
    now_ms, logs, coded = WallClock().now_ms(), Logs(study.settings.media_dir), []
    with study.open() as store:
        for book in books:
            named, whole = book.ready or book.id, resolve_codebook(book)
            phrases(named)
            project = CodingProject(
                id=project_id(study.folder.name, f"{book.id}-simulated"),
                study=study.folder.name,
                pool="simulated",
                title=f"Simulated: {whole.title}",
                sources=book.of,
                seed=1,
                suggestions=False,
                rule="random_coder",
                created_ms=now_ms,
            )

            def make(
                conn: Connection,
                project: CodingProject = project,
                whole: Codebook = whole,
                named: str = named,
            ) -> tuple[int, int]:
                coding_projects.create_project(conn, project, whole, user="simulated")
                n = bundle_export.collect_texts(conn, project, logs=logs)
                if not n:
                    raise NotFound(
                        f"{project.id}: there are no simulated texts. Run:"
                        f" {study.command('simulate')}"
                    )
                settings = CodingSettings(error=options.error)
                return n, coding_rounds.simulate_coders(
                    conn, project, phrases=named, settings=settings, at_ms=now_ms
                )

            n, marks = store.write(make)
            coded.append(CodedTexts(project=project.id, n_texts=n, n_marks=marks))
    return coded
