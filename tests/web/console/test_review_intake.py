"""The queue is made up from what is new: the same whenever it is made up, each answer looked at
once.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from sqlalchemy import select

from believable.collect import review_intake
from believable.collect.leave import PersonProof
from believable.collect.review_hints import (
    ALIKE_FROM,
    grams,
    normalise_words,
    sharing_keys,
    similarity,
)
from believable.collect.review_intake import KnownQuestions, take_in
from believable.store import review_views, sessions
from believable.store.engine import Connection
from believable.store.review_views import QueueView
from believable.store.tables.review import review_answers, review_keys
from believable.web.console import review_upkeep

from .conftest import Browser, World

pytestmark = pytest.mark.usefixtures("forked_children")
REVIEW = "/console/studies/study/review"
GENUINE = "The first player hesitated at the doors and looked around before it walked on."
OTHER = "It ran straight into the wall, turned, and ran into the next one."
WORDS = [
    "door",
    "wall",
    "it",
    "ran",
    "then",
    "looked",
    "waited",
    "slowly",
    "around",
    "corner",
    "jumped",
    "never",
    "again",
    "human",
    "robot",
    "because",
    "turned",
]


def make_up(world: World, pool: str = "real") -> int:
    known = KnownQuestions(world.collect.context.definitions)
    return take_in(world.store, known, "study", pool, lambda took_s: None)


def rows(world: World) -> dict[str, dict[str, Any]]:
    def read(conn: Connection) -> dict[str, dict[str, Any]]:
        return {
            f"{row.number}-{row.position + 1}-{row.ordinal}": dict(row._mapping)
            for row in conn.execute(select(review_answers))
        }

    return world.store.read(read)


def texts(n: int, seed: int = 3) -> list[str]:
    """Own words, with some copies and some that were changed a little."""
    chance = random.Random(seed)
    made: list[str] = []
    for _ in range(n):
        if made and chance.random() < 0.2:
            made.append(chance.choice(made))
        elif made and chance.random() < 0.2:
            made.append(chance.choice(made).replace("e", "3", 1))
        else:
            made.append(" ".join(chance.choices(WORDS, k=12)))
    return made


def test_copies_are_those_that_comparing_all_pairs_gives(world: World) -> None:
    words = texts(60)
    for first, second in zip(words[::2], words[1::2], strict=True):
        world.person().run(first, second)
    make_up(world)
    called = {name for name, row in rows(world).items() if ",duplicate," in row["kinds"]}
    sets = [grams(normalise_words(text)) for text in words]
    names = [f"{i // 2 + 1}-{i % 2 + 3}-1" for i in range(len(words))]
    expected = {
        names[i]
        for i in range(len(words))
        if any(i != j and similarity(sets[i], sets[j]) >= ALIKE_FROM for j in range(len(words)))
    }
    assert 5 < len(expected) < 55
    assert called == expected


def test_step_by_step_gives_what_all_at_once_gives(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The people of the second pool do the same, but their queue is made up after every few of
    them.
    """
    monkeypatch.setattr(review_intake, "SESSIONS_AT_ONCE", 3)
    words = texts(40)
    for first, second in zip(words[::2], words[1::2], strict=True):
        world.person("simulated").run(first, second)
    for i, (first, second) in enumerate(zip(words[::2], words[1::2], strict=True)):
        world.person().run(first, second)
        if i % 4 == 0:
            make_up(world)
    make_up(world)
    assert make_up(world) == 0, "nothing is read twice"
    make_up(world, "simulated")

    def kinds(pool: str) -> dict[str, str]:
        view = QueueView("study", pool, "all", "")
        page = world.store.read(
            lambda conn: review_views.queue_page(conn, view, "", before=10, limit=100)
        )
        return {row.name: row.kinds for row in page.rows}

    assert len(kinds("real")) == 40
    assert kinds("real") == kinds("simulated")


def test_only_what_is_new_is_read(world: World) -> None:
    person = world.person()
    person.submit(agree=True)
    person.submit(sky="blue")
    person.submit(why=GENUINE)
    assert make_up(world) == 1
    assert set(rows(world)) == {"1-3-1"}
    before = rows(world)["1-3-1"]["id"]
    person.send("text.paste", question="why", length=7)
    person.submit(why=OTHER)
    person.finish()
    make_up(world)
    assert set(rows(world)) == {"1-3-1", "1-4-1"}
    assert rows(world)["1-3-1"]["id"] == before
    assert [rows(world)[name]["pasted"] for name in ("1-3-1", "1-4-1")] == [0, 7]
    assert rows(world)["1-3-1"]["session_ms"] is not None, "known once the session has ended"


def test_a_page_far_below_the_median_is_called_fast_once_there_are_enough(world: World) -> None:
    for i in range(4):
        world.person().run(f"{GENUINE} {i} {WORDS[i]}", f"{OTHER} {WORDS[i]} {i}", took_ms=60_000)
    world.person().run(
        "It took me no time to see what that was.",
        "Neither did this one, quick as I am.",
        took_ms=15_000,
    )
    make_up(world)
    assert [name for name, row in rows(world).items() if ",fast," in row["kinds"]] == [
        "5-3-1",
        "5-4-1",
    ]


def test_thousands_of_copies_share_one_entry(world: World) -> None:
    for _ in range(70):
        world.person().run(GENUINE, OTHER)
    make_up(world)
    n_keys = world.store.read(lambda conn: len(conn.execute(select(review_keys)).all()))
    assert n_keys == 32, "two texts with sixteen keys each"
    assert all(row["kinds"] == ",duplicate," for row in rows(world).values())


def test_a_session_that_begins_again_leaves_its_first_answers(world: World) -> None:
    person = world.person()
    person.submit(agree=True)
    person.submit(sky="blue")
    person.submit(why=GENUINE)
    make_up(world)
    name = person.session.id
    world.store.write(lambda conn: sessions.change(conn, name, run=1, position=0))
    make_up(world)
    assert rows(world) == {}


def test_withdrawing_takes_the_words_and_what_others_were_told_about_them(
    world: World, owner: Browser
) -> None:
    near = GENUINE.replace("walked on", "went on")
    world.person().run(GENUINE, OTHER)
    person = world.person()
    person.run(near, "Nothing here is like anything else, I should think.")
    page = owner.get(f"{REVIEW}?hint=duplicate&at=1-3-1").text
    assert "nearly the same text (8" in page
    assert "session 2 (page 3)" in page
    world.collect.withdraw(person.token, PersonProof(world.collect.holder_mark(person.token))).now()
    assert "Nothing left to review here" in owner.get(f"{REVIEW}?hint=duplicate").text
    assert rows(world)["1-3-1"]["n_kinds"] == 0


def test_many_unread_sessions_are_read_by_another_process(
    world: World, owner: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review_upkeep, "MANY_SESSIONS", 3)
    monkeypatch.setattr(review_upkeep, "PATIENCE_S", 120.0)
    monkeypatch.setattr(review_upkeep, "take_in", lambda *arguments: None)
    for _ in range(4):
        world.person().run(GENUINE, OTHER)
    assert "8 free-text answers" in owner.get(REVIEW).text, "though this process reads nothing"


def test_a_page_says_what_is_still_being_read(
    world: World, owner: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review_upkeep, "PATIENCE_S", 0.0)
    world.person().run(GENUINE, OTHER)
    answer = owner.get(f"{REVIEW}?show=all")
    while "being read" in answer.text:
        if "blockquote" not in answer.text:
            assert answer.headers["refresh"] == "2", "the page comes again without a script"
        answer = owner.get(f"{REVIEW}?show=all")
    assert "2 free-text answers" in answer.text
    assert "refresh" not in answer.headers


def test_a_whole_session_is_excluded_from_the_review(world: World, owner: Browser) -> None:
    world.person().run("ok", "no")
    world.person().run("hm", GENUINE)
    assert owner.post(REVIEW, item="1-3-1", preset="session_other", note=" ").status_code == 422
    reply = owner.post(REVIEW, item="1-3-1", preset="session_other", note="a <bot>")
    assert reply.status_code == 303
    assert world.session(1).excluded
    page = owner.get(reply.headers["location"]).text
    assert 'name="item" value="2-3-1"' in page
    assert "1 of 1" in page, "the other answer of the excluded session needs no decision any more"
    assert "session excluded" in owner.get(f"{REVIEW}?show=all&at=1-3-1").text
    assert "excluded real session 1: a &lt;bot&gt;" in owner.get("/console/audit").text
    assert (
        owner.post(
            REVIEW, item="1-4-1", preset="session_other", note="again", show="all"
        ).status_code
        == 409
    )


def test_of_many_texts_that_are_much_alike_each_near_copy_is_found() -> None:
    """Half of the texts are one text with up to two words exchanged, so that most of them share
    most of their keys.
    """
    rng = random.Random(4)
    base = rng.choices(WORDS, k=18)
    texts = []
    for number in range(600):
        words = list(base) if number % 2 else rng.choices(WORDS, k=18)
        for _ in range(rng.randrange(3)):
            words[rng.randrange(len(words))] = rng.choice(WORDS)
        texts.append(" ".join(words))
    fresh = [number for number, text in enumerate(texts) if text not in texts[:number]]
    gram_sets = {number: grams(texts[number]) for number in fresh}
    keys = {number: sharing_keys("study", gram_sets[number]) for number in fresh}
    near, _ = review_intake._near(None, fresh, gram_sets, keys, {})  # type: ignore[arg-type]
    copies = {
        number
        for place, number in enumerate(fresh)
        if any(
            similarity(gram_sets[number], gram_sets[other]) >= ALIKE_FROM for other in fresh[:place]
        )
    }
    assert len(copies) > 100
    assert len(copies & set(near)) >= 0.99 * len(copies)
