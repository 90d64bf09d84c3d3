"""What a simulated person does on each page: reads, thinks, watches, answers, sometimes leaves.

Answers come from the person's mind where the study's protocol has a behaviour, else from the instruments' own `simulate`. The
person only knows what the browser is shown, plus the study folder: for the right answers of checks, which a careful person
finds, and to recognise what is shown.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from believable.core.registry import Registry
from believable.instruments.contract import Instrument
from believable.instruments.number import NumberParams, bounds
from believable.simulate.annotator import practise
from believable.simulate.behaviour.contract import Mind, Seen
from believable.simulate.client import Advanced, Participant, Receipt
from believable.simulate.pace import Pace
from believable.simulate.player import play
from believable.simulate.recognise import Recogniser
from believable.simulate.tested import checked, followed, retried
from believable.simulate.viewer import watch, watch_signal
from believable.study.records import Block, Check, Rule, Study, TimelineItem
from believable.study.rules import holds

#: Medians for a person of tempo 1.
MS_PER_WORD = 180
THINK_MS = 2_600
READ_AT_MOST_MS = 45_000
#: Chance that an optional question stays open.
LEFT_OPEN_CHANCE = 0.3
#: The question about one's age, in the protocols; what people answer.
AGE = "age"
AGE_MEDIAN_YEARS = 31
AGE_SPREAD = 0.3
#: Tries per page before something must be wrong with the page rather than with the person.
TRIES = 25


@dataclass(frozen=True, slots=True)
class Traits:
    """One person. `tempo` multiplies every pause; `care` is the chance to get a check right; `stays_for` the share of the
    pages after which they leave (None: they stay)."""

    tempo: float
    care: float
    stays_for: float | None


@dataclass(frozen=True, slots=True)
class Visit:
    """What became of one simulated participant. `outcome` is the session's, or `left` for one who just went away."""

    token: str
    outcome: str
    pages: int
    events: int
    resent: int
    took_ms: int
    receipt: Receipt | None


def right_answers(study: Study) -> dict[str, Any]:
    """Question id → right answer, for all checks of the study."""

    def checks(items: tuple[TimelineItem, ...]) -> Iterator[Check]:
        for item in items:
            if isinstance(item, Check):
                yield item
            elif isinstance(item, Block):
                yield from checks(item.each)

    return {check.question.id: check.correct for check in checks(study.timeline)}


def shown(question: Mapping[str, Any], answers: Mapping[str, Any], opened: Collection[str] = ()) -> bool:
    """Whether a question is shown, as the page's script decides it from the answers above it and what was opened."""
    rule = question.get("show_if")
    if rule is None:
        return True
    if "opened" in rule:
        return holds(Rule.model_validate(rule), {}, {}, opened)
    reference = ".".join(filter(None, ("page", rule["question"], rule.get("item"))))
    test = Rule.model_validate({"answer": reference, rule["test"]: rule["value"]})
    return holds(test, {f"page.{name}": answer for name, answer in answers.items()}, {})


def _age(params: NumberParams, rng: random.Random) -> int | float:
    """As people who take part in studies online are: most are young, few are old, nobody is outside what may be answered."""
    lowest, highest = bounds(params)
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
        instruments: Registry[Instrument[Any]],
        mind: Mind | None = None,
        recogniser: Recogniser | None = None,
    ) -> None:
        self._mind = mind
        self._recogniser = recogniser or Recogniser()
        self._earlier: list[Seen] = []
        self._page_seen: list[Seen] = []
        self._browser = browser
        self._pace = pace
        self._rng = rng
        self._traits = traits
        self._right = right_answers(study)
        self._instruments = instruments

    async def take_part(self, link: str, query: Mapping[str, str] | None = None) -> Visit:
        """From the link to the receipt, or to the page where this person leaves."""
        start_ms, pages = self._pace.now_ms(), 0
        await self._browser.join(link, query)
        await self._browser.claim()
        self._browser.note("page.open")
        receipt = None
        while receipt is None:
            trial = await self._browser.trial()
            if self._traits.stays_for is not None and pages >= self._traits.stays_for * trial["total"]:
                break
            if trial["kind"] == "finish":
                receipt = await self._finish(trial)
            else:
                await self._page(trial)
                pages += 1
        await self._browser.flush()
        browser = self._browser
        outcome = "left" if receipt is None else receipt.outcome
        took_ms = self._pace.now_ms() - start_ms
        return Visit(browser.token, outcome, pages, browser.top, browser.resent, took_ms, receipt)

    async def _page(self, trial: Mapping[str, Any]) -> None:
        self._browser.note("trial.shown")
        await self._browser.send()
        self._earlier += self._page_seen
        self._page_seen = []
        await self._read(trial["html"])
        await self._pace.wait(1000 * trial["wait_s"])
        if trial["kind"] == "watch" or trial.get("several"):
            self._page_seen = await watch(
                self._browser,
                self._pace,
                self._rng,
                trial,
                self._instruments,
                self._recogniser.seen,
                self._mind,
            )
        elif trial.get("signal"):
            own = None if self._mind is None else self._mind.follow(trial["signal"])
            acts = followed(trial["signal"], self._rng, self._traits.care) if own is None else own
            await watch_signal(self._browser, self._pace, self._rng, trial, acts)
        elif trial.get("play"):
            await play(self._browser, self._pace, self._rng, trial)
        elif trial["kind"] == "practice":
            await practise(self._browser, self._pace, self._rng, trial, self._traits.care)
        for _ in range(TRIES):
            if (await self._answer(trial)).status != "again":
                return
            trial = retried(trial)
        raise RuntimeError(
            f"the page at position {trial['position']} ({trial['kind']}) refused {TRIES} answers in a row"
        )

    async def _finish(self, trial: Mapping[str, Any]) -> Receipt:
        self._browser.note("trial.shown")
        await self._read(trial["html"])
        return await self._browser.finish()

    async def _answer(self, trial: Mapping[str, Any]) -> Advanced:
        answers: dict[str, Any] = {}
        for box in trial["boxes"]:
            await self._think(THINK_MS / 2)
            answers[box] = True
            self._browser.note("answer.change", question=box, value=True)
        opened = {which for seen in self._page_seen for which in seen.opened}
        for question in trial["questions"]:
            if not shown(question, answers, opened):
                continue
            await self._think(THINK_MS)
            if not question["required"] and self._rng.random() < LEFT_OPEN_CHANCE:
                answers[question["id"]] = None
                continue
            answers[question["id"]] = value = self._choose(question, trial["kind"])
            self._browser.note("answer.change", question=question["id"], value=value)
            await self._browser.send()
        if trial.get("device"):
            await self._think(THINK_MS)
            answers |= checked(trial["device"], self._rng, self._traits.care)
            for name, value in answers.items():
                self._browser.note("answer.change", question=name, value=value)
        await self._think(THINK_MS / 4)
        return await self._browser.submit(answers)

    def _choose(self, question: Mapping[str, Any], trial_kind: str) -> Any:
        if trial_kind == "check" and question["id"] in self._right and self._rng.random() < self._traits.care:
            return self._right[question["id"]]
        if self._mind is not None:
            own = self._mind.answer(question["id"], self._page_seen, self._earlier)
            if own is not None:
                return own
        instrument = self._instruments[question["kind"]]
        params = instrument.params.model_validate(question["params"])
        if question["id"] == AGE and isinstance(params, NumberParams):
            return _age(params, self._rng)
        return instrument.simulate(params, self._rng)

    async def _read(self, html: str) -> None:
        words = len(re.sub(r"<[^>]*>", " ", html).split())
        await self._think(min(READ_AT_MOST_MS, max(400, words * MS_PER_WORD)))

    async def _think(self, median_ms: float) -> None:
        """Pauses are log-normal: mostly short, now and then long."""
        await self._pace.sleep(round(median_ms * self._traits.tempo * math.exp(self._rng.gauss(0, 0.35))))
