"""The second factor: the code after the password, and setting it up or taking it off on the
account's page.
"""

from __future__ import annotations

import hmac

import segno
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from believable.core import ids
from believable.core.errors import InvalidInput, Refused, TooManyTries
from believable.core.one_time_codes import in_letters, otpauth_address
from believable.store import accounts, audit_log, log_ins
from believable.store import second_factor as factors
from believable.store.engine import Connection
from believable.web.console.console_page import (
    ADMINISTRATORS,
    ANYBODY,
    EVERY_USER,
    Console,
    ConsoleVisit,
    Route,
    render,
)
from believable.web.console.guard import (
    PATH,
    device_of,
    form_token,
    safe_next,
    set_device,
    set_login,
    set_visitor,
    visitor_token,
)
from believable.web.console.password_check import is_own_password

#: Between password and code: who gave the right password, signed, for some minutes.
STEP_COOKIE = "believable_step"
STEP_LIFE_MS = 5 * 60_000
STEP_PATH = f"{PATH}/login/code"
ISSUER = "believable"


def qr_svg(text: str) -> Markup:
    """A QR code that needs no script and no style."""
    code = segno.make(text, error="m", micro=False)
    return Markup(code.svg_inline(scale=4, border=4, light="#fff", svgclass="qr", omitsize=False))


# ----------------------------------------------------------------------------------------------
# logging in


async def enter_console(visit: ConsoleVisit, name: str, target: str) -> Response:
    """After the right password, or another proof: into the console, or to the question for a
    code.
    """
    console, now_ms, device = visit.console, visit.now_ms, device_of(visit.request)
    factor = await visit.read(lambda conn: factors.second_factor(conn, name))
    if factor.on:
        # The brake on passwords is released here: wrong codes have a separate one.
        await console.store.awrite(
            lambda conn: log_ins.forget_tries(conn, console.key, name, visit.peer, device)
        )
        response = RedirectResponse(STEP_PATH, 303)
        expires = str(now_ms + STEP_LIFE_MS)
        proof = _step_proof(console, name, expires, target)
        response.set_cookie(
            STEP_COOKIE,
            "|".join((proof, expires, name, target)),
            max_age=STEP_LIFE_MS // 1000,
            path=STEP_PATH,
            secure=console.secure,
            httponly=True,
            samesite="strict",
        )
        return response
    token, _ = await visit.change(
        lambda conn: log_ins.enter(
            conn, console.key, name, visit.peer, now_ms=now_ms, device=device
        ),
        "logged in",
        user=name,
        kind="account",
    )
    return inside(console, name, token, target)


def inside(console: Console, name: str, token: str, target: str) -> Response:
    response = RedirectResponse(target, 303)
    set_login(console, response, token)
    set_device(console, response, log_ins.device_mark(console.key, name))
    response.delete_cookie(STEP_COOKIE, path=STEP_PATH, httponly=True, samesite="strict")
    return response


def _step_proof(console: Console, name: str, expires: str, target: str) -> str:
    return ids.keyed_hash(console.key, "step before the code", name, expires, target)


def _halfway(console: Console, request: Request, now_ms: int) -> tuple[str, str]:
    """The user who gave the right password in this browser, and the page to open next."""
    proof, expires, name, target = (request.cookies.get(STEP_COOKIE, "").split("|", 3) + [""] * 4)[
        :4
    ]
    genuine = hmac.compare_digest(
        proof.encode(), _step_proof(console, name, expires, target).encode()
    )
    if not genuine or int(expires) <= now_ms:
        raise Refused("The log-in took too long. Begin again at /console/login.")
    return name, safe_next(target)


async def code_page(visit: ConsoleVisit) -> Response:
    _halfway(visit.console, visit.request, visit.now_ms)
    return _code_form(visit, message="", status=200)


def _code_form(visit: ConsoleVisit, *, message: str, status: int) -> Response:
    visitor = visitor_token(visit.request)
    csrf = form_token(visit.console, visit.login, visitor)
    response = render("code.html", None, status=status, csrf=csrf, message=message)
    set_visitor(visit.console, response, visitor)
    return response


async def give_code(visit: ConsoleVisit) -> Response:
    console, now_ms, code = visit.console, visit.now_ms, visit.form.get("code", "")[:64]
    name, target = _halfway(console, visit.request, now_ms)

    def apply(conn: Connection) -> str | None:
        if not factors.check_code(conn, console.key, name, code, now_ms=now_ms):
            return None
        token, _ = log_ins.log_in(conn, name, now_ms=now_ms)
        audit_log.note_audit(
            conn, user=name, what="logged in with a second factor", at_ms=now_ms, kind="account"
        )
        return token

    try:
        token = await console.store.awrite(apply)
    except TooManyTries as error:
        return _code_form(visit, message=str(error), status=429)
    if token is None:
        return _code_form(
            visit,
            message="That is not the code, or it was used already. Wait for the next one.",
            status=401,
        )
    return inside(console, name, token, target)


# ----------------------------------------------------------------------------------------------
# setting it up


async def setup_page(visit: ConsoleVisit) -> Response:
    return await _setup(visit, message="", status=200)


async def _setup(
    visit: ConsoleVisit, *, message: str, status: int, codes: tuple[str, ...] = ()
) -> Response:
    console, user = visit.console, visit.user
    factor = await visit.read(lambda conn: factors.second_factor(conn, user))
    secret = await visit.read(lambda conn: factors.proposed_secret(conn, console.key, user))
    address = "" if secret is None else otpauth_address(secret, issuer=ISSUER, account=user)
    return visit.render(
        "second_factor.html",
        status=status,
        message=message,
        factor=factor,
        letters="" if secret is None else in_letters(secret),
        address=address,
        picture=qr_svg(address) if address else "",
        codes=codes,
        required=await visit.read(factors.is_required),
        has_password=await visit.read(lambda conn: accounts.has_password(conn, user)),
    )


async def begin(visit: ConsoleVisit) -> Response:
    console, user = visit.console, visit.user
    await visit.change(
        lambda conn: factors.propose(conn, console.key, user),
        "began to set up a second factor",
        kind="account",
    )
    return RedirectResponse(f"{PATH}/account/second-factor", 303)


async def confirm(visit: ConsoleVisit) -> Response:
    """With the password, and the other log-ins end: who sits at an open browser could lock the
    person out, and who is in elsewhere would stay in without ever giving a code.
    """
    console, user, now_ms, code = (
        visit.console,
        visit.user,
        visit.now_ms,
        visit.form.get("code", ""),
    )
    login = visit.login
    assert login is not None

    def apply(conn: Connection) -> tuple[str, ...]:
        codes = factors.confirm(conn, console.key, user, code, now_ms=now_ms)
        log_ins.log_out_elsewhere(conn, login)
        return codes

    try:
        if not await is_own_password(visit, visit.form.get("password", "")):
            return await _setup(visit, message="The password is wrong.", status=422)
        codes = await visit.change(apply, "set up a second factor", kind="account")
    except TooManyTries as error:
        return await _setup(visit, message=str(error), status=429)
    except InvalidInput as error:
        return await _setup(visit, message=str(error), status=422)
    return await _setup(visit, message="", status=200, codes=codes)


async def take_off(visit: ConsoleVisit) -> Response:
    """With a code: an open browser is not yet the person."""
    console, user, now_ms, code = (
        visit.console,
        visit.user,
        visit.now_ms,
        visit.form.get("code", "")[:64],
    )

    def apply(conn: Connection) -> bool:
        right = factors.check_code(conn, console.key, user, code, now_ms=now_ms)
        if right:
            factors.take_off(conn, user)
            audit_log.note_audit(
                conn, user=user, what="took the second factor off", at_ms=now_ms, kind="account"
            )
        return right

    if not await console.store.awrite(apply):
        return await _setup(
            visit, message="That is not the code, or it was used already.", status=422
        )
    return RedirectResponse(f"{PATH}/account/second-factor", 303)


async def set_rule(visit: ConsoleVisit) -> Response:
    wanted = visit.form.get("second_factor") == "required"
    words = (
        "required a second factor of every account" if wanted else "made the second factor optional"
    )
    await visit.change(lambda conn: factors.require(conn, wanted), words, kind="account")
    return RedirectResponse(f"{PATH}/users", 303)


ROUTES = (
    Route(method="GET", path="/login/code", access=ANYBODY, answer=code_page),
    Route(method="POST", path="/login/code", access=ANYBODY, answer=give_code),
    Route(method="GET", path="/account/second-factor", access=EVERY_USER, answer=setup_page),
    Route(method="POST", path="/account/second-factor", access=EVERY_USER, answer=begin),
    Route(method="POST", path="/account/second-factor/confirm", access=EVERY_USER, answer=confirm),
    Route(method="POST", path="/account/second-factor/off", access=EVERY_USER, answer=take_off),
    Route(method="POST", path="/users/rules", access=ADMINISTRATORS, answer=set_rule),
)
