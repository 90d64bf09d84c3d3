"""What every step of a session needs: time, key, instruments, media, and definitions parsed once per process."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from believable.bundle.records import ClosedTrial
from believable.core.clock import Clock
from believable.core.errors import Conflict, TakenOver
from believable.core.ids import base32, keyed_hash, token_hash
from believable.core.registry import Registry
from believable.instruments.contract import Instrument
from believable.store import sessions, studies, trials
from believable.store.engine import Connection
from believable.store.sessions import Session
from believable.study.definition import Definition
from believable.study.plan import Assignment, PlannedTrial, plan
from believable.study.progress import Closed, Step, progress

#: Plans kept in memory; one is a few kilobytes and takes about a millisecond to make.
PLANS_KEPT = 2_000


class Definitions:
    """Definitions by hash and plans by session, made once per process. Both never change."""

    def __init__(self, instruments: Registry[Instrument[Any]]) -> None:
        self._instruments = instruments
        self._definitions: dict[str, Definition] = {}
        self._plans: OrderedDict[str, tuple[PlannedTrial, ...]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, conn: Connection, definition: str) -> Definition:
        with self._lock:
            known = self._definitions.get(definition)
        if known is None:
            known = Definition.from_json(studies.definition_body(conn, definition), self._instruments)
            self.add(definition, known)
        return known

    def add(self, definition: str, parsed: Definition) -> None:
        with self._lock:
            self._definitions[definition] = parsed

    def plan(self, conn: Connection, session: Session) -> tuple[PlannedTrial, ...]:
        with self._lock:
            known = self._plans.get(session.id)
        if known is None:
            study = self.get(conn, session.definition).study
            known = plan(study, Assignment(session.arms, session.rows, session.seed))
            with self._lock:
                self._plans[session.id] = known
                while len(self._plans) > PLANS_KEPT:
                    self._plans.popitem(last=False)
        return known


@dataclass(frozen=True, slots=True)
class Context:
    """Handed to every step."""

    clock: Clock
    key: bytes
    instruments: Registry[Instrument[Any]]
    media_dir: Path
    new_id: Callable[[], str]
    definitions: Definitions = field(repr=False)

    def token_of(self, session_id: str) -> str:
        """The token that opens a session, 130 bits. Derived, so that it can be given again to whoever proves to be the person."""
        return base32(keyed_hash(self.key, "token", session_id), 26).lower()


@dataclass(frozen=True, slots=True)
class Standing:
    """A session and where it stands."""

    session: Session
    definition: Definition
    plan: tuple[PlannedTrial, ...]
    trials: tuple[ClosedTrial, ...]
    step: Step

    @property
    def closed(self) -> tuple[Closed, ...]:
        return as_closed(self.trials)

    @property
    def opened_after_seq(self) -> int:
        """Events above this number belong to the trial being shown (or came late from an earlier one)."""
        return max((self.session.run_after_seq, *(trial.submit_seq or 0 for trial in self.trials)))


def as_closed(rows: tuple[ClosedTrial, ...]) -> tuple[Closed, ...]:
    return tuple(Closed(row.position, row.status, row.answers) for row in rows)  # type: ignore[arg-type]


def standing(conn: Connection, context: Context, token: str, *, lock: bool = False) -> Standing:
    """Look a session up by its token. `lock`: keep other processes out until this transaction ends."""
    session = sessions.by_token(conn, token_hash(token), lock=lock)
    planned = context.definitions.plan(conn, session)
    closed = trials.of_session(conn, session.id, session.run)
    step = progress(planned, as_closed(closed), session.arms)
    return Standing(session, context.definitions.get(conn, session.definition), planned, closed, step)


def check_epoch(session: Session, epoch: int) -> None:
    """Only the tab or device that claimed last may go on."""
    if epoch < session.epoch:
        raise TakenOver(
            "this session continues in another tab or on another device. Reload here to take it back."
        )
    if epoch > session.epoch:
        raise Conflict(
            f"epoch {epoch} was never given out (the latest is {session.epoch}). Claim the session first."
        )
