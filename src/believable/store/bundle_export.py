"""What leaves the database for a bundle, on one consistent snapshot: sessions, and coded texts with
coders under numbers.

Texts of a study's sessions enter a coding project, all of it is exported as files, labels from
elsewhere are imported.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sqlalchemy import Connection, select

from believable.bundle.left_out import LeaveOut
from believable.bundle.marks import Logs
from believable.bundle.rows import SessionRows
from believable.bundle.session_records import CodingRows
from believable.bundle.tables import Row
from believable.bundle.write import WrittenBundle, write
from believable.coding.coded_bundle import code_rows, final_rows, label_rows
from believable.coding.label_files import MarkedText, table, to_qdc, write_codebook, write_labels
from believable.coding.responses import Response, SessionTexts, prompts_of, responses_of
from believable.core.errors import InvalidInput
from believable.store import coding_marks, coding_projects, coding_rounds
from believable.store.coding_marks import MarkOperation
from believable.store.coding_projects import CodingProject, TextMedium
from believable.store.collected import collected_sessions, count, study_record
from believable.store.engine import Store
from believable.store.tables.coding import coding_tasks
from believable.store.tables.coding import coding_texts as texts_table
from believable.store.tables.collected import definitions, sessions
from believable.study.definition import Definition

Progress = Callable[[int, int], None]


def export(
    store: Store,
    study_id: str,
    folder: Path,
    *,
    simulated: bool = False,
    with_recruiter_hashes: bool = False,
    media_dir: Path | None = None,
    leave_out: LeaveOut | None = None,
    registered_ms: int | None = None,
    parquet: bool = False,
    progress: Progress = lambda done, total: None,
) -> WrittenBundle:
    """Write the bundle of a study into `folder`: the real sessions, or with `simulated` only the
    simulated ones.

    `media_dir` is the folder of the prepared media: logs of actions are read from there.
    `leave_out` finds the sessions that the declared analysis excludes: `analysis.analysed_set`
    knows. `registered_ms`: when the plan was registered, if it was.
    """

    def on_snapshot(conn: Connection) -> WrittenBundle:
        total = count(conn, study_id, simulated=simulated)
        return write(
            study_record(conn, study_id, simulated=simulated),
            collected_sessions(conn, study_id, simulated=simulated),
            folder,
            with_recruiter_hashes=with_recruiter_hashes,
            media_dir=media_dir,
            coding=coding_rows(conn, study_id, simulated=simulated),
            leave_out=leave_out,
            registered_ms=registered_ms,
            parquet=parquet,
            progress=lambda done: progress(done, total),
        )

    return store.read(on_snapshot)


def coding_rows(conn: Connection, study: str, *, simulated: bool) -> CodingRows | None:
    """All codings of a study's real or simulated texts; None without any."""
    projects = coding_projects.projects_of_study(conn, study, "simulated" if simulated else "real")
    if not projects:
        return None
    digest_of = _digests(conn, study)
    codes: list[Row] = []
    labels: list[Row] = []
    final: list[Row] = []
    for project in projects:
        names = pseudonyms(conn, project)
        texts = {
            number: text.response
            for number, text in coding_projects.texts(conn, project.id).items()
        }
        versions = coding_projects.books(conn, project.id)
        book_id = versions[-1].book.id
        for version in versions:
            codes += code_rows(version.book.model_copy(update={"id": book_id}), version.version)
        samples = coding_rounds.samples(conn, project.id)
        for mark in coding_marks.marks(conn, project.id):
            if mark.number in texts:
                labels += label_rows(
                    book_id,
                    mark.number,
                    texts[mark.number],
                    mark.mark,
                    coder=names[mark.coder],
                    round_number=mark.round,
                    sample=samples[mark.round, mark.number],
                    version=mark.version,
                    suggested=mark.suggested,
                    review=mark.review,
                )
        held = [
            label for label in coding_marks.final_labels(conn, project) if label.number in texts
        ]
        final += final_rows(book_id, held, texts, names, samples, digest_of)
    return CodingRows(codes, labels, final)


def _digests(conn: Connection, study: str) -> Callable[[Response], str | None]:
    """What gives the SHA-256 of the medium a text is about: by the definition that its session is
    pinned to.
    """
    pinned = select(sessions.c.id, sessions.c.definition).where(sessions.c.study == study)
    definition_of = {row.id: row.definition for row in conn.execute(pinned)}
    bodies = select(definitions.c.hash, definitions.c.body).where(
        definitions.c.hash.in_(set(definition_of.values()))
    )
    media = {row.hash: json.loads(row.body)["media"] for row in conn.execute(bodies)}

    def digest_of(response: Response) -> str | None:
        shown = media.get(definition_of.get(response.session or "", ""), {})
        medium = shown.get(response.stimulus)
        return None if medium is None else str(medium["digest"])

    return digest_of


def pseudonyms(conn: Connection, project: CodingProject) -> dict[str, str]:
    """coder_1, coder_2, … in the order of their names."""
    coders = sorted({progress.coder for progress in coding_rounds.coder_progress(conn, project.id)})
    return {name: f"coder_{number}" for number, name in enumerate(coders, start=1)}


def collect_texts(conn: Connection, project: CodingProject, *, logs: Logs) -> int:
    """Adds the texts of the study that are not there yet; how many. New ones follow the earlier
    ones, shuffled.
    """
    if project.study is None or project.pool == "imported":
        return 0
    known: dict[str, Definition] = {}
    responses: list[tuple[Response, tuple[TextMedium, ...]]] = []
    for record in collected_sessions(conn, project.study, simulated=project.pool == "simulated"):
        name = record.session.definition
        if name not in known:
            body = conn.execute(
                select(definitions.c.body).where(definitions.c.hash == name)
            ).scalar_one()
            known[name] = Definition.from_json(body)
        rows = SessionRows(record, known[name])
        texts = SessionTexts(rows.answers(), rows.flags(logs), rows.shown(), rows.exclusions())
        prompts = prompts_of(known[name], record.session.language)
        for response in responses_of(texts, prompts, project.sources):
            responses.append((response, tuple(_media(known[name], response.stimuli))))
    return coding_projects.put_texts(conn, project, responses)


def _media(definition: Definition, stimuli: Sequence[str]) -> Iterator[TextMedium]:
    for stimulus in stimuli:
        medium = definition.media.get(stimulus)
        if medium is not None:
            yield TextMedium(medium.digest, medium.is_replay)


# ----------------------------------------------------------------------------------------------
# files


def put_labels(
    conn: Connection,
    project: str,
    round_number: int,
    marked: Sequence[MarkedText],
    *,
    version: int,
    at_ms: int,
) -> int:
    """All or nothing: every text must be on its coder's list in this round."""
    assigned = {
        (row.coder, row.number): row.session
        for row in conn.execute(
            select(coding_tasks.c.coder, coding_tasks.c.number, texts_table.c.session)
            .join(texts_table, coding_marks.OF_ITS_TEXT)
            .where(coding_tasks.c.project == project, coding_tasks.c.round == round_number)
        )
    }
    for text in marked:
        if (text.coder, text.number) not in assigned:
            raise InvalidInput(
                f"labels: text {text.number} is not on the list of {text.coder!r} in round"
                f" {round_number}. Draw a round first, or correct the coder's name."
            )
        operation = MarkOperation(
            round=round_number,
            number=text.number,
            mark=text.mark,
            version=version,
            suggested=False,
            at_ms=at_ms,
        )
        coding_marks.check_mark(conn, project, operation)
        coding_marks.put_mark(
            conn, project, text.coder, operation, assigned[text.coder, text.number]
        )
    return len(marked)


FINAL_COLUMNS = (
    "response",
    "code",
    "direction",
    "side",
    "spans",
    "discard",
    "how",
    "coder",
    "round",
    "sample",
    "version",
    "note",
)


def files_of(conn: Connection, project_id: str) -> dict[str, str]:
    """Name → text of every file of a project: texts as a coder may see them, labels, final labels,
    the codebook twice.
    """
    project = coding_projects.get_project(conn, project_id)
    book = coding_projects.book(conn, project_id).book
    texts = coding_projects.texts(conn, project_id)
    marks = [
        MarkedText(mark.number, mark.coder, mark.mark)
        for mark in coding_marks.marks(conn, project_id)
        if mark.mark.done
    ]
    held = [label for label in coding_marks.final_labels(conn, project) if label.number in texts]
    responses = {number: text.response for number, text in texts.items()}
    samples = coding_rounds.samples(conn, project_id)
    shown = [
        {"response": n, "prompt": response.prompt, "text": response.text}
        for n, response in responses.items()
    ]
    return {
        "texts.csv": table(("response", "prompt", "text"), shown),
        "labels.csv": write_labels(marks),
        "final.csv": table(
            FINAL_COLUMNS, final_rows(book.id, held, responses, pseudonyms(conn, project), samples)
        ),
        "codebook.csv": write_codebook(book),
        "codebook.qdc": to_qdc(book),
    }
