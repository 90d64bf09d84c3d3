"""Trouble is said where people look: at the button they pressed, at the bar that does not move; and
never beside "Saved".
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error, Page, Route, expect

FORM, CHECK = 2, 3
#: The page is offline until its button is pressed: what it tries by itself meanwhile fails, however
#: long the test takes.
OFFLINE_UNTIL_RETRY = """() => {
  const send = window.fetch;
  let pressed = false;
  let passed = 0;
  window.fetch = (url, ...more) => {
    if (!pressed && String(url).endsWith("/events")) return Promise.reject(new TypeError("offline"));
    passed += 1;
    return send(url, ...more);
  };
  const isRetry = (event) => event.target.closest(".send-trouble button");
  document.addEventListener("click", (event) => { if (isRetry(event)) { pressed = true; passed = 0; } }, { capture: true });
  document.addEventListener("click", (event) => { if (isRetry(event)) window.triedAtOnce = passed > 0; });
}"""


def test_offline_is_said_at_the_button_and_a_press_there_tries_again(
    page: Page, visitor: Any, server: Any
) -> None:
    visitor.until(FORM, server.link())
    visitor.saved()
    page.evaluate(OFFLINE_UNTIL_RETRY)
    visitor.fill_form()
    expect(page.locator("#status")).to_contain_text("Offline")
    said = page.locator(".send-trouble")
    assert said.is_hidden(), "nothing was pressed yet"
    button = page.get_by_role("button", name="Continue", exact=True)
    button.scroll_into_view_if_needed()
    button.click()
    expect(said).to_contain_text("Your answer is safe in this browser")
    distance = said.bounding_box()["y"] - button.bounding_box()["y"]  # type: ignore[index]
    assert 0 < distance < 120
    assert said.evaluate("(box) => box.getBoundingClientRect().bottom <= innerHeight + 60")
    said.get_by_role("button", name="Try again now").click()
    visitor.at(CHECK)
    assert page.evaluate("window.triedAtOnce"), "the pause before the next try was sat out"
    visitor.saved()


def test_an_answer_that_takes_long_is_said_at_the_button(
    page: Page, visitor: Any, server: Any
) -> None:
    visitor.until(FORM, server.link())
    visitor.fill_form()
    visitor.saved()
    held: list[Route] = []
    page.route("**/advance", lambda route: held.append(route))
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.locator(".send-trouble")).to_contain_text("longer than usual")
    for route in held:
        route.continue_()
    visitor.at(CHECK)


def test_a_download_that_hangs_is_said_and_saved_is_not(
    page: Page, serve: Any, tmp_path: Path, recordings: Any
) -> None:
    server = serve(recordings.study(tmp_path / "study", "controls: {must_finish: false}"))
    held: list[Route] = []
    page.route("**/media/**", lambda route: held.append(route))
    page.goto(server.link())
    page.get_by_role("button", name="Start").click()
    trouble = page.locator(".loading .trouble")
    expect(trouble).to_have_text("Loading is stuck or was interrupted. We keep trying.")
    expect(page.locator("#status")).to_have_text("Loading is stuck. We keep trying.")
    # Pressed while nothing comes yet: once something does, the page may have tried by itself, and
    # the button is gone.
    page.locator(".loading").get_by_role("button", name="Try again now").click()
    page.unroute("**/media/**")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.locator("#status")).to_have_text("Saved")


@pytest.mark.parametrize("script", ["main.js", "channel.js"], ids=["named-by-the-page", "imported"])
def test_a_page_whose_script_did_not_arrive_is_loaded_anew(
    page: Page, visitor: Any, server: Any, script: str
) -> None:
    address = f"**/static/participant/{script}*"
    page.route(address, lambda route: route.abort())
    page.goto(server.link())
    page.get_by_role("button", name="Start").click()
    banner = page.get_by_role("alert").filter(
        has_text="Part of this page did not load. We keep trying"
    )
    expect(banner).to_be_visible()
    assert page.locator("button.next").is_disabled()
    page.unroute(address)
    with suppress(Error):  # it may try by itself before the button is reached
        banner.get_by_role("button", name="Try again now").click(timeout=1_000)
    visitor.at(0)
    expect(banner).to_be_hidden()
    assert page.evaluate("sessionStorage.getItem('believable-anew')") == "0"


def test_a_script_that_a_later_page_needs_is_asked_for_until_it_arrives(
    page: Page, visitor: Any, server: Any
) -> None:
    visitor.until(FORM - 1, server.link())
    visitor.saved()
    page.route("**/static/instruments/**", lambda route: route.abort())
    page.locator("button.next").click()
    expect(page.locator(f'#trial[data-position="{FORM}"]')).to_be_visible()
    expect(page.locator("#status")).to_have_text("Loading is stuck. We keep trying.")
    assert page.locator("button.next").is_disabled()
    page.unroute("**/static/instruments/**")
    visitor.at(FORM)
    expect(page.locator("#status")).to_have_text("Saved")
    visitor.fill_form()
    page.locator("button.next").click()
    visitor.at(CHECK)


def test_nothing_can_be_pressed_that_does_not_listen_yet(page: Page, server: Any) -> None:
    """Before the scripts have come: what would be lost cannot be pressed, and waits to be."""
    held: list[Route] = []
    page.route("**/static/participant/main.js*", lambda route: held.append(route))
    page.goto(server.link())
    page.get_by_role("button", name="Start").click()
    for name in ("I do not agree", "Take part", "Continue later", "Withdraw"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    page.wait_for_function("() => true")
    page.unroute("**/static/participant/main.js*")
    decline = page.get_by_role("button", name="I do not agree")
    decline.click()  # waits until it can be pressed
    expect(page.get_by_role("heading", name="You did not agree to take part")).to_be_visible()
