"""When the line breaks: nothing is lost, the page says what is going on, and the code waits for the
last event.
"""

from __future__ import annotations

import signal
import threading
import time
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Dialog, Page, Route, expect

FORM, CHECK, RATE = 2, 3, 7
OUTAGE_S = 20


@pytest.mark.slow
def test_a_server_that_is_gone_for_20_seconds_loses_nothing(
    page: Page, visitor: Any, server: Any, stored: Any
) -> None:
    visitor.until(FORM, server.link())
    visitor.saved()
    server.stop(signal.SIGKILL)
    began = time.monotonic()
    visitor.fill_form()
    status = page.locator("#status")
    expect(status).to_contain_text("Your answers are safe here")
    visitor.next()
    page.get_by_label("Why do you take part?").fill("typed while the server was away")
    page.get_by_label("Why do you take part?").blur()
    page.wait_for_timeout(max(0, 1000 * (began + OUTAGE_S - time.monotonic())))
    expect(page.locator(f'#trial[data-position="{FORM}"]')).to_be_visible()
    expect(status).to_contain_text("Offline")
    server.start()
    visitor.at(CHECK)
    visitor.saved()
    visitor.check()

    held = stored(server)
    assert held.answers["form"]["age"] == 30
    typed = [
        event
        for event in held.events
        if event["data"].get("value") == "typed while the server was away"
    ]
    assert len(typed) == 1
    changed = {
        event["data"]["question"] for event in held.events if event["kind"] == "answer.change"
    }
    assert {"often", "device", "genres", "age", "tired", "mood"} <= changed


def _course(page: Page) -> list[tuple[str, str]]:
    """What is asked for and answered from now on, in order."""
    course: list[tuple[str, str]] = []
    page.on("request", lambda request: course.append(("asked", request.url.rsplit("/", 1)[-1])))
    page.on(
        "response", lambda response: course.append(("answered", response.url.rsplit("/", 1)[-1]))
    )
    return course


def test_the_code_appears_only_after_the_last_event_is_acknowledged(
    page: Page, visitor: Any, server: Any
) -> None:
    visitor.until(RATE, server.link())
    visitor.saved()
    course = _course(page)
    held: list[Route] = []
    page.route("**/advance", lambda route: held.append(route))
    with page.expect_request(lambda request: "trial.submit" in (request.post_data or "")):
        visitor.rate()
    assert ("asked", "finish") not in course
    expect(page.get_by_label("Your completion code")).to_have_count(0)

    page.unroute("**/advance")  # lets the held request go
    assert visitor.finished()
    assert course.index(("answered", "advance")) < course.index(("asked", "finish"))


def test_an_answer_that_did_not_get_through_with_the_button_is_stored_before_the_page_is_left(
    page: Page, visitor: Any, server: Any
) -> None:
    visitor.until(RATE, server.link())
    visitor.saved()
    course = _course(page)
    held: list[Route] = []
    page.route("**/advance", lambda route: route.abort(), times=1)
    page.route("**/events", lambda route: held.append(route))
    with page.expect_request(
        lambda request: "/events" in request.url and "trial.submit" in (request.post_data or "")
    ):
        visitor.rate()
    assert course.count(("asked", "advance")) == 1
    expect(page.get_by_label("Your completion code")).to_have_count(0)

    page.unroute("**/events")
    assert visitor.finished()
    asked_again = course.index(("asked", "advance"), course.index(("asked", "advance")) + 1)
    assert course.index(("answered", "events")) < asked_again < course.index(("asked", "finish"))


def test_the_code_waits_for_events_recorded_after_the_last_answer(
    page: Page, visitor: Any, server: Any
) -> None:
    visitor.until(RATE, server.link())
    visitor.saved()
    held: list[Route] = []
    holding = False

    def events(route: Route) -> None:
        if holding:
            held.append(route)
        else:
            route.continue_()

    def hold_from_now_on(route: Route) -> None:
        nonlocal holding
        holding = True
        page.evaluate(
            "() => { dispatchEvent(new Event('blur')); dispatchEvent(new Event('focus')); }"
        )
        route.continue_()

    page.route("**/events", events)
    page.route("**/advance", hold_from_now_on)
    visitor.rate()
    expect(page.get_by_role("heading", name="Sending your last answers")).to_be_visible()
    expect(page.get_by_text("Please keep this page open")).to_be_visible()
    expect(page.get_by_label("Your completion code")).to_have_count(0)
    holding = False
    for route in held:
        route.continue_()
    assert visitor.finished()


def test_leaving_warns_only_while_something_is_unsent(
    page: Page, visitor: Any, server: Any
) -> None:
    warned: list[str] = []

    def note(dialog: Dialog) -> None:
        warned.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", note)
    visitor.until(FORM, server.link())
    visitor.saved()
    page.goto("about:blank")
    assert warned == []


def test_leaving_with_unsent_answers_warns(page: Page, visitor: Any, server: Any) -> None:
    warned: list[str] = []

    def note(dialog: Dialog) -> None:
        warned.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", note)
    visitor.until(FORM, server.link())
    visitor.saved()
    page.route("**/events", lambda route: route.abort())
    page.get_by_role("radio", name="daily").click()
    expect(page.locator("#status")).to_contain_text("Offline")
    with page.expect_event("dialog"):
        page.close(run_before_unload=True)
    assert warned == ["beforeunload"]
    assert not page.is_closed()
    page.unroute("**/events")
    visitor.saved()


def test_offline_on_and_online_again(
    context: BrowserContext, page: Page, visitor: Any, server: Any, stored: Any
) -> None:
    visitor.until(FORM, server.link())
    visitor.saved()
    context.set_offline(True)
    visitor.fill_form()
    expect(page.locator("#status")).to_contain_text("Offline")
    with page.expect_event("requestfailed"):
        visitor.next()
    context.set_offline(False)
    visitor.at(CHECK)
    visitor.saved()
    assert stored(server).answers["form"]["age"] == 30


def test_a_full_disk_is_told_and_waited_out(page: Page, visitor: Any, server: Any) -> None:
    visitor.until(FORM, server.link())
    visitor.saved()
    full = '{"error": {"code": "storage_full", "message": "full", "cure": "wait"}}'
    page.route(
        "**/events",
        lambda route: route.fulfill(status=507, content_type="application/json", body=full),
    )
    page.get_by_role("radio", name="daily").check()
    expect(page.locator("#status")).to_contain_text("cannot store more right now")
    page.unroute("**/events")
    visitor.saved()


def test_a_browser_without_storage_still_works_and_says_so(
    context: BrowserContext, page: Page, visitor: Any, server: Any, stored: Any
) -> None:
    context.add_init_script(
        "Object.defineProperty(globalThis, 'indexedDB', { get() { throw new Error('private'); } });"
    )
    visitor.until(CHECK, server.link())
    expect(page.locator("#status")).to_contain_text("Please keep this page open until the end")
    page.evaluate(
        """() => { globalThis.said = new Set();
        const status = document.getElementById('status');
        new MutationObserver(() => said.add(status.textContent)).observe(status, { childList: true }); }"""
    )
    with page.expect_response("**/events"):
        page.get_by_role("radio", name="blue").check()
    assert page.evaluate("[...said]") == [], "what must be read does not flicker"
    opened = [
        event["data"]["storage"] for event in stored(server).events if event["kind"] == "page.open"
    ]
    assert opened == ["memory"]


def test_a_preload_that_breaks_is_taken_up_again(page: Page, visitor: Any, server: Any) -> None:
    visitor.until(CHECK, server.link())
    page.route("**/media/*", lambda route: route.abort())
    page.get_by_role("radio", name="blue").check()
    visitor.next()
    expect(page.locator(".trouble")).to_have_text(
        "Loading is stuck or was interrupted. We keep trying."
    )
    page.unroute("**/media/*")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    expect(page.locator(".trouble")).to_have_text("")


@pytest.mark.slow
def test_many_reloads_while_the_server_comes_and_goes(
    page: Page, visitor: Any, server: Any, stored: Any
) -> None:
    """The queue survives a page that is reloaded while nothing arrives."""
    visitor.until(FORM, server.link())
    visitor.saved()
    page.route("**/events", lambda route: route.abort())
    page.get_by_label("How old are you?").fill("30")
    page.get_by_label("How old are you?").blur()
    with page.expect_event("requestfailed", lambda request: "console" in (request.post_data or "")):
        page.get_by_role("radio", name="console").check()
    page.once("dialog", lambda dialog: dialog.accept())
    page.reload()
    visitor.at(FORM)
    expect(page.get_by_label("How old are you?")).to_have_value("30")
    expect(page.get_by_role("radio", name="console")).to_be_checked()
    restart = threading.Timer(1.0, server.start)
    server.stop()
    restart.start()
    page.unroute("**/events")
    restart.join()
    visitor.saved()
    values = [
        event["data"].get("value")
        for event in stored(server).events
        if event["kind"] == "answer.change"
    ]
    assert values == [30, "console"]


def test_trouble_with_sending_is_in_sight_on_a_small_laptop(
    page: Page, server: Any, visitor: Any
) -> None:
    page.set_viewport_size({"width": 1366, "height": 625})
    visitor.until(FORM, server.link())
    visitor.fill_form()
    visitor.saved()
    page.context.set_offline(True)
    button = page.locator("button.next")
    # The button at the lower edge of the window, as where a person stops to scroll: what it says
    # comes below the fold.
    button.evaluate("(next) => next.scrollIntoView({ block: 'end' })")
    button.click()
    expect(page.locator(".send-trouble")).to_contain_text("You are offline.")
    expect(page.locator(".send-trouble")).to_be_in_viewport(ratio=1)
    expect(page.locator("#status")).to_be_in_viewport(ratio=1)
    page.context.set_offline(False)
    visitor.at(CHECK)
