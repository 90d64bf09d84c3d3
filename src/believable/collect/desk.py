"""Where studies are published and sessions are run.

`SessionView` contains the data that a session's page needs for rendering. It is never sent to the
browser as it is.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from believable.collect import advance, join, leave, media, session_rounds
from believable.collect.advance import AdvanceResult
from believable.collect.context import Context, Definitions, LatestKept, Standing, standing_of
from believable.collect.join import (
    NOTHING_KEPT,
    JoinedSession,
    Landing,
    LanguageChoice,
    SessionClaim,
)
from believable.collect.leave import PersonProof, ResumeTicket, SessionEnd, result
from believable.collect.media import ShownMedium, shown_media, still_media
from believable.collect.page_events import (
    ViewingProgress,
    annotation_events,
    opened_beside,
    page_events,
    seen_each,
    streams_of,
    unseen_players,
)
from believable.collect.revise import must_be_explained, pending_change, unpinned_note
from believable.collect.session_rounds import shown_round
from believable.contracts.submission import ClosedPage
from believable.contracts.trial import PlannedTrial
from believable.core.clock import Clock
from believable.core.errors import BelievableError, Withdrawn
from believable.core.ids import new_token, token_hash
from believable.store import event_checks, event_log, sessions, studies, view_checks
from believable.store.engine import Connection, Store
from believable.store.event_checks import Event
from believable.store.sessions import Session
from believable.store.studies import Link
from believable.study.definition import Definition
from believable.study.progress import answers_so_far

T = TypeVar("T")
NO_PROOF = PersonProof()


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionView:
    """`trial` is the page to show (the last one, a finish page, once `outcome` is set). `drafts`
    holds the raw entries on it by question id, `saved` its annotations (events of the kinds in
    `streams`); `answers` what earlier pages hold, by `trial.question`. `media` and `seen` are those
    of its players, in order, `opened` the panels opened alongside; `stills` are the stimuli of
    which it only shows small pictures. `finished` is set once the session is over.
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
    def position(self) -> int:
        return self.session.position

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
        """Wrong answers to the current check."""
        return self.session.wrong_tries


def view_of(conn: Connection, context: Context, *, token: str) -> SessionView:
    return _view(conn, context, standing_of(conn, context, token))


def _view(conn: Connection, context: Context, standing: Standing) -> SessionView:
    session = standing.session
    finished = (
        result(context, standing, session.outcome or "complete", {})
        if session.state == "finished"
        else None
    )
    return replace(
        unopened_page(context, standing),
        drafts=_drafts(conn, standing),
        saved=annotation_events(conn, context, standing),
        seen=seen_each(conn, standing),
        opened=opened_beside(conn, standing),
        media=_stimuli(context, standing) or shown_round(conn, context, standing),
        finished=finished,
    )


def unopened_page(context: Context, standing: Standing) -> SessionView:
    """A page on which nothing has happened yet, without asking the database."""
    session, trial = standing.session, standing.plan[standing.session.position]
    return SessionView(
        session=session,
        definition=standing.definition,
        plan=standing.plan,
        trial=trial,
        outcome=session.outcome or standing.step.outcome,
        closed=standing.closed_pages,
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
    """The latest `answer.change` of each question since the page opened, so that a reload loses
    nothing.
    """
    drafts: dict[str, Any] = {}
    for event in page_events(conn, standing, "answer.change"):
        question = event.data.get("question")
        if event.kind == "answer.change" and isinstance(question, str):
            drafts[question] = event.data.get("value")
    return drafts


SHARED_KINDS = ("open", "preview", "simulated")


@dataclass(frozen=True, slots=True)
class PublishedStudy:
    """`links` maps the kind of link to its token; `note` says which sessions of an earlier
    definition need no reason.
    """

    study_id: str
    definition: str
    links: Mapping[str, str]
    note: str = ""


def publish(
    conn: Connection,
    context: Context,
    *,
    study_id: str,
    definition: Definition,
    named: str | None = None,
) -> PublishedStudy:
    """Idempotent: the same study keeps its links and its state; a changed one gives its definition
    to new sessions only.

    If participants have begun, a changed study is refused until `revise` has recorded a reason.
    `named`: how a command names the study.
    """
    pending = pending_change(conn, study_id=study_id, definition=definition)
    if pending is not None:
        raise must_be_explained(pending, named or study_id)
    note = unpinned_note(conn, study_id=study_id, definition=definition)
    now_ms = context.clock.now_ms()
    title = definition.study.title.in_language(definition.study.languages[0])
    studies.put(
        conn,
        study_id,
        title=title,
        definition=definition.hash,
        body=definition.to_json(),
        at_ms=now_ms,
    )
    tokens = {
        link.kind: link.token for link in reversed(studies.links_of(conn, study_id, SHARED_KINDS))
    }
    for kind in SHARED_KINDS:
        if kind not in tokens:
            tokens[kind] = studies.create_link(
                conn, token=context.new_id(), study=study_id, kind=kind, at_ms=now_ms
            ).token
    return PublishedStudy(study_id, definition.hash, tokens, note)


def personal_links(
    conn: Connection, context: Context, *, study_id: str, labels: Sequence[str]
) -> tuple[Link, ...]:
    """One single-use link per label. Always random: a guessed token would give access to another
    person's session.
    """
    studies.get(conn, study_id)
    now_ms = context.clock.now_ms()
    return tuple(
        studies.create_link(
            conn, token=new_token(), study=study_id, kind="personal", at_ms=now_ms, label=label
        )
        for label in labels
    )


@dataclass(frozen=True, slots=True)
class DeskStep(Generic[T]):
    """Something that is done at the desk: awaited by coroutines, done `now()` by threads."""

    now: Callable[[], T]
    _later: Callable[[], Awaitable[T]]

    def __await__(self) -> Generator[Any, Any, T]:
        return self._later().__await__()

    def and_then(self, afterwards: Callable[[T], None]) -> DeskStep[T]:
        """The same, and what follows from it once it is durable."""

        def now() -> T:
            result = self.now()
            afterwards(result)
            return result

        async def later() -> T:
            result = await self
            afterwards(result)
            return result

        return DeskStep(now, later)


class Collect:
    """Everything a participant can do, and publishing. Tokens open a session; `claim` returns
    epochs.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock,
        key: bytes,
        media_dir: Path,
        new_id: Callable[[], str] = new_token,
    ) -> None:
        self.store = store
        self.context = Context(
            clock=clock,
            key=key,
            media_dir=Path(media_dir),
            new_id=new_id,
            definitions=Definitions(),
        )
        self._media: LatestKept[str, Mapping[str, Path]] = LatestKept(media.SESSIONS_KEPT)

    def _read(self, query: Callable[[Connection], T]) -> DeskStep[T]:
        return DeskStep(lambda: self.store.read(query), lambda: self.store.aread(query))

    def _write(self, change: Callable[[Connection], T | BelievableError]) -> DeskStep[T]:
        return DeskStep(lambda: self.store.write(change), lambda: self.store.awrite(change))

    # ------------------------------------------------------------------------------------------
    # researchers

    def publish(
        self, study_id: str, definition: Definition, *, named: str | None = None
    ) -> PublishedStudy:
        wish: dict[str, Any] = {"study_id": study_id, "definition": definition, "named": named}
        return self.store.write(lambda conn: publish(conn, self.context, **wish))

    def personal_links(self, study_id: str, labels: Sequence[str]) -> tuple[Link, ...]:
        return self.store.write(
            lambda conn: personal_links(conn, self.context, study_id=study_id, labels=labels)
        )

    # ------------------------------------------------------------------------------------------
    # coming in

    def landing(
        self, link: str, query: Mapping[str, str], kept: Mapping[str, str] = NOTHING_KEPT
    ) -> DeskStep[Landing]:
        return self._read(
            lambda conn: join.landing(conn, self.context, link=link, query=query, kept=kept)
        )

    def join(
        self,
        link: str,
        query: Mapping[str, str],
        language: str | LanguageChoice,
        desktop: bool,
        kept: Mapping[str, str] = NOTHING_KEPT,
        who: str = "",
    ) -> DeskStep[JoinedSession]:
        wish: dict[str, Any] = {
            "query": query,
            "language": language,
            "desktop": desktop,
            "kept": kept,
            "who": who,
        }
        return self._write(lambda conn: join.join(conn, self.context, link=link, **wish))

    # ------------------------------------------------------------------------------------------
    # taking part

    def view(self, token: str) -> DeskStep[SessionView]:
        return self._read(lambda conn: view_of(conn, self.context, token=token))

    def claim(self, token: str) -> DeskStep[SessionClaim]:
        return self._write(lambda conn: join.claim(conn, self.context, token=token))

    def append(self, token: str, epoch: int, numbered: Iterable[tuple[int, str]]) -> DeskStep[int]:
        """The highest event up to which nothing is missing, once that is durable."""
        batch = event_checks.check_batch(token, epoch, numbered)
        return DeskStep(lambda: self.store.append(batch), lambda: self.store.aappend(batch))

    def advance(
        self,
        token: str,
        epoch: int,
        position: int,
        seq: int,
        numbered: Iterable[tuple[int, str]] = (),
    ) -> DeskStep[AdvanceResult]:
        """Closes a page, after storing the events sent with that: both in one change,
        or neither.
        """
        where: dict[str, Any] = {"token": token, "epoch": epoch, "position": position, "seq": seq}
        batch = event_checks.check_batch(token, epoch, numbered)

        def change(conn: Connection) -> AdvanceResult | BelievableError:
            if batch.events:
                stored = event_log.apply(conn, [batch], self.context.clock.now_ms())[0]
                if isinstance(stored, BelievableError):
                    # with the strays, as for a separate batch
                    return stored
            return advance.advance(conn, self.context, **where)

        step = self._write(change)
        return step.and_then(lambda advanced: self._keep(advanced.standing))

    async def next(self, token: str, advanced: AdvanceResult) -> SessionView:
        """The page after an advance: if it was opened just now, nothing needs to be read for it."""
        return await self._open(token, advanced.standing if advanced.fresh else None)

    async def view_after_claim(self, token: str, claimed: SessionClaim) -> SessionView:
        """The page after a claim."""
        return await self._open(token, claimed.untouched)

    async def _open(self, token: str, untouched: Standing | None) -> SessionView:
        trial = None if untouched is None else untouched.plan[untouched.session.position].trial
        if (
            untouched is None
            or trial is None
            or trial.own_round is not None
            or trial.rated_turn is not None
        ):
            return await self.view(token)  # the panels opened on an earlier page must be read
        return unopened_page(self.context, untouched)

    def _keep(self, standing: Standing) -> None:
        """Committed data need not be read again."""
        self.context.runs.put(standing.session.id, standing.behind)

    def finish(
        self, token: str, epoch: int, seq: int, head: str, query: Mapping[str, str] | None = None
    ) -> DeskStep[SessionEnd]:
        where: dict[str, Any] = {
            "token": token,
            "epoch": epoch,
            "seq": seq,
            "head": head,
            "query": query or {},
        }
        return self._write(lambda conn: leave.finish(conn, self.context, **where))

    # ------------------------------------------------------------------------------------------
    # leaving

    def later(self, token: str, proof: PersonProof = NO_PROOF) -> DeskStep[ResumeTicket]:
        return self._read(lambda conn: leave.later(conn, self.context, token=token, proof=proof))

    def resume(self, code: str, who: str) -> DeskStep[JoinedSession]:
        return self._write(lambda conn: join.resume(conn, self.context, code=code, who=who))

    def withdraw(self, token: str, proof: PersonProof = NO_PROOF) -> DeskStep[None]:
        """Deletes everything of the session. Asking twice is no mistake. After the end of a session
        it takes a proof.
        """
        self._media.forget(token_hash(token))
        return self._write(lambda conn: self._withdraw(conn, token, proof))

    def holder_mark(self, token: str) -> str:
        """The proof of participation that a browser keeps."""
        return leave.holder_mark(self.context, token)

    def _withdraw(self, conn: Connection, token: str, proof: PersonProof) -> BelievableError | None:
        try:
            session = sessions.by_token(conn, token_hash(token), lock=True)
        except Withdrawn:
            return None
        refused = leave.check_proof(conn, self.context, session, proof)
        if refused is not None:
            return refused
        sessions.withdraw(conn, session, self.context.clock.now_ms())
        self.context.runs.forget(session.id)
        return None

    # ------------------------------------------------------------------------------------------
    # media

    def note_sent(self, token: str, name: str, n_bytes: int) -> DeskStep[None]:
        """The number of bytes of a medium that were sent to the session."""
        return self._write(
            lambda conn: view_checks.note_sent(conn, token_hash(token), name, n_bytes)
        )

    async def medium(self, token: str, name: str) -> Path | bytes:
        """The medium behind a session's name for it: a file, or the recording of one
        of its rounds.
        """
        names = self._media.get(token_hash(token))
        if names is None:
            names = await self._read(lambda conn: media.media_of(conn, self.context, token))
            self._media.put(token_hash(token), names)
        if name not in names:
            own = await self._read(
                lambda conn: session_rounds.round_content(conn, self.context, token, name)
            )
            if own is not None:
                return own
        return media.choose_media(names, name)
