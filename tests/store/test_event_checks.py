"""What a batch may look like."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.errors import InvalidInput, TooLarge
from believable.core.ids import token_hash
from believable.store import event_checks, event_log
from believable.store.engine import Store
from believable.store.sessions import Session

GOOD = {
    "kind": "answer.change",
    "trial": 0,
    "at_ms": 1,
    "mono_ms": 2.5,
    "data": {"question": "q", "value": None},
}


def text(**changes: Any) -> str:
    return json.dumps({**GOOD, **changes})


def test_a_batch_keeps_bodies_to_the_letter() -> None:
    bodies = [text(), text(trial=None), json.dumps(GOOD, indent=3), text(data={"x": "\ud83d"})]
    made = event_checks.check_batch("token", 1, list(enumerate(bodies, 1)))
    assert made.events == tuple(enumerate(bodies, 1))
    assert made.token_hash == token_hash("token")
    assert event_checks.check_batch("token", 1, [(1, text()), (1, text())]).events == ((1, text()),)
    assert event_checks.check_batch("token", 0, []).events == ()


@pytest.mark.parametrize(
    ("numbered", "complaint"),
    [
        ([(0, text())], "expected a number from 1, got '0'"),
        ([(True, text())], "expected a number from 1"),
        ([("1", text())], "expected a number from 1"),
        ([(2**31, text())], "expected a number from 1"),
        ([[1]], "expected pairs"),
        (["ab", "cd"], "expected pairs"),
        ([(1, GOOD)], "expected its JSON as text, got dict"),
        ([(1, "")], "expected JSON text"),
        ([(1, "{")], "expected JSON text"),
        ([(1, "[" * 100_000)], "expected JSON text"),
        ([(1, text(at_ms=float("nan")))], "expected JSON text"),
        ([(1, text()[:-1] + ',"x":"\ud83d"}')], "expected JSON text"),
        ([(1, "[]")], "expected an object with at_ms, data, kind, mono_ms, trial, got list"),
        ([(1, text(more=1))], "expected an object with"),
        ([(1, "{}")], "expected an object with"),
        ([(1, text(kind="Click!"))], "expected a kind such as 'answer.change', got 'Click!'"),
        ([(1, text(kind="a" * 65))], "expected a kind"),
        ([(1, text(kind=7))], "expected a kind"),
        ([(1, text(trial=-1))], "expected the position of the trial or null"),
        ([(1, text(trial=1.5))], "expected the position"),
        ([(1, text(trial=True))], "expected the position"),
        ([(1, text(at_ms="now"))], "expected milliseconds as at_ms"),
        ([(1, text(mono_ms=True))], "expected milliseconds as mono_ms"),
        ([(1, text(mono_ms=1e300))], "expected milliseconds as mono_ms"),
        ([(1, text(data=[]))], "expected an object as data"),
        ([(1, text()), (1, text(at_ms=2))], "is twice in one batch"),
    ],
)
def test_malformed_batches_are_explained(numbered: Any, complaint: str) -> None:
    with pytest.raises(InvalidInput, match=complaint):
        event_checks.check_batch("token", 1, numbered)


@pytest.mark.parametrize("epoch", [-1, True, "1", None, 2**31])
def test_epochs_are_whole_numbers(epoch: Any) -> None:
    with pytest.raises(InvalidInput, match="epoch"):
        event_checks.check_batch("token", epoch, [])


def test_sizes_are_limited_but_a_million_characters_fit() -> None:
    hostile = text(data={"value": '"\\\n<' * 250_000})
    assert len(hostile) > 1_000_000
    event_checks.check_batch("token", 1, [(1, hostile)])
    with pytest.raises(TooLarge, match="at most 500 events"):
        event_checks.check_batch("token", 1, [(n, text()) for n in range(1, 502)])
    with pytest.raises(TooLarge, match="Send several"):
        event_checks.check_batch(
            "token", 1, [(n, text(data={"v": "x" * 3_000_000})) for n in range(1, 4)]
        )
    with pytest.raises(TooLarge, match="Shorten the answer"):
        event_checks.check_batch("token", 1, [(1, text(data={"v": "x" * 4_000_000}))])


@given(
    st.lists(
        st.one_of(
            st.tuples(st.integers(), st.text()),
            st.binary(),
            st.none(),
            st.dictionaries(st.text(), st.text()),
        )
    )
)
def test_rubbish_is_refused_and_never_crashes(rubbish: Any) -> None:
    if rubbish:
        with pytest.raises(InvalidInput):
            event_checks.check_batch("token", 1, rubbish)


def test_hostile_text_comes_back_to_the_letter(
    store: Store, make_session: Callable[..., Session], hostile_texts: list[str]
) -> None:
    session = make_session(store)
    bodies = [
        json.dumps({**GOOD, "data": {"v": value}}, ensure_ascii=False) for value in hostile_texts
    ]
    numbered = list(enumerate(bodies, 1))
    assert store.append(event_checks.check_batch("token-1", 1, numbered)) == len(bodies)
    kept = store.read(lambda conn: list(event_log.event_bodies(conn, session.id)))
    assert [(seq, body) for seq, body, _ in kept] == numbered
    found = store.read(
        lambda conn: [
            event.data["v"]
            for event in event_log.events_since(conn, session.id, 0, containing="answer")
        ]
    )
    assert found == hostile_texts


@pytest.fixture
def hostile_texts() -> list[str]:
    return [
        "<script>alert(1)</script>",
        "=cmd|' /C calc'!A0",
        "\u202etxt.exe\u202c \u2066x\u2069",
        "nul \x00 and \x1b[31m",
        "'; DROP TABLE events; --",
        "%s %(x)s {x} ${x} :x ?",
        "😀🏳️‍🌈 é e\u0301 \ufffd \u2028 \uffff",
        "x" * 1_000_000,
    ]


def test_reading_goes_page_by_page(
    store: Store,
    make_session: Callable[..., Session],
    body: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(event_log, "PAGE", 3)
    session = make_session(store)
    store.append(event_checks.check_batch("token-1", 1, [(n, body(n)) for n in range(1, 8)]))
    for after in range(8):
        found = store.read(
            lambda conn, after=after: [
                seq for seq, _, _ in event_log.event_bodies(conn, session.id, after)
            ]
        )
        assert found == list(range(after + 1, 8))
