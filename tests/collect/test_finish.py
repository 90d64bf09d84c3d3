"""The completion code exists only once every event is stored."""

from __future__ import annotations

from typing import Any

import pytest

from believable.collect.desk import Collect
from believable.core import event_chain
from believable.core.errors import Conflict, Refused
from believable.store import sessions

PROLIFIC = "recruit: {platform: prolific}"


@pytest.fixture
def person(desk: Collect, make_definition: Any, enter: Any) -> Any:
    person = enter(desk.publish("s", make_definition()).links["open"])
    person.run_to("end")
    return person


def state(desk: Collect, person: Any) -> str:
    return desk.view(person.token).now().session.state


def test_the_receipt_is_the_head_of_the_chain(desk: Collect, person: Any) -> None:
    done = person.finish()
    view = desk.view(person.token).now()
    origin = event_chain.origin(view.session.id)
    assert done.receipt == event_chain.extend(origin, person.log) == person.head
    assert done.outcome == "complete"
    assert done.code
    assert (view.session.state, view.outcome, view.finished) == ("finished", "complete", done)


def test_no_code_while_pages_are_left(desk: Collect, make_definition: Any, enter: Any) -> None:
    person = enter(desk.publish("s", make_definition()).links["open"])
    person.note("page.open")
    with pytest.raises(Conflict, match="not at its end"):
        person.finish()
    assert state(desk, person) == "active"


def test_no_code_with_a_gap_in_the_chain(desk: Collect, person: Any) -> None:
    gap, beyond = person.body("page.blur", 7), person.body("page.focus", 7)
    desk.append(person.token, person.claimed.epoch, [(person.seq + 2, beyond)]).now()
    with pytest.raises(Conflict, match="stored without a gap"):
        person.finish()
    with pytest.raises(Conflict, match="stored without a gap"):
        desk.finish(
            person.token,
            person.claimed.epoch,
            person.seq + 2,
            event_chain.extend(person.head, [gap, beyond]),
        ).now()
    assert state(desk, person) == "active"
    desk.append(person.token, person.claimed.epoch, [(person.seq + 1, gap)]).now()
    person.seq, person.head = person.seq + 2, event_chain.extend(person.head, [gap, beyond])
    assert person.finish().code


def test_no_code_while_the_browser_holds_more(desk: Collect, person: Any) -> None:
    with pytest.raises(Conflict, match="Send what is missing"):
        desk.finish(person.token, person.claimed.epoch, person.seq + 1, person.head).now()


def test_a_differing_chain_is_an_alarm(desk: Collect, person: Any) -> None:
    with pytest.raises(Conflict, match="ends differently"):
        desk.finish(person.token, person.claimed.epoch, person.seq, "0" * 64).now()
    assert [alarm.kind for alarm in desk.store.alarms()] == ["chain_conflict"]
    assert state(desk, person) == "active"


def test_a_repeated_call_gives_the_same_result_even_from_another_tab(
    desk: Collect, person: Any
) -> None:
    done = person.finish()
    assert person.finish() == done
    assert desk.finish(person.token, 0, person.seq, person.head).now() == done
    with pytest.raises(Refused, match="finished"):
        desk.append(
            person.token, person.claimed.epoch, [(person.seq + 1, person.body("page.hidden", 0))]
        ).now()
    assert person.finish() == done, "what came later changes nothing"


def test_automatic_codes_are_one_per_study_and_outcome(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    codes: dict[tuple[str, str], set[str | None]] = {}
    for study in ("one", "other"):
        link = desk.publish(study, make_definition()).links["open"]
        for _ in range(2):
            done = enter(link).complete()
            codes.setdefault((study, done.outcome), set()).add(done.code)
            failing = enter(link)
            failing.run_to("attention")
            failing.submit({"sky": "pink"})
            failing.submit({"sky": "pink"})
            done = failing.finish()
            codes.setdefault((study, done.outcome), set()).add(done.code)
    assert len(codes) == 4
    assert all(len(code) == 1 for code in codes.values())
    assert len(set.union(*codes.values())) == 4


def test_given_codes_and_addresses_are_used(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    finish = (
        ', codes: {complete: C0DE}, redirect: {complete: "https://x.org/done?c={code}&id={who}"}'
    )
    definition = make_definition("recruit: {platform: custom, id_parameter: who}", finish=finish)
    person = enter(desk.publish("s", definition).links["open"], {"who": "a b"})
    done = person.complete(who="a b")
    assert done.code == "C0DE"
    assert done.redirect == "https://x.org/done?c=C0DE&id=a%20b"
    assert person.finish().redirect is None, (
        "on another device the id is not known, and half an address is none"
    )


def test_prolific_gets_its_code(desk: Collect, make_definition: Any, enter: Any) -> None:
    link = desk.publish("s", make_definition(PROLIFIC, finish=", redirect: prolific")).links["open"]
    done = enter(link, {"PROLIFIC_PID": "ada"}).complete()
    assert done.redirect == f"https://app.prolific.com/submissions/complete?cc={done.code}"


@pytest.mark.parametrize(("kind", "code"), [("preview", "PREVIEW"), ("simulated", "SIMULATED")])
def test_rehearsals_get_no_real_code(
    desk: Collect, make_definition: Any, enter: Any, kind: str, code: str
) -> None:
    finish = ", codes: {complete: PAID}, redirect: prolific"
    person = enter(desk.publish("s", make_definition(PROLIFIC, finish=finish)).links[kind])
    done = person.complete()
    assert (done.code, done.redirect) == (code, None)


def test_screened_out_sessions_give_their_place_back(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    link = desk.publish("s", make_definition("recruit: {limit: 1}")).links["open"]
    person = enter(link)
    person.run_to("attention")
    person.submit({"sky": "pink"})
    person.submit({"sky": "pink"})
    assert person.finish().outcome == "screened_out"
    filled = desk.store.read(lambda conn: sessions.count_filled(conn, "s", ("open",), 0))
    assert filled == ()
    assert enter(link).complete().outcome == "complete"
