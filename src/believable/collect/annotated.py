"""What was annotated on the current page: for drawing it again after a reload, and for deciding whether it is enough."""

from __future__ import annotations

from believable.collect.context import Context, Standing
from believable.instruments.contract import InvalidAnswer
from believable.store import events
from believable.store.engine import Connection
from believable.store.events import Event
from believable.study.practice import PRACTICE_TRIES, annotation_of
from believable.study.records import Practice, Trial, Watch

PRACTICE_RESULT = "practice.result"
#: Samples that nobody made: the value as it stood.
HEARTBEAT = "heartbeat"


def streams_of(context: Context, trial: Trial) -> tuple[str, ...]:
    """The kinds of events that annotating this page records."""
    annotation = annotation_of(trial)
    if annotation is None:
        return ()
    if isinstance(trial, Practice):
        return (PRACTICE_RESULT,)
    return tuple(stream.kind for stream in context.instruments[annotation.kind].streams)


def annotated(conn: Connection, context: Context, here: Standing) -> tuple[Event, ...]:
    """The events of the annotation since the page opened, in order."""
    session = here.session
    found = [
        event
        for kind in streams_of(context, here.plan[session.position].trial)
        for event in events.since(conn, session.id, here.opened_after_seq, containing=f'"{kind}"')
        if event.kind == kind and event.trial == session.position and event.received_ms >= session.opened_ms
    ]
    return tuple(sorted(found, key=lambda event: event.seq))


def missing(conn: Connection, context: Context, here: Standing) -> InvalidAnswer | None:
    """Why the page cannot be left yet, as far as its annotation is concerned."""
    trial = here.plan[here.session.position].trial
    if isinstance(trial, Practice):
        results = [event.data for event in annotated(conn, context, here)]
        enough = len(results) >= PRACTICE_TRIES or any(result.get("passed") is True for result in results)
        return None if enough else InvalidAnswer("error.practice")
    if not isinstance(trial, Watch) or trial.annotate is None or trial.annotate.min_inputs == 0:
        return None
    made = [event for event in annotated(conn, context, here) if event.data.get("input") != HEARTBEAT]
    needed = trial.annotate.min_inputs
    return None if len(made) >= needed else InvalidAnswer("error.inputs", n=needed)
