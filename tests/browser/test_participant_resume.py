"""Leaving and coming back: reloads, other tabs, other devices, and going for good."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

CODE = re.compile(r"^[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{2}$")
CONSENT, TEXT, FORM, CHECK, WATCH_1, WATCH_2, BREAK, RATE = range(8)


def test_a_reload_in_every_trial_goes_on_there_with_its_drafts(
    page: Page, visitor: Any, server: Any, stored: Any
) -> None:
    def reload(position: int) -> None:
        page.reload()
        visitor.at(position)

    visitor.join(server.link())
    reload(CONSENT)
    visitor.consent()
    reload(TEXT)
    visitor.read()
    visitor.fill_form()
    page.get_by_label("Why do you take part?").fill("half a sent")
    reload(FORM)
    expect(page.get_by_role("radio", name="sometimes")).to_be_checked()
    expect(page.get_by_role("radio", name="console")).to_be_checked()
    expect(page.get_by_role("checkbox", name="puzzle")).to_be_checked()
    expect(page.get_by_label("How old are you?")).to_have_value("30")
    expect(page.get_by_label("How tired are you?")).to_have_value("51")
    expect(page.locator('[data-row="calm"] input[value="2"]')).to_be_checked()
    expect(page.get_by_label("Why do you take part?")).to_have_value("half a sent")
    visitor.next()
    visitor.at(CHECK)
    page.get_by_role("radio", name="red").check()
    visitor.next()
    expect(page.locator(".error-summary")).to_be_visible()
    reload(CHECK)
    visitor.check()
    reload(WATCH_1)
    visitor.watch()
    page.locator("#q-seemed-question input[value='4']").check()
    reload(WATCH_1)
    expect(page.locator(".after")).to_be_visible()
    expect(page.locator("#q-seemed-question input[value='4']")).to_be_checked()
    expect(page.get_by_role("button", name="Play")).to_be_hidden()
    visitor.next()
    visitor.at(WATCH_2)
    visitor.judge(WATCH_2)
    page.reload()
    visitor.at(BREAK)
    visitor.rest()
    page.get_by_label("How hard was it?").focus()
    page.keyboard.press("ArrowLeft")
    reload(RATE)
    expect(page.get_by_label("How hard was it?")).to_have_value("49")
    visitor.next()
    code = visitor.finished()
    page.reload()
    assert visitor.finished() == code

    held = stored(server)
    assert held.n_sessions == 1
    assert held.states == [("finished", "complete")]
    assert held.kinds().count("page.open") == 9
    assert held.answers["form"]["why"] == "half a sent"


def test_an_answer_is_kept_when_the_page_goes_before_the_browser_has_stored_it(
    page: Page, visitor: Any, server: Any
) -> None:
    """The browser's database takes as long as the disk does; a reload does not wait for it."""
    visitor.until(FORM, server.link())
    page.on("dialog", lambda dialog: dialog.accept())
    page.evaluate("""() => {
          const never = () => ({});
          IDBDatabase.prototype.transaction = () => ({
            objectStore: () => ({ get: never, getAll: never, put: never, delete: never }), abort: () => undefined });
        }""")
    page.get_by_role("radio", name="sometimes").check()
    page.get_by_role("checkbox", name="puzzle").check()
    page.reload()
    visitor.at(FORM)
    expect(page.get_by_role("radio", name="sometimes")).to_be_checked()
    expect(page.get_by_role("checkbox", name="puzzle")).to_be_checked()


def test_what_is_entered_before_the_scripts_are_there_is_recorded(
    page: Page, visitor: Any, server: Any
) -> None:
    visitor.join(server.link())
    visitor.consent()
    visitor.read()
    held: list[Route] = []
    page.route("**/participant/widgets.js", lambda route: held.append(route))
    page.reload(wait_until="commit")
    page.get_by_role("radio", name="sometimes").check()
    page.get_by_label("Why do you take part?").fill("out of cur")
    expect(page.locator("button.next")).to_be_disabled()
    while not held:
        page.wait_for_timeout(50)
    held[0].continue_()
    visitor.at(FORM)
    visitor.saved()
    page.unroute("**/participant/widgets.js")
    page.reload()
    visitor.at(FORM)
    expect(page.get_by_role("radio", name="sometimes")).to_be_checked()
    expect(page.get_by_label("Why do you take part?")).to_have_value("out of cur")


def test_a_video_goes_on_where_it_was_left(page: Page, visitor: Any, server: Any) -> None:
    visitor.until(WATCH_1, server.link())
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => document.querySelector('video').currentTime > 0.4")
    page.get_by_role("button", name="Pause").click()
    page.wait_for_function("() => document.querySelector('video').paused")
    stood = page.evaluate("document.querySelector('video').currentTime")
    assert stood > 0.4
    visitor.saved()
    page.reload()
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.wait_for_function(
        "(stood) => Math.abs(document.querySelector('video').currentTime - stood) < 0.1", arg=stood
    )


def test_a_second_tab_takes_over_and_the_first_says_so(
    context: BrowserContext, page: Page, visitor: Any, server: Any, stored: Any
) -> None:
    visitor.until(FORM, server.link())
    page.get_by_label("How old are you?").fill("30")
    second = context.new_page()
    second.goto(page.url)
    expect(second.get_by_label("How old are you?")).to_have_value("30")
    expect(page.get_by_role("heading", name="open in another tab")).to_be_visible()
    expect(page.locator("form")).to_have_count(0)
    second.get_by_role("radio", name="phone").check()
    page.get_by_role("button", name="Continue here").click()
    visitor.at(FORM)
    expect(page.get_by_label("How old are you?")).to_have_value("30")
    expect(page.get_by_role("radio", name="phone")).to_be_checked()
    expect(second.get_by_role("heading", name="open in another tab")).to_be_visible()
    visitor.form()
    assert stored(server).answers["form"]["age"] == 30


def test_another_device_continues_with_the_code(
    browser: Browser, page: Page, visitor: Any, server: Any, stored: Any
) -> None:
    visitor.until(FORM, server.link())
    page.get_by_label("How old are you?").fill("30")
    page.get_by_role("button", name="Continue later").click()
    dialog = page.get_by_role("dialog")
    code = dialog.get_by_label("Your code")
    expect(code).to_have_value(CODE)
    link = dialog.get_by_label("Your personal link").input_value()
    assert link == page.url
    expect(dialog.get_by_text("Some answers have not been sent yet")).to_be_hidden()

    elsewhere = browser.new_context(locale="en-GB")
    other = elsewhere.new_page()
    other.goto(f"{server.url}/resume")
    other.get_by_label("Your code").fill("0000-0000-00")
    other.get_by_role("button", name="Continue").click()
    expect(other.get_by_role("alert")).to_contain_text("do not know")
    other.get_by_label("Your code").fill(code.input_value().lower().replace("-", " "))
    other.get_by_role("button", name="Continue").click()
    expect(other.get_by_label("How old are you?")).to_have_value("30")
    elsewhere.close()

    page.get_by_role("button", name="Close").click()
    page.get_by_label("How old are you?").fill("31")
    page.get_by_label("How old are you?").blur()
    expect(page.get_by_role("heading", name="open in another tab")).to_be_visible()
    assert stored(server).n_sessions == 1


#: How many events, and heads of chains, the browser holds.
HELD = """() => new Promise((done) => {
  const open = indexedDB.open('believable');
  open.onsuccess = () => {
    const transaction = open.result.transaction(['events', 'heads']);
    const [events, heads] = ['events', 'heads'].map((name) => transaction.objectStore(name).count());
    transaction.oncomplete = () => done({ events: events.result, heads: heads.result });
  };
})"""


def test_withdrawing_deletes_everything(page: Page, visitor: Any, server: Any, stored: Any) -> None:
    visitor.until(CHECK, server.link())
    page.get_by_role("button", name="Withdraw").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    assert stored(server).n_sessions == 1
    page.get_by_role("button", name="Withdraw").click()
    page.get_by_role("dialog").get_by_role("button", name="Withdraw and delete").click()
    expect(page.get_by_role("heading", name="Your data have been deleted")).to_be_visible()
    held = stored(server)
    assert (held.n_sessions, held.events, held.answers) == (0, [], {})
    assert page.evaluate(HELD) == {"events": 0, "heads": 0}
    page.reload()
    expect(page.get_by_role("heading", name="Your data have been deleted")).to_be_visible()


def test_withdrawing_elsewhere_deletes_what_this_browser_holds(
    page: Page, visitor: Any, server: Any
) -> None:
    visitor.until(FORM, server.link())
    visitor.saved()
    page.route("**/events", lambda route: route.abort())
    visitor.fill_form()
    expect(page.locator("#status")).to_contain_text("Offline")
    assert page.evaluate(HELD)["events"] > 0
    assert page.request.post(f"{page.url}/withdraw", data={}).status == 200
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.get_by_role("heading", name="Your data have been deleted")).to_be_visible()
    page.wait_for_function(
        f"async () => {{ const left = await ({HELD})(); return !left.events && !left.heads; }}"
    )


FORBID = """\
believable: 1
title: In one go
seed: 1
resume: forbid
timeline:
  - form: {{id: one, questions: [{{id: a, prompt: How old?, number: {{}}}}]}}
  - form: {{id: two, questions: [{{id: b, prompt: How tall?, number: {{}}}}]}}
  - finish: {{}}
"""


def test_a_study_may_forbid_coming_back(
    page: Page, visitor: Any, serve: Callable[[Path], Any], make_study: Callable[..., Path]
) -> None:
    server = serve(make_study(FORBID))
    visitor.join(server.link())
    page.get_by_label("How old?").fill("30")
    visitor.next()
    visitor.at(1)
    page.get_by_role("button", name="Continue later").click()
    expect(page.get_by_role("dialog")).to_contain_text("in one sitting")
    page.reload()
    expect(page.get_by_role("heading", name="This session cannot be continued")).to_be_visible()


def test_a_study_may_restart_those_who_come_back(
    page: Page,
    visitor: Any,
    serve: Callable[[Path], Any],
    make_study: Callable[..., Path],
    stored: Any,
) -> None:
    server = serve(make_study(FORBID.replace("forbid", "restart")))
    visitor.join(server.link())
    page.get_by_label("How old?").fill("30")
    visitor.next()
    visitor.at(1)
    page.reload()
    visitor.at(0)
    expect(page.get_by_label("How old?")).to_have_value("")
