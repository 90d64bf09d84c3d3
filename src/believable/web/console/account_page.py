"""Coming in and going out: log-in, log-out, the one-time link, and the account page."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response

from believable.core.errors import InvalidInput, TooManyTries
from believable.store import accounts, log_ins
from believable.store.log_ins import Login
from believable.web.console.console_page import (
    ANYBODY,
    EVERY_USER,
    RESEARCHERS,
    ConsoleVisit,
    Route,
    render,
)
from believable.web.console.guard import (
    PATH,
    device_of,
    drop_login,
    form_token,
    safe_next,
    set_visitor,
    visitor_token,
)
from believable.web.console.password_check import begin_try, run_hashing
from believable.web.console.second_factor_page import enter_console, inside

WRONG = "Name or password is wrong."


async def home(visit: ConsoleVisit) -> Response:
    target = "studies" if visit.rights.somewhere(RESEARCHERS) else "coding"
    return RedirectResponse(f"{PATH}/{target}", 303)


# ----------------------------------------------------------------------------------------------
# log-in


async def login_page(visit: ConsoleVisit) -> Response:
    if visit.login is not None:
        return RedirectResponse(safe_next(visit.query("next", PATH)), 303)
    return _login_form(visit, message="", status=200)


def _outside_form(
    visit: ConsoleVisit, template: str, status: int, login: Login | None, **context: object
) -> Response:
    """A form for a visitor who is not logged in: its token is that of the visitor's cookie."""
    visitor = visitor_token(visit.request)
    response = render(
        template, None, status=status, csrf=form_token(visit.console, login, visitor), **context
    )
    set_visitor(visit.console, response, visitor)
    return response


def _login_form(visit: ConsoleVisit, *, message: str, status: int) -> Response:
    about = {
        "name": visit.form.get("name", "")[:64],
        "next": safe_next(visit.form.get("next") or visit.query("next", PATH)),
    }
    elsewhere = "" if visit.console.oidc is None else visit.console.oidc.provider.host
    return _outside_form(
        visit, "login.html", status, None, message=message, elsewhere=elsewhere, **about
    )


async def log_in(visit: ConsoleVisit) -> Response:
    console = visit.console
    name, password = visit.form.get("name", ""), visit.form.get("password", "")
    try:
        attempt = await begin_try(visit, name)
    except TooManyTries as error:
        return _login_form(visit, message=str(error), status=429)
    right = await run_hashing(console, lambda: console.passwords.verify(attempt.stored, password))
    user = attempt.user
    if not right or user is None:
        return _login_form(visit, message=WRONG, status=401)

    return await enter_console(visit, user.name, safe_next(visit.form.get("next", PATH)))


# ----------------------------------------------------------------------------------------------
# one-time link


async def welcome_page(visit: ConsoleVisit) -> Response:
    """Opening the link spends nothing, so that mail scanners and previews do no harm."""
    user = await _invite(visit)
    return _welcome_form(visit, user.name, message="", status=200)


async def _invite(visit: ConsoleVisit) -> accounts.User:
    token, now_ms = visit.path("token"), visit.now_ms
    return await visit.read(lambda conn: accounts.open_link(conn, token, now_ms=now_ms))


def _welcome_form(visit: ConsoleVisit, name: str, *, message: str, status: int) -> Response:
    about = {"name": name, "message": message, "shortest": accounts.PASSWORD_MIN}
    return _outside_form(visit, "welcome.html", status, visit.login, **about)


async def welcome(visit: ConsoleVisit) -> Response:
    now_ms, link = visit.now_ms, visit.path("token")
    user = await _invite(visit)
    try:
        hashed = await _new_password(visit)
    except InvalidInput as error:
        return _welcome_form(visit, user.name, message=str(error), status=422)

    await visit.change(
        lambda conn: accounts.use_link(conn, link, hashed, now_ms=now_ms),
        "chose a password with a one-time link",
        user=user.name,
        kind="account",
    )
    return await enter_console(visit, user.name, PATH)


async def _new_password(visit: ConsoleVisit) -> str:
    password = visit.form.get("password", "")
    if password != visit.form.get("again", ""):
        raise InvalidInput("The two passwords differ. Type the same one twice.")
    return await run_hashing(visit.console, lambda: visit.console.passwords.hash(password))


# ----------------------------------------------------------------------------------------------
# account


async def account_page(visit: ConsoleVisit) -> Response:
    return _account(visit, message="", status=200)


def _account(visit: ConsoleVisit, *, message: str, status: int) -> Response:
    done = (
        "The password was changed. Other browsers were logged out." if visit.query("done") else ""
    )
    return visit.render(
        "account.html", status=status, message=message, done=done, shortest=accounts.PASSWORD_MIN
    )


async def change_password(visit: ConsoleVisit) -> Response:
    """Asks for the old password under the same brake as a log-in: an open browser is not yet the
    person.
    """
    console, now_ms, name = visit.console, visit.now_ms, visit.user
    attempt = await begin_try(visit, name)
    if not await run_hashing(
        console, lambda: console.passwords.verify(attempt.stored, visit.form.get("old", ""))
    ):
        return _account(visit, message="The old password is wrong.", status=422)
    try:
        hashed = await _new_password(visit)
    except InvalidInput as error:
        return _account(visit, message=str(error), status=422)

    token, _ = await visit.change(
        lambda conn: log_ins.change_password(
            conn,
            console.key,
            name,
            visit.peer,
            hashed,
            now_ms=now_ms,
            device=device_of(visit.request),
        ),
        "changed the password",
        kind="account",
    )
    return inside(console, name, token, f"{PATH}/account?done=password")


async def log_out(visit: ConsoleVisit) -> Response:
    login = visit.login
    assert login is not None
    await visit.change(lambda conn: log_ins.log_out(conn, login), "logged out", kind="account")
    return _left()


async def log_out_everywhere(visit: ConsoleVisit) -> Response:
    name = visit.user
    await visit.change(
        lambda conn: accounts.log_out_everywhere(conn, name),
        "logged out everywhere",
        kind="account",
    )
    return _left()


def _left() -> Response:
    response = RedirectResponse(f"{PATH}/login", 303)
    drop_login(response)
    return response


ROUTES = (
    Route(method="GET", path="", access=EVERY_USER, answer=home),
    Route(method="GET", path="/login", access=ANYBODY, answer=login_page),
    Route(method="POST", path="/login", access=ANYBODY, answer=log_in),
    Route(method="GET", path="/welcome/{token}", access=ANYBODY, answer=welcome_page),
    Route(method="POST", path="/welcome/{token}", access=ANYBODY, answer=welcome),
    Route(method="GET", path="/account", access=EVERY_USER, answer=account_page),
    Route(method="POST", path="/account/password", access=EVERY_USER, answer=change_password),
    Route(method="POST", path="/logout", access=EVERY_USER, answer=log_out),
    Route(method="POST", path="/logout/everywhere", access=EVERY_USER, answer=log_out_everywhere),
)
