"""Labels that were made elsewhere, brought into a round."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, select

from believable.coding.files import Marked
from believable.core.errors import InvalidInput
from believable.store import coding_log
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
