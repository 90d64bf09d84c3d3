"""Logging in with a real provider on the loopback: who gets in, and which lies are told apart."""

from __future__ import annotations

import asyncio
import dataclasses
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core.errors import InvalidInput, MissingExtra
from believable.store import identities, second_factor
from believable.web.app import Settings

from .conftest import BASE, STUDY, Browser, World, living

pytest.importorskip("jwt")

from believable.web.oidc_tokens import OidcProvider

from .oidc_provider import CLIENT, CLIENT_SECRET, TestProvider, new_key, provider_running

ANNA = {"sub": "s-anna", "email": "Anna@Uni.example", "email_verified": True}


@pytest.fixture
def provider() -> Iterator[TestProvider]:
    with provider_running() as running:
        running.person = dict(ANNA)
        yield running


@pytest.fixture
def linked(
    tmp_path: Path,
    loop: asyncio.AbstractEventLoop,
    with_tables: Callable[[Path], Path],
    provider: TestProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    """A server that lets people log in at the provider; anna has an account and a role."""
    monkeypatch.setenv("BELIEVABLE_OIDC_SECRET", CLIENT_SECRET)
    folder = tmp_path / "study"
    folder.mkdir()
    with_tables(tmp_path / "data")
    (folder / "study.yaml").write_text(STUDY)
    settings = Settings(data_dir=tmp_path / "data", study_folders=(folder,), base_url=BASE)
    with living(
        dataclasses.replace(settings, oidc_issuer=provider.issuer, oidc_client=CLIENT), loop
    ) as world:
        world.account("anna@uni.example", "researcher")
        yield world


def leave(browser: Browser, target: str = "/console/studies") -> str:
    """To the provider, and what it answers: the address back."""
    away = browser.get(f"/console/oidc?next={target}")
    assert away.status_code == 303, away.text
    answer = httpx.get(away.headers["location"])
    assert answer.headers["location"].startswith(f"{BASE}/console/oidc/return?")
    return answer.headers["location"].removeprefix(BASE)


def logged_in(browser: Browser) -> bool:
    return browser.get("/console/studies").status_code == 200


def test_an_invited_person_gets_in_and_is_known_again(
    linked: World, provider: TestProvider
) -> None:
    browser = linked.browser()
    assert "Log in with 127.0.0.1" in browser.get("/console/login").text
    back = browser.get(leave(browser))
    assert back.status_code == 200, back.text
    assert 'http-equiv="refresh" content="0; url=/console/studies"' in back.text
    assert logged_in(browser)
    provider.person["email"] = "moved@uni.example"
    again = linked.browser()
    again.get(leave(again))
    assert logged_in(again), "by the subject, whatever became of the address"
    assert "logged in" in linked.log_in().get("/console/audit").text


@pytest.mark.parametrize(
    ("person", "words"),
    [
        ({**ANNA, "email_verified": False}, "has not verified"),
        ({**ANNA, "email_verified": "true"}, "has not verified"),
        ({**ANNA, "email_verified": None}, "has not verified"),
        (
            {"sub": "s-2", "email": "eve@uni.example", "email_verified": True},
            "There is no account &#39;eve@uni.example&#39;",
        ),
    ],
)
def test_nobody_gets_an_account_by_coming(
    linked: World, provider: TestProvider, person: dict[str, object], words: str
) -> None:
    provider.person = person
    browser = linked.browser()
    reply = browser.get(leave(browser))
    assert reply.status_code == 403
    assert words in reply.text
    assert not logged_in(browser)


def test_an_address_that_passed_to_somebody_else_does_not_open_the_account(
    linked: World, provider: TestProvider
) -> None:
    first = linked.browser()
    first.get(leave(first))
    provider.person["sub"] = "s-successor"
    other = linked.browser()
    assert "belongs to another person" in other.get(leave(other)).text
    assert not logged_in(other)
    linked.store.write(lambda conn: identities.forget_identities(conn, "anna@uni.example"))
    other.get(leave(other))
    assert logged_in(other)


#: What is laid over a true token, and what the refusal says.
LIES = {
    "nonce of another log-in": ({"nonce": "another"}, "made for another log-in"),
    "no nonce": ({"nonce": None}, "made for another log-in"),
    "for another server": ({"aud": "somebody-else"}, "made for another server"),
    "for several, by another": ({"aud": [CLIENT, "x"], "azp": "x"}, "made for another server"),
    "for several, by none of them": ({"aud": [CLIENT, "x"]}, "made for another server"),
    "over": ({"exp": 1_000_000_000}, "expired"),
    "without an end": ({"exp": None}, "exp"),
    "from the future": ({"iat": 9_999_999_999}, "issued in the future"),
    "another issuer": ({"iss": "https://evil.example"}, "issuer"),
    "nobody": ({"sub": None}, "sub"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_token_that_is_not_true_is_refused(
    linked: World, provider: TestProvider, lie: str
) -> None:
    provider.claims, words = LIES[lie]
    browser = linked.browser()
    reply = browser.get(leave(browser))
    assert reply.status_code == 403
    assert "is not believed" in reply.text
    assert words in reply.text
    assert not logged_in(browser)


def test_signatures_that_others_can_make_are_refused(linked: World, provider: TestProvider) -> None:
    """No signature; one with a shared secret (here the public key's own bytes); one by a key that
    is not the provider's.
    """
    for algorithm, signer in (("none", None), ("HS256", "x" * 64), ("RS256", new_key())):
        provider.algorithm, provider.signer = algorithm, signer
        browser = linked.browser()
        reply = browser.get(leave(browser))
        assert reply.status_code == 403
        assert "is not believed" in reply.text
        assert not logged_in(browser)
    provider.algorithm, provider.signer, provider.key_name = "RS256", new_key(), "unlisted"
    browser = linked.browser()
    assert "is not believed" in browser.get(leave(browser)).text


def test_the_answer_must_come_to_the_browser_that_left(
    linked: World, provider: TestProvider
) -> None:
    victim, attacker = linked.browser(), linked.browser()
    way = leave(attacker)
    assert victim.get(way).status_code == 403, "without having left"
    leave(victim)
    assert "belongs to another log-in" in victim.get(way).text
    assert not logged_in(victim)
    state = parse_qs(urlsplit(way).query)["state"][0]
    assert attacker.get(f"/console/oidc/return?code=guessed&state={state}").status_code == 503, (
        "the provider knows no such code"
    )
    assert (
        "access_denied"
        in attacker.get(f"/console/oidc/return?error=access_denied&state={state}").text
    )
    linked.clock.advance(11 * 60_000)
    assert "took too long" in attacker.get(way).text


def test_a_code_works_once(linked: World, provider: TestProvider) -> None:
    browser = linked.browser()
    way = leave(browser)
    kept = browser.client.cookies.get("believable_oidc")
    assert browser.get(way).status_code == 200
    stolen = linked.browser()
    stolen.client.cookies.set("believable_oidc", str(kept), path="/console/oidc")
    assert stolen.get(way).status_code == 503
    assert not logged_in(stolen)


def test_the_second_factor_is_asked_for_after_it_too(linked: World, provider: TestProvider) -> None:
    def put(conn: object) -> None:
        second_factor.propose(conn, b"k" * 32, "anna@uni.example")
        conn.exec_driver_sql("UPDATE second_factors SET confirmed_ms = 1")

    linked.store.write(put)
    browser = linked.browser()
    assert "url=/console/login/code" in browser.get(leave(browser)).text
    assert not logged_in(browser)


def test_ways_back_stay_in_the_console(linked: World, provider: TestProvider) -> None:
    browser = linked.browser()
    assert 'url=/console"' in browser.get(leave(browser, "https://evil.example/")).text


def test_a_provider_that_calls_itself_otherwise_is_not_asked(
    linked: World, provider: TestProvider
) -> None:
    provider.announced = "https://evil.example"
    reply = linked.browser().get("/console/oidc")
    assert reply.status_code == 403
    assert "calls itself" in reply.text


def test_without_a_provider_there_is_no_such_way(world: World) -> None:
    assert world.browser().get("/console/oidc").status_code == 404
    assert "Log in with" not in world.browser().get("/console/login").text


def test_addresses_of_providers_are_https() -> None:
    with pytest.raises(InvalidInput, match="expected an https address"):
        OidcProvider("http://login.example", "x")
    with pytest.raises(InvalidInput, match="--oidc-client"):
        OidcProvider("https://login.example", "")
    assert OidcProvider("http://127.0.0.1:9", "x", "hidden").host == "127.0.0.1"
    assert "hidden" not in repr(OidcProvider("https://login.example", "x", "hidden"))


def test_without_the_extra_it_is_named_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "authlib", None)
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    words = ["serve", str(folder), "--oidc-issuer", "https://login.example", "--oidc-client", "x"]
    result = CliRunner().invoke(group, words)
    assert isinstance(result.exception, MissingExtra)
    assert "believable[oidc]" in str(result.exception)
    assert sorted(path.name for path in folder.iterdir()) == ["study.yaml"]
