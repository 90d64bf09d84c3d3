"""Simulated coders in the database: for simulated texts only, so that a pilot has everything a study will have."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection

from believable.coding.phrases import read_reason, simulated_coder
from believable.coding.samples import Plan
from believable.coding.simulated import CODERS, Settings
from believable.core import seeds
from believable.core.errors import Refused
from believable.store import coding_log, coding_projects, coding_rounds, coding_texts
from believable.store.coding_log import Operation
from believable.store.coding_projects import Project


def simulate(conn: Connection, project: Project, *, phrases: str, settings: Settings, at_ms: int) -> int:
    """Draws an agreement and a split round and codes them; how many marks were made. `phrases` names the ready codebook that the
    texts were made from."""
    if project.pool != "simulated":
        raise Refused(f"coding project {project.id!r} holds texts of people; only people code them.")
    book = coding_projects.book(conn, project.id).book
    texts = coding_texts.words(conn, project.id)
    made = 0
    plans = (
        Plan("agreement", min(settings.agreement, max(1, len(texts) // 4))),
        Plan("split", None, settings.per_judge, settings.overlap),
    )
    for plan in plans:
        drawn = coding_rounds.add(conn, project, plan, CODERS, user="simulated", at_ms=at_ms)
        for coder in CODERS:
            for task in coding_rounds.tasks_of(conn, project.id, coder):
                if task.round != drawn.number:
                    continue
                rng = seeds.generator(project.seed, "simulated coder", coder, task.round, task.number)
                truth = read_reason(phrases, texts[task.number])
                mark = replace(simulated_coder(book, truth, rng, error=settings.error), done=True)
                session = coding_texts.text(conn, project.id, task.number)
                operation = Operation(task.round, task.number, mark, 1, False, at_ms)
                coding_log.put_mark(
                    conn, project.id, coder, operation, None if session is None else session.response.session
                )
                made += 1
    return made
