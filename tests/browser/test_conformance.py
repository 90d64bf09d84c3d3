"""Every registered instrument and player, tried in the gallery: one page load each, by keyboard
alone.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from believable.contracts.instrument import Instrument
from believable.contracts.player import Player
from believable.contracts.registries import INSTRUMENTS, PLAYERS
from believable.web.gallery import EXAMPLES

ANSWERING = [one for one in INSTRUMENTS if one.use == "answer"]
ANNOTATING = [one for one in INSTRUMENTS if one.use == "annotate"]
#: What the page around an exhibit records by itself.
PAGE_KINDS = {"trial.shown", "trial.submit", "answer.change"}
#: The video is made when it is first wanted.
PATIENCE_MS = 30_000
#: Happens only when the machine cannot keep up, so a test cannot ask for it.
TROUBLE = {"media.stall", "media.resume"}
TAB_STOPS = 30


def name_of(one: Instrument[Any] | Player) -> str:
    return one.name


class Exhibit:
    """One page of the gallery, and what it recorded."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        page.goto(url)
        self.ready()

    def ready(self) -> None:
        expect(self.page.locator("#trial[data-ready]")).to_be_visible(timeout=PATIENCE_MS)

    def playable(self) -> None:
        expect(self.page.locator("#trial .player")).to_be_visible()

    def events(self) -> list[tuple[str, dict[str, Any]]]:
        """In the order they happened."""
        told = self.page.locator("#events li").evaluate_all(
            "lines => lines.map(one => one.dataset.event)"
        )
        return [(one["kind"], one["data"]) for one in map(json.loads, reversed(told))]

    def kinds(self) -> set[str]:
        return {kind for kind, _ in self.events()}

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [data for other, data in self.events() if other == kind]

    def until(self, holds: Callable[[], bool], what: str) -> None:
        for _ in range(200):
            if holds():
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{what}; recorded: {sorted(self.kinds())}")

    def runs(self) -> None:
        """Waits until the player has left its beginning."""
        self.page.wait_for_function("() => Number(document.querySelector('.seek').value) > 0")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def again(self) -> None:
        """What a reload does: everything is made anew from what was recorded."""
        before = self.page.locator("#trial").get_attribute("data-ready")
        self.page.locator("#again").click()
        expect(self.page.locator("#trial")).not_to_have_attribute("data-ready", before or "")
        self.ready()

    def focus_first(self) -> None:
        """The place from which the next Tab enters the exhibit."""
        self.page.locator("#trial").focus()

    def focused(self) -> tuple[str, str]:
        """Tag and type of what has the focus, `("", "")` outside the exhibit."""
        tag, kind = self.page.evaluate(
            "() => { const one = document.activeElement; return one.closest('#trial form') ?"
            " [one.tagName.toLowerCase(), one.type ?? ''] : ['', '']; }"
        )
        return tag, kind

    def answer(self) -> Any:
        """The answer as it was recorded last."""
        return self.of("answer.change")[-1]["value"]

    def submit(self) -> dict[str, Any]:
        """Enter on the button that goes on; what the server says to the answer."""
        self.page.locator("#trial button.next").focus()
        self.press("Enter")
        expect(self.page.locator("#kept")).to_contain_text("Kept")
        told: dict[str, Any] = json.loads(
            self.page.locator("#kept").get_attribute("data-told") or ""
        )
        return told

    def simulate(self) -> None:
        before = self.page.locator("#trial").get_attribute("data-ready")
        self.page.locator("#simulate").click()
        expect(self.page.locator("#trial")).not_to_have_attribute("data-ready", before or "")
        self.ready()


def declared_only(exhibit: Exhibit, declared: dict[str, set[str]]) -> None:
    """Every event is one that was announced, with exactly the data that was announced."""
    for kind, data in exhibit.events():
        if kind in PAGE_KINDS:
            continue
        assert kind in declared, f"{kind} is not declared"
        assert set(data) - {"player"} == declared[kind], f"{kind} carries {sorted(data)}"


def schema(*records: Any) -> dict[str, set[str]]:
    return {one.kind: set(one.data) for group in records for one in group}


# -------------------------------------------------------------------------------------------------
# answering


def fill(exhibit: Exhibit, words: str, *, other: bool) -> None:
    """Goes through the question with Tab and enters something everywhere; `other` enters something
    else.
    """
    exhibit.focus_first()
    ticked = 0
    for _ in range(TAB_STOPS):
        exhibit.press("Tab")
        tag, kind = exhibit.focused()
        if kind == "submit" or not tag:
            return
        if kind == "radio":
            exhibit.press("ArrowDown" if other else "Space")
        elif kind == "checkbox":
            if ticked == int(other):
                exhibit.press("Space")
            ticked += 1
        elif kind == "range":
            exhibit.press("End" if other else "Home")
        elif tag == "textarea" or kind in ("text", "number"):
            exhibit.press("Control+a")
            exhibit.page.keyboard.type(words)


@pytest.mark.parametrize("one", ANSWERING, ids=name_of)
def test_an_answering_instrument(one: Instrument[Any], gallery: str, page: Page):
    params = one.examples[0]
    typed = [str(one.simulate(params, random.Random(seed))) for seed in (1, 2)]
    exhibit = Exhibit(page, f"{gallery}/gallery/instruments/{one.name}")

    fill(exhibit, typed[0], other=False)
    first = exhibit.submit()["kept"]
    assert first == one.read(params, exhibit.answer())

    fill(exhibit, typed[1], other=True)
    told = exhibit.submit()
    second = told["kept"]
    assert second != first
    assert [cell["value"] for cell in told["cells"]] == [
        cell.value for cell in one.cells(params, second)
    ]
    assert exhibit.of("trial.submit")[-1]["answers"] == {"question": exhibit.answer()}, (
        "an answer given again replaces"
    )

    exhibit.again()
    changes = len(exhibit.of("answer.change"))
    assert exhibit.submit()["kept"] == second, "mounted again, it holds what was answered"
    assert len(exhibit.of("answer.change")) == changes, "putting an answer back is not a change"

    exhibit.simulate()
    simulated = exhibit.answer()
    assert exhibit.submit()["kept"] == one.read(params, simulated), (
        "it shows and accepts its own simulated answer"
    )
    around = (
        [player.records for player in PLAYERS]
        if EXAMPLES["instruments", one.name].n_stimuli
        else []
    )
    declared_only(exhibit, schema(*around))


# -------------------------------------------------------------------------------------------------
# annotating


#: Recorded by the practice before the first stimulus, which the gallery leaves out.
IN_PRACTICE = {"flag.delay"}


def choose(exhibit: Exhibit) -> None:
    """Takes the first of the actions that a press offers."""
    offered = exhibit.page.locator("#trial .annotate .flags-offer button")
    if offered.count():
        offered.first.press("Enter")


def use(exhibit: Exhibit) -> None:
    """Plays, presses the keys that annotate, then everything the instrument offers to Tab."""
    exhibit.press("k")
    exhibit.until(lambda: "media.play" in exhibit.kinds(), "it does not play by keyboard")
    exhibit.runs()
    exhibit.press("ArrowUp", "ArrowUp", "ArrowDown", "f")
    choose(exhibit)
    exhibit.page.keyboard.down(
        "ArrowUp"
    )  # held for some of the medium's time: BTrace repeats its mark
    pressed_ms = exhibit.page.evaluate("performance.now()")
    exhibit.page.wait_for_function("pressed => performance.now() - pressed > 600", arg=pressed_ms)
    exhibit.page.keyboard.up("ArrowUp")
    area = exhibit.page.locator("#trial .annotate")
    area.locator("button, input, [tabindex='0']").last.focus()
    for _ in range(2 * area.locator("button, input, [tabindex='0']").count()):
        if not exhibit.page.evaluate("() => Boolean(document.activeElement.closest('.annotate'))"):
            return
        tag, _ = exhibit.focused()
        if tag == "input":
            exhibit.page.keyboard.type("why")
        if tag in ("input", "button"):
            exhibit.press("Enter")
            choose(exhibit)
        exhibit.press("Shift+Tab")


def shown_state(exhibit: Exhibit) -> str:
    """What the instrument says of itself: words, values and fields, without what follows the
    player's time.
    """
    state: str = exhibit.page.locator("#trial .annotate").evaluate(
        "root => JSON.stringify([...root.querySelectorAll('[aria-valuenow], [aria-description], ol,"
        " input')].map(one => one.getAttribute('aria-valuenow') ??"
        " one.getAttribute('aria-description') ?? one.value ?? one.textContent))"
    )
    return state


@pytest.mark.parametrize("one", ANNOTATING, ids=name_of)
def test_an_annotating_instrument(one: Instrument[Any], gallery: str, page: Page):
    exhibit = Exhibit(page, f"{gallery}/gallery/instruments/{one.name}")
    exhibit.playable()
    expect(page.locator("#trial .annotate > *").last).to_be_visible()
    fresh = shown_state(exhibit)
    use(exhibit)
    kinds = {stream.kind for stream in one.streams} - IN_PRACTICE
    exhibit.until(
        lambda: kinds <= exhibit.kinds(), f"not all of {sorted(kinds)} can be made by keyboard"
    )
    page.locator("#trial .controls button").first.focus()
    exhibit.press("Enter")
    exhibit.until(lambda: "media.pause" in exhibit.kinds(), "it does not pause by keyboard")
    recorded = [event for event in exhibit.events() if event[0] in kinds]
    assert all(0 <= data["media_ms"] <= 12_000 for _, data in recorded if "media_ms" in data)
    before = shown_state(exhibit)
    assert before != fresh, "it shows what was annotated"

    exhibit.again()
    exhibit.playable()
    assert shown_state(exhibit) == before, "mounted again, it shows what was annotated"
    assert [event for event in exhibit.events() if event[0] in kinds] == recorded, (
        "nothing is recorded twice"
    )

    exhibit.simulate()
    exhibit.playable()
    assert len([event for event in exhibit.events() if event[0] in kinds]) > len(recorded)
    declared_only(exhibit, schema(one.streams, *(player.records for player in PLAYERS)))


# -------------------------------------------------------------------------------------------------
# players


@pytest.mark.parametrize("one", PLAYERS, ids=name_of)
def test_a_player(one: Player, gallery: str, page: Page):
    exhibit = Exhibit(page, f"{gallery}/gallery/players/{one.name}")
    exhibit.playable()
    exhibit.press("k")
    exhibit.until(lambda: "media.play" in exhibit.kinds(), "it does not play by keyboard")
    exhibit.runs()
    exhibit.press("ArrowRight", ">", "+", "k")
    exhibit.until(
        lambda: {"media.pause", "media.seek", "media.rate"} <= exhibit.kinds(),
        "keys do not steer it",
    )
    stopped_ms = exhibit.of("media.pause")[-1]["media_ms"]

    exhibit.again()
    exhibit.playable()
    exhibit.press(">", ">", ">", "k")
    exhibit.until(lambda: len(exhibit.of("media.play")) == 2, "it does not play when mounted again")
    assert exhibit.of("media.play")[-1]["media_ms"] == stopped_ms, (
        "it goes on exactly where it stood"
    )
    exhibit.until(lambda: "media.ended" in exhibit.kinds(), "it does not come to its end")
    declared_only(exhibit, schema(one.records))
    assert {record.kind for record in one.records} - exhibit.kinds() <= TROUBLE, (
        "something declared never happens"
    )


def test_wrong_parameters_are_told_where_they_are_typed(gallery: str, page: Page):
    exhibit = Exhibit(page, f"{gallery}/gallery/instruments/likert")
    page.locator("#params").fill("points: 99\nlable: [a, b]\n")
    page.locator("#apply").click()
    problems = page.locator("#problems li")
    expect(problems).to_have_count(2)
    expect(problems.first).to_contain_text("line 1 points: expected at most 11, got 99.")
    expect(problems.last).to_contain_text("Did you mean 'labels'?")
    page.locator("#params").fill("points: 3\n")
    page.locator("#apply").click()
    expect(page.locator("#problems")).to_be_hidden()
    expect(page.locator("#trial input[type=radio]")).to_have_count(3)
    exhibit.ready()
