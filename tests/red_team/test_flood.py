"""Floods: one session that stores without end, and one address that takes every place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from believable.store import event_log
from believable.store.tables.accounts import attempts
from believable.store.tables.collected import alarms

STUDY = """\
believable: 1
title: {en: A study, de: Eine Studie}
seed: 1
languages: [en, de]
recruit: {limit: 20}
timeline:
  - form: {id: f, questions: [{id: q, prompt: {en: Why?, de: Warum?}, text: {}}]}
  - finish: {id: end}
"""


def sounded(target: Any) -> list[tuple[str, str | None]]:
    return target.app.state.store.read(
        lambda conn: [(row.kind, row.study) for row in conn.execute(select(alarms))]
    )  # type: ignore[no-any-return]


def test_a_session_stores_so_much_in_a_minute_and_so_much_at_all(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_log, "MINUTE_CHARS", 10_000)
    monkeypatch.setattr(event_log, "SESSION_CHARS", 27_000)
    target = serve(STUDY)
    session = target.browser().join(target.link())
    session.claim()
    statuses = []
    for _ in range(6):
        reply = session.send(0, "answer.change", {"question": "q", "value": "x" * 4_000})
        if reply.status_code != 200:
            session.seq -= 1
        statuses.append(reply.status_code)
        target.clock.advance(1_000)
    assert statuses == [200, 200, 429, 429, 429, 429]
    assert ("session_flood", "study") in sounded(target)

    calm = target.browser("192.0.2.2").join(target.link())
    calm.claim()
    assert calm.send(0, "answer.change", {"question": "q", "value": "x"}).status_code == 200, (
        "others are not disturbed"
    )

    for _ in range(4):
        target.clock.advance(61_000)
        reply = session.send(0, "answer.change", {"question": "q", "value": "x" * 4_000})
    assert reply.status_code == 200
    target.clock.advance(61_000)
    assert (
        session.send(0, "answer.change", {"question": "q", "value": "x" * 4_000}).status_code == 413
    )


def test_events_of_a_tab_that_was_taken_over_count_as_well(
    serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_log, "SESSION_CHARS", 10_000)
    target = serve(STUDY)
    session = target.browser().join(target.link())
    session.claim()
    old = session.epoch
    session.claim()
    session.epoch = old
    statuses = [
        session.send(0, "answer.change", {"question": "q", "value": "x" * 4_000}).status_code
        for _ in range(4)
    ]
    assert statuses == [409, 409, 413, 413]


def test_one_address_does_not_take_every_place(serve: Callable[..., Any]) -> None:
    target = serve(STUDY, joins_per_minute=5)
    flooder = [target.browser("203.0.113.9").post(target.link(), data={}) for _ in range(20)]
    assert [reply.status_code for reply in flooder].count(303) == 5
    refused = flooder[-1]
    assert refused.status_code == 429
    assert refused.headers["retry-after"] == "60"
    assert "wait a minute" in refused.text
    assert ("join_flood", "study") in sounded(target)
    assert target.browser("192.0.2.7").post(target.link(), data={}).status_code == 303

    rows = target.app.state.store.read(
        lambda conn: [tuple(row) for row in conn.execute(select(attempts))]
    )
    assert "203.0.113.9" not in str(rows), "no address is stored"
    target.clock.advance(60_001)
    assert target.browser("203.0.113.9").post(target.link(), data={}).status_code == 303


def test_addresses_of_one_ipv6_network_count_as_one(serve: Callable[..., Any]) -> None:
    target = serve(STUDY, joins_per_minute=5)
    replies = [
        target.browser(f"2001:db8:1:2::{n:x}").post(target.link(), data={}).status_code
        for n in range(1, 10)
    ]
    assert replies.count(303) == 5


def test_places_come_back_if_nothing_follows(serve: Callable[..., Any]) -> None:
    target = serve(STUDY, joins_per_minute=None)
    for _ in range(20):
        target.browser().join(target.link()).claim()
    assert "complete" in target.browser("192.0.2.7").get(target.link()).text
    target.clock.advance(3 * 60_000)
    person = target.browser("192.0.2.7").join(target.link())
    person.claim()
    person.send(0, "page.open", {})
    target.clock.advance(10 * 60_000)
    store = target.app.state.store
    held = store.read(
        lambda conn: conn.exec_driver_sql("SELECT max(reserved_until_ms) FROM sessions").scalar()
    )
    assert held > target.clock.now_ms(), "who sends something keeps the place"
