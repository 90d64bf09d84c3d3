"""What happened on the current page since it opened, watched, opened alongside and annotated: to
continue after a reload, and to judge whether it is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from believable.collect.context import Context, Standing
from believable.contracts.controls import Controls
from believable.contracts.registries import INSTRUMENTS, PAGES
from believable.contracts.trial import PlannedTrial, TrialBase
from believable.store import event_log
from believable.store.engine import Connection
from believable.store.event_checks import Event
from believable.study.earlier_pages import rated_positions

#: No medium is longer: a month.
LONGEST_MS = 31 * 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewingProgress:
    """How much of a stimulus was watched: `views` to the end, how far the later view has reached,
    and the parts that were on screen, in order and without overlap.
    """

    views: int = 0
    position_ms: int = 0
    watched_intervals: tuple[tuple[int, int], ...] = ()
    duration_ms: int = 0
    #: False if the server knows that it cannot have been seen (see `view_check`).
    possible: bool = True
    #: Part of this view ran faster than a first viewing may. The page offers no such speed; its end
    #: is no view.
    too_fast: bool = False

    @property
    def share(self) -> float:
        if self.duration_ms <= 0:
            return 0.0
        return min(1.0, self.watched_ms(self.duration_ms) / self.duration_ms)

    def watched_ms(self, length_ms: int) -> int:
        """How much was on screen, of a medium of this length."""
        return sum(
            max(0, min(to_ms, length_ms) - from_ms) for from_ms, to_ms in self.watched_intervals
        )

    def after(self, event: Event, controls: Controls | None = None) -> ViewingProgress:
        """Its value after one more event of its player. What runs faster than a first viewing may
        is not watched.
        """
        data = event.data
        if event.kind == "media.ended" and self.too_fast:
            return replace(self, position_ms=0, too_fast=False)
        if event.kind == "media.ended":
            return replace(
                self,
                views=self.views + 1,
                position_ms=0,
                duration_ms=self.duration_ms or _whole(data, "media_ms"),
            )
        if event.kind == "media.ready":
            return replace(self, duration_ms=_whole(data, "duration_ms") or self.duration_ms)
        reached = data.get("to_ms", data.get("media_ms"))
        position_ms = reached if isinstance(reached, int) else self.position_ms
        if event.kind != "media.interval":
            return replace(self, position_ms=position_ms)
        if controls is not None and self._exceeds(data.get("rate"), controls):
            return replace(self, position_ms=position_ms, too_fast=True)
        return replace(
            self,
            position_ms=position_ms,
            watched_intervals=_with(
                self.watched_intervals, _whole(data, "from_ms"), _whole(data, "to_ms")
            ),
        )

    def _exceeds(self, rate: object, controls: Controls) -> bool:
        """Faster than `first_speed_limit` while it holds: until it was watched once. A rate that is
        no number is too fast.
        """
        limit = controls.first_speed_limit
        if limit is None or (self.views > 0 and self.share >= controls.watched_share):
            return False
        return isinstance(rate, bool) or not isinstance(rate, int | float) or not rate <= limit


def _whole(data: Mapping[str, Any], name: str) -> int:
    """A number of milliseconds sent by a browser; 0 for anything else."""
    value = data.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < LONGEST_MS:
        return 0
    return round(value)


def _with(
    parts: tuple[tuple[int, int], ...], from_ms: int, to_ms: int
) -> tuple[tuple[int, int], ...]:
    """The parts and one more, merged if they touch."""
    if to_ms <= from_ms:
        return parts
    touching = [part for part in parts if part[0] <= to_ms and from_ms <= part[1]]
    joined = (
        min([from_ms, *(part[0] for part in touching)]),
        max([to_ms, *(part[1] for part in touching)]),
    )
    return tuple(sorted([joined, *(part for part in parts if part not in touching)]))


def _players(planned: PlannedTrial) -> int:
    """How many players a page has; a quality test and one's own round are no stimuli of the
    study.
    """
    return len(planned.played_stimuli) or (0 if planned.trial.player.controls is None else 1)


def page_events(conn: Connection, standing: Standing, containing: str) -> Iterator[Event]:
    """What came from the current page since it was opened, of events whose text has these words."""
    session = standing.session
    for event in event_log.events_since(
        conn, session.id, standing.opened_after_seq, containing=containing
    ):
        if event.trial == session.position and event.received_ms >= session.opened_ms:
            yield event


def opened_beside(conn: Connection, standing: Standing) -> frozenset[str]:
    """The panels ever opened alongside the player of the current page, or of the one watched
    earlier that it asks about: `plan`, `log`.
    """
    trial = standing.plan[standing.session.position].trial
    if trial.rated_turn is not None:
        return _opened_earlier(conn, standing)
    if not trial.player.overlays:
        return frozenset()
    events = page_events(conn, standing, "overlay.open")
    return frozenset(
        str(event.data.get("which")) for event in events if event.kind == "overlay.open"
    )


def unseen_players(standing: Standing) -> tuple[ViewingProgress, ...]:
    """The players of the current page, of which nothing was watched yet."""
    return (ViewingProgress(),) * _players(standing.plan[standing.session.position])


def _opened_earlier(conn: Connection, standing: Standing) -> frozenset[str]:
    session = standing.session
    about = rated_positions(standing.plan, session.position)
    events = event_log.events_since(
        conn, session.id, session.run_after_seq, containing="overlay.open"
    )
    return frozenset(
        str(event.data.get("which"))
        for event in events
        if event.kind == "overlay.open" and event.trial in about
    )


def seen_each(conn: Connection, standing: Standing) -> tuple[ViewingProgress, ...]:
    """From the players' events since the page opened, so that a reload neither forgets a view nor
    starts again. A trace reports the position more often than the player does.
    """
    progress = list(unseen_players(standing))
    if not progress:
        return ()
    controls = standing.plan[standing.session.position].trial.player.controls
    for event in page_events(conn, standing, '"media'):
        player = event.data.get("player", 0)
        known = (
            isinstance(player, int) and not isinstance(player, bool) and 0 <= player < len(progress)
        )
        if known and event.kind.startswith(("media.", "trace.")):
            progress[player] = progress[player].after(event, controls)
    return tuple(progress)


def streams_of(context: Context, trial: TrialBase) -> tuple[str, ...]:
    """The kinds of events that annotating this page records."""
    annotation, own = trial.annotation, PAGES[trial.kind].judging.streams
    if annotation is None or own is not None:
        return own or ()
    return tuple(stream.kind for stream in INSTRUMENTS[annotation.kind].streams)


def annotation_events(conn: Connection, context: Context, standing: Standing) -> tuple[Event, ...]:
    """The events of the annotation since the page opened, in order."""
    events = [
        event
        for kind in streams_of(context, standing.plan[standing.session.position].trial)
        for event in page_events(conn, standing, f'"{kind}"')
        if event.kind == kind
    ]
    return tuple(sorted(events, key=lambda event: event.seq))
