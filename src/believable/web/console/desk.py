"""What every console page works with: the services it needs, the page records, and one visit."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from believable.collect.desk import Collect
from believable.core.clock import Clock
from believable.core.registry import Registry
from believable.instruments import Instrument
from believable.store import accounts
from believable.store.accounts import Change, Login, Passwords
from believable.store.engine import Store
from believable.store.roles import Role
from believable.study.definition import Definition
from believable.web.console.computing import Computing
from believable.web.console.queue import HintCache
from believable.web.console.render import render

T = TypeVar("T")


@dataclass(frozen=True)
class Console:
    """The services behind the console. `base_url` is the address people use; it decides about secure cookies."""

    store: Store
    collect: Collect
    clock: Clock
    key: bytes
    base_url: str
    instruments: Registry[Instrument[Any]]
    media_dir: Path
    passwords: Passwords = field(default_factory=Passwords)
    hints: HintCache = field(default_factory=HintCache)
    #: A hash takes 64 MiB and a core: a flood of log-ins waits in line instead of taking the machine.
    hashing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    #: A bundle reads everything; participants come first.
    exporting: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    #: Results are computed in processes of their own and kept.
    computing: Computing = field(default_factory=Computing)

    @property
    def secure(self) -> bool:
        return self.base_url.startswith("https://")


#: Who may use a page: anybody, or users with one of the roles.
Access: TypeAlias = frozenset[Role] | None
ANYBODY: Access = None
EVERY_USER: Access = frozenset({"owner", "researcher", "coordinator", "coder"})
RESEARCHERS: Access = frozenset({"owner", "researcher"})
OWNERS: Access = frozenset({"owner"})


@dataclass(frozen=True, slots=True)
class Visit:
    """One request that was let in. `login` is None only on pages for anybody; `form` holds what was posted."""

    console: Console
    request: Request
    login: Login | None
    form: Mapping[str, str]

    @property
    def user(self) -> str:
        """The name of who is logged in, for records of what was done."""
        assert self.login is not None, "a page for anybody has no user"
        return self.login.user.name

    @property
    def now_ms(self) -> int:
        return self.console.clock.now_ms()

    @property
    def peer(self) -> str:
        return self.request.client.host if self.request.client else ""

    def path(self, name: str) -> str:
        return str(self.request.path_params[name])

    def query(self, name: str, default: str = "") -> str:
        return self.request.query_params.get(name, default)

    def render(self, name: str, /, *, status: int = 200, **context: Any) -> HTMLResponse:
        return render(name, self.login, status=status, **context)

    async def read(self, query: Change[T]) -> T:
        return await self.console.store.aread(query)

    async def definition(self, name: str) -> Definition:
        """A stored definition by its hash, parsed once per process."""
        known = self.console.collect.context.definitions
        return await self.read(lambda conn: known.get(conn, name))

    async def change(
        self, deed: Change[T], what: str, *, study: str | None = None, user: str | None = None
    ) -> T:
        """Does it and writes it into the audit log, both or neither."""
        noted = accounts.noted(deed, user=user or self.user, what=what, at_ms=self.now_ms, study=study)
        return await self.console.store.awrite(noted)


@dataclass(frozen=True, slots=True)
class Page:
    """A route of the console: declared with who may use it, so that none can be forgotten."""

    method: Literal["GET", "POST"]
    path: str
    access: Access
    answer: Callable[[Visit], Awaitable[Response]]
    form: Literal["page", "json"] = "page"
