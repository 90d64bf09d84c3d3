"""Two coders and a coordinator at the desk: by keyboard, without loss, without a condition's name
on any page.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from playwright.sync_api import Browser, Page, expect

from believable.coding.labels import Mark, from_json
from believable.coding.phrases import planted_for, read_reason, simulated_coder, write_reason
from believable.coding.responses import Response
from believable.store import accounts, coding_projects, rights
from believable.store.coding_projects import CodingProject, TextMedium
from believable.store.engine import Connection, Store
from believable.store.tables.collected import definitions
from believable.study.codebook import ready
from believable.study.definition import Definition

CANARIES = {
    "human": "CANARYperson",
    "scripted": "CANARYrobot",
    "first": "CANARYone",
    "second": "CANARYtwo",
    "file": "CANARYclip",
    "scenario": "CANARYhall",
    "arm": "CANARYarm",
    "level": "CANARYlevel",
}
PASSWORD = "three unrelated words"
BOOK = ready("hntt")
N_TEXTS = 40
CODERS = ("kim", "lee")
#: Where codes stand on the keyboard.
KEYS = {code.id: str(number) for number, code in enumerate(BOOK.codes, start=1)}


def fill(store: Store, definition: Definition) -> None:
    """Accounts, and a project with simulated texts that stand for people's."""
    hashed = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    people = {"ada": "researcher", "cora": "coordinator", **dict.fromkeys(CODERS, "coder")}

    def put(conn: Connection) -> None:
        for name, role in people.items():
            accounts.add(conn, name, now_ms=0)
            rights.grant(conn, name, "study", role, now_ms=0)
            accounts.set_password(conn, name, hashed)
        project = CodingProject(
            id="why",
            study="study",
            pool="real",
            title="Why it seemed human-like",
            sources=(),
            seed=11,
            suggestions=True,
            rule="none",
            created_ms=0,
        )
        coding_projects.create_project(conn, project, BOOK, user="ada")
        coding_projects.put_texts(conn, project, list(texts(definition)))

    store.write(put)


def texts(definition: Definition) -> Iterator[tuple[Response, tuple[TextMedium, ...]]]:
    rng = random.Random(4)
    media = tuple(
        TextMedium(medium.digest, medium.is_replay) for medium in definition.media.values()
    )
    for number in range(N_TEXTS):
        judge = f"judge{number // 3}"
        yield (
            Response(
                text=write_reason(planted_for("hntt"), rng).text,
                prompt="Why do you think so?",
                judge=judge,
                trial_key=f"pair.{number}",
                condition="CANARYperson" if number % 2 else "CANARYrobot",
                scenario="CANARYhall",
                stimuli=("CANARYone", "CANARYtwo"),
                moment_ms=30_000.0,
                chosen=number % 2,
            ),
            media,
        )


@pytest.fixture
def desk_server(
    serve: Callable[[Path], Any], make_study: Callable[..., Path], long_video: Path
) -> Any:
    folder = make_study(**CANARIES)
    shutil.copy(long_video, folder / "stimuli" / "CANARYclip1.mp4")
    server = serve(folder)
    with Store.open(server.settings.url) as store:
        body = store.read(lambda conn: conn.execute(definitions.select()).one().body)
        fill(store, Definition.from_json(body))
    return server


@pytest.fixture
def person(browser: Browser, desk_server: Any) -> Iterator[Callable[[str], Page]]:
    """`person(name)` is that person's logged-in page, in a browser profile of its own."""
    contexts = []
    complaints: list[str] = []
    asked: list[str] = []

    def log_in(name: str) -> Page:
        context = browser.new_context(
            viewport={"width": 1440, "height": 900}, locale="en-GB", reduced_motion="reduce"
        )
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{desk_server.url}/console/login")
        page.get_by_label("Name").fill(name)
        page.get_by_label("Password").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.locator(".me")).to_contain_text(name)
        return page

    yield log_in
    for context in contexts:
        context.close()
    assert complaints == []
    assert not [url for url in asked for canary in CANARIES.values() if canary in url]


def draw_round(page: Page, url: str) -> None:
    page.goto(f"{url}/console/coding/why")
    page.locator("input[name=n]").fill(str(N_TEXTS))
    for name in CODERS:
        page.locator(f"input[name='coder:{name}']").check()
    page.get_by_role("button", name="Draw and assign").click()
    expect(page.locator("#round-1")).to_contain_text("kim")


def open_desk(page: Page, url: str) -> None:
    page.goto(f"{url}/console/coding/why/desk")
    expect(page.locator("#main")).to_have_attribute("aria-busy", "false")


def press_codes(page: Page, mark: Mark) -> None:
    """What a coder's fingers do for this verdict."""
    if mark.discard is not None:
        page.keyboard.press("d")
        page.keyboard.press(str(1 + [discard.id for discard in BOOK.discards].index(mark.discard)))
    side = "more"
    for label in mark.labels:
        if label.side != side:
            page.keyboard.press("s")
            side = label.side or side
        page.keyboard.press(KEYS[label.code])
        if label.direction == "-":
            page.keyboard.press("-")
    if mark.uncertain:
        page.keyboard.press("u")


def code_texts(page: Page, name: str, n: int) -> dict[int, Mark]:
    """Codes `n` texts as a simulated coder reads them, by keyboard only."""
    given = {}
    rng = random.Random(name)
    for _ in range(n):
        at = page.evaluate("document.body.dataset.at")
        number = int(at.split("-")[1])
        text = page.locator("#text").inner_text()
        mark = simulated_coder(BOOK, read_reason("hntt", text), rng, error=0.12)
        press_codes(page, mark)
        page.keyboard.press("Enter")
        given[number] = mark
    return given


def saved(page: Page) -> None:
    expect(page.locator("#status")).to_have_text("Saved")


def stored_keys(server: Any, coder: str) -> dict[int, frozenset[Any]]:
    with sqlite3.connect(server.settings.data_dir / "believable.db") as conn:
        rows = conn.execute(
            "SELECT number, body FROM coding_marks WHERE coder = ? AND done", (coder,)
        ).fetchall()
    conn.close()
    return {number: from_json(json.loads(body)).keys for number, body in rows}


def test_two_coders_and_a_coordinator(desk_server: Any, person: Callable[[str], Page]) -> None:
    coordinator = person("cora")
    draw_round(coordinator, desk_server.url)
    coordinator.goto(f"{desk_server.url}/console/coding/why/rounds/1")
    expect(coordinator.locator("#measures")).to_contain_text("κ appears here")

    kim, lee = person("kim"), person("lee")
    seen = []
    for page in (kim, lee):
        open_desk(page, desk_server.url)
        seen.append(page.content())
    first = code_texts(kim, "kim", 20)
    saved(kim)
    second = code_texts(lee, "lee", 20)
    # A reload in the middle loses nothing and goes on where the coder was.
    kim.reload()
    expect(kim.locator("#main")).to_have_attribute("aria-busy", "false")
    expect(kim.locator("#progress-words")).to_have_text(f"20 of {N_TEXTS}")
    # The server dies while both go on, and comes back: everything arrives.
    desk_server.stop()
    first |= code_texts(kim, "kim more", 10)
    second |= code_texts(lee, "lee more", 10)
    expect(kim.locator("#status")).to_contain_text("Offline")
    expect(kim.locator("#suggestions")).to_contain_text("the server does not answer")
    assert kim.locator("#suggestions .chip").count() == 0, "those of another text"
    desk_server.start()
    first |= code_texts(kim, "kim end", 10)
    second |= code_texts(lee, "lee end", 10)
    for page in (kim, lee):
        expect(page.locator("#status")).to_have_text("Saved")
        expect(page.locator("#progress-words")).to_have_text(f"{N_TEXTS} of {N_TEXTS}")
    for name, given in (("kim", first), ("lee", second)):
        assert stored_keys(desk_server, name) == {
            number: mark.keys for number, mark in given.items()
        }

    # κ has appeared on the coordinator's page without a reload.
    row = coordinator.locator("tr[data-code=smoothness][data-direction='+'] .kappa").first
    expect(row).to_contain_text("0.")
    seen.append(coordinator.content())
    decide_all(coordinator, desk_server.url, seen)
    assert not [canary for html in seen for canary in CANARIES.values() if canary in html]


def decide_all(page: Page, url: str, seen: list[str]) -> None:
    """Adjudicates every disagreement by keyboard: first coder's, second coder's, in turn."""
    page.goto(f"{url}/console/coding/why/rounds/1/resolve")
    n = 0
    while page.locator("#decision").count():
        seen.append(page.content())
        page.keyboard.press(str(1 + n % 2))
        with page.expect_navigation():
            page.keyboard.press("Enter")
        n += 1
        assert n <= N_TEXTS
    expect(page.locator("main")).to_contain_text("are decided")
    assert n > 3
    page.goto(f"{url}/console/coding/why")
    expect(page.locator("main")).to_contain_text(f"{n} adjudicated")


def test_words_by_keyboard_and_mouse_search_filter_memo_undo(
    desk_server: Any, person: Callable[[str], Page]
) -> None:
    draw_round(person("ada"), desk_server.url)
    page = person("kim")
    open_desk(page, desk_server.url)
    keys = page.keyboard
    # Two words by keyboard, then their code.
    keys.press("h")
    keys.press("Shift+ArrowRight")
    keys.press("2")
    expect(page.locator("#text mark.span")).to_have_count(1)
    marked = page.locator("#text mark.span").inner_text()
    assert len(marked.split()) == 2
    # Direction and side.
    keys.press("-")
    expect(page.locator(".side.more .chip")).to_have_text("Goal directed −")
    keys.press("s")
    keys.press("1")
    expect(page.locator(".side.less .chip")).to_have_text("Smoothness of movement +")
    # The more specific code wins on the same words.
    keys.press("s")
    keys.press("3")
    expect(page.locator("#notice")).to_contain_text("wins over")
    keys.press("z")
    expect(page.locator(".side.more .chip")).to_have_text("Goal directed −")
    # Memo, uncertain.
    keys.press("e")
    keys.type("a word to remember")
    keys.press("Escape")
    keys.press("u")
    expect(page.locator(".chip.uncertain")).to_be_visible()
    keys.press("Enter")
    # Mouse: the words of another text that are marked go to the code just given.
    keys.press("1")
    box = page.locator("#text").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 30, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + 180, box["y"] + 30, steps=5)
    page.mouse.up()
    expect(page.locator("#text mark.span")).not_to_have_count(0)
    # Search and filter.
    keys.press("/")
    keys.type("word to remember")
    expect(page.locator("#found")).to_have_text(f"1 of {N_TEXTS}")
    keys.press("Escape")
    page.locator("#search").fill("")
    for _ in range(3):
        keys.press("Escape")
        keys.press("f")
    expect(page.locator("#filter")).to_have_value("uncertain")
    expect(page.locator("#found")).to_have_text(f"1 of {N_TEXTS}")
    # The moment it is about is there to be watched, and suggestions were on.
    expect(page.locator("#stage video")).to_have_count(2)
    expect(page.locator("#stage figcaption").first).to_have_text("Video A at 0:30")
    film = page.locator("#stage video").first
    assert 27 < film.evaluate("film => film.currentTime") <= 28.5
    expect(page.locator("#suggestions")).to_be_visible()
    saved(page)
    with sqlite3.connect(desk_server.settings.data_dir / "believable.db") as conn:
        rows = conn.execute("SELECT suggested, version FROM coding_marks").fetchall()
    conn.close()
    assert set(rows) == {(1, 1)}


def test_a_coder_reaches_the_desk_and_nothing_else(
    desk_server: Any, person: Callable[[str], Page]
) -> None:
    draw_round(person("ada"), desk_server.url)
    page = person("kim")
    expect(page.locator("nav[aria-label=Console]")).to_have_text("Coding")
    for path in (
        "studies",
        "coding/why",
        "coding/why/rounds/1",
        "coding/why/labels.csv",
        "users",
        "audit",
    ):
        reply = page.request.get(f"{desk_server.url}/console/{path}")
        assert reply.status == 403, path
    assert page.request.get(f"{desk_server.url}/console/coding/why/desk").status == 200


def test_another_tab_takes_over_and_the_first_says_so(
    desk_server: Any, person: Callable[[str], Page]
) -> None:
    draw_round(person("ada"), desk_server.url)
    page = person("kim")
    open_desk(page, desk_server.url)
    page.keyboard.press("1")
    saved(page)
    other = page.context.new_page()
    open_desk(other, desk_server.url)
    expect(page.locator("#taken")).to_be_visible()
    expect(other.locator(".side.more .chip")).to_have_text("Smoothness of movement +")


def test_desk_and_codebook_fit_a_small_window(
    desk_server: Any, person: Callable[[str], Page]
) -> None:
    """With both clips beside the text: codes, reasons to discard and suggestions are within
    reach.
    """
    width, height = 1280, 720
    coordinator = person("ada")
    coordinator.set_viewport_size({"width": width, "height": height})
    draw_round(coordinator, desk_server.url)
    page = person("kim")
    page.set_viewport_size({"width": width, "height": height})
    open_desk(page, desk_server.url)
    expect(page.locator("video").nth(1)).to_be_visible()
    beyond = """(width) => [...document.querySelectorAll('body *')].filter((part) => {
        const box = part.getBoundingClientRect();
        return box.width > 0 && box.right > width + 1 && getComputedStyle(part).position !== 'absolute';
      }).map((part) => `${part.tagName}.${part.className}`)"""
    assert page.evaluate(beyond, width) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    coordinator.goto(f"{desk_server.url}/console/coding/why/codebook")
    coordinator.locator(".code-fields > summary").first.click()
    assert coordinator.evaluate("document.documentElement.scrollWidth") <= width
    coordinator.get_by_role("button", name="Add a code").click()
    expect(coordinator.locator(".code-fields[open] input").first).to_be_focused()
