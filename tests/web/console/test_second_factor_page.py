"""The second factor: set up, asked for, used once, limited, lost, and required."""

from __future__ import annotations

import base64
import html
import re

import pytest

from believable.core.one_time_codes import STEP_S, hotp, step_of
from believable.store import second_factor

from .conftest import PASSWORD, Browser, World

SETUP = "/console/account/second-factor"


def secret_on(page: str) -> bytes:
    letters = re.search(r'class="secret-letters">([A-Z2-7 ]+)<', page)
    assert letters is not None
    return base64.b32decode(letters[1].replace(" ", ""))


def code_now(world: World, secret: bytes) -> str:
    return hotp(secret, step_of(world.clock.now_ms()))


def set_up(world: World, browser: Browser) -> tuple[bytes, list[str]]:
    assert browser.post(SETUP, page=SETUP).status_code == 303
    page = browser.get(SETUP).text
    assert 'class="qr"' in page
    secret = secret_on(page)
    assert (
        f"secret={re.sub(' ', '', html.unescape(re.search(r'class=.secret-letters.>([^<]+)<', page)[1]))}"
        in html.unescape(page)
    )  # type: ignore[index]
    done = browser.post(
        f"{SETUP}/confirm", page=SETUP, code=code_now(world, secret), password=PASSWORD
    )
    assert done.status_code == 200
    return secret, re.findall(r"<li><code>([a-z0-9]{5}-[a-z0-9]{5})</code>", done.text)


def half_in(world: World, name: str = "ada") -> Browser:
    browser = world.browser()
    reply = browser.post(
        "/console/login", page="/console/login", name=name, password=PASSWORD, next="/console/users"
    )
    assert (reply.status_code, reply.headers["location"]) == (303, "/console/login/code")
    assert browser.get("/console/studies").status_code == 303, "the password alone opens nothing"
    return browser


def give(browser: Browser, code: str) -> int:
    return browser.post("/console/login/code", page="/console/login/code", code=code).status_code


def test_a_code_is_asked_for_and_counts_once(world: World, owner: Browser) -> None:
    secret, _ = set_up(world, owner)
    world.clock.advance(STEP_S * 1000)
    browser, other = half_in(world), half_in(world)
    assert give(browser, "000000") == 401
    code = code_now(world, secret)
    done = browser.post("/console/login/code", page="/console/login/code", code=code)
    assert (done.status_code, done.headers["location"]) == (303, "/console/users")
    assert browser.get("/console/users").status_code == 200
    assert give(other, code) == 401, "the same code again"
    world.clock.advance(STEP_S * 1000)
    assert give(other, code_now(world, secret)) == 303


def test_the_code_that_turned_it_on_does_not_log_in(world: World, owner: Browser) -> None:
    secret, _ = set_up(world, owner)
    assert give(half_in(world), code_now(world, secret)) == 401


def test_guessing_ends_soon_whoever_has_the_password(world: World, owner: Browser) -> None:
    secret, _ = set_up(world, owner)
    world.clock.advance(STEP_S * 1000)
    for _ in range(second_factor.WRONG_CODES):
        assert give(half_in(world), "000000") == 401
    assert give(half_in(world), code_now(world, secret)) == 429
    assert owner.get("/console/users").status_code == 200, "who is inside stays inside"
    world.clock.advance(16 * 60_000)
    assert give(half_in(world), code_now(world, secret)) == 303


def test_recovery_codes_work_once_and_are_not_kept_readable(world: World, owner: Browser) -> None:
    _, codes = set_up(world, owner)
    assert len(set(codes)) == second_factor.N_RECOVERY_CODES
    assert give(half_in(world), codes[0].upper().replace("-", " ")) == 303
    assert give(half_in(world), codes[0]) == 401
    assert "9 recovery codes are left" in owner.get(SETUP).text
    kept = world.store.read(
        lambda conn: str(conn.exec_driver_sql("SELECT * FROM recovery_codes").all())
    )
    assert not any(code.replace("-", "") in kept for code in codes)


def test_the_secret_does_not_lie_open_in_the_database(world: World, owner: Browser) -> None:
    secret, _ = set_up(world, owner)
    kept = world.store.read(
        lambda conn: str(conn.exec_driver_sql("SELECT * FROM second_factors").all())
    )
    assert secret.hex() not in kept


def test_the_step_between_cannot_be_forged_and_ends(world: World, owner: Browser) -> None:
    set_up(world, owner)
    stranger = world.browser()
    stranger.client.cookies.set(
        "believable_step", f"{'0' * 64}|9999999999999|ada|/console", path="/console/login/code"
    )
    assert stranger.get("/console/login/code").status_code == 403
    browser = half_in(world)
    world.clock.advance(6 * 60_000)
    assert browser.get("/console/login/code").status_code == 403


def test_a_new_password_by_link_does_not_lead_past_it(world: World, owner: Browser) -> None:
    world.account("bob", "researcher")
    bob = world.browser()
    bob.post("/console/login", page="/console/login", name="bob", password=PASSWORD)
    secret, _ = set_up(world, bob)
    page = owner.post("/console/users/bob/reset").text
    path = html.unescape(re.search(r'value="http[^"]+8000(/[^"]+/welcome/[^"]+)"', page)[1])  # type: ignore[index]
    again = world.browser()
    reply = again.post(path, page=path, password=PASSWORD, again=PASSWORD)
    assert (reply.status_code, reply.headers["location"]) == (303, "/console/login/code")
    world.clock.advance(STEP_S * 1000)
    assert give(again, code_now(world, secret)) == 303


def test_taking_it_off_needs_a_code_or_an_administrator(world: World, owner: Browser) -> None:
    world.account("bob", "researcher")
    bob = world.browser()
    bob.post("/console/login", page="/console/login", name="bob", password=PASSWORD)
    secret, _ = set_up(world, bob)
    assert bob.post(f"{SETUP}/off", page=SETUP, code="123456").status_code == 422
    world.clock.advance(STEP_S * 1000)
    assert bob.post(f"{SETUP}/off", page=SETUP, code=code_now(world, secret)).status_code == 303
    set_up(world, bob)
    assert owner.post("/console/users/bob/single-factor").status_code == 303
    assert "took the second factor of user bob off" in owner.get("/console/audit").text
    fresh = world.browser()
    assert (
        fresh.post("/console/login", page="/console/login", name="bob", password=PASSWORD).headers[
            "location"
        ]
        == "/console"
    )


@pytest.mark.parametrize("path", ["/console/studies", "/console/studies/study/monitor.json"])
def test_where_it_is_required_nothing_opens_before_it_is_set_up(
    world: World, owner: Browser, path: str
) -> None:
    rita = world.log_in("rita", "researcher")
    assert rita.get(path).status_code == 200
    assert owner.post("/console/users/rules", second_factor="required").status_code == 303
    closed = rita.get(path)
    if path.endswith("json"):
        assert closed.status_code == 403
    else:
        assert (closed.status_code, closed.headers["location"]) == (303, SETUP)
    assert "every account needs a second factor" in rita.get(SETUP).text
    set_up(world, rita)
    assert rita.get(path).status_code == 200
    set_up(world, owner)
    assert owner.post("/console/users/rules", second_factor="optional").status_code == 303


def test_turning_it_on_needs_the_password_and_ends_other_log_ins(
    world: World, owner: Browser
) -> None:
    """Who finds a browser open can neither lock the person out nor stay in by an earlier log-in."""
    elsewhere = world.browser()
    elsewhere.post("/console/login", page="/console/login", name="ada", password=PASSWORD)
    assert elsewhere.get("/console/users").status_code == 200
    owner.post(SETUP, page=SETUP)
    secret = secret_on(owner.get(SETUP).text)
    for wrong in ({}, {"password": "another one"}):
        refused = owner.post(f"{SETUP}/confirm", page=SETUP, code=code_now(world, secret), **wrong)
        assert (refused.status_code, "The password is wrong" in refused.text) == (422, True)
    assert not world.store.read(lambda conn: second_factor.second_factor(conn, "ada")).on
    assert elsewhere.get("/console/users").status_code == 200
    for _ in range(8):
        brake = owner.post(
            f"{SETUP}/confirm", page=SETUP, code=code_now(world, secret), password="guessed"
        )
    assert brake.status_code == 429, "guessed as little as at the log-in"
    world.clock.advance(16 * 60_000)
    done = owner.post(
        f"{SETUP}/confirm", page=SETUP, code=code_now(world, secret), password=PASSWORD
    )
    assert done.status_code == 200
    assert elsewhere.get("/console/users").status_code == 303
    assert owner.get("/console/users").status_code == 200


def test_an_account_without_a_password_is_not_asked_for_one(world: World, owner: Browser) -> None:
    owner.post(SETUP, page=SETUP)
    assert 'name="password"' in owner.get(SETUP).text
    world.store.write(
        lambda conn: (
            conn.exec_driver_sql("UPDATE users SET password_hash = NULL WHERE name = 'ada'")
            and None
        )
    )
    page = owner.get(SETUP).text
    assert 'name="password"' not in page
    assert (
        owner.post(
            f"{SETUP}/confirm", page=SETUP, code=code_now(world, secret_on(page))
        ).status_code
        == 200
    )
