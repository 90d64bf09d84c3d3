"""The replay player in a real browser: seeking, plan and log, flags."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from believable.bundle.read import read
from believable.contracts.texts import built_in
from believable.core.clock import WallClock
from believable.store.bundle_export import export
from believable.store.engine import Store

FREE = "controls: {pause: true, seek: true, speeds: [0.5, 1, 8], speed: 1, must_finish: false}"


def join(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    expect(page.locator("button.play")).to_be_visible()


def play(page: Page) -> None:
    page.get_by_role("button", name="Play", exact=True).click()


def saved(page: Page) -> None:
    expect(page.locator("#status")).to_have_text("Saved")


def of_kind(held: Any, prefix: str) -> list[dict[str, Any]]:
    return [event for event in held.events if event["kind"].startswith(prefix)]


#: What is going on stands within the panel, which may be scrolled.
IN_THE_MIDDLE = """(panel) => {
  const step = [...panel.querySelectorAll(".plan-step.current")].at(-1).getBoundingClientRect();
  const room = panel.getBoundingClientRect();
  return panel.scrollTop > 0 && step.top < room.bottom && step.bottom > room.top;
}"""


def test_plan_and_log_show_what_is_going_on_and_a_line_leads_there(
    page: Page,
    serve: Any,
    tmp_path: Path,
    recordings: Any,
    stored: Any,
    goes_on: Callable[..., None],
) -> None:
    server = serve(
        recordings.study(tmp_path / "study", f"{FREE}, overlay: {{plan: true, log: true}}")
    )
    join(page, server.link())
    assert page.locator(".overlay-panel:visible").count() == 0
    page.get_by_role("button", name="Plans").click()
    page.get_by_role("button", name="Log of actions").click()
    expect(page.locator(".plan-step.current")).to_have_count(2)
    # As little room as a long plan has.
    page.locator(".overlay-plan").evaluate("(panel) => { panel.style.maxHeight = '2.5rem'; }")
    line = page.locator(".log-line", has_text="step number 7")
    line.click()
    expect(page.locator(".log-lines li.current")).to_have_text("1:10step number 7ball, yard")
    expect(page.locator(".plan-step.current", has_text="second half").last).to_be_visible()
    assert page.locator(".overlay-plan").evaluate(IN_THE_MIDDLE), (
        "the plan follows what is going on"
    )
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".log-lines li.current")).to_contain_text("step number 8")
    play(page)
    goes_on(page)
    page.get_by_role("button", name="Plans").click()
    goes_on(page)
    page.get_by_role("button", name="Pause", exact=True).click()
    saved(page)

    held = stored(server)
    assert [event["data"]["to_ms"] for event in of_kind(held, "media.seek")] == [70_000, 80_000]
    toggles = [
        (event["kind"], event["data"]["which"], event["data"]["media_ms"])
        for event in of_kind(held, "overlay.")
    ]
    assert toggles[:2] == [("overlay.open", "plan", 0), ("overlay.open", "log", 0)]
    assert toggles[2][:2] == ("overlay.close", "plan")
    first, second = (event["data"] for event in of_kind(held, "media.interval"))
    assert first["from_ms"] == 80_000
    assert first["to_ms"] == second["from_ms"] == toggles[2][2]


def test_the_log_follows_until_the_person_scrolls(
    page: Page, serve: Any, tmp_path: Path, recordings: Any
) -> None:
    server = serve(recordings.study(tmp_path / "study", f"{FREE}, overlay: {{log: true}}"))
    page.set_viewport_size({"width": 1280, "height": 480})
    join(page, server.link())
    page.get_by_role("button", name="Log of actions").click()
    lines = page.locator(".log-lines")
    expect(page.locator(".log-now")).to_be_hidden()
    lines.hover()
    page.mouse.wheel(0, 40)
    expect(page.locator(".log-now")).to_be_visible()
    page.locator(".log-line", has_text="step number 11").click()
    page.get_by_role("button", name="Back to now").click()
    expect(page.locator(".log-now")).to_be_hidden()
    expect(page.locator(".log-lines li.current")).to_be_in_viewport()


def test_without_seeking_a_line_is_only_text(
    page: Page, serve: Any, tmp_path: Path, recordings: Any
) -> None:
    watch = "controls: {must_finish: false}, overlay: {log: true}"
    server = serve(recordings.study(tmp_path / "study", watch))
    join(page, server.link())
    page.get_by_role("button", name="Log of actions").click()
    expect(page.locator("div.log-line")).to_have_count(12)
    assert page.locator("button.log-line").count() == 0
    assert page.locator("input.seek").count() == 0


def test_flags_are_set_explained_taken_back_restored_and_exported(
    page: Page, serve: Any, tmp_path: Path, recordings: Any, stored: Any
) -> None:
    server = serve(
        recordings.study(
            tmp_path / "study", f"{FREE}, overlay: {{log: true}}, annotate: {{flags: {{}}}}"
        )
    )
    join(page, server.link())
    page.get_by_role("button", name="Log of actions").click()
    for number in (3, 5, 9):
        item = page.locator(".log-lines li", has_text=f"step number {number}")
        item.locator(".thumb").click()
    page.locator(".flags-entry", has_text="step number 5").get_by_role("textbox").fill(
        "Nobody walks like that."
    )
    page.keyboard.press("Enter")
    page.locator(".flags-entry", has_text="step number 9").get_by_role(
        "button", name="Undo"
    ).click()
    expect(page.locator(".flags-entry")).to_have_count(2)
    saved(page)

    page.reload()
    expect(page.locator(".flags-entry")).to_have_count(2)
    expect(
        page.locator(".flags-entry", has_text="0:00").get_by_role("textbox").first
    ).to_have_value("Nobody walks like that.")
    page.get_by_role("button", name="Log of actions").click()
    expect(page.locator(".log-lines li.flagged")).to_have_count(2)
    page.locator(".log-line", has_text="step number 2").click()
    page.keyboard.press("f")
    page.get_by_role("group", name="Which one do you not believe?").get_by_role(
        "button", name="step number 2"
    ).click()
    expect(page.locator(".flags-entry")).to_have_count(3)
    page.locator("button.next").click()
    expect(page.get_by_label("Your completion code")).to_be_visible()

    assert [event["data"]["flag"] for event in of_kind(stored(server), "flag.add")] == [
        "f1",
        "f2",
        "f3",
        "f4",
    ]
    with Store.open(server.settings.url, clock=WallClock()) as store:
        export(store, "study", tmp_path / "out", media_dir=server.settings.media_dir)
    bundle = read(tmp_path / "out")
    rows = [
        (row["flag"], row["action"], row["reason"], row["undone"]) for row in bundle["flags"].rows()
    ]
    assert rows == [
        ("f1", "ada-3", None, False),
        ("f2", "ada-5", "Nobody walks like that.", False),
        ("f3", "ada-9", None, True),
        ("f4", "ada-2", None, False),
    ]
    assert len(list(bundle["actions"].rows())) == recordings.SECONDS // 10


def test_a_press_on_a_thumb_counts_whatever_is_on_screen_when_it_is_released(
    page: Page, serve: Any, tmp_path: Path, recordings: Any
) -> None:
    server = serve(
        recordings.study(
            tmp_path / "study", f"{FREE}, overlay: {{log: true}}, annotate: {{flags: {{}}}}"
        )
    )
    join(page, server.link())
    page.locator(".flags-thumb").hover()
    page.mouse.down()
    for _ in range(10):  # a hundredth of two minutes each
        page.keyboard.press("ArrowRight")
    expect(page.locator(".flags-now")).to_contain_text("step number 1")
    page.mouse.up()
    expect(page.locator(".flags-entry")).to_have_count(1)
    expect(page.locator(".flags-entry")).to_contain_text("step number 0")
    # With a key, and taken back with the same one.
    page.locator(".flags-thumb").focus()
    for pressed in ("true", "false"):
        page.keyboard.press("Enter")
        expect(page.locator(".flags-thumb")).to_have_attribute("aria-pressed", pressed)
    expect(page.locator(".flags-entry")).to_have_count(1)


def test_a_press_while_it_runs_stops_steps_back_and_offers_the_last_three_actions(
    page: Page,
    serve: Any,
    tmp_path: Path,
    recordings: Any,
    stored: Any,
    goes_on: Callable[..., None],
) -> None:
    server = serve(
        recordings.study(
            tmp_path / "study", f"{FREE}, overlay: {{log: true}}, annotate: {{flags: {{}}}}"
        )
    )
    join(page, server.link())
    page.get_by_role("button", name="Log of actions").click()
    page.locator(".log-line", has_text="step number 4").click()
    play(page)
    goes_on(page)
    page.keyboard.press("f")
    offer = page.get_by_role("group", name="Which one do you not believe?")
    expect(offer.get_by_role("button")).to_have_text(
        ["1step number 2", "2step number 3", "3step number 4", "EscNone of these"]
    )
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.locator(".flags-entry")).to_have_count(0)
    page.keyboard.press("2")
    expect(page.locator(".flags-entry")).to_contain_text("step number 3")
    expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
    goes_on(page)
    # None of them: nothing is marked, and it goes on.
    page.keyboard.press("f")
    page.keyboard.press("Escape")
    goes_on(page)
    expect(page.locator(".flags-entry")).to_have_count(1)
    page.locator("button.next").click()
    expect(page.get_by_label("Your completion code")).to_be_visible()

    held = stored(server)
    first, _ = (event["data"] for event in of_kind(held, "flag.press"))
    stops = [
        event["data"] for event in of_kind(held, "media.pause") if event["data"]["reason"] == "flag"
    ]
    back = next(
        event["data"]
        for event in of_kind(held, "media.seek")
        if event["data"]["from_ms"] == stops[0]["media_ms"]
    )
    assert back["to_ms"] == max(0, first["media_ms"] - 1000), "one second of viewing at speed 1"
    answers = [event["data"] for event in of_kind(held, "flag.choice")]
    assert answers[0]["action"] == first["offered"][1]
    assert answers[0]["delay_ms"] == first["media_ms"] - 30_000
    assert answers[1]["action"] is None
    (flag,) = (event["data"] for event in of_kind(held, "flag.add"))
    assert (flag["how"], flag["media_ms"], flag["action"]) == (
        "choice",
        first["media_ms"],
        first["offered"][1],
    )
    with Store.open(server.settings.url, clock=WallClock()) as store:
        export(store, "study", tmp_path / "out", media_dir=server.settings.media_dir)
    (row,) = read(tmp_path / "out")["flags"].rows()
    assert (row["action"], row["how"], row["offered"]) == ("ada-3", "choice", "ada-2 ada-3 ada-4")
    assert row["delay_ms"] == answers[0]["delay_ms"]


def test_practice_measures_the_delay_of_the_press(
    page: Page, serve: Any, tmp_path: Path, recordings: Any, stored: Any
) -> None:
    watch = f"{FREE}, annotate: {{flags: {{measure_delay: true}}}}"
    server = serve(recordings.study(tmp_path / "study", watch))
    page.clock.install()
    page.goto(server.link())
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Start the practice").click()
    odd = set(built_in("en")["practice.flags.odd"].split(" | "))
    line = page.locator(".reaction-line")
    pressed = 0
    early = 0
    while pressed < 6:
        page.clock.run_for(100)
        shown = line.inner_text()
        if shown in odd:
            page.clock.run_for(400)
            page.keyboard.press("f")
            pressed += 1
            page.clock.run_for(100)
        elif shown and not early:
            page.keyboard.press("f")
            early += 1
            expect(page.locator(".reaction-said")).to_have_text("That one was ordinary.")
    expect(page.locator(".reaction-said")).to_contain_text("6 of 6")
    page.locator("button.next").click()
    expect(page.locator("button.play")).to_be_visible()
    trials = [event["data"] for event in of_kind(stored(server), "flag.delay")]
    assert [trial["trial"] for trial in trials] == [1, 2, 3, 4, 5, 6]
    assert sum(trial["early"] for trial in trials) == 1
    assert all(trial["delay_ms"] is not None for trial in trials)


def test_the_first_viewing_keeps_to_its_speed_limit(
    page: Page, serve: Any, tmp_path: Path, recordings: Any, stored: Any
) -> None:
    controls = (
        "controls: {pause: true, seek: true, replay: true, speeds: [1, 50, 100], speed: 50,"
        " first_speed_limit: 50}"
    )
    server = serve(
        recordings.study(
            tmp_path / "study",
            f"{controls}, ask: [{{id: why, prompt: Why?, required: false, text: {{}}}}]",
        )
    )
    join(page, server.link())
    fast = page.locator("select.speed option[value='100']")
    expect(fast).to_be_disabled()
    page.locator("h1").focus()
    page.keyboard.press(">")  # as far as the keys go
    play(page)
    expect(page.get_by_label("Why?")).to_be_visible()
    expect(fast).to_be_enabled()
    page.locator("select.speed").select_option("100")
    page.get_by_role("button", name="Watch again").click()
    page.get_by_role("button", name="Watch again").wait_for()
    page.locator("button.next").click()
    expect(page.get_by_label("Your completion code")).to_be_visible()
    rates = {event["data"]["rate"] for event in of_kind(stored(server), "media.interval")}
    assert rates == {50, 100}
    seen = [
        (event["kind"], event["data"].get("rate")) for event in of_kind(stored(server), "media.")
    ]
    assert ("media.rate", 100) not in seen[: [kind for kind, _ in seen].index("media.ended")]


def test_a_question_about_the_plan_appears_when_the_plan_was_opened(
    page: Page, serve: Any, tmp_path: Path, recordings: Any
) -> None:
    ask = (
        "ask: [{id: kept, prompt: Kept to the plan?, likert: {points: 3}, show_if: {opened: plan}}]"
    )
    server = serve(
        recordings.study(tmp_path / "study", f"{FREE}, overlay: {{plan: true, log: true}}, {ask}")
    )
    join(page, server.link())
    question = page.locator('[data-question="kept"]')
    expect(question).to_be_hidden()
    page.get_by_role("button", name="Log of actions").click()
    expect(question).to_be_hidden()
    page.get_by_role("button", name="Plans").click()
    expect(question).to_be_visible()
    page.get_by_role("button", name="Plans").click()
    expect(question).to_be_visible()  # it was opened, and stays so
    page.reload()
    expect(question).to_be_visible()
    page.locator("button.next").click()
    expect(page.locator("main .error-summary, main [role=alert]").first).to_be_visible()
    question.get_by_role("radio").first.check()
    page.locator("button.next").click()
    expect(page.get_by_label("Your completion code")).to_be_visible()
