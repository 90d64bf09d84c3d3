"""Rounds whose line breaks, whose server is killed, whose page is reloaded or dies: they go on, and
no input is lost.
"""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]

#: Keys go down and up by themselves; the page stands still for good when its n-th message with
#: inputs is on its way (0: never).
TYPES_AND_FREEZES = """n => {
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) {
    send.call(this, text);
    if (text.includes('"i":[[') && !(n -= 1)) for (;;);
  };
  let typed = 0;
  const code = () => ["KeyW", "KeyD", "KeyS", "KeyA"][(typed >> 1) % 4];
  setInterval(() => {
    document.dispatchEvent(new KeyboardEvent(typed % 2 ? "keyup" : "keydown", { code: code() }));
    typed += 1;
  }, 45);
}"""


def test_a_lost_connection_pauses_the_round_and_it_goes_on(
    shaky: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    """Nothing passes for three seconds."""
    served = line(rounds.short_study(tmp_path))
    player = rounds.Player(shaky)
    player.join(served.link())
    player.start()
    player.play(3)
    served.proxy.die()
    died_s = time.monotonic()
    expect(shaky.locator(".veil-title")).to_have_text(re.compile("Connection lost"))
    time.sleep(max(0.0, died_s + 3 - time.monotonic()))
    ((stood,),) = served.rows("SELECT tick FROM rounds")
    served.proxy.live()
    expect(shaky.locator('.game[data-state="count"]')).to_be_visible()
    expect(shaky.locator('.game[data-state="run"]')).to_be_visible()
    ((went_on,),) = served.rows("SELECT tick FROM rounds")
    assert stood <= went_on < 8 * 30
    assert player.to_the_end()
    (row,) = rounds.same_again(served)
    assert row["losses"] >= 1
    assert row["attempt"] == 1


def test_a_lost_connection_begins_the_round_again_where_the_study_wants_it(
    shaky: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    served = line(rounds.short_study(tmp_path, seconds=6, on_loss="restart"))
    player = rounds.Player(shaky)
    player.join(served.link())
    player.start()
    player.play(30, until=lambda: served.rows("SELECT tick FROM rounds")[0][0] > 20)
    served.proxy.die()
    expect(shaky.locator(".veil-text")).to_have_text(re.compile("starts again"))
    served.proxy.live()
    player.start()
    player.play(30)
    player.over()
    player.saved()
    assert served.rows("SELECT attempt, state FROM rounds ORDER BY attempt") == [
        (1, "left"),
        (2, "over"),
    ]
    (row,) = rounds.same_again(served)
    assert row["attempt"] == 2


def test_a_killed_server_loses_nothing_that_was_durable(
    shaky: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    """SIGKILL in the middle of a round; another process goes on from the last durable tick,
    paused.
    """
    served = line(rounds.short_study(tmp_path))
    player = rounds.Player(shaky)
    player.join(served.link())
    player.start()
    player.play(30, until=lambda: served.rows("SELECT tick FROM rounds")[0][0] > 60)
    served.server.stop()
    ((durable,),) = served.rows("SELECT tick FROM rounds")
    before = rounds.changes_in(served.rows("SELECT inputs FROM round_inputs ORDER BY tick"))
    assert durable > 60
    expect(shaky.locator(".veil-title")).to_have_text(re.compile("Connection lost"))
    served.server.start()
    expect(shaky.locator('.game[data-state="run"]')).to_be_visible()
    player.play(30)
    player.over()
    ((_, changes, _, row),) = rounds.rounds_of(served)
    assert changes[: len(before)] == before, "what was durable has changed"
    assert row["losses"] >= 1
    player.next()
    player.annotate(12)
    player.next()
    assert player.finish()
    rounds.same_again(served)


def test_a_reload_goes_on_with_the_round_and_a_hidden_tab_pauses_it(
    page: Page,
    context: BrowserContext,
    line: Callable[..., Any],
    tmp_path: Path,
    rounds: ModuleType,
) -> None:
    served = line(rounds.short_study(tmp_path, seconds=8))
    player = rounds.Player(page)
    player.join(served.link())
    player.start()
    player.play(1)
    page.evaluate(
        """() => {
          Object.defineProperty(document, "hidden", { configurable: true, get: () => true });
          document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
    expect(page.locator('.game[data-state="pause"]')).to_be_visible()
    page.evaluate("() => { delete document.hidden; }")
    player.start()
    player.play(1)
    page.reload()
    expect(page.locator('.game[data-state="pause"]')).to_be_visible()
    page.get_by_role("button", name="Continue", exact=True).click()
    player.play(30)
    player.over()
    player.saved()
    (row,) = rounds.same_again(served)
    assert row["attempt"] == 1


def test_a_page_that_is_held_up_for_a_moment_goes_on_by_itself(
    page: Page, line: Callable[..., Any], tmp_path: Path, rounds: ModuleType
) -> None:
    """The server hears nothing for a while and pauses the round; nobody has to press anything. A
    key held down still counts.
    """
    served = line(rounds.short_study(tmp_path, seconds=6))
    player = rounds.Player(page)
    player.join(served.link())
    player.start()
    player.play(1)
    page.keyboard.down("Space")
    page.evaluate(
        "() => { const until = performance.now() + 1500; while (performance.now() < until); }"
    )
    expect(page.locator('.game[data-state="count"]')).to_be_visible()
    player.over()
    page.keyboard.up("Space")
    player.saved()
    ((_, changes, _, _),) = rounds.rounds_of(served)
    assert changes[-1].pressed[3], "Space was down to the end"
    (row,) = rounds.same_again(served)
    assert (row["attempt"], row["losses"]) == (1, 0)


def test_a_page_that_dies_in_the_moment_it_sends_an_input_has_logged_it(
    context: BrowserContext,
    browser: Browser,
    line: Callable[..., Any],
    tmp_path: Path,
    rounds: ModuleType,
) -> None:
    """Not one line of its script runs after the input has left; then its process is killed. The
    last time it is reloaded.
    """
    served = line(rounds.short_study(tmp_path, seconds=20))
    page = context.new_page()
    player = rounds.Player(page)
    player.join(served.link())
    address = page.url
    rng = random.Random(7)
    for death in range(4):
        player.start()
        page.evaluate(TYPES_AND_FREEZES, [1, 2, 9, 0][death])
        if death < 3:
            stands_still(served)
            kill_pages(browser)
            page.close()
            page = context.new_page()
            player = rounds.Player(page, seed=death)
            page.goto(address)
        else:
            time.sleep(rng.uniform(0.2, 0.6))
            page.reload()
        expect(page.locator('.game[data-state="pause"]')).to_be_visible()
    player.start()
    player.play(30)
    player.over()
    player.saved()
    (row,) = rounds.same_again(served)
    assert (row["attempt"], row["losses"]) == (1, 4)
    assert served.rows("SELECT COUNT(*) FROM strays") == [(0,)]


def stands_still(served: Any) -> None:
    """The server has heard nothing from the page for a while, and has stored what it heard
    before.
    """
    seen: list[int] = []
    while len(seen) < 3 or seen[-1] == 0 or len(set(seen[-3:])) > 1:
        assert len(seen) < 60, "the round goes on without its page"
        time.sleep(0.4)
        seen.append(served.rows("SELECT tick FROM rounds")[0][0])


def kill_pages(browser: Browser) -> None:
    """SIGKILL to every process of this browser that runs pages, and to the one it keeps ready: it
    notices before this returns.
    """
    session = browser.new_browser_cdp_session()

    def running() -> set[int]:
        told = session.send("SystemInfo.getProcessInfo")["processInfo"]
        return {process["id"] for process in told if process["type"] == "renderer"}

    killed = running()
    for process in killed:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    wait_until(lambda: not killed & running(), "the browser takes them for living")
    session.detach()
