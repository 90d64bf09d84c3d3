"""A project's files: everything taken out, and labels made elsewhere brought into a round."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from believable.coding.files import Marked, table, write_codebook, write_labels
from believable.coding.qdc import to_qdc
from believable.coding.rows import final_rows
from believable.core.errors import InvalidInput
from believable.store import coding_log, coding_marks, coding_projects, coding_rounds, coding_texts
from believable.store.coding_export import pseudonyms
from believable.store.coding_log import Operation
from believable.store.tables import coding_tasks
from believable.store.tables import coding_texts as texts_table


def put_labels(
    conn: Connection, project: str, round_number: int, found: Sequence[Marked], *, version: int, at_ms: int
) -> int:
    """All or nothing: every text must be on its coder's list in this round."""
    given = {
        (row.coder, row.number): row.session
        for row in conn.execute(
            select(coding_tasks.c.coder, coding_tasks.c.number, texts_table.c.session)
            .join(
                texts_table,
                (texts_table.c.project == coding_tasks.c.project)
                & (texts_table.c.number == coding_tasks.c.number),
            )
            .where(coding_tasks.c.project == project, coding_tasks.c.round == round_number)
        )
    }
    for one in found:
        if (one.coder, one.number) not in given:
            raise InvalidInput(
                f"labels: text {one.number} is not on the list of {one.coder!r} in round {round_number}. Draw a round first, or "
                "correct the coder's name."
            )
        operation = Operation(round_number, one.number, one.mark, version, False, at_ms)
        coding_log.put_mark(conn, project, one.coder, operation, given[one.coder, one.number])
    return len(found)


FINAL_COLUMNS = (
    "response", "code", "direction", "side", "spans", "discard", "how", "coder", "round", "sample", "version", "note",
)  # fmt: skip


def files_of(conn: Connection, project_id: str) -> dict[str, str]:
    """Name → text of every file of a project: texts as a coder may see them, labels, final labels, the codebook twice."""
    project = coding_projects.get(conn, project_id)
    book = coding_projects.book(conn, project_id).book
    texts = coding_texts.texts(conn, project_id)
    marks = [
        Marked(one.number, one.coder, one.mark)
        for one in coding_marks.marks(conn, project_id)
        if one.mark.done
    ]
    held = [one for one in coding_marks.final_labels(conn, project) if one.number in texts]
    responses = {number: one.response for number, one in texts.items()}
    samples = coding_rounds.samples(conn, project_id)
    shown = [{"response": n, "prompt": one.prompt, "text": one.text} for n, one in responses.items()]
    return {
        "texts.csv": table(("response", "prompt", "text"), shown),
        "labels.csv": write_labels(marks),
        "final.csv": table(
            FINAL_COLUMNS, final_rows(book.id, held, responses, pseudonyms(conn, project), samples)
        ),
        "codebook.csv": write_codebook(book),
        "codebook.qdc": to_qdc(book),
    }
