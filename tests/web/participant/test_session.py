"""The session's page and its JSON API."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest


def test_a_session_runs_through_over_http(web: Any, session: Any) -> None:
    for answers in ({"agree": True}, {"age": 30, "colour": "b"}):
        advanced = session.submit(answers)
        assert advanced["trial"] == session.trial(), (
            "the next trial comes with the answer, as it would be told when asked for"
        )
        assert {**advanced, "trial": None} == {
            "ack": session.seq,
            "status": "next",
            "errors": {},
            "trial": None,
        }
    web.clock.advance(5000)
    assert session.submit({}) == {
        "ack": session.seq,
        "status": "finished",
        "errors": {},
        "trial": None,
    }
    assert session.trial()["kind"] == "finish"
    finished = session.finish().json()
    assert finished["outcome"] == "complete"
    assert finished["receipt"] == session.head
    assert session.trial()["kind"] == "finished"
    page = web.get(session.url()).text
    assert finished["code"] in page
    assert finished["receipt"] in page
    assert "open-withdraw" not in page


def test_claiming_tells_the_trial_with_what_is_stored_of_it(web: Any, session: Any) -> None:
    session.submit({"agree": True})
    session.record("answer.change", {"question": "age", "value": 31})
    claimed = web.post(session.url("claim"), json={}).json()
    assert claimed["trial"] == session.trial()
    assert claimed["trial"]["drafts"] == {"age": 31}


def test_errors_come_in_the_sessions_language(web: Any, join: Callable[..., Any]) -> None:
    session = join(web, language="de")
    assert session.submit({})["errors"] == {
        "agree": "Bitte setzen Sie hier ein Häkchen, wenn Sie teilnehmen möchten."
    }
    session.submit({"agree": True})
    reply = session.submit({"age": 12, "colour": "r"})
    assert reply["status"] == "again"
    assert reply["errors"]["age"] == "Bitte geben Sie eine Zahl ein, die mindestens 18 beträgt."
    assert reply["errors"]["other"] == "Bitte beantworten Sie diese Frage."


def test_pages_that_are_kept_are_kept_for_each_language(web: Any, join: Callable[..., Any]) -> None:
    """The link's page, the session's page with its scripts' texts, and each trial: the first to
    come do not decide in which language those after them read.
    """
    words = {
        "en": ("A study", "Please agree.", "Age?"),
        "de": ("Eine Studie", "Bitte zu", "Alter?"),
    }
    said = []
    for language in ("en", "de", "en"):
        title, agree, age = words[language]
        assert title in web.get(web.link(), headers={"accept-language": language}).text
        session = join(web, language=language)
        page = web.get(session.url()).text
        assert f'<html lang="{language}"' in page
        state = page.partition('type="application/json" id="state">')[2].partition("</script>")[0]
        said.append(json.loads(state)["texts"]["finish.sending"])
        assert agree in session.trial()["html"]
        session.submit({"agree": True})
        assert age in session.trial()["html"]
    assert said[0] == said[2] != said[1]


def test_finishing_early_or_with_another_head_is_refused(web: Any, session: Any) -> None:
    assert session.finish().status_code == 409
    session.record("consent.decline", {})
    assert session.trial()["kind"] == "consent"


def test_the_trial_tells_questions_but_no_answers(session: Any) -> None:
    session.submit({"agree": True})
    trial = session.trial()
    assert (trial["position"], trial["total"], trial["kind"]) == (1, 4, "form")
    age, colour, other = trial["questions"]
    assert age == {
        "id": "age",
        "kind": "number",
        "required": True,
        "params": {"min": 18.0, "max": None, "whole": True, "unit": None},
    }
    assert {option["label"] for option in colour["params"]["options"]} == {"Red", "Blue"}
    assert other["show_if"] == {"question": "colour", "test": "is", "value": "r"}
    assert trial["modules"]["number"] == "/static/instruments/number/widget.js"


def test_a_shuffled_order_is_the_sessions_own_and_stays(web: Any, join: Callable[..., Any]) -> None:
    orders = []
    for _ in range(12):
        session = join(web)
        session.submit({"agree": True})
        trial = session.trial()
        assert trial["orders"] == session.trial()["orders"]
        shown = trial["html"].index('value="r"') < trial["html"].index('value="b"')
        assert trial["orders"]["colour"] == (["r", "b"] if shown else ["b", "r"])
        orders.append(tuple(trial["orders"]["colour"]))
    assert set(orders) == {("r", "b"), ("b", "r")}


def test_drafts_come_back_to_any_device(session: Any) -> None:
    session.submit({"agree": True})
    session.record("answer.change", {"question": "age", "value": 3})
    session.record("answer.change", {"question": "age", "value": 30})
    session.record("answer.change", {"question": "made up", "value": "x"})
    assert session.trial()["drafts"] == {"age": 30}
    session.submit({"age": 30, "colour": "b"})
    assert session.trial()["drafts"] == {}


def test_a_break_counts_down_by_the_servers_clock(web: Any, session: Any) -> None:
    session.submit({"agree": True})
    session.submit({"age": 30, "colour": "b"})
    assert session.trial()["wait_s"] == 5
    web.clock.advance(3200)
    assert session.trial()["wait_s"] == 2
    assert session.submit({})["errors"] == {"": "Please wait until the break is over."}
    web.clock.advance(1800)
    assert session.trial()["wait_s"] == 0
    assert session.submit({})["status"] == "finished"


def test_taking_over_ends_the_older_epoch(web: Any, session: Any) -> None:
    old = session.epoch
    session.claim()
    body = '{"kind": "clock", "trial": 0, "at_ms": 1, "mono_ms": 1, "data": {}}'
    reply = web.post(session.url("events"), json={"epoch": old, "events": [[1, body]]})
    assert reply.status_code == 409
    assert reply.json()["error"]["code"] == "taken_over"


def test_withdrawing_answers_410_from_then_on(web: Any, session: Any) -> None:
    assert web.post(session.url("withdraw"), json={}).json() == {"withdrawn": True}
    assert web.post(session.url("withdraw"), json={}).status_code == 200
    for method, path in (("GET", "trial"), ("GET", "later"), ("POST", "claim")):
        reply = web.request(method, session.url(path), json={} if method == "POST" else None)
        assert (reply.status_code, reply.json()["error"]["code"]) == (410, "withdrawn")
    page = web.get(session.url(), headers={"accept": "text/html"})
    assert page.status_code == 410
    assert "Nothing you entered is kept" in page.text


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"nonsense",
        b"[]",
        b"{}",
        b'{"epoch": "1", "events": []}',
        b'{"epoch": 1, "events": {}}',
        b'{"epoch": 1, "events": [[1]]}',
        b'{"epoch": 1, "events": [["1", "x"]]}',
        b'{"epoch": 1, "events": [[true, "x"]]}',
        b'{"epoch": 1, "events": [[1, {}]]}',
        b'{"epoch": 1, "events": [[0, "{}"]]}',
        b"\xff\xfe",
    ],
)
def test_malformed_batches_are_told_what_is_expected(
    web: Any, session: Any, payload: bytes
) -> None:
    reply = web.post(
        session.url("events"), content=payload, headers={"content-type": "application/json"}
    )
    assert reply.status_code == 422
    assert set(reply.json()["error"]) == {"code", "message", "cure"}


def test_a_batch_over_the_limit_is_413_announced_or_not(web: Any, session: Any) -> None:
    large = b'{"epoch": 1, "events": [[1, "' + b"x" * (8 * 1024 * 1024) + b'"]]}'

    async def pieces() -> Any:
        for at in range(0, len(large), 65536):
            yield large[at : at + 65536]

    for content in (large, pieces()):
        reply = web.post(session.url("events"), content=content)
        assert reply.status_code == 413
        assert reply.json()["error"]["code"] == "too_large"
    assert (
        web.post(session.url("claim"), content=b'{"x": "' + b"x" * 1024 * 1024 + b'"}').status_code
        == 413
    )


def test_one_session_cannot_reach_another(web: Any, join: Callable[..., Any]) -> None:
    mine, theirs = join(web), join(web)
    theirs.submit({"agree": True})
    theirs.record("answer.change", {"question": "age", "value": 77})
    mine.submit({"agree": True})
    assert mine.trial()["drafts"] == {}
    assert web.get(f"/s/{mine.token}x/trial").status_code == 404
