"""The console in a real Chromium: from the one-time link to a closed study, while people come
in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from believable.app.settings import Settings, open_collect
from believable.collect.desk import Collect
from believable.core.clock import WallClock
from believable.core.ids import new_token

GENUINE = "The first player hesitated at the doors and looked around before it walked on."
STUDY = """\
believable: 1
title: Who plays like a human?
seed: 7
conditions: [human, scripted]
arms:
  tool: [slow, fast]
timeline:
  - consent: {id: consent, text: "Do you want to take part?", require: [agree]}
  - block:
      id: pairs
      order: latin_square
      over: condition
      each:
        - form:
            id: judge
            questions: [{id: why, prompt: "Why do you think so?", long_text: {}}]
  - finish: {id: finish}
"""


class Crowd:
    """People who take the study, from a process of their own beside the server's."""

    def __init__(self, settings: Settings, link: str) -> None:
        self._store, self._collect = open_collect(settings, clock=WallClock(), new_id=new_token)
        self._link = link.rpartition("/")[2]

    def close(self) -> None:
        self._store.close()

    @property
    def collect(self) -> Collect:
        return self._collect

    def come(self) -> str:
        return self._collect.join(self._link, {}, "en", True).now().token

    def submit(self, token: str, **answers: Any) -> None:
        claimed = self._collect.claim(token).now()
        seq = claimed.ack + 1
        body = {
            "kind": "trial.submit",
            "trial": claimed.position,
            "at_ms": WallClock().now_ms(),
            "mono_ms": 1,
        }
        text = json.dumps({**body, "data": {"answers": answers}})
        self._collect.append(token, claimed.epoch, [(seq, text)]).now()
        self._collect.advance(token, claimed.epoch, claimed.position, seq).now()

    def finish(self, token: str) -> None:
        claimed = self._collect.claim(token).now()
        self._collect.finish(token, claimed.epoch, claimed.ack, claimed.head).now()

    def take_part(self, *texts: str) -> None:
        token = self.come()
        self.submit(token, agree=True)
        for text in texts:
            self.submit(token, why=text)
        self.finish(token)


@pytest.fixture
def server(tmp_path: Path, serve: Callable[[Path], Any]) -> Any:
    folder = tmp_path / "study"
    folder.mkdir()
    (folder / "study.yaml").write_text(STUDY)
    return serve(folder)


@pytest.fixture
def crowd(server: Any) -> Iterator[Crowd]:
    made = Crowd(server.settings, server.link("open"))
    yield made
    made.close()


def count(page: Page, name: str) -> Any:
    return page.locator(f'output[data-count="{name}"]')


def places(page: Page) -> list[str]:
    return page.locator('#cells [data-part="places"]').all_inner_texts()


def test_from_the_first_link_to_a_closed_study(page: Page, server: Any, crowd: Crowd) -> None:
    page.goto(f"{server.url}/console/studies")
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()
    server.enter(page)

    page.get_by_role("link", name="Monitor").click()
    expect(page.locator("#live-words")).to_have_text("live")
    expect(count(page, "started")).to_have_text("0")
    loaded = page.evaluate("performance.timeOrigin")
    first = crowd.come()
    expect(count(page, "active")).to_have_text("1")
    crowd.submit(first, agree=True)
    expect(page.locator('#funnel tr[data-position="1"] [data-part="present"]')).to_have_text("1")
    for text in (GENUINE, "It ran straight into the wall, and then into the next one."):
        crowd.submit(first, why=text)
    crowd.finish(first)
    for _ in range(3):
        crowd.take_part("ok", GENUINE)
    expect(count(page, "complete")).to_have_text("4")
    assert places(page) == ["1 + 0"] * 4
    assert float(page.locator("#peak").inner_text()) > 0
    assert page.evaluate("performance.timeOrigin") == loaded, (
        "the numbers came without loading the page again"
    )

    page.get_by_role("link", name="Review", exact=True).click()
    expect(page.locator("blockquote")).to_have_text(re.compile("ok|hesitated"))
    page.wait_for_load_state()  # keys are for its script
    queued = int(page.locator(".queue-list p").inner_text().split()[-1])
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    expect(page.locator(".queue-list p")).to_contain_text(f"of {queued - 1}")
    page.wait_for_load_state()
    page.keyboard.press("j")
    expect(page.locator(".queue-list p")).to_contain_text("2 of" if queued > 3 else "of")
    page.wait_for_load_state()
    page.keyboard.press("7")
    page.keyboard.type("copied from the first page")
    page.keyboard.press("Enter")
    expect(page.locator(".queue-list p")).to_contain_text(f"of {queued - 2}")
    page.get_by_role("link", name="Decided", exact=True).click()
    expect(page.locator(".decided")).to_contain_text("excluded")

    page.goto(f"{server.url}/console/studies/study/sessions/real/2")
    expect(page.get_by_text("holds over 3 events")).to_be_visible()
    page.get_by_label("Reason").fill("two letters are no answer")
    page.get_by_role("button", name="Reject").click()
    expect(page.get_by_role("button", name="Un-reject")).to_be_visible()
    page.get_by_role("link", name="Monitor").click()
    expect(page.locator("#live-words")).to_have_text("live")
    assert sorted(places(page)) == ["0 + 0", "1 + 0", "1 + 0", "1 + 0"]

    page.get_by_role("link", name="Overview").click()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.get_by_role("button", name="Now closed")).to_be_disabled()
    page.goto(server.link("open"))
    expect(page.get_by_role("main")).not_to_contain_text("Do you want to take part?")

    page.goto(f"{server.url}/console/studies/study/export")
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download").click()
    assert waiting.value.suggested_filename == "study.zip"
    page.get_by_role("navigation", name="Console").get_by_role(
        "link", name="Audit log", exact=True
    ).click()
    for words in ("closed the study", "rejected real session 2", "exported the real sessions"):
        expect(page.get_by_role("main")).to_contain_text(words)
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_role("heading", name="Log in")).to_be_visible()


def test_the_monitor_rests_while_hidden_and_says_when_it_is_cut_off(
    page: Page, server: Any, crowd: Crowd
) -> None:
    page.clock.install()
    server.enter(page)
    page.goto(f"{server.url}/console/studies/study/monitor")
    expect(page.locator("#live-words")).to_have_text("live")
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: true, configurable: true});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    expect(page.locator("#live-words")).to_have_text("paused while the page is hidden")
    crowd.come()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.clock.fast_forward(5_000)
    assert asked == []
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: false, configurable: true});"
        "document.dispatchEvent(new Event('visibilitychange'))"
    )
    expect(count(page, "started")).to_have_text("1")
    server.stop()
    expect(page.locator("#live-words")).to_contain_text("no connection")
    server.start()
    expect(page.locator("#live-words")).to_have_text("live")


def test_a_study_paused_elsewhere_changes_the_open_monitor(page: Page, server: Any) -> None:
    server.enter(page)
    page.goto(f"{server.url}/console/studies/study/monitor")
    expect(page.locator("#live-words")).to_have_text("live")
    other = page.context.new_page()
    other.goto(f"{server.url}/console/studies/study")
    other.get_by_role("button", name="Pause").click()
    expect(page.locator("h1 .pill")).to_have_text("paused")


def test_it_works_without_script(browser: Any, server: Any, crowd: Crowd) -> None:
    crowd.take_part("ok", GENUINE)
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    server.enter(page)
    page.get_by_role("link", name="Monitor").click()
    expect(count(page, "complete")).to_have_text("1")
    page.get_by_role("link", name="Review", exact=True).click()
    page.get_by_label("nonsense").check()
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("main")).to_contain_text("1 decided")
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Now paused")).to_be_disabled()
    context.close()


def test_many_sessions_are_found_and_excluded_by_keyboard(
    page: Page, server: Any, crowd: Crowd
) -> None:
    for _ in range(5):
        crowd.take_part(GENUINE, GENUINE)
    server.enter(page)
    page.goto(f"{server.url}/console/studies/study/sessions")
    page.keyboard.press("/")
    page.keyboard.type("2-5")
    page.keyboard.press("Enter")
    expect(page.locator("table.sessions tbody tr")).to_have_count(4)
    page.get_by_role("link", name="Session ↓").press("Enter")
    expect(page.locator("table.sessions tbody tr a.strong")).to_have_text(["2", "3", "4", "5"])
    expect(page.get_by_role("button", name="Exclude")).to_be_disabled()
    page.get_by_label("Session 2", exact=True).press("Space")
    page.get_by_label("Session 4", exact=True).click(modifiers=["Shift"])
    expect(page.locator("#n-marked")).to_have_text("3 sessions")
    page.get_by_label("Tick all on this page").press("Space")
    expect(page.locator("#n-marked")).to_have_text("4 sessions")
    page.get_by_label("Session 5", exact=True).press("Space")
    expect(page.locator("#n-marked")).to_have_text("3 sessions")
    page.get_by_label("Reason").fill("the sound was off")
    page.get_by_role("button", name="Exclude").press("Enter")
    expect(page.locator("p.done")).to_contain_text("3 of 3 sessions changed: excluded")
    expect(page.locator("tr.rejected a.strong")).to_have_text(["2", "3", "4"])
    page.get_by_role("link", name="3", exact=True).click()
    expect(page.locator(".decisions li")).to_contain_text("the sound was off")
    page.get_by_label("Reason").fill("heard it after all")
    page.get_by_role("button", name="Take back in").click()
    expect(page.get_by_role("button", name="Exclude")).to_be_visible()


@pytest.mark.parametrize(
    ("scheme", "width", "height"), [("light", 1280, 720), ("dark", 1920, 1080)]
)
def test_no_page_is_wider_than_the_window(
    page: Page, server: Any, crowd: Crowd, scheme: Any, width: int, height: int
) -> None:
    crowd.take_part("x" * 400, GENUINE)
    server.enter(page)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": height})
    paths = ["studies", "users", "audit", "account", "coding"]
    paths += [
        f"studies/study{rest}"
        for rest in (
            "",
            "/checklist",
            "/monitor",
            "/sessions",
            "/sessions/real/1",
            "/review",
            "/results",
            "/export",
        )
    ]
    for path in paths:
        page.goto(f"{server.url}/console/{path}")
        overflow = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert overflow <= 0, path


def test_the_checklist_says_what_is_open_and_a_whole_session_is_excluded_in_the_review(
    page: Page, server: Any, crowd: Crowd
) -> None:
    """By a person at the screen: the list before people come, then one who cheated, seen in the
    review of texts.
    """
    server.enter(page)
    page.goto(f"{server.url}/console/studies/study/checklist")
    row = page.get_by_role("row", name="Tried")
    expect(row).to_contain_text("open")
    expect(page.get_by_role("row", name="Checked")).to_contain_text("to look at")
    expect(page.locator(".problems li").first).to_be_visible()
    expect(page.get_by_text("the study does not state the cost of a session")).to_be_visible()
    crowd.take_part("copied from somewhere", GENUINE)
    page.goto(f"{server.url}/console/studies/study/review?show=all")
    page.get_by_label("Exclude the whole session").check()
    page.get_by_label("Reason in your words").fill("wrote the same everywhere")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.goto(f"{server.url}/console/studies/study/sessions?place=excluded")
    expect(page.locator("tr a.strong")).to_have_text(["1"])
