"""The actions of a simulated person on each page: reads, thinks, watches, answers, sometimes
leaves.

Answers are those of the person's mind if the study's protocol has a behaviour, else of the
instruments' `simulate`. The person only knows the page in the browser, plus the study folder: for
the right answers of checks, which a careful person finds, and to recognise stimuli.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from believable.contracts.page import THINK_MS, Message
from believable.contracts.record import Rule, holds
from believable.contracts.registries import INSTRUMENTS, PAGES
from believable.contracts.trial import outline
from believable.simulate.behaviour import LEFT_OPEN, Mind, SeenStimulus
from believable.simulate.client import Participant, Receipt, SubmitReply, TurnedAway
from believable.simulate.pace import Pace
from believable.simulate.recognise import Recogniser
from believable.simulate.viewer import follow_signal, play, watch, watch_signal
from believable.study.records import Study

#: Medians for a person of tempo 1.
MS_PER_WORD = 180
READ_AT_MOST_MS = 45_000
#: Chance that an optional question stays open.
LEFT_OPEN_CHANCE = 0.3
#: The question about age in the protocols, and the answers of people.
AGE = "age"
AGE_MEDIAN_YEARS = 31
AGE_SPREAD = 0.3
#: Tries per page before something must be wrong with the page rather than with the person.
TRIES = 25


@dataclass(frozen=True, slots=True)
class Traits:
    """One person. `tempo` multiplies every pause; `care` is the chance to get a check right;
    `stays_for` the share of the pages after which they leave (None: they stay); `language` the
    study's language that they read (None: the first).
    """

    tempo: float
    care: float
    stays_for: float | None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """What became of one simulated participant. `outcome` is the session's, `left` for one who just
    went away, or `turned_away` if the study had enough participants.
    """

    token: str
    outcome: str
    pages: int
    events: int
    resent: int
    took_ms: int
    receipt: Receipt | None


def right_answers(study: Study) -> dict[tuple[str, str], Any]:
    """Kind of page and question id → right answer, for all checks of the study; several if it
    depends on the watched stimulus.
    """
    items = [entry.item for entry in outline(study.timeline)]
    return {
        (item.kind, name): right
        for item in items
        for name, right in item.quiz.right_answers.items()
    }


def right_among(right: Any, question: Mapping[str, Any]) -> Any:
    """The right one of the answers on the page."""
    if not isinstance(right, tuple):
        return right
    offered = [option["value"] for option in question["params"]["options"]]
    return next(value for value in offered if value in right)


def shown(
    question: Mapping[str, Any], answers: Mapping[str, Any], opened: Collection[str] = ()
) -> bool:
    """Whether a question is shown, as the page's script decides it from the answers above it and
    the opened overlays.
    """
    rule = question.get("show_if")
    if rule is None:
        return True
    if "opened" in rule:
        return holds(Rule.model_validate(rule), {}, {}, opened)
    reference = ".".join(filter(None, ("page", rule["question"], rule.get("item"))))
    test = Rule.model_validate({"answer": reference, rule["test"]: rule["value"]})
    return holds(test, {f"page.{name}": answer for name, answer in answers.items()}, {})


def _age(low_high: tuple[float | None, float | None], rng: random.Random) -> int | float:
    """Like participants of online studies: most are young, few are old, none is outside of the
    permitted range.
    """
    lowest, highest = low_high
    years = AGE_MEDIAN_YEARS * rng.lognormvariate(0, AGE_SPREAD)
    return round(min(max(years, lowest or 18), highest or 80))


class Person:
    """A simulated person at a participant's browser."""

    def __init__(
        self,
        browser: Participant,
        pace: Pace,
        rng: random.Random,
        traits: Traits,
        study: Study,
        mind: Mind | None = None,
        recogniser: Recogniser | None = None,
    ) -> None:
        self._mind = mind
        self._recogniser = recogniser
        self._earlier: list[SeenStimulus] = []
        self._page_seen: list[SeenStimulus] = []
        self._browser = browser
        self._pace = pace
        self.rng = rng
        self._traits = traits
        self._right = right_answers(study)

    @property
    def care(self) -> float:
        return self._traits.care

    async def take_part(self, link: str, query: Mapping[str, str] | None = None) -> Visit:
        """From the link to the receipt, or to the page where this person leaves."""
        start_ms, pages = self._pace.now_ms(), 0
        language = {} if self._traits.language is None else {"language": self._traits.language}
        try:
            await self._browser.join(link, query, **language)
        except TurnedAway:
            return self._visit("turned_away", 0, start_ms, None)
        await self._browser.claim()
        if self._mind is not None:
            self._mind.join_arms(self._browser.arms)
        self._browser.note("page.open")
        receipt = None
        while receipt is None:
            trial = await self._browser.trial()
            if (
                self._traits.stays_for is not None
                and pages >= self._traits.stays_for * trial["total"]
            ):
                break
            if trial["kind"] == "finish":
                receipt = await self._finish(trial)
            else:
                await self._page(trial)
                pages += 1
        await self._browser.flush()
        outcome = "left" if receipt is None else receipt.outcome
        return self._visit(outcome, pages, start_ms, receipt)

    def _visit(self, outcome: str, pages: int, start_ms: int, receipt: Receipt | None) -> Visit:
        browser = self._browser
        return Visit(
            token=browser.token,
            outcome=outcome,
            pages=pages,
            events=browser.top,
            resent=browser.resent,
            took_ms=self._pace.now_ms() - start_ms,
            receipt=receipt,
        )

    async def _page(self, trial: Mapping[str, Any]) -> None:
        self._browser.note("trial.shown")
        await self._browser.send()
        self._earlier += self._page_seen
        self._page_seen = []
        await self._read(trial["html"])
        await self._pace.wait(1000 * trial["wait_s"])
        kind = PAGES[trial["kind"]]
        if self._mind is not None and (page := self._browser.page) is not None:
            self._mind.open_page(page.trial, page.condition)
        await kind.visit.go_through(self, trial)
        for _ in range(TRIES):
            if (await self._answer(trial)).status != "again":
                return
            trial = kind.visit.again(trial)
        raise RuntimeError(
            f"the page at position {trial['position']} ({trial['kind']}) refused {TRIES} answers in"
            " a row"
        )

    # ------------------------------------------------------------------------------------------
    # what pages ask of a person

    def note(self, kind: str, **data: Any) -> None:
        self._browser.note(kind, **data)

    async def send(self) -> None:
        await self._browser.send()

    async def sleep(self, ms: int) -> None:
        await self._pace.sleep(ms)

    async def watch(self, message: Message) -> None:
        self._page_seen = await watch(
            self._browser, self._pace, self.rng, message, self._recogniser, self._mind
        )

    async def follow_signal(self, message: Message) -> None:
        own = None if self._mind is None else self._mind.follow(message["signal"])
        acts = follow_signal(message["signal"], self.rng, self.care) if own is None else own
        await watch_signal(self._browser, self._pace, self.rng, message, acts)

    async def play_round(self, message: Message) -> None:
        await play(self._browser, self._pace, self.rng, message)

    # ------------------------------------------------------------------------------------------
    # answers

    async def _finish(self, trial: Mapping[str, Any]) -> Receipt:
        self._browser.note("trial.shown")
        await self._read(trial["html"])
        return await self._browser.finish()

    async def _answer(self, trial: Mapping[str, Any]) -> SubmitReply:
        answers = await PAGES[trial["kind"]].visit.answer(self, trial)
        opened = {which for seen in self._page_seen for which in seen.opened}
        for question in trial["questions"]:
            if not shown(question, answers, opened):
                continue
            await self.think(THINK_MS)
            value = self._choose(question, trial["kind"])
            answers[question["id"]] = value
            if value is None:
                continue
            self._browser.note("answer.change", question=question["id"], value=value)
            await self._browser.send()
        await self.think(THINK_MS / 4)
        return await self._browser.submit(answers)

    def _choose(self, question: Mapping[str, Any], trial_kind: str) -> Any:
        """The raw answer; None if the question stays open."""
        right = (trial_kind, question["id"])
        if right in self._right:
            if self.rng.random() < self._traits.care:
                return right_among(self._right[right], question)
            if self._mind is not None:
                return self._wrong_among(self._right[right], question)
        own = (
            None
            if self._mind is None
            else self._mind.answer(question["id"], self._page_seen, self._earlier)
        )
        if own is not None:
            return None if own is LEFT_OPEN else own
        if not question["required"] and self.rng.random() < LEFT_OPEN_CHANCE:
            return None
        return self._anything(question)

    def _wrong_among(self, right: Any, question: Mapping[str, Any]) -> Any:
        """Anything but the right answer."""
        rights = {
            str(value).casefold() for value in (right if isinstance(right, tuple) else (right,))
        }
        for _ in range(TRIES):
            value = self._anything(question)
            if str(value).casefold() not in rights:
                break
        return value

    def _anything(self, question: Mapping[str, Any]) -> Any:
        instrument = INSTRUMENTS[question["kind"]]
        params = instrument.params.model_validate(question["params"])
        if question["id"] == AGE and instrument.scale == "interval":
            return _age(instrument.bounds(params), self.rng)
        return instrument.simulate(params, self.rng)

    async def _read(self, html: str) -> None:
        words = len(re.sub(r"<[^>]*>", " ", html).split())
        await self.think(min(READ_AT_MOST_MS, max(400, words * MS_PER_WORD)))

    async def think(self, median_ms: float) -> None:
        """Pauses are log-normal: mostly short, now and then long."""
        await self._pace.sleep(
            round(median_ms * self._traits.tempo * math.exp(self.rng.gauss(0, 0.35)))
        )
