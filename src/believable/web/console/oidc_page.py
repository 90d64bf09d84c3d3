"""Logging in elsewhere: to the provider, and back with a person it vouches for. Only people who
have an account here get in.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from typing import TYPE_CHECKING

from starlette.responses import RedirectResponse, Response

from believable.core import ids
from believable.core.errors import NotFound, Refused
from believable.store import identities
from believable.web.console.console_page import ANYBODY, Console, ConsoleVisit, Route, render
from believable.web.console.guard import PATH, safe_next
from believable.web.console.second_factor_page import enter_console

if TYPE_CHECKING:
    from believable.web.oidc_tokens import OidcClient

#: Stored for the way to the provider and back: the answer must match. `lax`, because the browser
#: returns from another site.
WAY_COOKIE = "believable_oidc"
WAY_PATH = f"{PATH}/oidc"
WAY_LIFE_MS = 10 * 60_000


def back_address(console: Console) -> str:
    return f"{console.base_url.rstrip('/')}{WAY_PATH}/return"


def the_client(visit: ConsoleVisit) -> OidcClient:
    if visit.console.oidc is None:
        raise NotFound(
            "this server has no other way to log in than a password. See `believable serve"
            " --oidc-issuer`."
        )
    return visit.console.oidc


async def leave(visit: ConsoleVisit) -> Response:
    client, console = the_client(visit), visit.console
    state, nonce = ids.new_token(), ids.new_token()
    verifier = ids.new_token() + ids.new_token()  # RFC 7636 wants 43 characters or more
    address = await client.address(
        back_address(console), state=state, nonce=nonce, verifier=verifier
    )
    parts = (
        str(visit.now_ms + WAY_LIFE_MS),
        state,
        nonce,
        verifier,
        safe_next(visit.query("next", PATH)),
    )
    response = RedirectResponse(address, 303)
    response.set_cookie(
        WAY_COOKIE,
        "|".join((_proof(console, parts), *parts)),
        max_age=WAY_LIFE_MS // 1000,
        path=WAY_PATH,
        secure=console.secure,
        httponly=True,
        samesite="lax",
    )
    return response


def _proof(console: Console, parts: tuple[str, ...]) -> str:
    return ids.keyed_hash(console.key, "way to the provider", *parts)


def _way(visit: ConsoleVisit) -> Mapping[str, str]:
    """What this browser took along, if it is the one that left."""
    proof, _, rest = visit.request.cookies.get(WAY_COOKIE, "").partition("|")
    parts = tuple(rest.split("|", 4))
    genuine = len(parts) == 5 and hmac.compare_digest(
        proof.encode(), _proof(visit.console, parts).encode()
    )
    if not genuine or int(parts[0]) <= visit.now_ms:
        raise Refused(
            "This browser did not begin to log in elsewhere, or took too long. Begin again at"
            " /console/login."
        )
    way = dict(zip(("expires", "state", "nonce", "verifier", "target"), parts, strict=True))
    if not hmac.compare_digest(visit.query("state").encode(), way["state"].encode()):
        raise Refused("The answer belongs to another log-in. Begin again at /console/login.")
    return way


async def come_back(visit: ConsoleVisit) -> Response:
    client, now_ms = the_client(visit), visit.now_ms
    way = _way(visit)
    if visit.query("error") or not visit.query("code"):
        raise Refused(
            f"{client.provider.host} did not log you in ({visit.query('error')[:80] or 'no code'})."
        )
    who = await client.identity(
        visit.query("code"),
        back_address(visit.console),
        nonce=way["nonce"],
        verifier=way["verifier"],
    )
    user = await visit.console.store.awrite(
        lambda conn: identities.user_of(conn, who.issuer, who.subject, who.email, now_ms=now_ms)
    )
    return _arrive(await enter_console(visit, user, safe_next(way["target"])))


def _arrive(inside: Response) -> Response:
    """Cookies for this site alone are not sent along a way that began elsewhere: a page of ours
    goes the last step.
    """
    response = render("arrived.html", None, target=inside.headers["location"])
    for name, value in inside.raw_headers:
        if name == b"set-cookie":
            response.raw_headers.append((name, value))
    response.delete_cookie(WAY_COOKIE, path=WAY_PATH, httponly=True, samesite="lax")
    return response


ROUTES = (
    Route(method="GET", path="/oidc", access=ANYBODY, answer=leave),
    Route(method="GET", path="/oidc/return", access=ANYBODY, answer=come_back),
)
