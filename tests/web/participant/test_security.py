"""What every response carries, and what the server keeps to itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from believable.core.ids import policy_source
from believable.web.security import ARRIVAL, security_headers
from believable.web.templating import STATIC


def policy(headers: Any) -> dict[str, list[str]]:
    parts = [part.split() for part in headers["content-security-policy"].split(";")]
    return {name: values for name, *values in parts}


@pytest.mark.parametrize(
    "url", ["/health", "/resume", "/nothing", "/static/base.css", "/join/nothing"]
)
def test_every_response_is_strict(web: Any, url: str) -> None:
    headers = web.get(url).headers
    rules = policy(headers)
    assert rules["default-src"] == ["'none'"]
    assert rules["script-src"] == ["'self'", policy_source(ARRIVAL)]
    assert rules["style-src"] == ["'self'"]
    assert rules["media-src"] == ["'self'", "blob:"]
    assert rules["frame-ancestors"] == ["'none'"]
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "server" not in headers


def test_the_one_script_in_a_page_is_the_one_that_its_policy_names(web: Any, session: Any) -> None:
    reply = web.get(session.url())
    inline = re.findall(r"<script>(.*?)</script>", reply.text, re.DOTALL)
    assert [policy_source(script) for script in inline] == policy(reply.headers)["script-src"][1:]


def test_pages_of_a_session_are_kept_by_nobody(web: Any, session: Any) -> None:
    for url in (session.url(), session.url("trial"), session.url("later")):
        assert web.get(url).headers["cache-control"] == "no-store"


def test_scripts_are_kept_for_the_way_to_the_first_page_then_asked_for_but_not_sent_again(
    web: Any,
) -> None:
    first = web.get("/static/participant/main.js")
    assert first.headers["content-type"].startswith("text/javascript")
    assert first.headers["cache-control"] == "max-age=120"
    again = web.get("/static/participant/main.js", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_checkout_serves_its_scripts_as_they_are_and_compressed(web: Any) -> None:
    reply = web.get("/static/participant/main.js", headers={"accept-encoding": "gzip"})
    assert reply.headers["content-encoding"] == "gzip"
    assert reply.text == (STATIC / "participant" / "main.js").read_text()


def test_a_platform_may_be_allowed_to_frame_the_study(
    run_study: Callable[..., Any], join: Callable[..., Any]
) -> None:
    web = run_study(
        base_url="https://study.example.org", frame_ancestors=("https://www.mturk.com",)
    )
    headers = web.get(web.link()).headers
    assert policy(headers)["frame-ancestors"] == ["https://www.mturk.com"]
    assert "x-frame-options" not in headers
    assert "strict-transport-security" in headers
    cookie = web.post(web.link() + "?id=1", data={}).headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "Secure" in cookie
    assert "SameSite=none" in cookie


def test_the_cookie_of_a_plain_server_stays_with_its_session(web: Any) -> None:
    reply = web.post(web.link() + "?id=1", data={})
    cookie = reply.headers["set-cookie"]
    assert f"Path={reply.headers['location']}" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "set-cookie" not in web.post(web.link(), data={}).headers


def test_no_header_is_sent_twice() -> None:
    names = [name for name, _ in security_headers((), secure=True)]
    assert len(set(names)) == len(names)


def test_alive_and_able_to_store_are_told_apart(web: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("believable.web.app.READY_S", -1.0)
    assert web.get("/health").json() == {"status": "ok"}
    assert web.get("/ready").json() == {"status": "ready"}
    monkeypatch.setattr("believable.store.engine.LEAST_FREE_BYTES", 2**62)
    reply = web.get("/ready")
    assert (reply.status_code, reply.json()["error"]["code"]) == (503, "not_ready")
    assert "disk" in reply.json()["error"]["message"]
    assert reply.headers["retry-after"]
    assert web.get("/health").status_code == 200
