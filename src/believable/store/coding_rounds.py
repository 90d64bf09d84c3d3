"""Rounds of coding: the drawn texts, the assignments of coders, their progress; and the simulated
coders of simulated texts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

from sqlalchemy import Connection, and_, func, insert, select, update

from believable.coding.phrases import CODERS, CodingSettings, read_reason, simulated_coder
from believable.coding.samples import CoderTask, DrawableText, RoundPlan, assign, draw
from believable.core import seeds
from believable.core.errors import InvalidInput, NotFound, Refused
from believable.store import coding_projects
from believable.store.coding_marks import OF_ITS_TEXT, MarkOperation, put_mark, session_of
from believable.store.coding_projects import CodingProject
from believable.store.tables.coding import coding_marks, coding_rounds, coding_tasks
from believable.store.tables.coding import coding_texts as texts_table

#: A task with the round it belongs to.
_OF_ITS_ROUND = and_(
    coding_rounds.c.project == coding_tasks.c.project,
    coding_rounds.c.number == coding_tasks.c.round,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodingRound:
    number: int
    kind: str
    plan: RoundPlan
    coders: tuple[str, ...]
    state: str
    user: str
    created_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CoderProgress:
    """How far a coder is in a round."""

    round: int
    coder: str
    n: int
    done: int
    uncertain: int = 0


@dataclass(frozen=True, slots=True)
class AssignedText:
    """A text on a coder's list."""

    round: int
    number: int
    position: int
    shared: bool


def add_round(
    conn: Connection,
    project: CodingProject,
    plan: RoundPlan,
    coders: Sequence[str],
    *,
    again: int | None = None,
    user: str,
    at_ms: int,
) -> CodingRound:
    """Draws a round from the texts that no earlier round of agreement or split has, and assigns it.

    `again` takes the texts of that earlier round instead: they are coded again after the codebook
    was refined.
    """
    number = 1 + max((earlier.number for earlier in rounds(conn, project.id)), default=0)
    rng = seeds.generator(project.seed, "coding round", number)
    if again is not None:
        get_round(conn, project.id, again)
        chosen = _numbers(conn, project.id, again)
        rng.shuffle(chosen)
    else:
        chosen = draw(_free(conn, project.id), plan, rng)
    if not chosen:
        raise InvalidInput(
            "round: no text is left to draw. Collect more texts, or code an earlier round again."
        )
    kept = json.dumps(asdict(plan) | {"coders": list(coders), "again": again})
    row = {
        "number": number,
        "kind": plan.kind,
        "plan": kept,
        "state": "open",
        "user": user,
        "created_ms": at_ms,
    }
    conn.execute(insert(coding_rounds).values(project=project.id, **row))
    put_tasks(conn, project.id, number, assign(chosen, coders, plan, rng))
    return CodingRound(
        number=number,
        kind=plan.kind,
        plan=plan,
        coders=tuple(coders),
        state="open",
        user=user,
        created_ms=at_ms,
    )


def _numbers(conn: Connection, project: str, number: int) -> list[int]:
    query = select(coding_tasks.c.number).where(
        coding_tasks.c.project == project, coding_tasks.c.round == number
    )
    return sorted(set(conn.execute(query).scalars()))


def _free(conn: Connection, project: str) -> list[DrawableText]:
    """What can be drawn: the texts that are in no round yet."""
    used = set(
        conn.execute(
            select(coding_tasks.c.number).where(coding_tasks.c.project == project)
        ).scalars()
    )
    everything = coding_projects.texts(conn, project)
    return [text.response.item(number) for number, text in everything.items() if number not in used]


def put_tasks(conn: Connection, project: str, number: int, tasks: Sequence[CoderTask]) -> None:
    rows = [{"project": project, "round": number, **asdict(task)} for task in tasks]
    coding_projects.insert_chunks(conn, coding_tasks, rows)


def rounds(conn: Connection, project: str) -> tuple[CodingRound, ...]:
    query = (
        select(coding_rounds)
        .where(coding_rounds.c.project == project)
        .order_by(coding_rounds.c.number)
    )
    drawn = []
    for row in conn.execute(query):
        kept = json.loads(row.plan)
        plan = RoundPlan(**{name: kept[name] for name in RoundPlan.__slots__})
        coders = tuple(kept["coders"])
        drawn.append(
            CodingRound(
                number=row.number,
                kind=row.kind,
                plan=plan,
                coders=coders,
                state=row.state,
                user=row.user,
                created_ms=row.created_ms,
            )
        )
    return tuple(drawn)


def get_round(conn: Connection, project: str, number: int) -> CodingRound:
    wanted = next((round_ for round_ in rounds(conn, project) if round_.number == number), None)
    if wanted is None:
        raise NotFound(f"project {project!r} has no round {number}. See its page.")
    return wanted


def set_round_state(conn: Connection, project: str, number: int, state: str) -> None:
    if state not in ("open", "closed"):
        raise InvalidInput(f"round: expected open or closed, got {state[:20]!r}.")
    get_round(conn, project, number)
    this = (coding_rounds.c.project == project, coding_rounds.c.number == number)
    conn.execute(update(coding_rounds).where(*this).values(state=state))


def tasks_of(conn: Connection, project: str, coder: str) -> tuple[AssignedText, ...]:
    """A coder's list in the rounds that are open, newest round first; withdrawn texts are gone."""
    query = (
        select(
            coding_tasks.c.round,
            coding_tasks.c.number,
            coding_tasks.c.position,
            coding_tasks.c.shared,
        )
        .join(coding_rounds, _OF_ITS_ROUND)
        .join(texts_table, OF_ITS_TEXT)
        .where(
            coding_tasks.c.project == project,
            coding_tasks.c.coder == coder,
            coding_rounds.c.state == "open",
        )
        .order_by(coding_tasks.c.round, coding_tasks.c.position)
    )
    return tuple(AssignedText(row[0], row[1], row[2], bool(row[3])) for row in conn.execute(query))


def samples(conn: Connection, project: str) -> Mapping[tuple[int, int], str]:
    """(round, text) → joint, agreement, overlap or single."""
    query = (
        select(
            coding_tasks.c.round, coding_tasks.c.number, coding_tasks.c.shared, coding_rounds.c.kind
        )
        .join(coding_rounds, _OF_ITS_ROUND)
        .where(coding_tasks.c.project == project)
    )
    return {
        (row[0], row[1]): row[3] if row[3] != "split" else "overlap" if row[2] else "single"
        for row in conn.execute(query)
    }


def coder_progress(conn: Connection, project: str) -> tuple[CoderProgress, ...]:
    assigned = (
        select(coding_tasks.c.round, coding_tasks.c.coder, func.count())
        .where(coding_tasks.c.project == project)
        .group_by(coding_tasks.c.round, coding_tasks.c.coder)
        .order_by(coding_tasks.c.round, coding_tasks.c.coder)
    )
    finished = (
        select(coding_marks.c.round, coding_marks.c.coder, func.count())
        .where(coding_marks.c.project == project, coding_marks.c.done)
        .group_by(coding_marks.c.round, coding_marks.c.coder)
    )
    done = {(row[0], row[1]): row[2] for row in conn.execute(finished)}
    return tuple(
        CoderProgress(round=row[0], coder=row[1], n=row[2], done=done.get((row[0], row[1]), 0))
        for row in conn.execute(assigned)
    )


# ----------------------------------------------------------------------------------------------
# simulated coders


def simulate_coders(
    conn: Connection, project: CodingProject, *, phrases: str, settings: CodingSettings, at_ms: int
) -> int:
    """Draws an agreement and a split round and codes them; how many marks were made. `phrases`
    names the ready codebook that the texts were made from.
    """
    if project.pool != "simulated":
        raise Refused(
            f"coding project {project.id!r} holds texts of people; only people code them."
        )
    book = coding_projects.book(conn, project.id).book
    texts = coding_projects.words(conn, project.id)
    n_marks = 0
    plans = (
        RoundPlan(kind="agreement", n=min(settings.agreement, max(1, len(texts) // 4))),
        RoundPlan(kind="split", n=None, per_judge=settings.per_judge, overlap=settings.overlap),
    )
    for plan in plans:
        drawn = add_round(conn, project, plan, CODERS, user="simulated", at_ms=at_ms)
        for coder in CODERS:
            for task in tasks_of(conn, project.id, coder):
                if task.round != drawn.number:
                    continue
                rng = seeds.generator(
                    project.seed, "simulated coder", coder, task.round, task.number
                )
                truth = read_reason(phrases, texts[task.number])
                mark = replace(simulated_coder(book, truth, rng, error=settings.error), done=True)
                operation = MarkOperation(
                    round=task.round,
                    number=task.number,
                    mark=mark,
                    version=1,
                    suggested=False,
                    at_ms=at_ms,
                )
                put_mark(
                    conn, project.id, coder, operation, session_of(conn, project.id, task.number)
                )
                n_marks += 1
    return n_marks
