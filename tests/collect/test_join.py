"""Who may come in, how a session starts, and how it is balanced."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from believable.collect.context import Refusal
from believable.collect.desk import Collect
from believable.collect.leave import TRIES, PersonProof
from believable.collect.revise import UnexplainedChange, revise
from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput, NotFound, TooManyTries, Withdrawn
from believable.store import review, sessions, studies
from believable.store.sessions import POOLS, Session

pytestmark = pytest.mark.both_databases

WORKER = Path(__file__).parent / "joiner.py"


def session(desk: Collect, token: str) -> Session:
    return desk.view(token).now().session


def refused(
    desk: Collect,
    link: str,
    query: dict[str, str] | None = None,
    desktop: bool = True,
    kept: dict[str, str] | None = None,
) -> str:
    """The reason, which the landing page knows as well (but for the screen, which only the browser
    knows).
    """
    with pytest.raises(Refusal) as caught:
        desk.join(link, query or {}, "en", desktop, kept or {}).now()
    if caught.value.code != "desktop":
        assert desk.landing(link, query or {}, kept or {}).now().refusal == caught.value.code
    return caught.value.code


def test_publishing_again_keeps_links_and_state(desk: Collect, make_definition: Any) -> None:
    first = desk.publish("s", make_definition())
    assert set(first.links) == {"open", "preview", "simulated"}
    desk.store.write(lambda conn: studies.set_state(conn, "s", "paused"))
    changed = make_definition(on_fail="continue")
    again = desk.publish("s", changed)
    assert again.links == first.links
    row = desk.store.read(lambda conn: studies.get(conn, "s"))
    assert (row.state, row.definition) == ("paused", changed.hash)


def test_a_session_stays_with_the_definition_it_started_with(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    before = make_definition()
    links = desk.publish("s", before).links
    person = enter(links["open"])
    changed = make_definition(on_fail="continue")
    with pytest.raises(UnexplainedChange, match="attention"):
        desk.publish("s", changed)
    wish = {
        "study_id": "s",
        "definition": changed,
        "reason": "The check was too strict.",
        "user": "ada",
        "at_ms": 1,
    }
    desk.store.write(lambda conn: revise(conn, **wish))
    desk.publish("s", changed)
    assert desk.view(person.token).now().definition.hash == before.hash
    assert session(desk, enter(links["open"]).token).definition != before.hash


def test_looking_creates_nothing(desk: Collect, make_definition: Any) -> None:
    link = desk.publish("s", make_definition()).links["open"]
    landing = desk.landing(link, {}).now()
    assert (landing.kind, landing.refusal, landing.resumes) == ("open", None, False)
    assert desk.store.read(lambda conn: sessions.next_number(conn, "s", POOLS["real"])) == 1
    with pytest.raises(NotFound, match="does not lead to a study"):
        desk.landing("nowhere", {}).now()


def test_the_kind_of_link_marks_the_session_for_ever(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    links = desk.publish("s", make_definition()).links
    for kind, link in links.items():
        assert session(desk, enter(link).token).link_kind == kind
    numbers = [session(desk, enter(links["open"]).token).number for _ in range(2)]
    assert numbers == [2, 3]


def test_an_unknown_language_is_refused(desk: Collect, make_definition: Any) -> None:
    link = desk.publish("s", make_definition()).links["open"]
    with pytest.raises(InvalidInput, match="this study has no 'xx'"):
        desk.join(link, {}, "xx", True).now()


def test_paused_and_closed_studies_take_nobody_new(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    links = desk.publish("s", make_definition()).links
    person = enter(links["open"])
    for state in ("paused", "closed"):
        desk.store.write(lambda conn, state=state: studies.set_state(conn, "s", state))
        assert refused(desk, links["open"]) == state
        enter(links["preview"])
        enter(links["simulated"])
    assert person.complete().outcome == "complete", "who has begun may go on"


def test_the_closing_date(
    desk: Collect, clock: VirtualClock, make_definition: Any, enter: Any
) -> None:
    link = desk.publish("s", make_definition("recruit: {closes: 2025-06-15T15:10:00Z}")).links[
        "open"
    ]
    enter(link)  # the virtual clock starts at 15:06:40
    clock.advance(4 * 60_000)
    assert refused(desk, link) == "closed"


def test_the_limit_counts_completed_sessions_and_live_reservations(
    desk: Collect, clock: VirtualClock, make_definition: Any, enter: Any
) -> None:
    link = desk.publish("s", make_definition("reservation_minutes: 30\nrecruit: {limit: 2}")).links[
        "open"
    ]
    first, second = enter(link), enter(link)
    assert refused(desk, link) == "full"
    clock.advance(31 * 60_000)
    first.note("page.focus")  # renews the first one's reservation; the second one's is gone
    third = enter(link)
    assert refused(desk, link) == "full"
    assert first.complete().outcome == "complete"
    clock.advance(31 * 60_000)
    enter(link)
    assert refused(desk, link) == "full", "one is complete, one is running"
    sid = desk.view(first.token).now().session.id
    desk.store.write(
        lambda conn: review.add_decision(
            conn, session=sid, kind="reject", reason="copied", user="u", at_ms=0
        )
    )
    enter(link)
    assert refused(desk, link) == "full"
    assert {second.position, third.position} == {0}


def test_desktop_only(desk: Collect, make_definition: Any, enter: Any) -> None:
    link = desk.publish("s", make_definition("recruit: {desktop_only: true}")).links["open"]
    assert refused(desk, link, desktop=False) == "desktop"
    enter(link)


def test_a_personal_link_works_once_and_leads_back(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    desk.publish("s", make_definition())
    one, other = desk.personal_links("s", ["Ada", "Bea"])
    person = enter(one.token)
    again = desk.join(one.token, {}, "en", True).now()
    assert (again.token, again.resumed) == (person.token, True)
    assert enter(other.token).token != person.token
    desk.withdraw(person.token).now()
    assert refused(desk, one.token) == "withdrawn"
    labels = desk.store.read(
        lambda conn: [link.label for link in studies.links_of(conn, "s", ("personal",))]
    )
    assert sorted(labels) == ["", "Bea"], "not even the link says who withdrew"


def test_a_personal_link_is_refused_when_repeats_are(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    desk.publish("s", make_definition("recruit: {repeats: refuse}"))
    (link,) = desk.personal_links("s", ["Ada"])
    enter(link.token)
    assert refused(desk, link.token) == "used"


def test_repeats_are_resumed_or_refused(desk: Collect, make_definition: Any, enter: Any) -> None:
    ada = {"PROLIFIC_PID": "ada", "STUDY_ID": "st", "SESSION_ID": "x"}
    link = desk.publish("resuming", make_definition("recruit: {platform: prolific}")).links["open"]
    joined = desk.join(link, ada, "en", True).now()
    assert joined.mark is not None
    kept = {joined.mark: joined.token}
    person = enter(link, ada, kept=kept)
    assert person.token == joined.token
    assert desk.landing(link, ada, kept).now().resumes
    person.complete()
    assert desk.join(link, ada, "en", True, kept).now().token == person.token, (
        "the last page shows the code again"
    )
    assert enter(link, {**ada, "PROLIFIC_PID": "bea"}).token != person.token
    assert refused(desk, link) == "identity"
    assert refused(desk, link, {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}) == "identity"
    strict = desk.publish(
        "strict", make_definition("recruit: {platform: prolific, repeats: refuse}")
    ).links["open"]
    enter(strict, ada)
    assert refused(desk, strict, ada) == "taken"


def test_a_browser_takes_part_once_where_repeats_are_refused(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    """Without a platform the browser's own mark tells: who is half-way goes on, who is done is
    refused.
    """
    link = desk.publish("s", make_definition("recruit: {repeats: refuse}")).links["open"]
    joined = desk.join(link, {}, "en", True).now()
    assert joined.mark is not None
    kept = {joined.mark: joined.token}
    assert desk.landing(link, {}, kept).now().resumes
    assert desk.join(link, {}, "en", True, kept).now() == replace(joined, resumed=True)
    enter(link, kept=kept).complete()
    assert desk.landing(link, {}, kept).now().refusal == "taken"
    assert refused(desk, link, kept=kept) == "taken"
    assert enter(link).token != joined.token, "another browser"
    for junk in ("", "x" * 4000, joined.token[::-1]):
        assert desk.landing(link, {}, {joined.mark: junk}).now().refusal is None
    other = desk.publish("other", make_definition("recruit: {repeats: refuse}")).links["open"]
    assert desk.landing(other, {}, kept).now().refusal is None, "another study knows nothing of it"
    desk.withdraw(joined.token, PersonProof(desk.holder_mark(joined.token))).now()
    assert desk.landing(link, {}, kept).now().refusal is None, "nothing remembers who withdrew"


def test_an_id_alone_opens_no_session_in_which_something_was_entered(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    """Platform ids stand in addresses and exports: they say who somebody is, and prove nothing."""
    ada = {"PROLIFIC_PID": "ada"}
    link = desk.publish("s", make_definition("recruit: {platform: prolific}")).links["open"]
    person = enter(link, ada)
    person.submit({})
    assert desk.landing(link, ada).now().refusal == "code"
    assert refused(desk, link, ada) == "code"
    bea = desk.join(link, {"PROLIFIC_PID": "bea"}, "en", True).now()
    assert bea.mark is not None
    for kept in (
        {bea.mark: bea.token},
        {bea.mark: person.token},
        dict.fromkeys((bea.mark, "came-x"), ""),
    ):
        assert refused(desk, link, ada, kept=kept) == "code", "another person's mark opens nothing"
    code = desk.later(person.token).now().code
    resumed = desk.resume(code, "home").now()
    assert resumed.mark is not None
    kept = {resumed.mark: resumed.token}
    assert desk.join(link, ada, "en", True, kept).now().token == person.token, (
        "the code makes this browser hers as well"
    )
    person.complete()
    assert desk.landing(link, ada).now().refusal == "code", (
        "also after the end, when the last page shows the code for payment"
    )
    (personal,) = desk.personal_links("s", ["Cleo"])
    cleo = enter(personal.token)
    cleo.submit({})
    assert desk.join(personal.token, {}, "en", True).now().token == cleo.token, (
        "a personal link is a secret itself"
    )


def test_who_entered_nothing_begins_again_in_another_browser(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    """Nobody is stranded who only looked at the first page, and a stranger who came first takes
    nobody's place.
    """
    ada = {"PROLIFIC_PID": "ada"}
    link = desk.publish("s", make_definition("recruit: {platform: prolific, limit: 1}")).links[
        "open"
    ]
    first = enter(link, ada)
    first.note("page.open")
    assert desk.landing(link, ada).now().refusal is None
    second = enter(link, ada)
    assert second.token != first.token
    second.submit({})
    assert refused(desk, link, ada) == "code"


def test_withdrawing_after_the_end_takes_the_mark_or_the_code(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    link = desk.publish("s", make_definition()).links["open"]
    person, other = enter(link), enter(link)
    code, foreign = desk.later(person.token).now().code, desk.later(other.token).now().code
    person.complete()
    with pytest.raises(Refusal, match="Enter its code"):
        desk.later(person.token).now()
    for proof in (
        PersonProof(),
        PersonProof(mark="guess"),
        PersonProof(code=foreign),
        PersonProof(desk.holder_mark(other.token)),
    ):
        with pytest.raises(Refusal, match="Enter its code"):
            desk.withdraw(person.token, proof).now()
    with pytest.raises(NotFound, match="no session with this code"):
        desk.withdraw(person.token, PersonProof(code="0000-0000-00", who="guesser")).now()
    for _ in range(TRIES - 1):
        with pytest.raises(NotFound):
            desk.withdraw(person.token, PersonProof(code="0000-0000-00", who="guesser")).now()
    with pytest.raises(TooManyTries):
        desk.withdraw(person.token, PersonProof(code=code, who="guesser")).now()
    assert desk.later(person.token, PersonProof(desk.holder_mark(person.token))).now().code == code
    desk.withdraw(person.token, PersonProof(code=code.lower(), who="home")).now()
    with pytest.raises(Withdrawn):
        desk.view(person.token).now()


def test_marks_are_for_open_links_that_refuse_repeats(desk: Collect, make_definition: Any) -> None:
    published = desk.publish("s", make_definition("recruit: {repeats: refuse}"))
    (personal,) = desk.personal_links("s", ["Ada"])
    for link in (published.links["preview"], published.links["simulated"], personal.token):
        assert desk.join(link, {}, "en", True).now().mark is None
    relaxed = desk.publish("t", make_definition()).links["open"]
    assert desk.join(relaxed, {}, "en", True).now().mark is None


def test_an_id_that_the_link_carries_counts_where_repeats_are_refused(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    """Also that of a platform which the study does not name."""
    link = desk.publish("s", make_definition("recruit: {repeats: refuse}")).links["open"]
    enter(link, {"PROLIFIC_PID": "ada"})
    assert refused(desk, link, {"PROLIFIC_PID": "ada"}) == "taken"
    enter(link, {"PROLIFIC_PID": "bea"})


def test_recruiter_ids_are_kept_as_keyed_hashes_only(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    link = desk.publish("s", make_definition("recruit: {platform: prolific}")).links["open"]
    row = session(
        desk, enter(link, {"PROLIFIC_PID": "lovelace-ada", "STUDY_ID": "the-study"}).token
    )
    assert row.recruiter_hash is not None
    assert len(row.recruiter_hash) == 64
    assert set(row.recruiter_extra) == {"STUDY_ID"}
    assert "lovelace" not in repr(row)
    assert "the-study" not in repr(row)


def test_after_withdrawing_nothing_remembers_the_person(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    link = desk.publish(
        "s", make_definition("recruit: {platform: prolific, repeats: refuse}")
    ).links["open"]
    ada = {"PROLIFIC_PID": "ada"}
    first = enter(link, ada)
    desk.withdraw(first.token).now()
    second = enter(link, ada)
    assert session(desk, second.token).number == 2, "the number is not given again"


def test_mturk_previews_are_previews(desk: Collect, make_definition: Any, enter: Any) -> None:
    link = desk.publish("s", make_definition("recruit: {platform: mturk}")).links["open"]
    looking = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "hitId": "h"}
    assert desk.landing(link, looking).now().previews
    person = enter(link, looking)
    assert session(desk, person.token).link_kind == "preview"
    assert person.complete().code == "PREVIEW", "no code that would be paid for"


def cell(row: Session) -> tuple[str, int]:
    return row.arms["tool"], row.rows["clips"]


def test_cells_fill_evenly_and_rejected_ones_are_filled_again(
    desk: Collect, make_definition: Any, enter: Any
) -> None:
    link = desk.publish("s", make_definition()).links["open"]
    people = [enter(link) for _ in range(8)]
    filled = Counter(cell(session(desk, person.token)) for person in people)
    assert len(filled) == 4
    assert set(filled.values()) == {2}
    for person in people:
        person.complete()
    lost = session(desk, people[0].token)
    desk.store.write(
        lambda conn: review.add_decision(
            conn, session=lost.id, kind="reject", reason="too fast", user="u", at_ms=0
        )
    )
    assert cell(session(desk, enter(link).token)) == cell(lost)


def test_expired_reservations_free_their_cell(
    desk: Collect, clock: VirtualClock, make_definition: Any, enter: Any
) -> None:
    link = desk.publish("s", make_definition()).links["open"]
    people = [enter(link) for _ in range(4)]
    gone = session(desk, people[2].token)
    clock.advance(121 * 60_000)
    for person in (people[0], people[1], people[3]):
        person.note("page.focus")
    assert cell(session(desk, enter(link).token)) == cell(gone)


@pytest.mark.slow
def test_processes_that_start_sessions_together_keep_the_balance(
    desk: Collect, database_url: str, make_definition: Any, tmp_path: Path
) -> None:
    link = desk.publish("s", make_definition()).links["open"]
    workers = [
        subprocess.Popen(
            [sys.executable, str(WORKER), database_url, link, "10"], stdout=subprocess.PIPE
        )
        for _ in range(4)
    ]
    tokens = [
        token for worker in workers for token in json.loads(worker.communicate(timeout=120)[0])
    ]
    rows = [session(desk, token) for token in tokens]
    assert sorted(row.number for row in rows) == list(range(1, 41))
    assert set(Counter(map(cell, rows)).values()) == {10}
