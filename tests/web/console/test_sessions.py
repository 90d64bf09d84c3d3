"""Sessions: blind by default, rejecting with a reason."""

from __future__ import annotations

import re

from believable.store import decisions
from believable.web.console.sessions import in_words

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


def test_looking_at_conditions_is_noted_and_cannot_be_had_without(world: World, owner: Browser) -> None:
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
    kept = world.store.read(lambda conn: decisions.of_session(conn, world.session(1).id))
    assert [(one.kind, one.user) for one in kept] == [("reject", "ada"), ("unreject", "ada")]
    assert "rejected real session 1: same &lt;text&gt; five times" in owner.get("/console/audit").text


def test_withdrawn_and_unknown_sessions_are_not_found(world: World, owner: Browser) -> None:
    person = world.person()
    world.collect.withdraw(person.token)
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
