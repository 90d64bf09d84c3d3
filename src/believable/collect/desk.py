"""The desk where sessions are run. Each step exists for threads and, with `a` in front, for coroutines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from believable.collect import advance, claim, finish, join, later, media, own_round, publish, view
from believable.collect.advance import Advanced
from believable.collect.claim import Claimed
from believable.collect.context import Context, Definitions
from believable.collect.finish import Finished
from believable.collect.join import Joined, Landing
from believable.collect.later import Later
from believable.collect.publish import Published
from believable.collect.view import SessionView
from believable.core.clock import Clock
from believable.core.errors import Conflict, NotFound, Withdrawn
from believable.core.ids import new_token, token_hash
from believable.core.registry import Registry
from believable.instruments.contract import Instrument
from believable.store import erase, events, sessions
from believable.store.engine import Connection, Store
from believable.store.links import Link
from believable.study.definition import Definition

__all__ = [
    "Advanced",
    "Claimed",
    "Collect",
    "Finished",
    "Joined",
    "Landing",
    "Later",
    "Published",
    "SessionView",
]


class Collect:
    """Everything a participant can do, and publishing. Tokens are what opens a session; epochs come from `claim`."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock,
        key: bytes,
        instruments: Registry[Instrument[Any]],
        media_dir: Path,
        new_id: Callable[[], str] = new_token,
    ) -> None:
        self.store = store
        self.context = Context(clock, key, instruments, Path(media_dir), new_id, Definitions(instruments))
        self._media = media.MediaNames()

    # ------------------------------------------------------------------------------------------ researchers

    def publish(self, study_id: str, definition: Definition) -> Published:
        return self.store.write(
            lambda conn: publish.publish(conn, self.context, study_id=study_id, definition=definition)
        )

    def personal_links(self, study_id: str, labels: Sequence[str]) -> tuple[Link, ...]:
        return self.store.write(
            lambda conn: publish.personal_links(conn, self.context, study_id=study_id, labels=labels)
        )

    # ------------------------------------------------------------------------------------------ coming in

    def landing(self, link: str, query: Mapping[str, str]) -> Landing:
        return self.store.read(self._landing(link, query))

    async def alanding(self, link: str, query: Mapping[str, str]) -> Landing:
        return await self.store.aread(self._landing(link, query))

    def _landing(self, link: str, query: Mapping[str, str]) -> Callable[[Connection], Landing]:
        return lambda conn: join.landing(conn, self.context, link=link, query=query)

    def join(self, link: str, query: Mapping[str, str], language: str, desktop: bool) -> Joined:
        return self.store.write(self._join(link, query, language, desktop))

    async def ajoin(self, link: str, query: Mapping[str, str], language: str, desktop: bool) -> Joined:
        return await self.store.awrite(self._join(link, query, language, desktop))

    def _join(
        self, link: str, query: Mapping[str, str], language: str, desktop: bool
    ) -> Callable[[Connection], Joined]:
        return lambda conn: join.join(
            conn, self.context, link=link, query=query, language=language, desktop=desktop
        )

    # ------------------------------------------------------------------------------------------ taking part

    def view(self, token: str) -> SessionView:
        return self.store.read(lambda conn: view.view(conn, self.context, token=token))

    async def aview(self, token: str) -> SessionView:
        return await self.store.aread(lambda conn: view.view(conn, self.context, token=token))

    def claim(self, token: str) -> Claimed:
        return self.store.write(lambda conn: claim.claim(conn, self.context, token=token))

    async def aclaim(self, token: str) -> Claimed:
        return await self.store.awrite(lambda conn: claim.claim(conn, self.context, token=token))

    def append(self, token: str, epoch: int, numbered: Iterable[tuple[int, str]]) -> int:
        """The highest event up to which nothing is missing, once that is durable."""
        return self.store.append(events.batch(token, epoch, numbered))

    async def aappend(self, token: str, epoch: int, numbered: Iterable[tuple[int, str]]) -> int:
        return await self.store.aappend(events.batch(token, epoch, numbered))

    def advance(self, token: str, epoch: int, position: int, seq: int) -> Advanced:
        return self.store.write(self._advance(token, epoch, position, seq))

    async def aadvance(self, token: str, epoch: int, position: int, seq: int) -> Advanced:
        return await self.store.awrite(self._advance(token, epoch, position, seq))

    def _advance(self, token: str, epoch: int, position: int, seq: int) -> Callable[[Connection], Advanced]:
        return lambda conn: advance.advance(
            conn, self.context, token=token, epoch=epoch, position=position, seq=seq
        )

    def finish(
        self, token: str, epoch: int, seq: int, head: str, query: Mapping[str, str] | None = None
    ) -> Finished:
        return self.store.write(self._finish(token, epoch, seq, head, query or {}))

    async def afinish(
        self, token: str, epoch: int, seq: int, head: str, query: Mapping[str, str] | None = None
    ) -> Finished:
        return await self.store.awrite(self._finish(token, epoch, seq, head, query or {}))

    def _finish(
        self, token: str, epoch: int, seq: int, head: str, query: Mapping[str, str]
    ) -> Callable[[Connection], Finished | Conflict]:
        return lambda conn: finish.finish(
            conn, self.context, token=token, epoch=epoch, seq=seq, head=head, query=query
        )

    # ------------------------------------------------------------------------------------------ leaving

    def later(self, token: str) -> Later:
        return self.store.read(lambda conn: later.later(conn, self.context, token=token))

    async def alater(self, token: str) -> Later:
        return await self.store.aread(lambda conn: later.later(conn, self.context, token=token))

    def resume(self, code: str, who: str) -> str:
        return self.store.write(self._resume(code, who))

    async def aresume(self, code: str, who: str) -> str:
        return await self.store.awrite(self._resume(code, who))

    def _resume(self, code: str, who: str) -> Callable[[Connection], str | NotFound]:
        return lambda conn: later.resume(conn, self.context, code=code, who=who)

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
        erase.withdraw(conn, session, self.context.clock.now_ms())

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
        return lambda conn: own_round.round_content(conn, self.context, token, name)
