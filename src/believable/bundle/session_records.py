"""Contents of a bundle: plain records of collected data. `store.export` makes them; anything else
may.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from believable.bundle.round_tables import RoundRecord
from believable.bundle.tables import CODING_TABLES, BundleTable, Row
from believable.study.pool_draw import DrawnName


def day(at_ms: int) -> str:
    """The day of a moment, in UTC: `2026-11-15`."""
    return datetime.datetime.fromtimestamp(at_ms / 1000, datetime.UTC).date().isoformat()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRecord:
    """One participant's run. Times are milliseconds since 1970."""

    id: str
    number: int
    link_kind: str
    definition: str
    language: str
    arms: Mapping[str, str]
    rows: Mapping[str, int]
    seed: int
    state: str
    outcome: str | None
    position: int
    run: int
    epoch: int
    head_seq: int
    head_hash: str
    started_ms: int
    finished_ms: int | None
    rejected: bool
    recruiter_hash: str | None = None
    #: The last event before the latest run began.
    run_after_seq: int = 0
    excluded: bool = False
    #: The place in which the stopping rule `sequential` weighed it.
    weighed: int | None = None
    #: With which the evidence drew its agent.
    agent_probability: float | None = None

    @property
    def is_simulated(self) -> bool:
        return self.link_kind == "simulated"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedTrial:
    """A trial the server has closed: done, skipped by a rule, or failed.

    `run` counts how often the session began again; `submit_seq` is the event with the accepted
    answers.
    """

    position: int
    run: int
    key: str
    status: str
    attempts: int
    submit_seq: int | None
    answers: Mapping[str, Any]
    opened_ms: int | None
    closed_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewCheck:
    """Whether a stimulus could have been seen, by the server's evidence: its length, the bytes
    sent, how long the page was open. `needed_ms` is the shortest time in which the browser's claim
    is possible.
    """

    position: int
    run: int
    player: int
    length_ms: int | None
    media_bytes: int
    sent_bytes: int
    open_ms: int
    needed_ms: int
    possible: bool
    #: Submissions that were sent back because they claimed an impossible view.
    refused: int = 0


#: One event: its number, its body to the letter as the browser hashed it, and when it was received.
#: There are millions of them, so they are plain tuples, as the database gives them.
EventRecord: TypeAlias = tuple[int, str, int]


@dataclass(frozen=True, slots=True)
class StrayRecord:
    """An event of a tab that had been taken over: kept, outside the chain."""

    epoch: int
    seq: int
    body: str
    received_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord:
    """A researcher's decision about a session (`target` is empty) or about one answer in it
    (`trial_key/question`).

    `blind` is true if they could not know the session's conditions: None if that was not noted.
    """

    kind: str
    target: str
    reason: str
    user: str = ""
    at_ms: int | None = None
    blind: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedSession:
    """Everything stored about one session."""

    session: SessionRecord
    trials: tuple[ClosedTrial, ...] = ()
    events: tuple[EventRecord, ...] = ()
    strays: tuple[StrayRecord, ...] = ()
    decisions: tuple[DecisionRecord, ...] = ()
    rounds: tuple[RoundRecord, ...] = ()
    view_checks: tuple[ViewCheck, ...] = ()
    #: Clips and levels that were drawn by their views.
    draws: tuple[DrawnName, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRecord:
    """A version of the study: a definition that sessions began with, or that the next one will.
    `revised_by` is no account's name.
    """

    number: int
    definition: str
    first_used_ms: int | None
    sessions: int
    reason: str | None = None
    revised_by: str | None = None
    revised_ms: int | None = None

    def row(self, registered_ms: int | None) -> Row:
        """The row of the bundle. `registered_ms`: when the plan was registered, if it was."""
        changed_ms = self.first_used_ms if self.revised_ms is None else self.revised_ms
        known = self.number > 1 and registered_ms is not None and changed_ms is not None
        return {
            "number": self.number,
            "definition": self.definition,
            "first_used_on": None if self.first_used_ms is None else day(self.first_used_ms),
            "sessions": self.sessions,
            "reason": self.reason,
            "revised_by": self.revised_by,
            "revised_on": None if self.revised_ms is None else day(self.revised_ms),
            "after_registration": (changed_ms or 0) > (registered_ms or 0) if known else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRecord:
    """The study a bundle is about. `definitions` maps each hash to its canonical JSON, in the order
    of their publication.
    """

    id: str
    title: str
    definitions: Mapping[str, str] = field(default_factory=dict)
    simulated: bool = False
    withdrawn: int = 0
    previews: int = 0
    versions: tuple[VersionRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class CodingRows:
    """The rows of coded texts: the codebooks, every coder's labels, and the final ones."""

    codes: Sequence[Row] = ()
    labels: Sequence[Row] = ()
    final: Sequence[Row] = ()

    def tables(self) -> tuple[tuple[BundleTable, Sequence[Row]], ...]:
        return tuple(zip(CODING_TABLES, (self.codes, self.labels, self.final), strict=True))
