"""User management, and the trail of what researchers did."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.responses import RedirectResponse, Response

from believable.core.errors import NotFound
from believable.core.registry import did_you_mean
from believable.store import ROLES, accounts
from believable.store.accounts import Change, User
from believable.web.console.console_page import OWNERS, RESEARCHERS, ConsoleVisit, Route
from believable.web.console.guard import PATH

AUDIT_LINES = 500


async def users_page(visit: ConsoleVisit) -> Response:
    return await _users(visit, name="", link="")


async def _users(visit: ConsoleVisit, *, name: str, link: str) -> Response:
    """`link` is shown once: only its hash is kept."""
    users = await visit.read(accounts.everyone)
    return visit.render("users.html", users=users, roles=ROLES, name=name, link=link)


def link_address(base_url: str, token: str) -> str:
    return f"{base_url.rstrip('/')}{PATH}/welcome/{token}"


async def add(visit: ConsoleVisit) -> Response:
    now_ms = visit.now_ms
    name, role = (accounts.check_name(visit.form.get("name", "")), accounts.check_role(visit.form.get("role", "")))
    token = await visit.change(
        lambda conn: accounts.invite(conn, name, role, now_ms=now_ms), f"added user {name} as {role}"
    )
    return await _users(visit, name=name, link=link_address(visit.console.base_url, token))


async def reset(visit: ConsoleVisit) -> Response:
    name, now_ms = visit.path("name"), visit.now_ms
    token = await visit.change(
        lambda conn: accounts.reset_by_link(conn, name, now_ms=now_ms), f"reset the password of user {name}"
    )
    return await _users(visit, name=name, link=link_address(visit.console.base_url, token))


def _disable(name: str, form: Mapping[str, str]) -> tuple[Change[User], str]:
    return lambda conn: accounts.disable(conn, name), f"disabled user {name}"


def _enable(name: str, form: Mapping[str, str]) -> tuple[Change[User], str]:
    return lambda conn: accounts.enable(conn, name), f"enabled user {name}"


def _role(name: str, form: Mapping[str, str]) -> tuple[Change[User], str]:
    role = accounts.check_role(form.get("role", ""))
    return lambda conn: accounts.set_role(conn, name, role), f"made user {name} {role}"


DEEDS: Mapping[str, Callable[[str, Mapping[str, str]], tuple[Change[User], str]]] = {
    "disable": _disable,
    "enable": _enable,
    "role": _role,
}


async def alter(visit: ConsoleVisit) -> Response:
    deed = visit.path("deed")
    if deed not in DEEDS:
        raise NotFound(f"nothing called {deed!r} can be done with a user. {did_you_mean(deed, DEEDS)}")
    change, what = DEEDS[deed](visit.path("name"), visit.form)
    await visit.change(change, what)
    return RedirectResponse(f"{PATH}/users", 303)


async def audit_page(visit: ConsoleVisit) -> Response:
    study = visit.query("study") or None
    lines = await visit.read(lambda conn: accounts.recent_audit(conn, AUDIT_LINES, study))
    return visit.render("audit.html", lines=lines, study=study, most=AUDIT_LINES)


ROUTES = (
    Route("GET", "/users", OWNERS, users_page, tab="Users"),
    Route("POST", "/users", OWNERS, add),
    Route("POST", "/users/{name}/reset", OWNERS, reset),
    Route("POST", "/users/{name}/{deed}", OWNERS, alter),
    Route("GET", "/audit", RESEARCHERS, audit_page, tab="Audit log"),
)
