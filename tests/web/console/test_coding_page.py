"""The coding pages: from sessions to final labels, for the right people only, and never with a
condition's name.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

import pytest

from believable.bundle.read import read
from believable.coding import coded_bundle
from believable.coding.labels import Label, Mark, as_json
from believable.collect.leave import PersonProof
from believable.store import audit_log, coding_marks, coding_projects
from believable.store.bundle_export import export
from believable.store.coding_marks import StoredMark
from believable.study.codebook import ready
from believable.web.console import ROUTES
from believable.web.console.codebook_fields import book_tree, code_cards, discard_cards
from believable.web.console.codebook_page import as_yaml, tree_as_yaml
from believable.web.console.codebook_page import read as read_book
from believable.web.console.resolve_page import assign_letters

GOAL = Label("goal", "+", "more")
PROJECT = "study~hntt"


def begin(world: Any, owner: Any, n: int = 6) -> None:
    """Sessions with two texts each, and a project made of them."""
    for number in range(n):
        world.person().run(f"first words of {number}", f"second words of {number}")
    made = owner.post(
        "/console/coding", page="/console/coding", study="study", codebook="hntt", pool="real"
    )
    assert (made.status_code, made.headers["location"]) == (303, f"/console/coding/{PROJECT}")


def draw(owner: Any, **more: str) -> None:
    fields = {
        "kind": "agreement",
        "n": "8",
        "coder:kim": "yes",
        "coder:lee": "yes",
        "stratify": "condition",
    } | more
    made = owner.post(
        f"/console/coding/{PROJECT}/rounds", page=f"/console/coding/{PROJECT}", **fields
    )
    assert made.status_code == 303, made.text


def state(browser: Any) -> dict[str, Any]:
    page = browser.get(f"/console/coding/{PROJECT}/desk").text
    found = re.search(r'<script type="application/json" id="state">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


class Coder:
    """What the desk's script does, without a browser."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        claimed = self.post("claim")
        self.epoch, self.seq = claimed["epoch"], claimed["ack"]

    def post(self, what: str, payload: Any = None) -> dict[str, Any]:
        path = f"/console/coding/{PROJECT}/desk/{what}"
        reply = self.browser.post(path, batch=json.dumps(payload or {}))
        assert reply.status_code == 200, reply.text
        answer: dict[str, Any] = reply.json()
        return answer

    def mark(self, task: dict[str, Any], mark: Mark) -> int:
        self.seq += 1
        body = {
            "kind": "mark",
            "round": task["round"],
            "number": task["number"],
            "mark": as_json(mark),
            "version": 1,
            "at_ms": 1,
        }
        ack: int = self.post(
            "events", {"epoch": self.epoch, "events": [[self.seq, json.dumps(body)]]}
        )["ack"]
        return ack


@pytest.fixture
def coders(world: Any, owner: Any) -> dict[str, Any]:
    begin(world, owner)
    browsers = {name: world.log_in(name, "coder") for name in ("kim", "lee")}
    draw(owner)
    return browsers


def code_all(coders: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Kim says goal everywhere; lee does so but for the first two."""
    tasks = {}
    for name, browser in coders.items():
        coder = Coder(browser)
        tasks[name] = sorted(state(browser)["tasks"], key=lambda task: task["number"])
        for at, task in enumerate(tasks[name]):
            other = name == "lee" and at < 2
            coder.mark(
                task,
                Mark(labels=(Label("intuition", None, "more"),) if other else (GOAL,), done=True),
            )
    return tasks


# ---------------------------------------------------------------------------------------------- who
# and what


def test_every_coding_page_is_for_the_right_people(world: Any, owner: Any) -> None:
    begin(world, owner, 1)
    browsers = {role: world.log_in(role, role) for role in ("researcher", "coordinator", "coder")}
    for page in (route for route in ROUTES if route.path.startswith("/coding")):
        if page.method == "GET" and "{" not in page.path:
            continue
        path = re.sub(r"\{\w+\}", "1", f"/console{page.path}".replace("{project}", PROJECT))
        for role, browser in browsers.items():
            reply = browser.get(path) if page.method == "GET" else browser.post(path)
            assert ("This page is for the role" in reply.text) is (role not in page.access), (
                page.path,
                role,
            )
    assert owner.get("/console/coding").status_code == 200


def test_a_coder_and_a_coordinator_land_on_coding_and_see_nothing_else(
    world: Any, owner: Any
) -> None:
    for role in ("coder", "coordinator"):
        browser = world.log_in(f"{role}1", role)
        assert browser.get("/console").headers["location"] == "/console/coding"
        assert ">Studies<" not in browser.get("/console/coding").text
        assert browser.get("/console/studies").status_code == 403
    assert "There are none now" in world.log_in("zoe", "coder").get("/console/coding").text


def test_no_page_and_no_answer_names_a_condition(
    world: Any, owner: Any, coders: dict[str, Any]
) -> None:
    tasks = code_all(coders)
    owner.post(
        f"/console/coding/{PROJECT}/settings",
        page=f"/console/coding/{PROJECT}",
        suggestions="yes",
        rule="none",
    )
    number = tasks["kim"][0]["number"]
    pages = [
        owner.get(f"/console/coding{path}").text
        for path in (
            "",
            f"/{PROJECT}",
            f"/{PROJECT}/codebook",
            f"/{PROJECT}/agreement",
            f"/{PROJECT}/rounds/1",
            f"/{PROJECT}/rounds/1/live",
            f"/{PROJECT}/rounds/1/resolve",
            f"/{PROJECT}/texts.csv",
            f"/{PROJECT}/labels.csv",
            f"/{PROJECT}/final.csv",
        )
    ]
    pages += [
        coders["kim"].get(f"/console/coding/{PROJECT}/{path}").text
        for path in ("desk", f"desk/suggestions/{number}")
    ]
    assert all(len(page) > 20 for page in pages)
    sessions = [world.session(n).id for n in range(1, 7)]
    for page in pages:
        assert "CANARY" not in page
        assert not any(session in page for session in sessions)


def test_the_desk_holds_text_question_and_codebook_only(coders: dict[str, Any]) -> None:
    given = state(coders["kim"])
    assert len(given["tasks"]) == 8
    assert set(given["tasks"][0]) == {"round", "number", "text", "prompt"}
    assert given["tasks"][0]["prompt"] == "Why do you think so?"
    assert set(given["book"]) == {"id", "title", "pick", "codes", "discards"}
    orders = [[task["number"] for task in state(browser)["tasks"]] for browser in coders.values()]
    assert sorted(orders[0]) == sorted(orders[1])
    assert orders[0] != orders[1]


# ----------------------------------------------------------------------------------------------
# coding


def test_marks_are_acknowledged_and_there_after_a_reload(coders: dict[str, Any]) -> None:
    coder, task = Coder(coders["kim"]), state(coders["kim"])["tasks"][0]
    assert coder.mark(task, Mark(labels=(GOAL,))) == 1
    assert coder.mark(task, Mark(labels=(GOAL,), memo="m", done=True)) == 2
    kept = state(coders["kim"])["marks"]["{round}-{number}".format(**task)]
    assert (kept["memo"], kept["done"], kept["labels"][0]["code"]) == ("m", True, "goal")
    assert state(coders["lee"])["marks"] == {}


def test_a_second_tab_takes_over(coders: dict[str, Any]) -> None:
    first, task = Coder(coders["kim"]), state(coders["kim"])["tasks"][0]
    Coder(coders["kim"])
    path = f"/console/coding/{PROJECT}/desk/events"
    reply = coders["kim"].post(path, batch=json.dumps({"epoch": first.epoch, "events": [[1, "x"]]}))
    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "taken_over")
    assert coders["kim"].post(path, batch="nonsense").status_code == 422
    assert task


def test_agreement_appears_and_is_live(owner: Any, coders: dict[str, Any]) -> None:
    address = f"/console/coding/{PROJECT}/rounds/1"
    before = owner.get(address).text
    assert "κ appears here" in before
    stamp = re.search(r'data-stamp="(\w+)"', before)
    assert stamp is not None
    assert "html" not in owner.get(f"{address}/live?stamp={stamp[1]}").json()
    code_all(coders)
    fresh = owner.get(f"{address}/live?stamp={stamp[1]}").json()
    assert "Goal directed" in fresh["html"]
    assert "neither coder used the code" in fresh["html"]
    assert "Intuition" in fresh["html"]
    assert "undefined" in owner.get(f"/console/coding/{PROJECT}/agreement").text


def letter_of(owner: Any, address: str, label: Label) -> str:
    """Under which letter the page shows the coder who gave this label."""
    takes = re.findall(
        r'name="take" value="([A-Z])".*?</label>', owner.get(address).text, re.DOTALL
    )
    shown = {
        letter: owner.get(address).text.partition(f'value="{letter}"')[2].partition("</label>")[0]
        for letter in takes
    }
    words = {"goal": "Goal directed", "collision": "Collision"}[label.code]
    return next(letter for letter, text in shown.items() if words.casefold() in text.casefold())


def test_letters_change_from_text_to_text_and_stay_for_one() -> None:
    pair = [
        StoredMark(
            round=1,
            coder=name,
            number=1,
            mark=Mark(),
            version=1,
            suggested=False,
            review=False,
            at_ms=0,
        )
        for name in ("kim", "lee")
    ]
    orders = {
        tuple(mark.coder for mark in assign_letters(pair, "p", 1, text).values())
        for text in range(20)
    }
    assert orders == {("kim", "lee"), ("lee", "kim")}
    assert assign_letters(pair, "p", 1, 7) == assign_letters(pair[::-1], "p", 1, 7)


def test_disagreements_are_decided_and_become_final_with_provenance(
    world: Any, owner: Any, coders: dict[str, Any], tmp_path: Any
) -> None:
    tasks = code_all(coders)
    one, two = (task["number"] for task in tasks["lee"][:2])
    address = f"/console/coding/{PROJECT}/rounds/1/resolve"
    page = owner.get(address).text
    assert "1 of 2" in page
    assert not re.search(r"\b(kim|lee)\b", page), "who decides does not see whose labels they are"
    assert "Coder A" in page
    assert "Coder B" in page
    assert owner.post(address, page=address, text=str(one), take="kim").status_code == 422
    letter = letter_of(owner, f"{address}?text={one}", GOAL)
    taken = owner.post(
        address, page=address, text=str(one), take=letter, how="adjudicated", note="clear"
    )
    assert taken.headers["location"] == f"{address}?text={two}"
    label = json.dumps(["smoothness", "-", "less"])
    own = owner.post(
        address,
        page=address,
        text=str(two),
        take="own",
        how="discussed",
        **{f"label:{label}": "yes"},
    )
    assert own.status_code == 303
    assert "are decided" in owner.get(address).text
    lines = world.store.read(
        lambda conn: list(audit_log.whole_audit(conn, audit_log.AuditFilter("study", "view")))
    )
    assert f"looked at texts of coding {PROJECT} that coders differ on" in [
        line.what for line in lines
    ]
    bad = owner.post(
        address, page=address, text=str(two), take="own", **{'label:["gaol", null, null]': "yes"}
    )
    assert bad.status_code == 422
    project = world.store.read(lambda conn: coding_projects.get_project(conn, PROJECT))
    held = {
        one.number: one
        for one in world.store.read(lambda conn: coding_marks.final_labels(conn, project))
    }
    assert (held[one].how, held[one].note, held[one].mark.keys) == (
        "adjudicated",
        "clear",
        {GOAL.key},
    )
    assert (held[two].how, held[two].mark.keys) == ("discussed", {("smoothness", "-", "less")})
    assert sum(one.how == "agreed" for one in held.values()) == 6

    export(world.store, "study", tmp_path / "bundle")
    bundle = read(tmp_path / "bundle")
    responses = coded_bundle.coded_responses(bundle)
    assert len(responses) == 8
    assert {response.condition for response in responses} == {"CANARYhuman", "CANARYscripted"}
    assert {response.judge for response in responses} <= set(
        bundle["participants"]["session"].cells()
    )
    assert {row["how"] for row in bundle["code_final"].rows()} == {
        "agreed",
        "adjudicated",
        "discussed",
    }
    assert {row["coder"] for row in bundle["code_labels"].rows()} == {"coder_1", "coder_2"}


def test_a_decision_keeps_the_rules_of_the_codebook(
    world: Any, owner: Any, coders: dict[str, Any]
) -> None:
    """`collision` wins over `goal` on the same words: both stand only where coders saw them on
    different ones.
    """
    tasks = code_all(coders)
    number = tasks["lee"][0]["number"]
    task, address = tasks["lee"][0], f"/console/coding/{PROJECT}/rounds/1/resolve"
    collision = Label("collision", "+", "more")
    both = {f"label:{json.dumps(label.key)}": "yes" for label in (GOAL, collision)}
    refused = owner.post(address, page=address, text=str(number), take="own", **both)
    assert refused.status_code == 422
    assert "collision + more and goal + more stand on the same words" in refused.text
    Coder(coders["lee"]).mark(task, Mark(labels=(GOAL, collision), done=True))
    letter = letter_of(owner, f"{address}?text={number}", collision)
    taken = owner.post(address, page=address, text=str(number), take=letter)
    assert taken.status_code == 422, "what a coder's browser let pass is not taken over either"

    Coder(coders["kim"]).mark(
        task, Mark(labels=(Label("goal", "+", "more", ((0, 5),)),), done=True)
    )
    Coder(coders["lee"]).mark(
        task, Mark(labels=(Label("collision", "+", "more", ((6, 11),)),), done=True)
    )
    assert (
        owner.post(address, page=address, text=str(number), take="own", **both).status_code == 303
    )
    project = world.store.read(lambda conn: coding_projects.get_project(conn, PROJECT))
    held = {
        final.number: final
        for final in world.store.read(lambda conn: coding_marks.final_labels(conn, project))
    }
    assert {label.code: label.spans for label in held[number].mark.labels} == {
        "goal": ((0, 5),),
        "collision": ((6, 11),),
    }


def test_suggestions_are_off_unless_switched_on_and_show_only_own_codes(
    owner: Any, coders: dict[str, Any]
) -> None:
    tasks = code_all(coders)
    number = tasks["kim"][0]["number"]
    path = f"/console/coding/{PROJECT}/desk/suggestions/{number}"
    assert coders["kim"].get(path).status_code == 403
    owner.post(
        f"/console/coding/{PROJECT}/settings",
        page=f"/console/coding/{PROJECT}",
        suggestions="yes",
        rule="none",
    )
    found = coders["lee"].get(path).json()
    assert {"hits", "neighbours"} == set(found)
    assert found["neighbours"]
    assert all(one["number"] != number for one in found["neighbours"])
    assert coders["kim"].get(f"/console/coding/{PROJECT}/desk/suggestions/9999").status_code == 404


def test_changing_a_definition_asks_what_becomes_of_labels(
    world: Any, owner: Any, coders: dict[str, Any]
) -> None:
    code_all(coders)
    address = f"/console/coding/{PROJECT}/codebook"
    book = world.store.read(lambda conn: coding_projects.book(conn, PROJECT)).book
    codes = tuple(
        code.model_copy(update={"definition": "Quite another thing."})
        if code.id == "goal"
        else code
        for code in book.codes
    )
    text = as_yaml(book.model_copy(update={"codes": codes}))
    asked = owner.post(address, page=address, text=text)
    assert "After the change" in asked.text
    assert 'name="policy:goal"' in asked.text
    without = owner.post(address, page=address, text=text, step="confirm", after="1")
    assert without.status_code == 200  # asked again: nothing was decided
    done = owner.post(
        address,
        page=address,
        text=text,
        step="confirm",
        after="1",
        note="clearer",
        **{"policy:goal": "review"},
    )
    assert done.status_code == 303
    marks = world.store.read(lambda conn: coding_marks.marks(conn, PROJECT))
    assert {one.review for one in marks if GOAL.key in one.mark.keys} == {True}
    assert {one.version for one in marks} == {1}
    assert world.store.read(lambda conn: coding_projects.book(conn, PROJECT)).version == 2
    assert "Nothing has changed" in owner.post(address, page=address, text=text).text
    broken = owner.post(address, page=address, text="codes: [{id: a}]")
    assert broken.status_code == 422


@pytest.mark.parametrize("name", ["hntt", "hntt_understood", "replay"])
def test_a_codebook_survives_being_edited_as_yaml(name: str) -> None:
    assert read_book(as_yaml(ready(name)), ready(name)) == ready(name)


def fields_on(page: str) -> dict[str, str]:
    """What a browser would send of the fields as they stand."""
    form = re.search(r'<form[^>]*id="fields".*?</form>', page, re.DOTALL)
    assert form is not None
    sent = {}
    for tag in re.findall(r"<input[^>]*>", form[0]):
        found = dict(re.findall(r'(\w+)="([^"]*)"', tag))
        if "name" in found and ('type="checkbox"' not in tag or " checked" in tag):
            sent[found["name"]] = html.unescape(found.get("value", ""))
    for name, words in re.findall(
        r'<textarea name="([^"]+)"[^>]*>(.*?)</textarea>', form[0], re.DOTALL
    ):
        sent[name] = html.unescape(words)
    for name, options in re.findall(r'<select name="([^"]+)">(.*?)</select>', form[0], re.DOTALL):
        sent[name] = re.search(r'value="(\w+)" selected', options)[1]
    sent.pop("csrf")
    return sent


@pytest.mark.parametrize("name", ["hntt", "hntt_understood", "replay"])
def test_a_codebook_survives_being_edited_in_fields(name: str) -> None:
    book = ready(name)
    form = {"title": book.title, "pick": book.pick or "many"}
    for kind, cards in (
        ("code", code_cards(book.codes)),
        ("discard", discard_cards(book.discards)),
    ):
        for number, card in enumerate(cards):
            form |= {f"{kind}.{number}.{field}": value for field, value in card.values.items()}
            form[f"{kind}.{number}.place"] = card.place
    assert read_book(tree_as_yaml(book_tree(form, book)), book) == book


def test_codes_are_changed_added_moved_and_removed_in_fields(
    world: Any, owner: Any, coders: dict[str, Any]
) -> None:
    address = f"/console/coding/{PROJECT}/codebook"
    page = owner.get(address).text
    fields = fields_on(page)
    assert fields["code.0.label"] in page
    more = owner.post(address, page=address, **fields, add="code").text
    fields = fields_on(more)
    new = max(int(name.split(".")[1]) for name in fields if name.startswith("code."))
    assert fields[f"code.{new}.label"] == ""
    fields |= {
        f"code.{new}.id": "pace",
        f"code.{new}.label": "Pace",
        f"code.{new}.definition": "How fast it goes.",
        f"code.{new}.keywords": "slow -\r\n fast +\r\n",
        f"code.{new}.place": "0.5",
        f"code.{new}.direction": "yes",
        "discard.0.label": "Says nothing",
    }
    before = world.store.read(lambda conn: coding_projects.book(conn, PROJECT)).book
    named = {
        name for code in before.codes for name in (*code.excludes, *code.wins_over, code.parent)
    }
    place, gone = next(
        (place, code.id) for place, code in enumerate(before.codes) if code.id not in named
    )
    fields[f"code.{place}.remove"] = "yes"
    asked = owner.post(address, page=address, **fields)
    assert "What this changes" in asked.text
    assert "Pace" in fields_on(asked.text).values(), "what was typed stays while it is looked at"
    text = html.unescape(
        re.search(r'<textarea name="text" hidden>(.*?)</textarea>', asked.text, re.DOTALL)[1]
    )
    done = owner.post(address, page=address, text=text, step="confirm", after="1")
    assert done.status_code == 303, done.text
    after = world.store.read(lambda conn: coding_projects.book(conn, PROJECT)).book
    assert [code.id for code in after.codes] == [
        "pace",
        *(code.id for code in before.codes if code.id != gone),
    ]
    assert after.codes[0].keywords == ("slow -", "fast +")
    assert after.codes[0].direction
    assert after.discards[0].label == "Says nothing"
    wrong = owner.post(
        address, page=address, **fields_on(owner.get(address).text) | {"code.0.id": "not a name"}
    )
    assert wrong.status_code == 422
    assert "not a name" in fields_on(wrong.text).values(), "a mistake does not cost what was typed"


# ---------------------------------------------------------------------------------------------- in
# and out


def test_texts_from_a_file_and_labels_from_a_file(world: Any, owner: Any) -> None:
    for name in ("kim", "lee"):
        world.account(name, "coder")
    texts = "text,judge,condition\n" + "".join(f"words {n},j{n},CANARY{n % 2}\n" for n in range(6))
    owner.post(
        "/console/coding/import",
        page="/console/coding",
        title="From a file",
        codebook="replay",
        texts=texts,
    )
    address = "/console/coding/from-a-file"
    owner.post(
        f"{address}/rounds",
        page=address,
        kind="agreement",
        n="6",
        **{"coder:kim": "yes", "coder:lee": "yes"},
    )
    labels = (
        "response,coder,code\n1,kim,temporal\n1,lee,temporal\n2,kim,social_norm\n2,lee,temporal\n"
    )
    assert (
        owner.post(f"{address}/labels", page=address, round="1", labels=labels).status_code == 303
    )
    assert "1,kim,temporal" in owner.get(f"{address}/labels.csv").text
    assert "urn:QDA-XML:codebook:1.0" in owner.get(f"{address}/codebook.qdc").text
    assert "agreed" in owner.get(f"{address}/final.csv").text
    wrong = owner.post(
        f"{address}/labels",
        page=address,
        round="1",
        labels="response,coder,code\n1,kim,temporall\n",
    )
    assert wrong.status_code == 422
    assert "unknown code" in wrong.text


def test_a_text_that_was_withdrawn_is_gone_from_the_desk(world: Any, owner: Any) -> None:
    person = world.person()
    person.submit(agree=True)
    person.submit(sky="blue")
    person.submit(why="a secret that is taken back")
    person.submit(why="and another")
    person.finish()
    begin(world, owner, n=3)
    browser = world.log_in("kim", "coder")
    world.account("lee", "coder")
    draw(owner)
    coder = Coder(browser)
    task = next(one for one in state(browser)["tasks"] if "secret" in one["text"])
    coder.mark(task, Mark(labels=(GOAL,), memo="secret", done=True))
    world.collect.withdraw(person.token, PersonProof(world.collect.holder_mark(person.token))).now()
    given = state(browser)
    assert not any("secret" in one["text"] for one in given["tasks"])
    left = world.store.read(lambda conn: coding_projects.words(conn, PROJECT)).values()
    assert not any("secret" in words or "and another" in words for words in left)
    assert not any(
        "secret" in one.mark.memo
        for one in world.store.read(lambda conn: coding_marks.marks(conn, PROJECT))
    )


def test_texts_a_reviewer_excluded_are_not_coded_and_new_ones_can_be_collected(
    world: Any, owner: Any
) -> None:
    begin(world, owner, n=2)
    count = lambda: world.store.read(lambda conn: coding_projects.count_texts(conn, PROJECT))  # noqa: E731
    assert count() == 4
    world.person().run("new one", "new two")
    owner.post(f"/console/coding/{PROJECT}/collect", page=f"/console/coding/{PROJECT}")
    assert count() == 6
    again = owner.post(
        "/console/coding", page="/console/coding", study="study", codebook="hntt", pool="real"
    )
    assert again.status_code == 409
