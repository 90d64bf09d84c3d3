"""One session's events: the chain recomputed, what happened when, and the lane that shows it."""

from __future__ import annotations

import bisect
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from believable.bundle.session_records import ClosedTrial, ViewCheck
from believable.core import event_chain
from believable.store import event_checks, event_log, review, sessions, view_checks
from believable.store.engine import Connection
from believable.store.event_checks import Event
from believable.store.review import Decision
from believable.store.sessions import Session

#: Characters of an event's data shown in the table.
DATA_CHARACTERS = 600
EVENTS_PER_PAGE = 200
#: Silence longer than this is drawn short, so that a night between two sittings does not hide the
#: sittings.
GAP_MS = 300_000
GAP_DRAWN_MS = 30_000
LANE_WIDTH = 1_000


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events the table shows: kinds that begin so, and of one trial. `page` counts from 0."""

    kind: str = ""
    trial: int | None = None
    page: int = 0

    def takes(self, event: Event) -> bool:
        family = not self.kind or event.kind == self.kind or event.kind.startswith(f"{self.kind}.")
        return family and (self.trial is None or event.trial == self.trial)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLine:
    """An event as a row of the table. `after_ms` counts from the first event, by the browser's
    clock.
    """

    seq: int
    kind: str
    trial: int | None
    after_ms: float
    received_ms: int
    data: str


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether the stored events give the stored head. `missing` events have yet to arrive."""

    holds: bool
    n_events: int
    missing: int
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHistory:
    """All that is known about one session, read at one moment."""

    session: Session
    proof: Proof
    families: Mapping[str, int]
    lines: tuple[EventLine, ...]
    n_lines: int
    moments: tuple[tuple[int, str], ...]
    closed: tuple[ClosedTrial, ...]
    strays: tuple[EventLine, ...]
    decisions: tuple[Decision, ...]
    impossible: tuple[ViewCheck, ...]


def session_history(conn: Connection, session: Session, wanted: EventFilter) -> SessionHistory:
    """Reads every event once: hashes it, counts it, and keeps the page that was asked for."""
    head, hashed, first_ms = event_chain.origin(session.id), 0, None
    families: Counter[str] = Counter()
    moments: list[tuple[float, int, str]] = []
    lines: list[EventLine] = []
    n_lines = 0
    for seq, body, received_ms in event_log.event_bodies(conn, session.id):
        if seq == hashed + 1:
            head, hashed = event_chain.extend(head, (body,)), seq
        event = event_checks.parse_event(seq, body, received_ms)
        first_ms = event.at_ms if first_ms is None else first_ms
        families[family(event.kind)] += 1
        moments.append((event.at_ms, received_ms, family(event.kind)))
        if wanted.takes(event):
            if wanted.page * EVENTS_PER_PAGE <= n_lines < (wanted.page + 1) * EVENTS_PER_PAGE:
                lines.append(_line(event, first_ms))
            n_lines += 1
    holds = hashed == session.head_seq and head == session.head_hash
    return SessionHistory(
        session=session,
        proof=Proof(holds, hashed, session.top_seq - session.head_seq, head),
        families=dict(sorted(families.items())),
        lines=tuple(lines),
        n_lines=n_lines,
        moments=on_server_clock(moments, session.started_ms),
        closed=sessions.closed_trials(conn, session.id),
        strays=tuple(_strays(conn, session, first_ms or 0)),
        decisions=review.decisions_of(conn, session.id),
        impossible=view_checks.impossible_views(conn, session.id),
    )


def on_server_clock(
    moments: Sequence[tuple[float, int, str]], start_ms: int
) -> tuple[tuple[int, str], ...]:
    """When events happened, by the server's clock, from (browser's clock, arrival, family).

    The shortest delay of an event shows how the clocks differ. If that is unknown, as on a second
    device, the arrival replaces the event's time.
    """
    shift_ms = min((received_ms - at_ms for at_ms, received_ms, _ in moments), default=0.0)
    moments_there: dict[tuple[int, str], None] = {}
    for at_ms, received_ms, name in moments:
        guess_ms = at_ms + shift_ms
        likely = start_ms <= guess_ms and received_ms - guess_ms < GAP_MS
        moments_there[round(guess_ms if likely else max(received_ms, start_ms)), name] = None
    return tuple(moments_there)


def family(kind: str) -> str:
    return kind.partition(".")[0]


def _line(event: Event, first_ms: float) -> EventLine:
    shown = json.dumps(event.data, ensure_ascii=False)
    more = f"… ({len(shown)} characters)" if len(shown) > DATA_CHARACTERS else ""
    return EventLine(
        seq=event.seq,
        kind=event.kind,
        trial=event.trial,
        after_ms=event.at_ms - first_ms,
        received_ms=event.received_ms,
        data=shown[:DATA_CHARACTERS] + more,
    )


def _strays(conn: Connection, session: Session, first_ms: float) -> Iterator[EventLine]:
    for _, seq, body, received_ms in event_log.strays_of(conn, session.id):
        yield _line(event_checks.parse_event(seq, body, received_ms), first_ms)


# ---------------------------------------------------------------------------------------------- the
# lane


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A trial in the lane: its position and width, in units of `LANE_WIDTH`."""

    position: int
    status: str
    x: float
    width: float
    took_ms: int | None


@dataclass(frozen=True, slots=True)
class Tick:
    """Events of one family that arrived about then."""

    family: str
    x: float


@dataclass(frozen=True, slots=True)
class Lane:
    bars: tuple[Bar, ...]
    ticks: tuple[Tick, ...]
    gaps: tuple[float, ...]
    drawn_ms: int


class Axis:
    """From time to place, with long silences cut short."""

    def __init__(self, times_ms: Sequence[int]) -> None:
        self._times = sorted(set(times_ms))
        self._places = [0]
        self.gaps_at: list[int] = []
        for before, after in zip(self._times, self._times[1:], strict=False):
            silent = after - before
            if silent > GAP_MS:
                self.gaps_at.append(self._places[-1] + GAP_DRAWN_MS // 2)
            self._places.append(self._places[-1] + (GAP_DRAWN_MS if silent > GAP_MS else silent))
        self.length = max(self._places[-1], 1)

    def x(self, at_ms: int) -> float:
        """Between known moments the place is in proportion; outside, at the edge."""
        i = bisect.bisect_right(self._times, at_ms) - 1
        if i < 0:
            return 0.0
        if i == len(self._times) - 1:
            return float(LANE_WIDTH)
        share = (at_ms - self._times[i]) / (self._times[i + 1] - self._times[i])
        place = self._places[i] + share * (self._places[i + 1] - self._places[i])
        return LANE_WIDTH * place / self.length


def lane(history: SessionHistory) -> Lane:
    """The session drawn over time, by the server's clock."""
    session = history.session
    closed = [
        trial
        for trial in history.closed
        if trial.run == session.run and trial.opened_ms is not None
    ]
    spans = [
        (trial.position, trial.status, trial.opened_ms or trial.closed_ms, trial.closed_ms)
        for trial in closed
    ]
    if session.state == "active":
        spans.append(
            (session.position, "open", session.opened_ms, max(session.seen_ms, session.opened_ms))
        )
    edges = [session.started_ms, *(edge for span in spans for edge in span[2:])]
    axis = Axis([*edges, *(at_ms for at_ms, _ in history.moments)])
    bars = tuple(
        Bar(
            position=position,
            status=status,
            x=axis.x(start),
            width=max(axis.x(end) - axis.x(start), 1.0),
            took_ms=end - start,
        )
        for position, status, start, end in spans
    )
    ticks = dict.fromkeys(
        Tick(name, round(axis.x(at_ms) / 2) * 2.0) for at_ms, name in history.moments
    )
    gaps = tuple(LANE_WIDTH * place / axis.length for place in axis.gaps_at)
    return Lane(bars, tuple(ticks), gaps, axis.length)
