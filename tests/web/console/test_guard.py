"""The door of the console: walked over every declared page, not over the ones somebody
remembered.
"""

from __future__ import annotations

import re

import httpx
import pytest

from believable.store import accounts, log_ins
from believable.web.console import ROUTES
from believable.web.console.console_page import Route
from believable.web.console.guard import PATH, safe_next

from .conftest import BASE, PASSWORD, Browser, World

pytestmark = pytest.mark.usefixtures("forked_children")
OPEN = {"/login", "/login/code", "/oidc", "/oidc/return", "/welcome/{token}"}


def address(page: Route) -> str:
    values = {
        "study": "study",
        "pool": "real",
        "number": "1",
        "hash": "0" * 64,
        "name": "ada",
        "deed": "disable",
    }
    return PATH + re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], "x"), page.path)


def ask(browser: Browser, page: Route, **fields: str) -> httpx.Response:
    if page.method == "GET":
        return browser.get(address(page))
    return browser.request(
        "POST", address(page), data=fields or {"x": "y"}, headers={"origin": BASE}
    )


def test_only_the_entrance_is_for_anybody() -> None:
    assert {page.path for page in ROUTES if page.access == "anybody"} == OPEN


def test_every_route_of_the_application_under_console_is_a_declared_page(world: World) -> None:
    found = set()
    pending = list(world.app.routes)
    while pending:
        route = pending.pop()
        if hasattr(route, "original_router"):
            pending += route.original_router.routes
        elif getattr(route, "path", "").startswith(PATH):
            found |= {(method, route.path) for method in route.methods - {"HEAD"}}
    assert found == {(page.method, PATH + page.path) for page in ROUTES}


def test_without_a_login_nothing_opens(world: World) -> None:
    world.person().run("some words", "more words")
    for page in ROUTES:
        if page.access == "anybody":
            continue
        reply = ask(world.browser(), page)
        if page.form == "json":
            assert reply.status_code == 401, page
            assert reply.json()["error"]["code"] == "log_in"
        else:
            assert reply.status_code == 303, page
            assert reply.headers["location"].startswith("/console/login")
        assert "some words" not in reply.text


def test_a_coder_sees_no_study(world: World) -> None:
    coder = world.log_in("cleo", "coder")
    home = coder.get("/console")
    assert home.headers["location"] == "/console/coding"
    assert "Studies" not in coder.get("/console/coding").text


def test_every_post_needs_the_token_of_its_own_form(world: World, owner: Browser) -> None:
    for page in ROUTES:
        if page.method == "POST":
            reply = ask(owner, page, csrf="guessed")
            assert reply.status_code == 403, page
            assert "too old or was not made for you" in reply.text


def test_the_token_of_another_login_does_not_do(world: World, owner: Browser) -> None:
    other = world.log_in("bob", "administrator")
    token = other.csrf("/console/account")
    reply = owner.request("POST", "/console/logout", data={"csrf": token}, headers={"origin": BASE})
    assert reply.status_code == 403


@pytest.mark.parametrize(
    "origin",
    [None, "null", "https://evil.example", "http://127.0.0.1:8001", f"{BASE}.evil.example"],
)
def test_forms_from_elsewhere_are_refused(owner: Browser, origin: str | None) -> None:
    token = owner.csrf("/console/account")
    headers = {} if origin is None else {"origin": origin}
    reply = owner.request("POST", "/console/logout", data={"csrf": token}, headers=headers)
    assert reply.status_code == 403
    assert owner.get("/console/account").status_code == 200


def test_the_address_people_use_counts_as_here(world: World, owner: Browser) -> None:
    """Behind a proxy the host header may differ from the public address."""
    token = owner.csrf("/console/account")
    headers = {"origin": BASE, "host": "inner:9000"}
    assert (
        owner.request("POST", "/console/logout", data={"csrf": token}, headers=headers).status_code
        == 303
    )


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b'{"csrf": "x"}', "application/json", 422),
        (b"%ff%fe=1", "application/x-www-form-urlencoded", 422),
        (b"&".join(b"a=1" for _ in range(1200)), "application/x-www-form-urlencoded", 422),
        (b"a=" + b"x" * 300_000, "application/x-www-form-urlencoded", 413),
        (b"name=a%00b", "application/x-www-form-urlencoded", 422),
    ],
)
def test_strange_forms_are_told_so(world: World, content: bytes, kind: str, status: int) -> None:
    headers = {"origin": BASE, "content-type": kind}
    reply = world.browser().request("POST", "/console/login", content=content, headers=headers)
    assert reply.status_code == status
    assert "The form" in reply.text


def test_headers_and_cookie(world: World) -> None:
    world.account("ada", "administrator")
    browser = world.browser()
    reply = browser.post("/console/login", page="/console/login", name="ada", password=PASSWORD)
    cookie = next(
        value
        for value in reply.headers.get_list("set-cookie")
        if value.startswith("believable_console=")
    )
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert "Path=/console" in cookie
    assert "Secure" not in cookie, "the test server speaks plain HTTP"
    page = browser.get("/console/studies")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe-inline" not in policy
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["x-frame-options"] == "DENY"
    assert page.headers["referrer-policy"] == "same-origin"


def test_no_page_has_inline_script_or_style(world: World, owner: Browser) -> None:
    world.person().run("some words", "more words")
    for page in ROUTES:
        if page.method == "GET" and "csv" not in page.path:
            html = ask(owner, page).text
            assert not re.search(r"\sstyle=|\son\w+=|<style|<script(?![^>]*\ssrc=)", html), page


def test_a_login_slides_and_ends(world: World, owner: Browser) -> None:
    for _ in range(5):
        world.clock.advance(log_ins.LOGIN_IDLE_MS - accounts.HOUR_MS)
        assert owner.get("/console/account").status_code == 200
    world.clock.advance(log_ins.LOGIN_IDLE_MS + 1)
    assert owner.get("/console/account").status_code == 303


def test_the_way_back_after_the_login(world: World) -> None:
    world.account("ada", "administrator")
    browser = world.browser()
    sent = browser.get("/console/studies/study/sessions?pool=simulated").headers["location"]
    assert sent == "/console/login?next=/console/studies/study/sessions%3Fpool%3Dsimulated"
    reply = browser.post(
        "/console/login",
        page=sent,
        name="ada",
        password=PASSWORD,
        next="/console/studies/study/sessions?pool=simulated",
    )
    assert reply.headers["location"] == "/console/studies/study/sessions?pool=simulated"


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example/console",
        "//evil.example/console",
        "/console/../s/x",
        "/consolation",
        "javascript:alert(1)",
        "/console\\evil",
        "/console/\r\nset-cookie: x",
        "",
    ],
)
def test_the_way_back_stays_inside(target: str) -> None:
    assert safe_next(target) == PATH
