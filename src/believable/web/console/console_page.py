"""What every console page works with: the services behind it, its routes, one visit, and how
numbers and times are written.
"""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from believable.collect.desk import Collect
from believable.core.clock import Clock
from believable.core.errors import InvalidInput
from believable.store import Role, audit_log, monitor
from believable.store.accounts import Passwords
from believable.store.audit_log import AuditKind, Change
from believable.store.engine import Store
from believable.store.log_ins import Login
from believable.store.rights import Rights
from believable.study.definition import Definition
from believable.web.connections import place_of
from believable.web.console.live_results import LiveResults
from believable.web.console.review_upkeep import ReviewUpkeep
from believable.web.templating import templates

if TYPE_CHECKING:
    from believable.web.oidc_tokens import OidcClient


def utc(ms: int | None) -> str:
    """`2026-11-15 20:33:41`, in UTC."""
    if ms is None:
        return "–"
    return datetime.datetime.fromtimestamp(ms / 1000, datetime.UTC).strftime("%Y-%m-%d %H:%M:%S")


def duration(ms: float | None) -> str:
    """`850 ms`, `42 s`, `12 min 05 s`, `3 h 10 min`, `4 d 2 h`.

    >>> [duration(ms) for ms in (None, 850, 42_000, 725_000, 11_400_000, 353_000_000)]
    ['–', '850 ms', '42 s', '12 min 05 s', '3 h 10 min', '4 d 2 h']
    """
    if ms is None:
        return "–"
    if ms < 1000:
        return f"{ms:.0f} ms"
    seconds = round(ms / 1000)
    if seconds < 60:
        return f"{seconds} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60:02d} s"
    if seconds < 86_400:
        return f"{seconds // 3600} h {seconds % 3600 // 60:02d} min"
    return f"{seconds // 86_400} d {seconds % 86_400 // 3600} h"


def number(value: float) -> str:
    """Whole numbers, thousands as reports write them.

    >>> number(1234567)
    '1,234,567'
    """
    return f"{value:,.0f}"


FILTERS = {"utc": utc, "duration": duration, "number": number}


def render(name: str, /, login: Login | None, *, status: int = 200, **context: Any) -> HTMLResponse:
    """A template of the console. `me` is who is logged in; `csrf` must be in every form."""
    csrf = context.pop("csrf", login.csrf if login is not None else "")
    template = templates.get_template(f"console/{name}")
    me, rights = (None, None) if login is None else (login.user, login.rights)
    html = template.render(me=me, rights=rights, csrf=csrf, **FILTERS, **context)
    # Half an emoji, which a browser may send, has no place in UTF-8: it is shown as an escape.
    return HTMLResponse(html.encode("utf-8", "backslashreplace"), status_code=status)


# ----------------------------------------------------------------------------------------------
# services


T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Console:
    """The services behind the console. `base_url` is the address people use; it decides about
    secure cookies. `study_folders` are those of the studies this server was started with, by id:
    registered plans and simulated power lie there.
    """

    store: Store
    collect: Collect
    clock: Clock
    key: bytes
    base_url: str

    media_dir: Path
    drafts_dir: Path
    study_folders: Mapping[str, Path] = field(default_factory=dict)
    #: Where people may log in as well.
    oidc: OidcClient | None = None
    passwords: Passwords = field(default_factory=Passwords)
    #: Keeps the queue of answers to review, outside of the requests.
    upkeep: ReviewUpkeep = field(default_factory=ReviewUpkeep)
    #: A hash takes 64 MiB and a core: a flood of log-ins waits in line instead of taking the
    #: machine.
    hashing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    #: A bundle reads every event; participants have priority.
    exporting: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    #: Results are computed in separate processes and cached.
    computing: LiveResults = field(default_factory=LiveResults)

    @property
    def secure(self) -> bool:
        return self.base_url.startswith("https://")


#: Who may use a page: any visitor, any user, administrators of the server, or users with one of the
#: roles. A role counts in the study that the address names, or whose project it names; if it names
#: neither, in any study.
Access: TypeAlias = frozenset[Role] | Literal["anybody", "users", "administrators"]
ANYBODY: Access = "anybody"
EVERY_USER: Access = "users"
ADMINISTRATORS: Access = "administrators"
STUDY_OWNERS: frozenset[Role] = frozenset({"owner"})
RESEARCHERS: frozenset[Role] = frozenset({"owner", "researcher"})
COORDINATORS: frozenset[Role] = frozenset({"owner", "researcher", "coordinator"})
CODERS: frozenset[Role] = frozenset({"owner", "researcher", "coordinator", "coder"})


@dataclass(frozen=True, slots=True)
class ConsoleVisit:
    """One admitted request. `login` is None only on public pages; `form` holds the posted
    fields.
    """

    console: Console
    request: Request
    login: Login | None
    form: Mapping[str, str]

    @property
    def rights(self) -> Rights:
        assert self.login is not None, "a page for anybody has no user"
        return self.login.rights

    @property
    def user(self) -> str:
        """The name of the user, for the records of actions."""
        assert self.login is not None, "a page for anybody has no user"
        return self.login.user.name

    @property
    def now_ms(self) -> int:
        return self.console.clock.now_ms()

    @property
    def peer(self) -> str:
        return place_of(self.request)

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
        self,
        deed: Change[T],
        what: str,
        *,
        study: str | None = None,
        user: str | None = None,
        kind: AuditKind = "change",
        session: str | None = None,
    ) -> T:
        """Does it and writes it into the audit log, both or neither. `session` is whom the words
        are about, if one.
        """
        noted = audit_log.with_note(
            deed,
            user=user or self.user,
            what=what,
            at_ms=self.now_ms,
            study=study,
            kind=kind,
            session=session,
        )
        return await self.console.store.awrite(noted)

    async def log_look(self, what: str, *, study: str | None, session: str | None = None) -> None:
        """Writes into the audit log that data of people are shown. A look that cannot be noted is
        refused by its error.
        """
        user, at_ms = self.user, self.now_ms
        await self.console.store.awrite(
            lambda conn: audit_log.note_view(
                conn, user=user, what=what, at_ms=at_ms, study=study, session=session
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A route of the console: declared with who may use it, so that none can be forgotten.

    A page with a `tab` is in the navigation under that title, in the order of `console.PAGES`:
    below a study's head if it is a study's page, else at the top.
    """

    method: Literal["GET", "POST"]
    path: str
    access: Access
    answer: Callable[[ConsoleVisit], Awaitable[Response]]
    form: Literal["page", "json"] = "page"
    tab: str = ""

    @property
    def name(self) -> str:
        """What templates call the tab: the last word of its path."""
        return self.path.rpartition("/")[2].strip("{}")

    @property
    def of_study(self) -> bool:
        return "{study}" in self.path

    def offered_to(self, rights: Rights) -> bool:
        """Return whether the user may use its tab."""
        if isinstance(self.access, frozenset):
            return rights.somewhere(self.access)
        return self.access != "administrators" or rights.administrator


async def pool_to_show(visit: ConsoleVisit, study: str, allowed: Iterable[str]) -> str:
    """`real`, `simulated` or `preview`. A pool named in the address or the form is taken as it
    is.
    """
    names = tuple(allowed)
    asked = visit.query("pool") or visit.form.get("pool", "")
    if asked:
        if asked not in names:
            raise InvalidInput(
                f"pool: expected {' or '.join(names)}, got {asked[:20]!r}. Use the page's tabs."
            )
        return asked
    sizes = await visit.read(lambda conn: monitor.pool_sizes(conn, study))
    return "simulated" if sizes["simulated"] and not sizes["real"] else "real"
