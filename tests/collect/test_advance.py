"""Closing trials: required and hidden questions, checks, consent, watching, breaks, skipping; and
repeated calls.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from believable.bundle.session_records import ClosedTrial
from believable.collect.advance import AdvanceResult
from believable.collect.desk import Collect
from believable.core import event_chain
from believable.core.clock import VirtualClock
from believable.core.errors import Conflict, InvalidInput, TakenOver
from believable.store import event_log, sessions


def keys(advanced: AdvanceResult) -> dict[str, str]:
    return {question: error.key for question, error in advanced.errors.items()}


@pytest.fixture
def person(desk: Collect, make_definition: Any, enter: Any) -> Any:
    return enter(desk.publish("s", make_definition()).links["open"])


def rows(desk: Collect, person: Any) -> list[ClosedTrial]:
    sid = desk.view(person.token).now().session.id
    return list(desk.store.read(lambda conn: sessions.closed_trials(conn, sid)))


def test_every_consent_box_must_be_ticked(person: Any) -> None:
    answer = person.submit({"adult": True, "agree": "yes"})
    assert (answer.status, keys(answer)) == ("again", {"agree": "error.consent"})
    assert person.submit({"adult": True, "agree": True}).status == "next"


def test_declining_ends_the_session_without_a_code(person: Any) -> None:
    seq = person.note("consent.decline")
    assert person.advance(0, seq).status == "finished"
    done = person.finish()
    assert (done.outcome, done.code, done.redirect) == ("declined", None, None)


def test_only_consent_can_be_declined(person: Any) -> None:
    person.run_to("about")
    with pytest.raises(InvalidInput, match="only a consent page can be declined"):
        person.advance(1, person.note("consent.decline"))


def test_required_questions_and_bad_answers_are_told_all_at_once(
    desk: Collect, person: Any
) -> None:
    person.run_to("about")
    assert keys(person.submit({})) == {"age": "error.required", "plays": "error.required"}
    assert keys(person.submit({"age": 3, "plays": "perhaps"})) == {
        "age": "error.number_min",
        "plays": "error.option",
    }
    assert person.position == 1
    assert person.submit({"age": 30, "plays": "no"}).status == "next"
    assert rows(desk, person)[1].answers == {"age": 30, "plays": "no", "remark": None}


def test_a_question_counts_only_while_it_is_shown(desk: Collect, person: Any) -> None:
    person.run_to("about")
    assert keys(person.submit({"age": 30, "plays": "yes"})) == {"what": "error.required"}
    assert person.submit({"age": 30, "plays": "no", "what": "hidden"}).status == "next"
    assert "what" not in rows(desk, person)[1].answers


def test_half_an_emoji_is_kept_raw_and_made_whole_in_the_answer(desk: Collect, person: Any) -> None:
    person.run_to("about")
    seq = person.note("answer.change", question="remark", value="x\ud83d")
    assert person.submit({"age": 30, "plays": "no", "remark": "x\ud83d"}).status == "next"
    assert rows(desk, person)[1].answers["remark"] == "x\N{REPLACEMENT CHARACTER}"
    assert '"x\\ud83d"' in person.log[seq - 1]


def test_a_check_counts_wrong_answers_once_each(desk: Collect, person: Any) -> None:
    person.run_to("attention")
    assert keys(person.submit({})) == {"sky": "error.required"}, "an empty page is no attempt"
    wrong = person.note("trial.submit", answers={"sky": "pink"})
    for _ in range(3):
        answer = person.advance(2, wrong)
        assert (answer.status, keys(answer)) == ("again", {"sky": "error.wrong_again"})
    assert desk.view(person.token).now().attempts == 1, "a repeated call is no second attempt"
    assert person.submit({"sky": "blue"}).status == "next"
    assert (rows(desk, person)[2].status, rows(desk, person)[2].attempts) == ("done", 2)


@pytest.mark.parametrize(
    ("on_fail", "outcome"), [("screen_out", "screened_out"), ("fail", "failed_checks")]
)
def test_failing_a_check_ends_the_session(
    desk: Collect, make_definition: Any, enter: Any, on_fail: str, outcome: str
) -> None:
    person = enter(desk.publish("s", make_definition(on_fail=on_fail)).links["open"])
    person.run_to("attention")
    assert person.submit({"sky": "pink"}).status == "again"
    assert person.submit({"sky": "pink"}).status == "finished"
    assert person.finish().outcome == outcome


def test_failing_a_check_may_be_recorded_only(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    person = enter(desk.publish("s", make_definition(on_fail="continue")).links["open"])
    person.run_to("attention")
    person.submit({"sky": "pink"})
    assert person.submit({"sky": "pink"}).status == "next"
    assert (rows(desk, person)[2].status, rows(desk, person)[2].attempts) == ("failed", 2)
    assert person.complete().outcome == "complete"


def test_a_video_must_be_seen_to_its_end(person: Any) -> None:
    person.run_to("clip")
    answer = person.submit({"human": 3})
    assert (answer.status, keys(answer)) == ("again", {"": "error.watch"})
    person.note("media.ended")
    assert person.submit({"human": 3}).status == "next"
    assert keys(person.submit({"human": 3})) == {"": "error.watch"}, "the next video has not ended"


def test_a_break_lasts_as_long_as_it_must(person: Any, clock: VirtualClock) -> None:
    person.run_to("pause")
    clock.advance(9_999)
    assert keys(person.submit({})) == {"": "error.wait"}
    clock.advance(1)
    assert person.submit({}).status in ("next", "finished")


def test_rules_skip_trials_and_say_so(desk: Collect, make_definition: Any, enter: Any) -> None:
    link = desk.publish("s", make_definition()).links["open"]
    plays_not, plays = enter(link), enter(link)
    plays.run_to("about")
    plays.submit({"age": 30, "plays": "yes", "what": "chess"})
    for person, status in ((plays_not, "skipped"), (plays, "done")):
        person.run_to("end")
        last = rows(desk, person)[-1]
        assert (last.key, last.status) == ("players_only", status)


def test_a_repeated_call_gives_the_same_result(desk: Collect, person: Any) -> None:
    seq = person.note("trial.submit", answers={"adult": True, "agree": True})
    assert [person.advance(0, seq).status for _ in range(3)] == ["next"] * 3
    assert person.position == 1
    person.run_to("end")
    last = rows(desk, person)[-1]
    submitted = next(row for row in reversed(rows(desk, person)) if row.submit_seq)
    assert person.advance(submitted.position, submitted.submit_seq).status == "finished"
    assert len([row for row in rows(desk, person) if row.position == last.position]) == 1


def test_what_cannot_close_a_trial(desk: Collect, person: Any) -> None:
    opened = person.note("page.open")
    with pytest.raises(InvalidInput, match="expected the submission of trial 0"):
        person.advance(0, opened)
    with pytest.raises(Conflict, match="has not arrived"):
        person.advance(0, person.seq + 1)
    with pytest.raises(Conflict, match=r"trial 1 is not the current one \(0\)"):
        person.advance(1, person.note("trial.submit", trial=1, answers={}))
    with pytest.raises(InvalidInput, match=r"expected data\.answers"):
        person.advance(0, person.note("trial.submit", answers=[1]))
    with pytest.raises(Conflict, match="never given out"):
        desk.advance(person.token, 99, 0, person.seq).now()
    person.run_to("end")
    with pytest.raises(Conflict):
        person.submit({})


def test_a_submission_behind_a_gap_closes_nothing(desk: Collect, person: Any) -> None:
    body = person.body("trial.submit", 0, answers={"adult": True, "agree": True})
    assert desk.append(person.token, person.claimed.epoch, [(2, body)]).now() == 0
    with pytest.raises(Conflict, match="has not arrived"):
        person.advance(0, 2)
    assert (
        desk.append(person.token, person.claimed.epoch, [(1, person.body("page.open", 0))]).now()
        == 2
    )
    assert person.advance(0, 2).status == "next"


def test_activity_renews_the_reservation(desk: Collect, person: Any, clock: VirtualClock) -> None:
    clock.advance(60_000)
    person.answer_page()
    row = desk.store.read(
        lambda conn: sessions.by_id(conn, desk.view(person.token).now().session.id)
    )
    assert row is not None
    assert row.reserved_until_ms == clock.now_ms() + 120 * 60_000
    assert row.opened_ms == clock.now_ms()


def test_what_another_process_closed_is_known(desk: Collect, person: Any, tmp_path: Path) -> None:
    """Each process keeps what it knows of a session; none may go by what another has overtaken."""
    context = desk.context
    other = Collect(desk.store, clock=context.clock, key=context.key, media_dir=tmp_path / "media")
    for turn in range(4):
        person.desk = (desk, other)[turn % 2]
        person.answer_page()
        views = [process.view(person.token).now() for process in (desk, other)]
        assert views[0] == views[1]
        assert [page.position for page in views[0].closed] == list(range(views[0].position))


def test_a_withdrawn_session_is_forgotten(desk: Collect, person: Any) -> None:
    person.answer_page()
    session_id = desk.view(person.token).now().session.id
    assert desk.context.runs.get(session_id) is not None
    desk.withdraw(person.token).now()
    assert desk.context.runs.get(session_id) is None


def test_what_is_sent_along_is_stored_and_the_page_closed_in_one(
    desk: Collect, person: Any
) -> None:
    change = person.body("answer.change", 0, question="adult", value=True)
    submit = person.body("trial.submit", 0, answers={"adult": True, "agree": True})
    along = [(person.seq + 1, change), (person.seq + 2, submit)]
    first, again = (
        desk.advance(person.token, person.claimed.epoch, 0, person.seq + 2, along).now()
        for _ in range(2)
    )  # the second after a lost answer
    session = desk.view(person.token).now().session
    assert (first.status, again.status) == ("next", "next")
    assert (
        first.standing.session.head_seq
        == again.standing.session.head_seq
        == session.head_seq
        == person.seq + 2
    )
    assert session.head_hash == event_chain.extend(person.head, [change, submit])
    assert [row.status for row in rows(desk, person)] == ["done"]


def test_what_is_sent_along_with_a_page_that_cannot_close_is_not_acknowledged(
    desk: Collect, person: Any
) -> None:
    before = desk.view(person.token).now().session
    along = [(person.seq + 1, person.body("trial.submit", 0, answers={}))]
    with pytest.raises(Conflict, match="trial 1 is not the current one"):
        desk.advance(person.token, person.claimed.epoch, 1, person.seq + 1, along).now()
    assert desk.view(person.token).now().session.head_seq == before.head_seq
    assert (
        desk.append(person.token, person.claimed.epoch, along).now() == person.seq + 1
    )  # by itself it is taken


def test_what_an_overtaken_tab_sends_along_is_kept_beside_the_chain(
    desk: Collect, person: Any
) -> None:
    old = person.claimed.epoch
    person.claim()
    along = [
        (person.seq + 1, person.body("trial.submit", 0, answers={"adult": True, "agree": True}))
    ]
    with pytest.raises(TakenOver):
        desk.advance(person.token, old, 0, person.seq + 1, along).now()
    session = desk.view(person.token).now().session
    strays = desk.store.read(lambda conn: event_log.strays_of(conn, session.id))
    assert [(epoch, seq) for epoch, seq, _, _ in strays] == [(old, person.seq + 1)]
    assert (session.position, session.head_seq) == (0, person.seq)
