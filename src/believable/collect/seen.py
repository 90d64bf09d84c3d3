"""What was watched on the current page, player by player: for going on after a reload, and for deciding whether it is enough."""

from __future__ import annotations

from dataclasses import dataclass

from believable.collect.context import Standing
from believable.instruments.contract import InvalidAnswer
from believable.store import events
from believable.store.engine import Connection
from believable.study.plan import PlannedTrial
from believable.study.records import Compare, Group, Qa, Watch
from believable.study.rounds import round_wanted


@dataclass(frozen=True, slots=True)
class Seen:
    """How much of a stimulus was watched: `views` to the end, and how far the view after them has come."""

    views: int = 0
    position_ms: int = 0


def stimuli_of(planned: PlannedTrial) -> tuple[str, ...]:
    """The stimuli that a page plays, in the order of its players."""
    if isinstance(planned.trial, Compare | Group):
        return planned.stimulus_ids
    shown = isinstance(planned.trial, Watch) and planned.stimulus_id is not None
    return (planned.stimulus_id,) if shown and planned.stimulus_id is not None else ()


def _players(planned: PlannedTrial) -> int:
    """How many players a page has; a quality test and one's own round are no stimuli of the study."""
    own = isinstance(planned.trial, Qa) or round_wanted(planned.trial) is not None
    return 1 if own else len(stimuli_of(planned))


def opened_beside(conn: Connection, here: Standing) -> frozenset[str]:
    """What was ever opened beside the player of the current page: `plan`, `log`."""
    session, trial = here.session, here.plan[here.session.position].trial
    if not isinstance(trial, Watch) or not (trial.overlay.plan or trial.overlay.log):
        return frozenset()
    found = events.since(conn, session.id, here.opened_after_seq, containing="overlay.open")
    return frozenset(
        str(event.data.get("which"))
        for event in found
        if event.kind == "overlay.open"
        and event.trial == session.position
        and event.received_ms >= session.opened_ms
    )


def seen_each(conn: Connection, here: Standing) -> tuple[Seen, ...]:
    """From the players' events since the page opened, so that a reload neither forgets a view nor starts again. A trace tells
    the position more often than the player does.
    """
    session = here.session
    found = [Seen() for _ in range(_players(here.plan[session.position]))]
    if not found:
        return ()
    for event in events.since(conn, session.id, here.opened_after_seq, containing='"media'):
        if not event.kind.startswith(("media.", "trace.")):
            continue
        player = event.data.get("player", 0)
        known = isinstance(player, int) and not isinstance(player, bool) and 0 <= player < len(found)
        if not known or event.received_ms < session.opened_ms or event.trial != session.position:
            continue
        before = found[player]
        if event.kind == "media.ended":
            found[player] = Seen(before.views + 1, 0)
        else:
            reached = event.data.get("to_ms", event.data.get("media_ms"))
            found[player] = Seen(before.views, reached if isinstance(reached, int) else before.position_ms)
    return tuple(found)


def unwatched(conn: Connection, here: Standing) -> InvalidAnswer | None:
    """Why the page cannot be left yet, as far as watching is concerned."""
    trial = here.plan[here.session.position].trial
    if not isinstance(trial, Watch | Compare | Group | Qa) or not trial.controls.must_finish:
        return None
    ended = [one.views > 0 for one in seen_each(conn, here)]
    one_is_enough = isinstance(trial, Compare) and trial.watch == "any"
    if any(ended) if one_is_enough else all(ended):
        return None
    return InvalidAnswer("error.watch" if one_is_enough or len(ended) == 1 else "error.watch_all")
