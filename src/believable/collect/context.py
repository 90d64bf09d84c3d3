"""What every step of a session needs: time, key, kinds, media, definitions parsed once per process,
and the reasons to refuse.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, Literal, TypeAlias, TypeVar

from believable.bundle.session_records import ClosedTrial
from believable.contracts.submission import ClosedPage
from believable.contracts.trial import PlannedTrial
from believable.core.clock import Clock
from believable.core.errors import Conflict, InvalidInput, NotFound, Refused, TakenOver
from believable.core.ids import base32, keyed_hash, token_hash
from believable.store import sessions, studies
from believable.store.clip_draws import draws_of
from believable.store.database import owner_file, owner_folder
from believable.store.engine import Connection
from believable.store.sessions import Session
from believable.study.definition import Definition
from believable.study.plan import Assignment, Cell, is_settled, plan
from believable.study.pool_draw import needs_draw, with_draw
from believable.study.progress import Step, progress
from believable.study.sequential_design import SequentialDesign, sequential_design

#: Plans, and what sessions have behind them, kept in memory; one is a few kilobytes.
PLANS_KEPT = 2_000
RUNS_KEPT = 2_000

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class LatestKept(Generic[K, V]):
    """As many as were used last, for all threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
            return known

    def put(self, key: K, value: V) -> V:
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return value

    def forget(self, key: K) -> None:
        with self._lock:
            self._kept.pop(key, None)


PlanKey: TypeAlias = tuple[str, Cell, int | None]


class Definitions:
    """Definitions by hash, and plans by what settles them, made once per process. Both never
    change.
    """

    def __init__(self) -> None:
        self._definitions: dict[str, Definition] = {}
        self._settled: dict[str, bool] = {}
        self._sequential: dict[str, SequentialDesign | None] = {}
        self._plans: LatestKept[PlanKey, tuple[PlannedTrial, ...]] = LatestKept(PLANS_KEPT)
        self._lock = threading.Lock()

    def get(self, conn: Connection, definition: str) -> Definition:
        with self._lock:
            known = self._definitions.get(definition)
        if known is None:
            known = Definition.from_json(studies.definition_body(conn, definition))
            self.add(definition, known)
        return known

    def add(self, definition: str, parsed: Definition) -> None:
        with self._lock:
            self._definitions[definition] = parsed
            self._settled[definition] = is_settled(parsed.study)

    def sequential(self, conn: Connection, definition: str) -> SequentialDesign | None:
        """The design of the stopping rule `sequential`; None under another rule."""
        if definition not in self._sequential:
            study = self.get(conn, definition).study
            self._sequential[definition] = sequential_design(study)
        return self._sequential[definition]

    def plan(
        self, conn: Connection, definition: str, assignment: Assignment
    ) -> tuple[PlannedTrial, ...]:
        study = self.get(conn, definition).study
        cell = Cell.of(assignment.arms, assignment.rows)
        key = (definition, cell, None if self._settled[definition] else assignment.seed)
        return self._plans.get(key) or self._plans.put(key, plan(study, assignment))

    def plan_of(self, conn: Connection, session: Session) -> tuple[PlannedTrial, ...]:
        assignment = Assignment(session.arms, session.rows, session.seed)
        if needs_draw(self.get(conn, session.definition).study):
            assignment = with_draw(assignment, draws_of(conn, [session.id])[session.id])
        return self.plan(conn, session.definition, assignment)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedRun:
    """The closed trials of a run at `position`, in order. Closing one more makes the next; nothing
    is read again.
    """

    run: int
    position: int
    trials: tuple[ClosedTrial, ...]
    closed: tuple[ClosedPage, ...]
    last_seq: int

    @classmethod
    def of(cls, session: Session, trials: tuple[ClosedTrial, ...]) -> ClosedRun:
        last_seq = max((session.run_after_seq, *(trial.submit_seq or 0 for trial in trials)))
        return cls(
            run=session.run,
            position=session.position,
            trials=trials,
            closed=tuple(map(_as_closed, trials)),
            last_seq=last_seq,
        )

    def followed_by(self, rows: Sequence[ClosedTrial], position: int) -> ClosedRun:
        """After `rows` were closed, too, and the run is at `position`."""
        last_seq = max((self.last_seq, *(row.submit_seq or 0 for row in rows)))
        closed = (*self.closed, *map(_as_closed, rows))
        return ClosedRun(
            run=self.run,
            position=position,
            trials=(*self.trials, *rows),
            closed=closed,
            last_seq=last_seq,
        )


def _as_closed(row: ClosedTrial) -> ClosedPage:
    return ClosedPage(row.position, row.status, row.answers)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Handed to every step."""

    clock: Clock
    key: bytes

    media_dir: Path
    new_id: Callable[[], str]
    definitions: Definitions = field(repr=False)
    #: Sessions that one network address may start in a minute through open links; None for any
    #: number.
    joins_per_minute: int | None = None
    #: By session. Holds only committed data: a change that is rolled back must not leave anything
    #: here.
    runs: LatestKept[str, ClosedRun] = field(
        default_factory=lambda: LatestKept(RUNS_KEPT), repr=False
    )

    def token_of(self, session_id: str) -> str:
        """The token that opens a session, 130 bits. Derived, so that it can be given again to a
        caller who proves to be the person.
        """
        return base32(keyed_hash(self.key, "token", session_id), 26).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A session and its state."""

    session: Session
    definition: Definition
    plan: tuple[PlannedTrial, ...]
    behind: ClosedRun
    step: Step

    @property
    def trials(self) -> tuple[ClosedTrial, ...]:
        return self.behind.trials

    @property
    def closed_pages(self) -> tuple[ClosedPage, ...]:
        return self.behind.closed

    @property
    def opened_after_seq(self) -> int:
        """Events above this number belong to the trial being shown (or came late from an earlier
        one).
        """
        return self.behind.last_seq


def standing_of(conn: Connection, context: Context, token: str, *, lock: bool = False) -> Standing:
    """Look a session up by its token. `lock`: keep other processes out until this transaction
    ends.
    """
    session = sessions.by_token(conn, token_hash(token), lock=lock)
    planned = context.definitions.plan_of(conn, session)
    behind = context.runs.get(session.id)
    # A trial is closed once, and closing it moves the session on: run and position define which
    # trials are closed, regardless of the caller.
    if behind is None or (behind.run, behind.position) != (session.run, session.position):
        behind = ClosedRun.of(session, sessions.closed_trials(conn, session.id, session.run))
        if not lock:  # read from a snapshot, so that it is committed
            context.runs.put(session.id, behind)
    step = progress(planned, behind.closed, session.arms, first=session.position)
    return Standing(
        session=session,
        definition=context.definitions.get(conn, session.definition),
        plan=planned,
        behind=behind,
        step=step,
    )


def check_epoch(session: Session, epoch: int) -> None:
    """Only the tab or device that claimed last may continue."""
    if epoch < session.epoch:
        raise TakenOver(
            "this session continues in another tab or on another device. Reload here to take it"
            " back."
        )
    if epoch > session.epoch:
        raise Conflict(
            f"epoch {epoch} was never given out (the latest is {session.epoch}). Claim the session"
            " first."
        )


Reason: TypeAlias = Literal[
    "closed",
    "paused",
    "full",
    "taken",
    "used",
    "desktop",
    "identity",
    "resume",
    "code",
    "withdrawn",
]

_WORDS: dict[Reason, str] = {
    "closed": "this study is closed.",
    "paused": "this study is paused. Try the same link again later.",
    "full": "this study has enough participants.",
    "taken": "this participant has taken part already.",
    "used": "this personal link has been used. Continue with the link of the session itself.",
    "desktop": "this study needs a desktop or laptop computer. Open the link there.",
    "identity": (
        "the link lacks the recruiter's participant id. Enter through the recruiting platform."
    ),
    "resume": "this study does not allow a session to be continued once it was left.",
    "code": "this session was begun in another browser. Enter its code at /resume.",
    "withdrawn": "this session was withdrawn and everything of it deleted.",
}


class Refusal(Refused):
    """`code` chooses the page's words (`refused.<code>.title` and `.text`)."""

    def __init__(self, code: Reason) -> None:
        super().__init__(_WORDS[code])
        self.code = code


# ------------------------------------------------------------------------- the server's secret key


KEY_FILE = "secret.key"
KEY_VARIABLE = "BELIEVABLE_KEY_FILE"
KEY_BYTES = 32


def load_key(data_dir: Path, environment: Mapping[str, str] = os.environ) -> bytes:
    """The key in `data_dir/secret.key`, made on first use, or in the file that BELIEVABLE_KEY_FILE
    names (never made).
    """
    key_file = environment.get(KEY_VARIABLE)
    if key_file is not None:
        path = Path(key_file)
        if not path.is_file():
            raise NotFound(
                f"{KEY_VARIABLE}: there is no file {key_file!r}. Point it to the key, or unset it"
                f" to use {KEY_FILE}."
            )
        return _read(path)
    path = data_dir / KEY_FILE
    if not path.exists():
        _create(path)
    return _read(path)


def _read(path: Path) -> bytes:
    text = path.read_text(encoding="ascii", errors="replace").strip()
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) < KEY_BYTES:
        raise InvalidInput(
            f"{path.name}: expected at least {2 * KEY_BYTES} hexadecimal digits. Restore the file"
            " from a backup."
        )
    return key


def _create(path: Path) -> None:
    """Atomically, so that processes starting together end up with one key: the first link wins."""
    owner_folder(path.parent)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = owner_file(draft, os.O_WRONLY | os.O_EXCL)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(KEY_BYTES) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
