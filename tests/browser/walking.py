"""A person who walks a whole study by mouse and keyboard, and looks at every page on the way.

A look is a picture of the window, and of each part of the page below it. Every look asserts what
has to be so on every page: nothing is cut off at the sides, the next step is in sight or the page
visibly goes on, and nothing that the page was sent names a condition, scenario, stimulus or file.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import Locator, Page, Response, expect

from believable.pages.device import quietest_tone
from believable.study.records import Study

#: What is wider than its room: the page than the window, a part than the page, words than the box
#: that hides the rest of them.
CUT_OFF = """() => {
  const width = document.documentElement.clientWidth;
  const shown = (part) => part.checkVisibility({ visibilityProperty: true }) && !part.closest(".visually-hidden, .skip");
  const name = (part) => `${part.tagName.toLowerCase()}.${part.className}: ${(part.textContent ?? "").trim().slice(0, 60)}`;
  const cut = [];
  if (document.documentElement.scrollWidth > width) cut.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  for (const part of document.body.querySelectorAll("*")) {
    if (!shown(part)) continue;
    const box = part.getBoundingClientRect();
    if (box.width && (box.left < -1 || box.right > width + 1)) cut.push(`${box.left}–${box.right} px ${name(part)}`);
    const style = getComputedStyle(part);
    const hides = style.overflowX === "hidden" || style.overflowX === "clip";
    if (hides && part.scrollWidth > part.clientWidth + 1 && part.textContent?.trim()) cut.push(`words are hidden: ${name(part)}`);
  }
  return cut;
}"""
#: Whether something that leads on can be seen: a button, a question, a game that runs. Else
#: something has to reach over the lower edge of the window, so that people see that the page goes
#: on.
LEADS_ON = """() => {
  const inside = (box) => box.height > 0 && box.top >= 0 && box.bottom <= innerHeight;
  const shown = (part) => part.checkVisibility({ visibilityProperty: true });
  const steps = "button.next:not([disabled]), button.go, button.play, .practice button, .question :is(input, textarea),"
    + ".common button, form[method=post] button, #completion-code, .game[data-state=run] canvas, .veil-title,"
    + "[data-playing=true]";
  const all = [...document.querySelectorAll(steps)].filter(shown);
  if (all.some((part) => inside((part.closest("label") ?? part).getBoundingClientRect()))) return true;
  const parts = [...document.querySelectorAll("main p, main li, main fieldset, main .player")].filter(shown);
  return parts.map((part) => part.getBoundingClientRect()).some((box) => box.top < innerHeight && box.bottom > innerHeight);
}"""
#: A page that leads somewhere scrolls there: pictures are taken when it has arrived.
STANDS_STILL = """async () => {
  for (let quiet = 0, before = scrollY; quiet < 4; before = scrollY) {
    await new Promise(requestAnimationFrame);
    quiet = scrollY === before ? quiet + 1 : 0;
  }
}"""
#: How large the disc of the practice was drawn last, which the eye sees.
DISC = """\
window.disc = 0;
CanvasRenderingContext2D.prototype.arc = ((original) => function (x, y, radius, ...rest) {
  if (this.canvas.className === "disc") window.disc = radius;
  return original.call(this, x, y, radius, ...rest);
})(CanvasRenderingContext2D.prototype.arc);
"""
#: What opened after watching can be seen without scrolling.
OPENED = """(selector) => [...document.querySelectorAll(selector)].some((part) => {
  const box = part.getBoundingClientRect();
  return part.checkVisibility() && box.top >= 0 && box.top < innerHeight - 40;
})"""
#: What the instructions of `clips` say, and a question about them asks.
RIGHT = "any number, also none or all"
WRITTEN = "One of them stops at the corner, the other one does not."


def hidden_words(study: Study) -> set[str]:
    """What the pages of a study may not name. An arm that is called like its instrument names what
    people are given anyway.
    """
    judged = [stimulus for stimulus in study.stimuli if stimulus.condition]
    words = set(study.conditions) | {stimulus.id for stimulus in judged}
    words |= {Path(stimulus.file).name for stimulus in judged}
    return words | {stimulus.scenario for stimulus in judged if stimulus.scenario}


class Walker:
    """Walks with one seed; `folder` gets the pictures, `hand` is `mouse` or `keys`."""

    def __init__(
        self,
        page: Page,
        hidden: Iterable[str],
        *,
        folder: Path | None = None,
        hand: str = "mouse",
        speed: str = "",
    ) -> None:
        self.page = page
        self.folder = folder
        self.hand = hand
        self.speed = speed
        self.looks: list[str] = []
        self._rng = random.Random(5)
        self._hidden = re.compile("|".join(rf"\b{re.escape(word)}\b" for word in sorted(hidden)))
        self._messages: list[tuple[str, str]] = []
        page.on("response", self._keep)
        page.add_init_script(DISC)

    def _keep(self, response: Response) -> None:
        if response.ok and "json" in response.headers.get("content-type", ""):
            self._messages.append((response.url, response.text()))

    # ------------------------------------------------------------------------------------------------------------
    # looking

    def look(self, name: str, *, whole: bool = True, told: bool = False) -> None:
        """One look at the page as it is. `told`: what was hidden is told here, as on the last
        page.
        """
        label = f"{len(self.looks):03d}-{name}"
        self.looks.append(label)
        self.page.evaluate(STANDS_STILL)
        assert self.page.evaluate(CUT_OFF) == [], label
        assert self.page.evaluate(LEADS_ON), f"{label}: nothing in sight leads on"
        if not told:
            for place, source in ((self.page.url, self.page.content()), *self._messages):
                match = self._hidden.search(source)
                assert match is None, (
                    f"{label}: {place} names"
                    f" {match and source[match.start() - 80 : match.end() + 40]!r}"
                )
        self._messages.clear()
        if self.folder is None:
            return
        self.page.screenshot(path=self.folder / f"{label}.png")
        if whole:
            self._scrolled(label)

    def _scrolled(self, label: str) -> None:
        height, window, before = self.page.evaluate(
            "[document.documentElement.scrollHeight, innerHeight, scrollY]"
        )
        assert self.folder is not None
        part = 0
        for top in range(0, max(0, height - window), int(window * 0.8)):
            target = min(top + int(window * 0.8), height - window)
            if target - before <= 8 and part == 0 and target <= before:
                continue
            part += 1
            self.page.evaluate("(top) => scrollTo({ top, behavior: 'instant' })", target)
            self.page.screenshot(path=self.folder / f"{label}+{part}.png")
        self.page.evaluate("(top) => scrollTo({ top, behavior: 'instant' })", before)

    # -------------------------------------------------------------------------------------------------------------
    # walking

    def walk(self, link: str) -> str:
        """From the link to the completion code, which it gives."""
        page = self.page
        page.goto(link)
        self.look("landing")
        self._press(page.get_by_role("button", name="Start", exact=True))
        while not self._finished():
            self.one_page()
        code = page.get_by_label("Your completion code")
        self.look("finish", told=True)
        return code.input_value()

    def one_page(self) -> None:
        """What stands on the page decides what is done."""
        form = self.page.locator("form.trial")
        kind = next(
            name for name in (form.get_attribute("class") or "").split() if name.startswith("kind-")
        )[5:]
        position = self._position()
        {
            "play": self._play,
            "practice": self._practise,
            "watch": self._watch,
            "qa": self._watch,
            "compare": self._several,
            "group": self._several,
            "device": self._device,
        }.get(kind, self._answer)(f"{position:02d}-{kind}")
        self._next(position, f"{position:02d}-{kind}")

    def _position(self) -> int:
        return int(self.page.locator("#trial").get_attribute("data-position") or -1)

    def _finished(self) -> bool:
        """Waits for the next page, and says whether it is the last one."""
        self.page.wait_for_function("""() => document.querySelector("#completion-code")
              || document.querySelector("#trial form.trial .button.next:not([disabled])")
              || document.querySelector("#trial form.trial button:is(.go, .play):not([hidden])")""")
        return self.page.locator("#completion-code").count() > 0

    def _next(self, position: int, name: str) -> None:
        """Goes on. What was refused is looked at and answered again."""
        with self.page.expect_response("**/advance") as reply:
            self._press(self.page.locator("button.next"))
        if reply.value.json().get("errors"):
            expect(self.page.locator(".error-summary")).to_be_visible()
            self.look(f"{name}-refused")
            self._answer(name, again=True)
            self._next(position, name)
            return
        self.page.wait_for_function(
            """(position) => document.querySelector("#completion-code")
              || document.querySelector("#trial form.trial") && document.querySelector("#trial").dataset.position !== position""",
            arg=str(position),
        )

    def _press(self, button: Locator) -> None:
        if self.hand == "mouse":
            button.click()
        else:
            button.press("Enter")

    # ------------------------------------------------------------------------------------------------------------
    # answering

    def _answer(self, name: str, *, again: bool = False) -> None:
        expect(self.page.locator("button.next")).to_be_enabled()
        if not again:
            self.look(name)
        for box in self.page.locator("input[data-consent]").all():
            self._choose(box)
        self._questions(self.page.locator("#trial form"), again=again)
        if self.page.locator(".question").count():
            self.look(f"{name}-answered")

    def _choose(self, option: Locator) -> None:
        if self.hand == "mouse":
            option.click()
        else:
            option.focus()
            option.press("Space")

    def _questions(self, where: Locator, *, again: bool = False) -> None:
        """Every question that can be seen, those included that open by an answer."""
        done: set[str] = set()
        while True:
            question = next(
                (
                    question
                    for question in where.locator(".question:not(.consent):not(.device)").all()
                    if question.is_visible() and (question.get_attribute("id") or "") not in done
                ),
                None,
            )
            if question is None:
                return
            done.add(question.get_attribute("id") or "")
            radios = question.locator("input[type=radio]").all()
            if radios:
                # Wrong at first; who reads the text again finds the answer.
                right = question.locator("label", has_text=RIGHT).locator("input")
                wrong = question.locator("label").filter(has_not_text=RIGHT).locator("input")
                self._choose(
                    right
                    if right.count() and again
                    else wrong.nth(self._rng.randrange(wrong.count()))
                )
                continue
            field = question.locator("textarea, input.field")
            field.click()
            number = field.get_attribute("inputmode") == "numeric"
            self.page.keyboard.press("ControlOrMeta+a")
            self.page.keyboard.type("34" if number else WRITTEN)

    # --------------------------------------------------------------------------------------------------
    # playing and watching

    def _play(self, name: str) -> None:
        """A round with real fingers: keys to walk, the mouse to aim, bullets and bombs."""
        page = self.page
        game = page.locator(".game")
        expect(page.locator("button.go")).to_be_visible()
        self.look(name)
        self._press(page.locator("button.go"))
        expect(page.locator('.game[data-state="run"]')).to_be_visible()
        practice = page.locator("button.next").is_visible()
        box = page.locator(".field canvas").bounding_box()
        assert box is not None
        began = time.monotonic()
        shots = [2.0, 5.0, 9.0, 14.0, 25.0, 40.0]
        while game.get_attribute("data-state") != "over":
            seconds = time.monotonic() - began
            if practice and seconds > 6:
                break
            if shots and seconds > shots[0]:
                self.look(f"{name}-{int(shots.pop(0)):02d}s", whole=False)
            key = self._rng.choice(("KeyW", "KeyA", "KeyS", "KeyD"))
            page.keyboard.down(key)
            page.mouse.move(
                box["x"] + self._rng.random() * box["width"],
                box["y"] + self._rng.random() * box["height"],
            )
            if self._rng.random() < 0.4:
                page.keyboard.press("Space")
            if self._rng.random() < 0.1:
                page.keyboard.press("KeyB")
            time.sleep(self._rng.uniform(0.1, 0.4))
            page.keyboard.up(key)
        if not practice:
            expect(page.locator("button.next")).to_be_visible()
        self.look(f"{name}-over")

    def _practise(self, name: str) -> None:
        """The practice of an instrument: until it is done, well or badly."""
        page = self.page
        start, going_on = page.locator(".practice button.start"), page.locator("button.next")
        expect(start).to_be_visible()
        self.look(name)
        tries = 0
        while not going_on.is_visible():
            if start.is_visible() and not going_on.is_visible():
                if tries:
                    self.look(f"{name}-tried")
                tries += 1
                self._press(start)
                expect(start).to_be_hidden()
                began, looked = time.monotonic(), False
            self._follow_the_disc()
            if not looked and time.monotonic() - began > 8:
                self.look(f"{name}-running", whole=False)
                looked = True
        self.look(f"{name}-done")

    def _follow_the_disc(self) -> None:
        """Up while it grows, down while it shrinks, nothing while it rests."""
        before: float = self.page.evaluate("disc")
        self.page.wait_for_timeout(200)
        change: float = self.page.evaluate("disc") - before
        if change:
            self.page.keyboard.press("ArrowUp" if change > 0 else "ArrowDown")

    def _watch(self, name: str) -> None:
        page = self.page
        play, going_on = page.locator("button.play"), page.locator("button.next")
        expect(play).to_be_visible()
        flags, beside = (
            page.locator(".stage.flagged").count() > 0,
            page.locator(".stage.sided").count() > 0,
        )
        if self.speed and page.locator(".controls select.speed").count():
            page.locator(".controls select.speed").select_option(self.speed)
        self.look(name)
        voluntary = going_on.is_visible() and going_on.is_enabled()
        page.mouse.move(640, 380)
        self._press(play)
        began, looks = time.monotonic(), 0
        while voluntary or not (going_on.is_visible() and going_on.is_enabled()):
            seconds = time.monotonic() - began
            if seconds > 3 + 12 * looks**1.5:
                self.look(f"{name}-{int(seconds):03d}s", whole=looks < 2)
                looks += 1
                if flags and looks in (1, 3):
                    self._flag(name)
                if beside and looks == 2:
                    self._open_beside(name)
                if voluntary and looks == 3:
                    break
            if page.locator(".annotate").count() and not flags:
                self._annotate()
            page.wait_for_timeout(400)
        if page.locator(".after .question").count():
            page.wait_for_function(OPENED, arg=".after")
        elif not voluntary:
            expect(going_on).to_be_in_viewport(ratio=1)
        self.look(f"{name}-watched")
        self._questions(page.locator(".after"))
        if page.locator(".after .question").count():
            self.look(f"{name}-answered")

    def _annotate(self) -> None:
        """The wheel, or a key that is held."""
        if self.hand == "mouse":
            self.page.mouse.wheel(0, self._rng.choice((-100, 100)))
        key = self._rng.choice(("ArrowUp", "ArrowDown"))
        self.page.keyboard.down(key)
        self.page.wait_for_timeout(self._rng.uniform(50, 900))
        self.page.keyboard.up(key)

    def _flag(self, name: str) -> None:
        """A thumbs down on one of the last actions, with its reason; the recording waits and goes
        on by itself.
        """
        self.page.keyboard.press("f")
        offered = self.page.locator(".flags-offer button")
        expect(offered.first).to_be_in_viewport(ratio=1)
        expect(offered.last).to_be_in_viewport(ratio=1)
        self.look(f"{name}-pressed", whole=False)
        if self.hand == "mouse":
            offered.first.click()
        else:
            self.page.keyboard.press("1")
        reason = self.page.locator("input.flags-reason").first
        expect(reason).to_be_visible()
        self.look(f"{name}-flagged", whole=False)
        reason.click()
        self.page.keyboard.type("Nobody does that at this hour.")
        self.look(f"{name}-reason", whole=False)
        self.page.keyboard.press("Enter")

    def _open_beside(self, name: str) -> None:
        for words in ("Plan", "Log"):
            button = self.page.locator(".beside button").filter(has_text=words).first
            button.click()
            self.page.wait_for_timeout(400)
            self.look(f"{name}-{words.lower()}", whole=False)

    def _several(self, name: str) -> None:
        """Each of them to its end, one after the other, and what is asked of it."""
        page = self.page
        panes = page.locator(".pane")
        expect(panes.first.locator(".play")).to_be_visible()
        self.look(name)
        for number in range(panes.count()):
            pane = panes.nth(number)
            play = pane.locator(".play")
            self._press(play)
            page.wait_for_timeout(3000)
            self.look(f"{name}-clip{number}", whole=number == 0)
            if pane.locator(".about").count():
                expect(pane.locator(".about")).to_be_visible()
                page.wait_for_function(OPENED, arg=f'.pane[data-player="{number}"] .about')
                self.look(f"{name}-clip{number}-asked")
                self._questions(pane.locator(".about"))
            else:
                self._ended(number)
        expect(page.locator(".after")).to_be_visible()
        if page.locator(".after .question").count():
            if page.locator(".about").count():  # the page has led to the questions of the last clip
                page.locator(".after h2").scroll_into_view_if_needed()
            page.wait_for_function(OPENED, arg=".after")
            self.look(f"{name}-asked")
            self._questions(page.locator(".after"))
        self.look(f"{name}-answered")

    def _ended(self, number: int) -> None:
        self.page.wait_for_function(
            """(number) => { const line = document.querySelectorAll(".pane")[number].querySelector(".seek");
              return Number(line.value) >= Number(line.max); }""",
            arg=number,
        )

    def _device(self, name: str) -> None:
        """Through loudspeakers first, which is told; then with the ears of somebody who wears
        headphones.
        """
        page = self.page
        self.look(name)
        for headphones in (False, True):
            address = page.evaluate("location.pathname")
            body = page.request.get(f"{page.url.split('/s/')[0]}{address}/trial").text()
            for number, row in enumerate(json.loads(body)["device"]["tones"]):
                self._press(page.locator(".tones").nth(number))
                if number == 0 and not headphones:
                    self.look(f"{name}-playing", whole=False)
                expect(page.locator(".tones").nth(number)).to_be_enabled()
                tone = quietest_tone(row, headphones=headphones) + 1
                self._choose(page.locator(f"input[name=device-row-{number}][value='{tone}']"))
            page.mouse.move(640, 400)
            for _ in range(3):
                page.mouse.wheel(0, 100)
            self.look(f"{name}-answered")
            if not headphones:
                self._press(page.locator("button.next"))
                expect(page.locator("#device-quietest-error")).to_be_visible()
                self.look(f"{name}-refused")
