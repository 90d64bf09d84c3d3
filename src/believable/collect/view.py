"""What a session's page needs to know, for rendering. Nothing of it goes to the browser as it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from believable.collect.annotated import annotated, streams_of
from believable.collect.context import Context, Standing, standing
from believable.collect.finish import Finished, result
from believable.collect.media import ShownMedium, shown_media, still_media
from believable.collect.own_round import shown_round
from believable.collect.seen import Seen, opened_beside, seen_each
from believable.store import events
from believable.store.engine import Connection
from believable.store.events import Event
from believable.store.sessions import Session
from believable.study.definition import Definition
from believable.study.plan import PlannedTrial
from believable.study.progress import Closed, answers_so_far


@dataclass(frozen=True, slots=True)
class SessionView:
    """`trial` is the page to show (the last one, a finish page, once `outcome` is set). `drafts` holds what was entered on
    it so far, raw, by question id, `saved` what was annotated on it (events of the kinds in
    `streams`); `answers` what earlier pages hold, by `trial.question`. `media` and `seen` are those
    of its players, in order, `opened` what was opened beside them; `stills` what it only reminds of. `finished` is set
    once the session is over.
    """

    session: Session
    definition: Definition
    plan: tuple[PlannedTrial, ...]
    trial: PlannedTrial
    outcome: str | None
    closed: tuple[Closed, ...]
    answers: Mapping[str, Any]
    drafts: Mapping[str, Any]
    saved: tuple[Event, ...]
    streams: tuple[str, ...]
    seen: tuple[Seen, ...]
    opened: frozenset[str]
    media: tuple[ShownMedium, ...]
    stills: tuple[ShownMedium, ...]
    finished: Finished | None

    @property
    def session_id(self) -> str:
        return self.session.id

    @property
    def study_id(self) -> str:
        return self.session.study

    @property
    def position(self) -> int:
        return self.session.position

    @property
    def state(self) -> str:
        return self.session.state

    @property
    def language(self) -> str:
        return self.session.language

    @property
    def link_kind(self) -> str:
        return self.session.link_kind

    @property
    def arms(self) -> Mapping[str, str]:
        return self.session.arms

    @property
    def seed(self) -> int:
        return self.session.seed

    @property
    def attempts(self) -> int:
        """Wrong answers so far to the check being shown."""
        return self.session.wrong_tries


def view(conn: Connection, context: Context, *, token: str) -> SessionView:
    here = standing(conn, context, token)
    session, trial = here.session, here.plan[here.session.position]
    finished = (
        result(context, here, session.outcome or "complete", {}) if session.state == "finished" else None
    )
    return SessionView(
        session=session,
        definition=here.definition,
        plan=here.plan,
        trial=trial,
        outcome=session.outcome or here.step.outcome,
        closed=here.closed,
        answers=answers_so_far(here.plan, here.closed),
        drafts=_drafts(conn, here),
        saved=annotated(conn, context, here),
        streams=streams_of(context, trial.trial),
        seen=seen_each(conn, here),
        opened=opened_beside(conn, here),
        media=shown_media(context, session.id, here.definition, trial) or shown_round(conn, context, here),
        stills=still_media(context, session.id, here.definition, here.plan, trial.position),
        finished=finished,
    )


def _drafts(conn: Connection, here: Standing) -> Mapping[str, Any]:
    """The latest `answer.change` of each question since the page opened, so that a reload loses nothing."""
    found: dict[str, Any] = {}
    session = here.session
    for event in events.since(conn, session.id, here.opened_after_seq, containing="answer.change"):
        fresh = event.received_ms >= session.opened_ms and event.trial == session.position
        question = event.data.get("question")
        if event.kind == "answer.change" and fresh and isinstance(question, str):
            found[question] = event.data.get("value")
    return found
