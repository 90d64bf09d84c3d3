"""Studies: state, links, definitions."""

from __future__ import annotations

import csv
import io

import pytest

from believable.core.errors import BelievableError, InvalidInput
from believable.store import studies
from believable.web.console.studies_page import labels_from

from .conftest import Browser, World

STUDY = "/console/studies/study"


def test_the_list_keeps_pools_apart(world: World, owner: Browser) -> None:
    assert "No study" not in owner.get("/console/studies").text
    world.person().run("some words", "more words")
    world.person("simulated")
    page = owner.get("/console/studies").text
    assert "Who plays &lt;like&gt; a human?" in page
    row = page.partition("<tbody>")[2]
    numbers = [part.partition("<")[0] for part in row.split('<td class="num')[1:]]
    assert [number.rpartition(">")[2] for number in numbers] == ["1", "0", "1", "1", "0"]


def test_a_study_opens_pauses_and_closes(world: World, owner: Browser) -> None:
    for state in ("paused", "closed", "open"):
        assert owner.post(f"{STUDY}/state", state=state).status_code == 303
        assert world.store.read(lambda conn: studies.get(conn, "study")).state == state
        if state == "open":
            assert world.person().submit(agree=True) == "next"
        else:
            with pytest.raises(BelievableError):
                world.person()
    assert owner.post(f"{STUDY}/state", state="burning").status_code == 422


def test_somebody_under_way_may_finish_a_closed_study(world: World, owner: Browser) -> None:
    person = world.person()
    owner.post(f"{STUDY}/state", state="closed")
    assert person.run("some words", "more words").outcome == "complete"


def test_an_unknown_study_is_not_found(owner: Browser) -> None:
    reply = owner.get("/console/studies/stduy")
    assert reply.status_code == 404
    assert "Did you mean &#39;study&#39;" in reply.text


def test_the_page_shows_links_design_and_definition(world: World, owner: Browser) -> None:
    page = owner.get(STUDY).text
    for link in world.store.read(lambda conn: studies.links_of(conn, "study")):
        assert f"http://127.0.0.1:8000/join/{link.token}" in page
    current = world.store.read(lambda conn: studies.get(conn, "study")).definition
    assert current[:12] in page
    shown = owner.get(f"{STUDY}/definitions/{current}")
    assert current in shown.text
    assert "Who plays &lt;like&gt; a human?" in shown.text
    assert owner.get(f"{STUDY}/definitions/{'0' * 64}").status_code == 404


def test_personal_links_by_label_and_their_file(world: World, owner: Browser) -> None:
    owner.post(f"{STUDY}/links", number="", labels="Anna\r\n  Bea <b> \r\n\r\n=SUM(A1)")
    made = world.store.read(lambda conn: studies.links_of(conn, "study", ("personal",)))
    assert sorted(link.label for link in made) == ["=SUM(A1)", "Anna", "Bea <b>"]
    token = next(link.token for link in made if link.label == "Anna")
    world.collect.join(token, {}, "en", True).now()
    page = owner.get(STUDY).text
    assert "Bea &lt;b&gt;" in page
    assert "1 of 3 used" in page
    file = owner.get(f"{STUDY}/links.csv")
    assert file.headers["content-type"].startswith("text/csv")
    rows = {row["link"].rpartition("/")[2]: row for row in csv.DictReader(io.StringIO(file.text))}
    assert rows[token]["used"] == "true"
    assert rows[token]["session"] == "1"
    assert {row["label"] for row in rows.values()} == {"Anna", "Bea <b>", "'=SUM(A1)"}


def test_so_many_links_without_labels(world: World, owner: Browser) -> None:
    owner.post(f"{STUDY}/links", number="25", labels="")
    made = world.store.read(lambda conn: studies.links_of(conn, "study", ("personal",)))
    assert len({link.token for link in made}) == 25
    assert "made 25 personal links" in owner.get("/console/audit").text


def test_labels_from() -> None:
    assert labels_from("2", "") == ("", "")
    assert labels_from("", "a\nb") == ("a", "b")
    assert labels_from("2", "a\nb") == ("a", "b")


@pytest.mark.parametrize(
    ("number", "labels", "words"),
    [
        ("", "", "from 1 to 1000"),
        ("0", "", "from 1 to 1000"),
        ("1001", "", "from 1 to 1000"),
        ("-1", "", "from 1 to 1000"),
        ("²", "", "from 1 to 1000"),
        ("3", "a\nb", "there are 2 labels"),
        ("", "x" * 201, "at most 200 characters"),
    ],
)
def test_labels_that_do_not_do(number: str, labels: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        labels_from(number, labels)
