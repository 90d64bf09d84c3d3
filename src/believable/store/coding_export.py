"""The coded texts of a study as rows of its bundle. Coders appear under numbers."""

from __future__ import annotations

from sqlalchemy import Connection

from believable.bundle.coding import CodingRows, Row
from believable.coding.rows import code_rows, final_rows, label_rows
from believable.store import coding_marks, coding_projects, coding_rounds, coding_texts
from believable.store.coding_projects import Project


def coding_rows(conn: Connection, study: str, *, simulated: bool) -> CodingRows | None:
    """All codings of a study's real or simulated texts; None where there are none."""
    projects = coding_projects.of_study(conn, study, "simulated" if simulated else "real")
    if not projects:
        return None
    codes: list[Row] = []
    labels: list[Row] = []
    final: list[Row] = []
    for project in projects:
        names = pseudonyms(conn, project)
        texts = {number: one.response for number, one in coding_texts.texts(conn, project.id).items()}
        versions = coding_projects.books(conn, project.id)
        book_id = versions[-1].book.id
        for version in versions:
            codes += code_rows(version.book.model_copy(update={"id": book_id}), version.version)
        samples = coding_rounds.samples(conn, project.id)
        for one in coding_marks.marks(conn, project.id):
            if one.number in texts:
                labels += label_rows(
                    book_id, one.number, texts[one.number], one.mark, coder=names[one.coder], round_number=one.round,
                    sample=samples[one.round, one.number], version=one.version, suggested=one.suggested, review=one.review,
                )  # fmt: skip
        held = [one for one in coding_marks.final_labels(conn, project) if one.number in texts]
        final += final_rows(book_id, held, texts, names, samples)
    return CodingRows(codes, labels, final)


def pseudonyms(conn: Connection, project: Project) -> dict[str, str]:
    """coder_1, coder_2, … in the order of their names."""
    coders = sorted({one.coder for one in coding_rounds.progress(conn, project.id)})
    return {name: f"coder_{number}" for number, name in enumerate(coders, start=1)}
