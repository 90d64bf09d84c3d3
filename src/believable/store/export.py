"""What leaves the database for a bundle: one consistent snapshot, read in chunks, in an order that never changes."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Table, func, select

from believable.bundle.records import (
    Collected,
    DecisionRecord,
    EventRecord,
    SessionRecord,
    StrayRecord,
    StudyRecord,
)
from believable.bundle.rounds import RoundRecord
from believable.bundle.write import Written, write
from believable.core.errors import NotFound
from believable.core.registry import Registry
from believable.instruments.contract import Instrument
from believable.store import blobs, rounds, studies
from believable.store import trials as closed_trials
from believable.store.coding_export import coding_rows
from believable.store.engine import Store
from believable.store.pools import POOLS
from believable.store.tables import decisions, definitions, events, sessions, strays, tombstones, trials

T = TypeVar("T")
Progress = Callable[[int, int], None]

#: Sessions fetched at a time: bounds the memory, and keeps the number of queries small.
CHUNK = 20


def export(
    store: Store,
    study_id: str,
    folder: Path,
    *,
    instruments: Registry[Instrument[Any]],
    simulated: bool = False,
    with_recruiter_hashes: bool = False,
    media_dir: Path | None = None,
    progress: Progress = lambda done, total: None,
) -> Written:
    """Write the bundle of a study into `folder`: the real sessions, or with `simulated` only the simulated ones.

    `media_dir` is the folder of the prepared media: logs of actions are read from there.
    """

    def on_snapshot(conn: Connection) -> Written:
        total = count(conn, study_id, simulated=simulated)
        return write(
            study_record(conn, study_id, simulated=simulated),
            collected(conn, study_id, simulated=simulated),
            folder,
            instruments=instruments,
            with_recruiter_hashes=with_recruiter_hashes,
            media_dir=media_dir,
            coding=coding_rows(conn, study_id, simulated=simulated),
            progress=lambda done: progress(done, total),
        )

    return store.read(on_snapshot)


def count(conn: Connection, study_id: str, *, simulated: bool) -> int:
    """How many sessions a bundle will hold."""
    return _in_pool(conn, study_id, "simulated" if simulated else "real")


def study_record(conn: Connection, study_id: str, *, simulated: bool) -> StudyRecord:
    """The study, the definitions its sessions are pinned to (and the current one), and what is not exported, counted."""
    study = studies.get(conn, study_id)
    pool = "simulated" if simulated else "real"
    used = select(sessions.c.definition).where(
        sessions.c.study == study_id, sessions.c.link_kind.in_(POOLS[pool])
    )
    query = (
        select(definitions.c.hash, definitions.c.body)
        .where(
            definitions.c.study == study_id,
            definitions.c.hash.in_(used) | (definitions.c.hash == study.definition),
        )
        .order_by(definitions.c.created_ms, definitions.c.hash)
    )
    bodies = {row.hash: row.body for row in conn.execute(query)}
    if study.definition not in bodies:
        raise NotFound(
            f"study {study_id!r}: its definition {study.definition[:12]} is not in this database. Restore the backup."
        )
    withdrawn = select(func.count()).select_from(tombstones)
    withdrawn = withdrawn.where(tombstones.c.study == study_id, tombstones.c.link_kind.in_(POOLS[pool]))
    return StudyRecord(
        id=study.id,
        title=study.title,
        definitions=bodies,
        simulated=simulated,
        withdrawn=int(conn.execute(withdrawn).scalar_one()),
        previews=0 if simulated else _in_pool(conn, study_id, "preview"),
    )


def collected(conn: Connection, study_id: str, *, simulated: bool) -> Iterator[Collected]:
    """Every session with all that belongs to it, in order of its number."""
    kinds = POOLS["simulated" if simulated else "real"]
    query = select(sessions.c.id).where(sessions.c.study == study_id, sessions.c.link_kind.in_(kinds))
    ids = list(conn.execute(query.order_by(sessions.c.number, sessions.c.id)).scalars())
    for start in range(0, len(ids), CHUNK):
        yield from _chunk(conn, ids[start : start + CHUNK])


def _in_pool(conn: Connection, study_id: str, pool: str) -> int:
    query = select(func.count()).select_from(sessions)
    return int(
        conn.execute(
            query.where(sessions.c.study == study_id, sessions.c.link_kind.in_(POOLS[pool]))
        ).scalar_one()
    )


def _chunk(conn: Connection, ids: Sequence[str]) -> Iterator[Collected]:
    found = {row.id: _session(row) for row in conn.execute(select(sessions).where(sessions.c.id.in_(ids)))}
    closed = _by_session(conn, trials, ids, ("run", "position"), closed_trials.from_row)
    kept = _by_session(
        conn,
        strays,
        ids,
        ("epoch", "seq"),
        lambda row: StrayRecord(row.epoch, row.seq, row.body, row.received_ms),
    )
    decided = _by_session(
        conn, decisions, ids, ("id",), lambda row: DecisionRecord(row.kind, row.target, row.reason)
    )
    for name in ids:
        # Events are by far the most, so they are fetched one session at a time.
        happened = _by_session(
            conn, events, [name], ("seq",), lambda row: EventRecord(row.seq, row.body, row.received_ms)
        )
        yield Collected(
            found[name], tuple(closed[name]), tuple(happened[name]), tuple(kept[name]), tuple(decided[name]), _rounds(conn, name),
        )  # fmt: skip


def _rounds(conn: Connection, session: str) -> tuple[RoundRecord, ...]:
    """The rounds of a session, one session at a time: recordings are large."""
    return tuple(
        RoundRecord(
            position=one.key.position,
            run=one.key.run,
            attempt=one.key.attempt,
            setup=one.setup,
            state=one.state,
            ticks=one.tick,
            losses=one.losses,
            score=one.score,
            started_ms=one.started_ms,
            ended_ms=one.ended_ms,
            changes=tuple(tuple(change) for change in rounds.changes_of(conn, one.key)),
            recording=blobs.get(conn, session, one.key.recording_name),
        )
        for one in rounds.of_session(conn, session)
    )


def _by_session(
    conn: Connection, table: Table, ids: Sequence[str], order: Sequence[str], record: Callable[[Row[Any]], T]
) -> dict[str, list[T]]:
    groups: dict[str, list[T]] = defaultdict(list)
    query = (
        select(table)
        .where(table.c.session.in_(ids))
        .order_by(table.c.session, *(table.c[name] for name in order))
    )
    for row in conn.execute(query):
        groups[row.session].append(record(row))
    return groups


def _session(row: Row[Any]) -> SessionRecord:
    return SessionRecord(
        id=row.id,
        number=row.number,
        link_kind=row.link_kind,
        definition=row.definition,
        language=row.language,
        arms=json.loads(row.arms),
        rows=json.loads(row.rows),
        seed=row.seed,
        state=row.state,
        outcome=row.outcome,
        position=row.position,
        run=row.run,
        epoch=row.epoch,
        head_seq=row.head_seq,
        head_hash=row.head_hash,
        started_ms=row.started_ms,
        finished_ms=row.finished_ms,
        rejected=bool(row.rejected),
        recruiter_hash=row.recruiter_hash,
        run_after_seq=row.run_after_seq,
    )


@dataclass(frozen=True, slots=True)
class Recruited:
    """A session that a recruiting platform sent, and what became of it. `reason` is why it was rejected, if it was."""

    number: int
    definition: str
    recruiter_hash: str
    extra: Mapping[str, str]
    state: str
    outcome: str | None
    rejected: bool
    reason: str


def recruited(conn: Connection, study_id: str) -> tuple[Recruited, ...]:
    """All real sessions with a recruiter's id, in order of their number."""
    query = (
        select(sessions)
        .where(
            sessions.c.study == study_id,
            sessions.c.link_kind.in_(POOLS["real"]),
            sessions.c.recruiter_hash.is_not(None),
        )
        .order_by(sessions.c.number)
    )
    reject = (
        select(decisions.c.session, decisions.c.reason)
        .join(sessions, sessions.c.id == decisions.c.session)
        .where(sessions.c.study == study_id, decisions.c.kind == "reject")
        .order_by(decisions.c.id)
    )
    reasons = {row.session: row.reason for row in conn.execute(reject)}
    return tuple(
        Recruited(
            row.number, row.definition, row.recruiter_hash, json.loads(row.recruiter_extra), row.state, row.outcome,
            bool(row.rejected), reasons.get(row.id, "") if row.rejected else "",
        )
        for row in conn.execute(query)
    )  # fmt: skip
