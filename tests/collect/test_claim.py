"""Tabs and devices: who writes, and what coming back means."""

from __future__ import annotations

from typing import Any

import pytest

from believable.collect.context import Refusal
from believable.collect.desk import Collect
from believable.core.errors import TakenOver
from believable.store import event_log, sessions


def test_the_last_claim_writes_and_the_first_tab_is_told(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    person = enter(desk.publish("s", make_definition()).links["open"])
    person.note("page.open")
    person.note("trial.submit", answers={"adult": True, "agree": True})
    first = person.claimed
    second = desk.claim(person.token).now()
    assert (second.epoch, second.ack, second.head) == (first.epoch + 1, 2, person.head)
    late = person.body("page.hidden", 0)
    with pytest.raises(TakenOver):
        desk.append(person.token, first.epoch, [(3, late)]).now()
    with pytest.raises(TakenOver):
        desk.advance(person.token, first.epoch, 0, 2).now()
    kept = desk.store.read(
        lambda conn: event_log.strays_of(conn, desk.view(person.token).now().session.id)
    )
    assert [(epoch, seq, body) for epoch, seq, body, _ in kept] == [(first.epoch, 3, late)]
    assert desk.advance(person.token, second.epoch, 0, 2).now().status == "next"


def test_trial_resumes_at_the_same_trial(desk: Collect, make_definition: Any, enter: Any) -> None:
    person = enter(desk.publish("s", make_definition("resume: trial")).links["open"])
    person.run_to("attention")
    assert person.claim().position == 2
    assert person.trial_id == "attention"
    assert person.complete().outcome == "complete"


def test_restart_begins_the_same_plan_again_and_keeps_what_was(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    person = enter(desk.publish("s", make_definition("resume: restart")).links["open"])
    plan = desk.view(person.token).now().plan
    person.run_to("attention")
    person.submit({"sky": "pink"})
    assert person.claim().position == 0
    assert person.claim().position == 0, (
        "a claim repeated after a lost answer restarts nothing more"
    )
    view = desk.view(person.token).now()
    assert (view.session.run, view.closed, view.attempts, view.drafts) == (1, (), 0, {})
    assert view.plan == plan
    assert person.complete().outcome == "complete"
    rows = desk.store.read(lambda conn: sessions.closed_trials(conn, view.session.id))
    assert [(row.run, row.key) for row in rows if row.run == 0] == [(0, "consent"), (0, "about")]


def test_an_old_submission_does_not_close_a_trial_of_the_new_run(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    person = enter(desk.publish("s", make_definition("resume: restart")).links["open"])
    old = person.note("trial.submit", answers={"adult": True, "agree": True})
    assert person.advance(0, old).status == "next"
    person.claim()
    person.note("page.open")
    with pytest.raises(ValueError, match="expected the submission of trial 0"):
        person.advance(0, old)


def test_restart_leaves_the_last_page_alone(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    person = enter(desk.publish("s", make_definition("resume: restart")).links["open"])
    person.run_to("end")
    person.claim()
    assert person.trial_id == "end"
    assert person.finish().outcome == "complete"


def test_forbid_refuses_to_come_back_once_something_was_stored(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    head = "resume: forbid\nrecruit: {platform: custom, id_parameter: who}"
    link = desk.publish("s", make_definition(head)).links["open"]
    person = enter(link, {"who": "ada"})
    person.claim()  # nothing was stored yet: perhaps the answer was lost
    person.note("page.open")
    for attempt in (
        lambda: desk.claim(person.token).now(),
        lambda: desk.join(link, {"who": "ada"}, "en", True).now(),
        lambda: desk.later(person.token).now(),
    ):
        with pytest.raises(Refusal) as caught:
            attempt()
        assert caught.value.code == "resume"
    assert person.complete().outcome == "complete", "the tab that is open goes on"
    assert desk.claim(person.token).now().ack == person.seq
