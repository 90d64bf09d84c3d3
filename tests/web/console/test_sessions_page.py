"""Sessions: found, sorted and decided about, blind by default."""

from __future__ import annotations

import re
from pathlib import Path

from believable.analysis import exclusions
from believable.bundle.read import read
from believable.collect.context import load_key
from believable.collect.leave import PersonProof, later_code
from believable.collect.recruiting import participant_hash
from believable.store import review, sessions
from believable.store.bundle_export import export
from believable.web.console.session_page import in_words

from .conftest import Browser, World

SESSIONS = "/console/studies/study/sessions"


def test_the_list_filters_and_pages(world: World, owner: Browser) -> None:
    world.person().run("some words", "more words")
    world.person()
    assert owner.get(SESSIONS).text.count('class="strong"') == 2
    assert owner.get(f"{SESSIONS}?place=complete").text.count('class="strong"') == 1
    assert "No sessions here" in owner.get(f"{SESSIONS}?pool=preview").text
    assert owner.get(f"{SESSIONS}?place=nowhere").status_code == 422
    assert owner.get(f"{SESSIONS}?page=x").status_code == 422
    assert owner.get(f"{SESSIONS}?page=0").status_code == 422
    assert "No sessions here" in owner.get(f"{SESSIONS}?page=7").text


def test_who_has_been_gone_for_long_is_not_under_way(world: World, owner: Browser) -> None:
    world.person()
    pages = ("/console/studies/study/sessions", "/console/studies/study/sessions/real/1")
    pill = '<span class="pill active">under way</span>'
    assert all(pill in owner.get(page).text for page in pages)
    world.clock.advance(125 * 60_000)
    for page in pages:
        shown = owner.get(page).text
        assert pill not in shown
        assert '<span class="pill closed">dropped out</span>' in shown


def listed(page: str) -> list[int]:
    return [int(number) for number in re.findall(r'class="strong"[^>]*>(\d+)<', page)]


def test_the_list_is_searched_and_sorted(world: World, owner: Browser) -> None:
    people = [world.person() for _ in range(3)]
    people[1].run("some words", "more words")
    assert listed(owner.get(SESSIONS).text) == [3, 2, 1]
    assert listed(owner.get(f"{SESSIONS}?sort=number&up=1").text) == [1, 2, 3]
    assert listed(owner.get(f"{SESSIONS}?sort=took").text)[0] == 2
    assert owner.get(f"{SESSIONS}?sort=seed").status_code == 422
    assert listed(owner.get(f"{SESSIONS}?q=2-3").text) == [3, 2]
    assert listed(owner.get(f"{SESSIONS}?q={people[0].session.id[:9]}").text) == [1]
    code = later_code(world.collect.context, people[2].session.id)
    assert listed(owner.get(f"{SESSIONS}?q={code.lower()}").text) == [3]
    assert "that match" in owner.get(f"{SESSIONS}?q=<script>").text
    assert "<script>&" not in owner.get(f"{SESSIONS}?q=<script>%26").text
    head = owner.get(f"{SESSIONS}?sort=took&q=2").text
    assert 'aria-sort="descending"' in head
    assert "q=2&amp;sort=took&amp;up=1" in head, (
        "a second click turns the order round and keeps the search"
    )


def test_a_recruiters_id_is_found_by_its_hash(world: World, owner: Browser) -> None:
    person = world.person()
    hashed = participant_hash(load_key(world.app.state.settings.data_dir), "study", "5f1234567890")
    world.store.write(lambda conn: sessions.change(conn, person.session.id, recruiter_hash=hashed))
    assert listed(owner.get(f"{SESSIONS}?q=5f1234567890").text) == [1]
    assert listed(owner.get(f"{SESSIONS}?q={hashed[:16]}").text) == [1]
    assert listed(owner.get(f"{SESSIONS}?q=5f1234567891").text) == []


def test_many_are_decided_about_at_once_with_one_line_in_the_audit_log(
    world: World, owner: Browser
) -> None:
    for _ in range(5):
        world.person().run("some words", "more words")
    ticked = {"session-1": "1", "session-2": "1", "session-4": "1"}
    assert owner.post(SESSIONS, deed="exclude", reason=" ", **ticked).status_code == 422
    assert owner.post(SESSIONS, deed="exclude", reason="x").status_code == 422
    assert owner.post(SESSIONS, deed="burn", reason="x", **ticked).status_code == 422
    assert owner.post(SESSIONS, deed="exclude", reason="x", **{"session-x": "1"}).status_code == 422
    assert (
        owner.post(SESSIONS, deed="exclude", reason="x", **{"session-77": "1"}).status_code == 404
    )
    answer = owner.post(SESSIONS, deed="exclude", reason="the sound was <off>", **ticked)
    assert answer.status_code == 303
    assert "3 of 3 sessions changed: excluded" in owner.get(answer.headers["location"]).text
    assert [world.session(number).excluded for number in range(1, 6)] == [
        True,
        True,
        False,
        True,
        False,
    ]
    audit = owner.get("/console/audit").text
    assert "excluded real sessions 1-2, 4 (3)" in audit
    assert "the sound was" not in audit, "the reason goes with each session, should it be withdrawn"
    assert "the sound was &lt;off&gt;" in owner.get(f"{SESSIONS}/real/1").text
    everything = owner.post(
        SESSIONS, deed="exclude", reason="all of them", everything="yes", q="2-5"
    )
    assert "2 of 4 sessions changed" in owner.get(everything.headers["location"]).text
    assert "excluded real sessions 3, 5 (2)" in owner.get("/console/audit").text
    assert listed(owner.get(f"{SESSIONS}?place=excluded").text) == [5, 4, 3, 2, 1]


def test_coders_cannot_decide_about_sessions(world: World) -> None:
    world.person().run("some words", "more words")
    coder = world.log_in("cora", "coder")
    assert coder.post(SESSIONS, deed="exclude", reason="x", **{"session-1": "1"}).status_code == 403
    assert not world.session(1).excluded


def test_an_excluded_session_stands_in_the_bundle_with_who_when_and_whether_blind(
    world: World, owner: Browser, tmp_path: Path
) -> None:
    for _ in range(2):
        world.person().run("some words", "more words")
    owner.post(f"{SESSIONS}/real/2/conditions")
    for number in ("1", "2"):
        done = owner.post(
            f"{SESSIONS}/real/{number}/judge", deed="exclude", reason="knew the <author>"
        )
        assert done.status_code == 303
    export(world.store, "study", tmp_path / "b", media_dir=world.app.state.settings.media_dir)
    bundle = read(tmp_path / "b")
    for file in (tmp_path / "b").rglob("*.csv"):
        assert not re.search(r"\bada\b", file.read_text("utf-8")), "names of accounts stay with us"
    rows = [row for row in bundle["exclusions"].rows() if row["reason"] == "excluded"]
    assert [(row["scope"], row["detail"], row["decided_by"]) for row in rows] == [
        ("session", "knew the <author>", "reviewer_1")
    ] * 2
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", str(row["decided_on"])) for row in rows)
    assert [row["decided_blind"] for row in rows] == [True, False], (
        "conditions of the second were looked at before"
    )
    assert not bundle["participants"]["included"].values.any()
    kept = exclusions.apply(bundle, ())
    assert kept.sessions == ()
    assert {drop.reason for drop in kept.drops} == {"excluded"}
    assert kept.drops[0].detail == "knew the <author>"


def test_searching_by_arm_is_noted_first(world: World, owner: Browser) -> None:
    people = [world.person() for _ in range(4)]
    level = people[0].session.arms["tool"]
    expected = [p.session.number for p in people if p.session.arms["tool"] == level][::-1]
    assert owner.get(f"{SESSIONS}?arm=tool:{level}").status_code == 403
    assert "CANARY" not in owner.get(SESSIONS).text
    asked = owner.post(f"{SESSIONS}/by-arm", pool="real")
    assert "searched the real sessions by arm" in owner.get("/console/audit").text
    place = asked.headers["location"]
    assert "CANARYslow" in owner.get(place).text
    assert listed(owner.get(f"{place}&arm=tool:{level}").text) == expected
    assert owner.get(f"{place}&arm=tool:nothing").status_code == 422
    other = world.log_in("bea", "researcher")
    assert other.get(f"{place}&arm=tool:{level}").status_code == 403, (
        "the address is worth nothing to others"
    )


def test_a_session_shows_answers_and_proof_but_no_condition(world: World, owner: Browser) -> None:
    session = world.person().run("some words", "more words")
    page = owner.get(f"{SESSIONS}/real/1").text
    assert "some words" in page
    assert "Why do you think so?" in page
    assert f"holds over {session.head_seq} events" in page
    assert "CANARY" not in page
    assert session.id not in page
    assert session.token_hash not in page


def test_no_list_and_no_queue_shows_conditions_or_arms(world: World, owner: Browser) -> None:
    world.person().run("some words", "more words")
    for path in ("sessions", "sessions/real/1", "review?show=all", "export"):
        assert "CANARY" not in owner.get(f"/console/studies/study/{path}").text, path


def test_looking_at_conditions_is_noted_and_cannot_be_had_without(
    world: World, owner: Browser
) -> None:
    world.person().run("some words", "more words")
    forged = owner.get(f"{SESSIONS}/real/1?conditions=1").text
    assert "CANARY" not in forged
    sent = owner.post(f"{SESSIONS}/real/1/conditions").headers["location"]
    page = owner.get(sent).text
    assert "condition CANARY" in page
    assert "CANARYslow" in page or "CANARYfast" in page
    assert "looked at the conditions of real session 1" in owner.get("/console/audit").text
    colleague = world.log_in("bob", "researcher")
    assert "CANARY" not in colleague.get(sent).text, "an address handed on opens nothing"


def test_what_was_shown_stays_shown_while_paging(world: World, owner: Browser) -> None:
    person = world.person()
    for _ in range(201):
        person.send("clock")
    page = owner.get(owner.post(f"{SESSIONS}/real/1/conditions").headers["location"]).text
    following = re.search(r'href="([^"]*page=2)"', page)
    assert following is not None
    again = owner.get(f"{SESSIONS}/real/1{following[1].replace('&amp;', '&')}").text
    assert "Conditions are shown" in again


def test_rejecting_and_taking_it_back(world: World, owner: Browser) -> None:
    world.person().run("some words", "more words")
    judge = f"{SESSIONS}/real/1/judge"
    assert owner.post(judge, deed="reject", reason="  ").status_code == 422
    assert owner.post(judge, deed="burn", reason="x").status_code == 422
    assert owner.post(judge, deed="reject", reason="same <text> five times").status_code == 303
    page = owner.get(f"{SESSIONS}/real/1").text
    assert "same &lt;text&gt; five times" in page
    assert world.session(1).rejected
    assert owner.post(judge, deed="reject", reason="again").status_code == 409
    assert owner.post(judge, deed="unreject", reason="looked again").status_code == 303
    assert not world.session(1).rejected
    kept = world.store.read(lambda conn: review.decisions_of(conn, world.session(1).id))
    assert [(one.kind, one.user) for one in kept] == [("reject", "ada"), ("unreject", "ada")]
    assert (
        "rejected real session 1: same &lt;text&gt; five times" in owner.get("/console/audit").text
    )


def test_withdrawn_and_unknown_sessions_are_not_found(world: World, owner: Browser) -> None:
    person = world.person()
    world.collect.withdraw(person.token, PersonProof(world.collect.holder_mark(person.token))).now()
    for path in ("real/1", "real/99", "real/abc", "real/99999999999999999999", "preview/1"):
        assert owner.get(f"{SESSIONS}/{path}").status_code == 404, path
    assert owner.get(f"{SESSIONS}/both/1").status_code == 422


def test_strange_filters_are_told_so(world: World, owner: Browser) -> None:
    world.person()
    assert owner.get(f"{SESSIONS}/real/1?trial=x").status_code == 422
    assert owner.get(f"{SESSIONS}/real/1?kind=<script>&trial=2").status_code == 200
    assert "<script>&" not in owner.get(f"{SESSIONS}/real/1?kind=<script>&trial=2").text


def test_answers_in_words() -> None:
    assert in_words({"calm": 2, "tags": ["a", "b"]}) == "calm: 2; tags: a, b"
    assert (in_words(True), in_words(False), in_words(None), in_words(0)) == (
        "yes",
        "no",
        "not answered",
        "0",
    )


def test_the_code_of_a_participant_who_lost_it_is_shown_and_noted(
    world: World, owner: Browser
) -> None:
    """Who changed the browser and has no code any more asks the researchers, who find the session
    by the platform's id.
    """
    world.person().run("some words", "more words")
    assert "Send it only to the participant" not in owner.get(f"{SESSIONS}/real/1?code=1").text
    shown = owner.get(owner.post(f"{SESSIONS}/real/1/code").headers["location"]).text
    assert re.search(r"<code>[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{2}</code>", shown)
    assert "read the code for continuing real session 1" in owner.get("/console/audit").text
