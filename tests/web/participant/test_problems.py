"""Errors have one shape for scripts and a page with words for people."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from believable.core import errors
from believable.core.errors import BelievableError
from believable.web.problems import ANSWERS, answer_for

#: Raised before anything is served, or by runs of a town, never by a route.
NOT_OVER_HTTP = {
    *(errors.StudyError, errors.MissingPart, errors.MissingExtra, errors.BrokenPlugin),
    errors.Paused,
}


def kinds() -> list[type[BelievableError]]:
    found = [
        variable
        for variable in vars(errors).values()
        if isinstance(variable, type) and issubclass(variable, BelievableError)
    ]
    return [one for one in found if one is not BelievableError and one not in NOT_OVER_HTTP]


@pytest.mark.parametrize("kind", kinds(), ids=lambda one: one.__name__)
def test_every_error_has_an_answer_of_its_own(kind: type[BelievableError]) -> None:
    assert answer_for(kind("words")).status != 500


def test_no_parent_stands_before_its_child() -> None:
    for number, (parent, _) in enumerate(ANSWERS):
        assert not [child for child, _ in ANSWERS[number + 1 :] if issubclass(child, parent)]


@pytest.mark.parametrize(
    ("method", "url", "status", "code"),
    [
        ("GET", "/nothing", 404, "unknown"),
        ("GET", "/s/nothing/trial", 404, "unknown"),
        ("DELETE", "/resume", 405, "method"),
        ("POST", "/s/nothing/claim", 422, "invalid"),
        ("GET", "/static/participant/nothing.js", 404, "unknown"),
        ("GET", "/static/instruments/choice/__init__.py", 404, "unknown"),
        ("GET", "/static/instruments/choice/widget.html", 404, "unknown"),
        ("GET", "/static/../app.py", 404, "unknown"),
    ],
)
def test_scripts_get_json_and_people_get_a_page(
    web: Any, method: str, url: str, status: int, code: str
) -> None:
    reply = web.request(method, url)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert set(reply.json()["error"]) == {"code", "message", "cure"}
    if method == "GET":
        page = web.get(url, headers={"accept": "text/html", "accept-language": "de"})
        assert page.status_code == status
        assert '<html lang="de">' in page.text


def test_an_unexpected_error_is_500_and_tells_no_details(
    web: Any, session: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(token: str) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(web.app.state.collect, "view", broken)
    with caplog.at_level(logging.ERROR):
        reply = web.get(session.url("trial"))
        page = web.get(session.url(), headers={"accept": "text/html"})
    assert reply.status_code == 500
    assert reply.json()["error"]["code"] == "internal"
    assert page.status_code == 500
    assert "None of your answers is lost" in page.text
    assert "secret detail" not in reply.text + page.text
    assert "secret detail" in caplog.text
    assert session.token not in caplog.text


def test_storage_trouble_is_told_by_its_own_status(
    web: Any, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, status, code in (
        (errors.StorageFull("full"), 507, "storage_full"),
        (errors.Unavailable("away"), 503, "unavailable"),
    ):

        async def fails(*arguments: Any, error: Exception = error) -> None:
            raise error

        monkeypatch.setattr(web.app.state.collect, "append", fails)
        reply = web.post(session.url("events"), json={"epoch": 1, "events": [[1, "{}"]]})
        assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
