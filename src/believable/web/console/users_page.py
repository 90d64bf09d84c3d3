"""Accounts of the server: who there is, who administers, and one-time links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from starlette.responses import RedirectResponse, Response

from believable.core.errors import NotFound
from believable.core.registry import did_you_mean
from believable.store import ROLES, accounts, rights, second_factor, studies
from believable.store.accounts import User
from believable.store.engine import Connection
from believable.store.rights import Rights
from believable.store.studies import StudyRow
from believable.web.console.console_page import ADMINISTRATORS, ConsoleVisit, Route
from believable.web.console.guard import PATH

#: The choices for a new user besides the roles in a study.
ADMINISTRATOR = "administrator"


async def users_page(visit: ConsoleVisit) -> Response:
    return await _users(visit, name="", link="")


async def _users(visit: ConsoleVisit, *, name: str, link: str) -> Response:
    """`link` is shown once: only its hash is kept."""

    def look(
        conn: Connection,
    ) -> tuple[list[tuple[User, Rights, bool]], tuple[StudyRow, ...], bool]:
        everyone = [
            (
                user,
                rights.rights_of(conn, user.name),
                second_factor.second_factor(conn, user.name).on,
            )
            for user in accounts.everyone(conn)
        ]
        return everyone, studies.every(conn), second_factor.is_required(conn)

    users, rows, required = await visit.read(look)
    return visit.render(
        "users.html",
        users=users,
        studies=rows,
        roles=ROLES,
        required=required,
        name=name,
        link=link,
    )


def link_address(base_url: str, token: str) -> str:
    return f"{base_url.rstrip('/')}{PATH}/welcome/{token}"


async def add(visit: ConsoleVisit) -> Response:
    """Invite a user with a role in one study, an administrator, or, without a study, a user without
    any role yet.
    """
    now_ms, name = visit.now_ms, accounts.check_name(visit.form.get("name", ""))
    wanted, study = visit.form.get("role", ""), visit.form.get("study", "")
    administrator = wanted == ADMINISTRATOR
    role = None if administrator or not study else rights.check_role(wanted)

    def apply(conn: Connection) -> str:
        if role is not None:
            studies.get(conn, study)
        token = accounts.invite(conn, name, now_ms=now_ms, administrator=administrator)
        if role is not None:
            rights.grant(conn, name, study, role, now_ms=now_ms)
        return token

    words = (
        ADMINISTRATOR
        if administrator
        else "user without a role"
        if role is None
        else f"{role} of {study}"
    )
    token = await visit.change(
        apply, f"added {name} as {words}", kind="account", study=study if role else None
    )
    return await _users(visit, name=name, link=link_address(visit.console.base_url, token))


async def reset(visit: ConsoleVisit) -> Response:
    name, now_ms = visit.path("name"), visit.now_ms
    token = await visit.change(
        lambda conn: accounts.reset_by_link(conn, name, now_ms=now_ms),
        f"reset the password of user {name}",
        kind="account",
    )
    return await _users(visit, name=name, link=link_address(visit.console.base_url, token))


#: What can be done with a user, and how the audit log says it.
DEEDS: Mapping[str, tuple[Callable[[Connection, str], object], str]] = {
    "disable": (accounts.disable, "disabled user {}"),
    "enable": (accounts.enable, "enabled user {}"),
    "promote": (
        partial(accounts.set_administrator, administrator=True),
        "made user {} an administrator",
    ),
    "demote": (
        partial(accounts.set_administrator, administrator=False),
        "made user {} no administrator any more",
    ),
    "single-factor": (
        lambda conn, name: second_factor.take_off(conn, accounts.find(conn, name).name),
        "took the second factor of user {} off",
    ),
}


async def alter(visit: ConsoleVisit) -> Response:
    deed, name = visit.path("deed"), visit.path("name")
    if deed not in DEEDS:
        raise NotFound(
            f"nothing called {deed!r} can be done with a user. {did_you_mean(deed, DEEDS)}"
        )
    change, words = DEEDS[deed]
    await visit.change(lambda conn: change(conn, name), words.format(name), kind="account")
    return RedirectResponse(f"{PATH}/users", 303)


ROUTES = (
    Route(method="GET", path="/users", access=ADMINISTRATORS, answer=users_page, tab="Users"),
    Route(method="POST", path="/users", access=ADMINISTRATORS, answer=add),
    Route(method="POST", path="/users/{name}/reset", access=ADMINISTRATORS, answer=reset),
    Route(method="POST", path="/users/{name}/{deed}", access=ADMINISTRATORS, answer=alter),
)
