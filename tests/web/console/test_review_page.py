"""The review queue: what it shows, and what a decision leaves behind."""

from __future__ import annotations

import re

import pytest

from believable.collect.leave import PersonProof
from believable.core.errors import InvalidInput
from believable.store import review
from believable.web.console.review_page import reason_from

from .conftest import Browser, World

REVIEW = "/console/studies/study/review"
GENUINE = "The first player hesitated at the doors and looked around before it walked on."
OTHER = "It ran straight into the wall, turned, and ran into the next one."


def item(page: str) -> str:
    found = re.search(r'name="item" value="([^"]+)"', page)
    assert found is not None, "no item on the page"
    return found[1]


def test_an_empty_queue_says_so(world: World, owner: Browser) -> None:
    assert "no free-text answers yet" in owner.get(REVIEW).text


def test_hinted_answers_come_first_and_unhinted_ones_only_on_demand(
    world: World, owner: Browser
) -> None:
    world.person().run(GENUINE, "ok")
    page = owner.get(REVIEW).text
    assert item(page) == "1-4-1"
    assert "2 characters" in page
    assert GENUINE not in page
    assert "1 of 1" in page
    assert "1 of 2" in owner.get(f"{REVIEW}?show=undecided").text


def test_copies_pastes_and_haste_are_hinted(world: World, owner: Browser) -> None:
    world.person().run(GENUINE, OTHER)
    person = world.person()
    person.submit(agree=True)
    person.submit(sky="blue")
    person.send("text.paste", question="why", length=len(GENUINE))
    person.submit(why=GENUINE.upper())
    person.submit(1_000, why="I wrote all of this in a single second, believe me or not.")
    person.finish()
    page = owner.get(f"{REVIEW}?at=2-3-1").text
    assert "same text as session 1 (page 3)" in page
    assert f"{len(GENUINE)} characters were pasted" in page
    assert "characters in 1.0 s" in owner.get(f"{REVIEW}?hint=fast").text
    assert "same text as session 2 (page 3)" in owner.get(f"{REVIEW}?hint=duplicate&at=1-3-1").text
    assert "pasted" in owner.get(f"{REVIEW}?hint=paste").text
    assert "Nothing left" in owner.get(f"{REVIEW}?hint=short").text


def test_pools_are_reviewed_apart(world: World, owner: Browser) -> None:
    world.person().run(GENUINE, OTHER)
    world.person("simulated").run(GENUINE, OTHER)
    assert "same text" not in owner.get(f"{REVIEW}?show=all").text
    assert "2 free-text answers" in owner.get(f"{REVIEW}?pool=simulated").text


def test_a_decision_is_written_with_its_reason_and_leads_on(world: World, owner: Browser) -> None:
    world.person().run("ok", "no")
    first = item(owner.get(REVIEW).text)
    reply = owner.post(REVIEW, item=first, preset="nonsense", note="two letters")
    assert reply.status_code == 303
    page = owner.get(reply.headers["location"]).text
    assert item(page) != first
    kept = world.store.read(lambda conn: review.decisions_of(conn, world.session(1).id))
    assert [(one.kind, one.target, one.reason, one.user) for one in kept] == [
        ("exclude_text", "pairs.1.judge/why", "nonsense: two letters", "ada")
    ]
    decided = owner.get(f"{REVIEW}?show=decided").text
    assert "excluded" in decided
    assert "nonsense: two letters" in decided
    assert (
        "decided to exclude answer 1-3-1: nonsense: two letters" in owner.get("/console/audit").text
    )


def test_a_decision_can_be_changed_and_the_last_one_holds(world: World, owner: Browser) -> None:
    world.person().run("ok", GENUINE)
    owner.post(REVIEW, item="1-3-1", preset="nonsense", note="")
    owner.post(REVIEW, item="1-3-1", preset="brief", note="", show="decided")
    page = owner.get(f"{REVIEW}?show=decided").text
    assert "1 decided" in page
    assert "0 excluded" in page


def test_decisions_need_a_reason_and_an_answer(world: World, owner: Browser) -> None:
    world.person().run("ok", GENUINE)
    assert owner.post(REVIEW, item="1-3-1", preset="", note="x").status_code == 422
    assert owner.post(REVIEW, item="1-3-1", preset="keep_other", note="  ").status_code == 422
    assert owner.post(REVIEW, item="9-9-9", preset="genuine", note="").status_code == 404
    assert owner.get(f"{REVIEW}?show=nothing").status_code == 422
    assert owner.get(f"{REVIEW}?hint=nothing").status_code == 422


def test_a_withdrawn_session_leaves_the_queue(world: World, owner: Browser) -> None:
    world.person().run(GENUINE, OTHER)
    person = world.person()
    person.run(GENUINE, OTHER)
    assert "same text" in owner.get(REVIEW).text
    world.collect.withdraw(person.token, PersonProof(world.collect.holder_mark(person.token))).now()
    page = owner.get(f"{REVIEW}?show=all").text
    assert "2 free-text answers" in page
    assert "same text" not in page


def test_reason_from() -> None:
    assert reason_from({"preset": "copied", "note": ""})[1] == "copied from elsewhere"
    assert reason_from({"preset": "exclude_other", "note": " in Latin "})[1] == "in Latin"
    with pytest.raises(InvalidInput, match="at most 1000"):
        reason_from({"preset": "copied", "note": "x" * 1001})


HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '=HYPERLINK("http://evil","x")',
    "\u202egnp.exe\u202c and so on",
    "{{ 7 * 7 }} {% raw %}",
    "'\"><svg onload=alert(1)>",
    "\x00\x07 control",
    "half \ud83d emoji",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_are_shown_escaped(world: World, owner: Browser, text: str) -> None:
    world.person().run(text, OTHER)
    for path in (f"{REVIEW}?show=all", "/console/studies/study/sessions/real/1"):
        reply = owner.get(path)
        assert reply.status_code == 200
        assert not re.search(r"<script>|<img|<svg onload|onerror=alert\(1\)>", reply.text)
        assert "49" not in re.findall(r"<blockquote[^>]*>([^<]*)", reply.text)


def test_a_million_characters_are_cut_in_pages(world: World, owner: Browser) -> None:
    world.person().run("word " * 200_000, OTHER)
    for path in (f"{REVIEW}?show=all", "/console/studies/study/sessions/real/1"):
        reply = owner.get(path)
        assert reply.status_code == 200
        assert len(reply.text) < 100_000
        assert "1000000 characters" in reply.text
