"""Coming in and going out, as people do it."""

from __future__ import annotations

import re

from sqlalchemy import Connection

from believable.store import accounts, audit_log, log_ins
from believable.web.console import first_link

from .conftest import BASE, PASSWORD, Browser, World


def notes(world: World) -> list[tuple[str, str]]:
    return [(line.user, line.what) for line in reversed(world.store.read(audit_log.recent_audit))]


def first(world: World) -> str | None:
    return first_link(world.store, clock=world.clock, base_url=BASE)


def test_the_first_link_lets_the_owner_choose_a_password_once(world: World) -> None:
    link = first(world)
    assert link is not None
    assert link.startswith(f"{BASE}/console/welcome/")
    path = link.removeprefix(BASE)
    browser = world.browser()
    assert browser.get(path).status_code == 200
    assert browser.get(path).status_code == 200, "looking at it spends nothing"
    reply = browser.post(path, page=path, password=PASSWORD, again=PASSWORD)
    assert reply.status_code == 303
    assert browser.get("/console/users").status_code == 200
    late = world.browser().get(path)
    assert late.status_code == 403
    assert "used already" in late.text
    assert first(world) is None
    assert notes(world) == [
        ("owner", "chose a password with a one-time link"),
        ("owner", "logged in"),
    ]


def test_a_link_that_is_too_old(world: World) -> None:
    link = first(world)
    assert link is not None
    world.clock.advance(accounts.LINK_LIFE_MS)
    assert world.browser().get(link.removeprefix(BASE)).status_code == 403


def test_passwords_that_do_not_do_keep_the_link(world: World) -> None:
    path = (first(world) or "").removeprefix(BASE)
    browser = world.browser()
    assert (
        "differ" in browser.post(path, page=path, password=PASSWORD, again="other words here").text
    )
    reply = browser.post(path, page=path, password="short", again="short")
    assert reply.status_code == 422
    assert "at least 10" in reply.text
    assert browser.post(path, page=path, password=PASSWORD, again=PASSWORD).status_code == 303


def test_wrong_name_and_wrong_password_look_the_same(world: World) -> None:
    world.account("ada", "administrator")
    replies = [
        world.browser().post(
            "/console/login", page="/console/login", name=name, password="wrong wrong wrong"
        )
        for name in ("ada", "nobody")
    ]
    assert [reply.status_code for reply in replies] == [401, 401]
    bodies = {re.sub(r'value="[^"]*"', "", reply.text) for reply in replies}
    assert len(bodies) == 1


def test_guessing_is_braked_and_the_right_password_too_then(world: World) -> None:
    world.account("ada", "administrator")
    for _ in range(log_ins.LIMITS["name at peer"]):
        browser = world.browser()
        assert (
            browser.post(
                "/console/login", page="/console/login", name="ada", password="wrong"
            ).status_code
            == 401
        )
    reply = world.browser().post(
        "/console/login", page="/console/login", name="ada", password=PASSWORD
    )
    assert reply.status_code == 429
    assert "Wait 15 minutes" in reply.text
    world.clock.advance(log_ins.LIMIT_WINDOW_MS + 1)
    assert (
        world.browser()
        .post("/console/login", page="/console/login", name="ada", password=PASSWORD)
        .status_code
        == 303
    )


def test_a_disabled_user_cannot_log_in(world: World, owner: Browser) -> None:
    world.account("bob", "researcher")
    owner.post("/console/users/bob/disable")
    assert (
        world.browser()
        .post("/console/login", page="/console/login", name="bob", password=PASSWORD)
        .status_code
        == 401
    )


def test_changing_the_password_logs_other_browsers_out(world: World, owner: Browser) -> None:
    other = world.browser()
    other.post("/console/login", page="/console/login", name="ada", password=PASSWORD)
    assert other.get("/console/account").status_code == 200
    wrong = owner.post(
        "/console/account/password",
        old="wrong",
        password="another long one",
        again="another long one",
    )
    assert wrong.status_code == 422
    assert "old password is wrong" in wrong.text
    right = owner.post(
        "/console/account/password",
        old=PASSWORD,
        password="another long one",
        again="another long one",
    )
    assert right.status_code == 303
    assert owner.get("/console/account").status_code == 200
    assert other.get("/console/account").status_code == 303


def test_logging_out_here_and_everywhere(world: World, owner: Browser) -> None:
    other = world.browser()
    other.post("/console/login", page="/console/login", name="ada", password=PASSWORD)
    cookie = dict(owner.client.cookies)
    assert owner.post("/console/logout").status_code == 303
    assert "believable_console" not in owner.client.cookies
    owner.client.cookies.update(cookie)
    assert owner.get("/console/account").status_code == 303, "the old cookie is worth nothing"
    third = world.browser()
    third.post("/console/login", page="/console/login", name="ada", password=PASSWORD)
    third.post("/console/logout/everywhere")
    assert other.get("/console/account").status_code == 303
    assert [what for _, what in notes(world)] == [
        "logged in",
        "logged in",
        "logged out",
        "logged in",
        "logged out everywhere",
    ]


def test_the_owner_is_not_locked_out_by_strangers(world: World) -> None:
    world.account("ada", "administrator")
    own = world.browser("192.0.2.9")

    def log_in(browser: Browser) -> int:
        return browser.post(
            "/console/login", page="/console/login", name="ada", password=PASSWORD
        ).status_code

    assert log_in(own) == 303
    own.post("/console/logout", page="/console/account")
    key, now_ms = world.collect.context.key, world.clock.now_ms()

    def guesses(conn: Connection) -> None:
        for stranger in range(log_ins.LIMITS["name"]):
            log_ins.begin_try(conn, key, "ada", f"198.51.100.{stranger}", now_ms=now_ms)

    world.store.write(guesses)
    assert log_in(world.browser("203.0.113.5")) == 429
    assert log_in(own) == 303
