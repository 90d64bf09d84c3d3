"""Where studies are published and sessions are run. Each step exists for threads and, with `a` in front, for coroutines.

`SessionView` is what a session's page needs to know for rendering. Nothing of it goes to the browser as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from believable.collect import advance, join, leave, media, session_rounds
from believable.collect.advance import AdvanceResult
from believable.collect.context import Context, Definitions, Standing, standing_of
from believable.collect.join import NOTHING_KEPT, JoinedSession, Landing, LanguageChoice, SessionClaim
from believable.collect.leave import ResumeTicket, SessionEnd, result
from believable.collect.media import ShownMedium, shown_media, still_media
from believable.collect.page_events import (
    ViewingProgress,
    annotated,
    opened_beside,
    seen_each,
    streams_of,
    unseen_players,
)
from believable.collect.session_rounds import shown_round
from believable.core.clock import Clock
from believable.core.errors import Conflict, NotFound, Withdrawn
from believable.core.ids import new_token, token_hash
from believable.pages.contract import Kinds
from believable.store import event_log, sessions, studies
from believable.store.engine import Connection, Store
from believable.store.event_log import Event
from believable.store.sessions import Session
from believable.store.studies import Link
from believable.study.definition import Definition
from believable.study.plan import PlannedTrial
from believable.study.progress import ClosedPage, answers_so_far

__all__ = [
    "AdvanceResult",
    "Collect",
    "JoinedSession",
    "Landing",
    "PublishedStudy",
    "ResumeTicket",
    "SessionClaim",
    "SessionEnd",
    "SessionView",
]


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
    closed: tuple[ClosedPage, ...]
    drafts: Mapping[str, Any]
    saved: tuple[Event, ...]
    streams: tuple[str, ...]
    seen: tuple[ViewingProgress, ...]
    opened: frozenset[str]
    media: tuple[ShownMedium, ...]
    stills: tuple[ShownMedium, ...]
    finished: SessionEnd | None

    @property
    def answers(self) -> Mapping[str, Any]:
        return answers_so_far(self.plan, self.closed)

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


def view_of(conn: Connection, context: Context, *, token: str) -> SessionView:
    return _view(conn, context, standing_of(conn, context, token))


def _view(conn: Connection, context: Context, standing: Standing) -> SessionView:
    session = standing.session
    finished = result(context, standing, session.outcome or "complete", {}) if session.state == "finished" else None
    return replace(
        _untouched(context, standing),
        drafts=_drafts(conn, standing),
        saved=annotated(conn, context, standing),
        seen=seen_each(conn, standing),
        opened=opened_beside(conn, standing),
        media=_stimuli(context, standing) or shown_round(conn, context, standing),
        finished=finished,
    )


def _untouched(context: Context, standing: Standing) -> SessionView:
    """A page on which nothing has happened yet, without asking the database."""
    session, trial = standing.session, standing.plan[standing.session.position]
    return SessionView(
        session=session,
        definition=standing.definition,
        plan=standing.plan,
        trial=trial,
        outcome=session.outcome or standing.step.outcome,
        closed=standing.closed,
        drafts={},
        saved=(),
        streams=streams_of(context, trial.trial),
        seen=unseen_players(standing),
        opened=frozenset(),
        media=_stimuli(context, standing),
        stills=still_media(context, session.id, standing.definition, standing.plan, trial.position),
        finished=None,
    )


def _stimuli(context: Context, standing: Standing) -> tuple[ShownMedium, ...]:
    session = standing.session
    return shown_media(context, session.id, standing.definition, standing.plan[session.position])


def _drafts(conn: Connection, standing: Standing) -> Mapping[str, Any]:
    """The latest `answer.change` of each question since the page opened, so that a reload loses nothing."""
    drafts: dict[str, Any] = {}
    session = standing.session
    for event in event_log.events_since(conn, session.id, standing.opened_after_seq, containing="answer.change"):
        fresh = event.received_ms >= session.opened_ms and event.trial == session.position
        question = event.data.get("question")
        if event.kind == "answer.change" and fresh and isinstance(question, str):
            drafts[question] = event.data.get("value")
    return drafts


SHARED_KINDS = ("open", "preview", "simulated")


@dataclass(frozen=True, slots=True)
class PublishedStudy:
    """`links` maps the kind of link to its token."""

    study_id: str
    definition: str
    links: Mapping[str, str]


def publish(conn: Connection, context: Context, *, study_id: str, definition: Definition) -> PublishedStudy:
    """Idempotent: the same study keeps its links and its state; a changed one gives its definition to new sessions only."""
    now_ms = context.clock.now_ms()
    title = definition.study.title.in_language(definition.study.languages[0])
    studies.put(conn, study_id, title=title, definition=definition.hash, body=definition.to_json(), at_ms=now_ms)
    tokens = {link.kind: link.token for link in reversed(studies.links_of(conn, study_id, SHARED_KINDS))}
    for kind in SHARED_KINDS:
        if kind not in tokens:
            tokens[kind] = studies.create_link(
                conn, token=context.new_id(), study=study_id, kind=kind, at_ms=now_ms
            ).token
    return PublishedStudy(study_id, definition.hash, tokens)


def personal_links(conn: Connection, context: Context, *, study_id: str, labels: Sequence[str]) -> tuple[Link, ...]:
    """One single-use link per label. Always random: whoever guessed one could take a person's place."""
    studies.get(conn, study_id)
    now_ms = context.clock.now_ms()
    return tuple(
        studies.create_link(conn, token=new_token(), study=study_id, kind="personal", at_ms=now_ms, label=label)
        for label in labels
    )


class Collect:
    """Everything a participant can do, and publishing. Tokens are what opens a session; epochs come from `claim`."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock,
        key: bytes,
        kinds: Kinds,
        media_dir: Path,
        new_id: Callable[[], str] = new_token,
    ) -> None:
        self.store = store
        self.context = Context(clock, key, kinds, Path(media_dir), new_id, Definitions(kinds))
        self._media = media.MediaNames()

    # ------------------------------------------------------------------------------------------ researchers

    def publish(self, study_id: str, definition: Definition) -> PublishedStudy:
        return self.store.write(lambda conn: publish(conn, self.context, study_id=study_id, definition=definition))

    def personal_links(self, study_id: str, labels: Sequence[str]) -> tuple[Link, ...]:
        return self.store.write(lambda conn: personal_links(conn, self.context, study_id=study_id, labels=labels))

    # ------------------------------------------------------------------------------------------ coming in

    def landing(self, link: str, query: Mapping[str, str], kept: Mapping[str, str] = NOTHING_KEPT) -> Landing:
        return self.store.read(self._landing(link, query, kept))

    async def alanding(self, link: str, query: Mapping[str, str], kept: Mapping[str, str] = NOTHING_KEPT) -> Landing:
        return await self.store.aread(self._landing(link, query, kept))

    def _landing(self, link: str, query: Mapping[str, str], kept: Mapping[str, str]) -> Callable[[Connection], Landing]:
        return lambda conn: join.landing(conn, self.context, link=link, query=query, kept=kept)

    def join(
        self, link: str, query: Mapping[str, str], language: str, desktop: bool, kept: Mapping[str, str] = NOTHING_KEPT
    ) -> JoinedSession:
        return self.store.write(self._join(link, query, language, desktop, kept))

    async def ajoin(
        self,
        link: str,
        query: Mapping[str, str],
        language: str | LanguageChoice,
        desktop: bool,
        kept: Mapping[str, str] = NOTHING_KEPT,
    ) -> JoinedSession:
        return await self.store.awrite(self._join(link, query, language, desktop, kept))

    def _join(
        self,
        link: str,
        query: Mapping[str, str],
        language: str | LanguageChoice,
        desktop: bool,
        kept: Mapping[str, str],
    ) -> Callable[[Connection], JoinedSession]:
        return lambda conn: join.join(
            conn, self.context, link=link, query=query, language=language, desktop=desktop, kept=kept
        )

    # ------------------------------------------------------------------------------------------ taking part

    def view(self, token: str) -> SessionView:
        return self.store.read(lambda conn: view_of(conn, self.context, token=token))

    async def aview(self, token: str) -> SessionView:
        return await self.store.aread(lambda conn: view_of(conn, self.context, token=token))

    def claim(self, token: str) -> SessionClaim:
        return self.store.write(lambda conn: join.claim(conn, self.context, token=token))

    async def aclaim(self, token: str) -> SessionClaim:
        return await self.store.awrite(lambda conn: join.claim(conn, self.context, token=token))

    def append(self, token: str, epoch: int, numbered: Iterable[tuple[int, str]]) -> int:
        """The highest event up to which nothing is missing, once that is durable."""
        return self.store.append(event_log.check_batch(token, epoch, numbered))

    async def aappend(self, token: str, epoch: int, numbered: Iterable[tuple[int, str]]) -> int:
        return await self.store.aappend(event_log.check_batch(token, epoch, numbered))

    def advance(self, token: str, epoch: int, position: int, seq: int) -> AdvanceResult:
        advanced = self.store.write(self._advance(token, epoch, position, seq))
        self._keep(advanced.standing)
        return advanced

    async def aadvance(self, token: str, epoch: int, position: int, seq: int) -> AdvanceResult:
        advanced = await self.store.awrite(self._advance(token, epoch, position, seq))
        self._keep(advanced.standing)
        return advanced

    async def anext(self, token: str, advanced: AdvanceResult) -> SessionView:
        """The page after an advance: where it was opened just now, nothing needs to be read for it."""
        return await self._aopen(token, advanced.standing if advanced.fresh else None)

    async def aclaimed(self, token: str, claimed: SessionClaim) -> SessionView:
        """The page after a claim."""
        return await self._aopen(token, claimed.untouched)

    async def _aopen(self, token: str, untouched: Standing | None) -> SessionView:
        trial = None if untouched is None else untouched.plan[untouched.session.position].trial
        if untouched is None or trial is None or trial.shown_round is not None or trial.rated_turn is not None:
            return await self.aview(token)  # what was opened beside an earlier page has to be read
        return _untouched(self.context, untouched)

    def _keep(self, standing: Standing) -> None:
        """What was committed need not be read again."""
        self.context.runs.put(standing.session.id, standing.behind)

    def _advance(self, token: str, epoch: int, position: int, seq: int) -> Callable[[Connection], AdvanceResult]:
        return lambda conn: advance.advance(conn, self.context, token=token, epoch=epoch, position=position, seq=seq)

    def finish(self, token: str, epoch: int, seq: int, head: str, query: Mapping[str, str] | None = None) -> SessionEnd:
        return self.store.write(self._finish(token, epoch, seq, head, query or {}))

    async def afinish(
        self, token: str, epoch: int, seq: int, head: str, query: Mapping[str, str] | None = None
    ) -> SessionEnd:
        return await self.store.awrite(self._finish(token, epoch, seq, head, query or {}))

    def _finish(
        self, token: str, epoch: int, seq: int, head: str, query: Mapping[str, str]
    ) -> Callable[[Connection], SessionEnd | Conflict]:
        return lambda conn: leave.finish(conn, self.context, token=token, epoch=epoch, seq=seq, head=head, query=query)

    # ------------------------------------------------------------------------------------------ leaving

    def later(self, token: str) -> ResumeTicket:
        return self.store.read(lambda conn: leave.later(conn, self.context, token=token))

    async def alater(self, token: str) -> ResumeTicket:
        return await self.store.aread(lambda conn: leave.later(conn, self.context, token=token))

    def resume(self, code: str, who: str) -> str:
        return self.store.write(self._resume(code, who))

    async def aresume(self, code: str, who: str) -> str:
        return await self.store.awrite(self._resume(code, who))

    def _resume(self, code: str, who: str) -> Callable[[Connection], str | NotFound]:
        return lambda conn: leave.resume(conn, self.context, code=code, who=who)

    def withdraw(self, token: str) -> None:
        """Deletes everything of the session. Asking twice is no mistake."""
        self._media.forget(token)
        self.store.write(lambda conn: self._withdraw(conn, token))

    async def awithdraw(self, token: str) -> None:
        self._media.forget(token)
        await self.store.awrite(lambda conn: self._withdraw(conn, token))

    def _withdraw(self, conn: Connection, token: str) -> None:
        try:
            session = sessions.by_token(conn, token_hash(token), lock=True)
        except Withdrawn:
            return
        sessions.withdraw(conn, session, self.context.clock.now_ms())
        self.context.runs.forget(session.id)

    # ------------------------------------------------------------------------------------------ media

    def medium(self, token: str, name: str) -> Path | bytes:
        """What is behind a session's name for a medium: a file, or the recording of one of its own rounds."""
        names = self._media.get(token)
        if names is None:
            names = self.store.read(lambda conn: media.media_of(conn, self.context, token))
            self._media.put(token, names)
        own = None if name in names else self.store.read(self._round_content(token, name))
        return media.chosen(names, name) if own is None else own

    async def amedium(self, token: str, name: str) -> Path | bytes:
        names = self._media.get(token)
        if names is None:
            names = await self.store.aread(lambda conn: media.media_of(conn, self.context, token))
            self._media.put(token, names)
        own = None if name in names else await self.store.aread(self._round_content(token, name))
        return media.chosen(names, name) if own is None else own

    def _round_content(self, token: str, name: str) -> Callable[[Connection], bytes | None]:
        return lambda conn: session_rounds.round_content(conn, self.context, token, name)
