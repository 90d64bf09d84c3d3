"""Continuing later, on any device."""

from __future__ import annotations

from typing import Any

import pytest

from believable.collect.desk import Collect
from believable.collect.leave import TRIES, WINDOW_MS
from believable.core.clock import VirtualClock
from believable.core.errors import NotFound, TooManyTries


def test_a_code_leads_back_to_the_same_answers_and_orders(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    person = enter(desk.publish("s", make_definition()).links["open"])
    person.run_to("attention")
    person.note("answer.change", question="sky", value="pink")
    person.note("answer.change", question="sky", value="blue")
    before = desk.view(person.token).now()
    later = desk.later(person.token).now()
    assert later.token == person.token
    typed = later.code.lower().replace("-", " ")
    token = desk.resume(typed, "somewhere").now().token
    claimed = desk.claim(token).now()
    after = desk.view(token).now()
    assert claimed.position == before.position
    assert (after.plan, after.answers, after.drafts) == (
        before.plan,
        before.answers,
        {"sky": "blue"},
    )


def test_guessing_is_slowed_down_per_place(
    desk: Collect, clock: VirtualClock, make_definition: Any, enter: Any
) -> None:
    person = enter(desk.publish("s", make_definition()).links["open"])
    code = desk.later(person.token).now().code
    for _ in range(TRIES):
        with pytest.raises(NotFound, match="no session with this code"):
            desk.resume("0000-0000-00", "guesser").now()
    with pytest.raises(TooManyTries, match="Wait a few minutes"):
        desk.resume(code, "guesser").now()
    assert desk.resume(code, "somebody else").now().token == person.token
    clock.advance(WINDOW_MS)
    assert desk.resume(code, "guesser").now().token == person.token


def test_a_withdrawn_session_has_no_code(desk: Collect, make_definition: Any, enter: Any) -> None:
    person = enter(desk.publish("s", make_definition()).links["open"])
    code = desk.later(person.token).now().code
    desk.withdraw(person.token).now()
    with pytest.raises(NotFound):
        desk.resume(code, "me").now()
