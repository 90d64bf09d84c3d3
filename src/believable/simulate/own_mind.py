"""One participant of a custom design at a browser: the same assumed truth as in `own_fill`, answer
by answer.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from believable.contracts.instrument import Act
from believable.contracts.registries import INSTRUMENTS
from believable.contracts.trial import Question, TrialBase, outline
from believable.core.seeds import generator
from believable.instruments.tracing import mark, samples
from believable.simulate.behaviour import CAREFUL_WRONG, CARELESS_WRONG, Mind, SeenStimulus, expit
from believable.simulate.own_measures import (
    ACTION_MS,
    CARELESS_FLAGS_PER_100,
    STEP_MS,
    UNDECIDED,
    UNMEASURED_TICK,
    OwnMeasure,
    counts_notches,
    logit,
    marks,
    notches,
    own_measures,
    side_words,
    tick,
    yes_and_no,
)
from believable.study.measures import BY_CONDITION
from believable.study.records import Study


class OwnMind(Mind):
    """One person, who knows the conditions of the stimuli and the arms of the session."""

    def __init__(self, truth: Any, study: Study, rng: random.Random, careless: bool) -> None:
        self._truth, self._study, self._rng, self._careless = truth, study, rng, careless
        self._measures = own_measures(study)
        self._items: dict[str, TrialBase] = {
            entry.item.id: entry.item for entry in outline(study.timeline)
        }
        self._arms: Mapping[str, str] = {}
        self._page: TrialBase | None = None
        self._page_condition: str | None = None
        self._drawn: dict[tuple[str, ...], float] = {}

    def join_arms(self, arms: Mapping[str, str]) -> None:
        self._arms = arms

    def open_page(self, trial: str, condition: str | None) -> None:
        self._page, self._page_condition = self._items[trial], condition

    # ------------------------------------------------------------------------------------------
    # assumed values

    def _planted_value(self, measure: OwnMeasure, name: str) -> float:
        return float(getattr(self._truth, f"{measure.name}_{name}"))

    def _draw(self, *key: str, sd: float) -> float:
        """A person's own deviation, the same on every page."""
        if key not in self._drawn:
            self._drawn[key] = self._rng.gauss(0, 1) * sd
        return self._drawn[key]

    def _shift(self, measure: OwnMeasure, seen: SeenStimulus | None) -> float:
        """The difference of this stimulus from others of its group, the same for all people."""
        if seen is None or seen.stimulus is None:
            return 0.0
        chance = generator(self._study.seed, "stimulus", measure.name, seen.stimulus.id)
        return chance.gauss(0, 1) * self._planted_value(measure, "stimulus_sd")

    def _level(self, measure: OwnMeasure, about: SeenStimulus | None, scale: Any = float) -> float:
        """The group's value, plus the effects of the person, of the group on this person, and of
        the stimulus.
        """
        values = [scale(self._planted_value(measure, group)) for group in measure.groups]
        seen_condition = self._page_condition if about is None else about.condition
        group = (
            seen_condition
            if measure.measure.by == BY_CONDITION
            else self._arms.get(measure.measure.by)
        )
        level = (
            values[measure.groups.index(group)]
            if group in measure.groups
            else float(np.mean(values))
        )
        if group in measure.groups:
            level += self._draw(
                measure.name, "effect", str(group), sd=self._planted_value(measure, "effect_sd")
            )
        return float(
            level
            + self._draw(measure.name, sd=self._planted_value(measure, "person_sd"))
            + self._shift(measure, about)
        )

    # ------------------------------------------------------------------------------------------
    # answers

    def answer(
        self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]
    ) -> Any:
        if self._page is None:
            return None
        name, player = self._page.question_and_player(question)
        asked = next((asked for asked in self._page.all_questions if asked.id == name), None)
        if asked is None:
            return None
        own = [
            measure
            for measure in self._measures
            if measure.source.question == name and self._is_from_page(measure)
        ]
        about = self._about(self._page, page, earlier, player)
        one = self._only(about, page)
        if INSTRUMENTS[asked.kind].items(asked.params):
            return self._rows(asked, own, one)
        by_item = {measure.measure.item: measure for measure in own}
        planted = by_item.get(None, next(iter(own), None))
        if planted is None:
            return None
        if planted.source.shape == "ticks":
            return (
                self._tick(asked, own, one)
                if any(measure.model == "share" for measure in own)
                else None
            )
        if planted.model == "mean":
            return self._number(planted, asked, one)
        if planted.model == "share":
            return self._say(planted, one)
        return self._prefer(planted, about) if planted.model == "preference" else None

    def _is_from_page(self, measure: OwnMeasure) -> bool:
        return self._page is not None and self._page.id in measure.source.trials

    def _about(
        self,
        item: TrialBase,
        page: Sequence[SeenStimulus],
        earlier: Sequence[SeenStimulus],
        player: int | None,
    ) -> Sequence[SeenStimulus]:
        """The subject of a question: one player of the page, all of it, or the earlier page that a
        page of questions asks about.
        """
        if player is not None and player < len(page):
            return page[player : player + 1]
        if page:
            return page
        about = [
            seen
            for seen in earlier
            if seen.trial is not None and item.is_about(self._items[seen.trial])
        ]
        turn = item.rated_turn
        return (about or earlier) if turn is None else about[turn - 1 : turn]

    def _only(
        self, about: Sequence[SeenStimulus], page: Sequence[SeenStimulus]
    ) -> SeenStimulus | None:
        """The one stimulus that a question is about; None if there are several on the page, or none
        of the page's condition.
        """
        if not about or (page and len(about) > 1):
            return None
        return about[-1] if self._page_condition in (None, about[-1].condition) else None

    def _number(
        self, measure: OwnMeasure, asked: Question, about: SeenStimulus | None
    ) -> float | int:
        level = self._level(measure, about)
        value = level + self._rng.gauss(0, 1) * self._planted_value(measure, "residual_sd")
        if self._careless:
            value = self._rng.uniform(*measure.scale)
        if measure.source.options:
            low, high = measure.scale
            return round(min(max(value, low), high))
        return INSTRUMENTS[asked.kind].nearest_answer(asked.params, value)

    def _rows(
        self, asked: Question, own: Sequence[OwnMeasure], about: SeenStimulus | None
    ) -> dict[str, Any] | None:
        """A matrix. Rows without an assumption are answered by default; rows that check attention,
        with care.
        """
        kind = INSTRUMENTS[asked.kind]
        by_item = {measure.measure.item: measure for measure in own}
        attention = kind.attention(asked.params)
        if not own and not attention:
            return None
        rows = dict(kind.simulate(asked.params, self._rng))
        for part in rows:
            measure = by_item.get(part, by_item.get(None))
            if part in attention:
                wrong = self._rng.random() < (CARELESS_WRONG if self._careless else CAREFUL_WRONG)
                others = [
                    option for option in kind.options(asked.params) if option != attention[part]
                ]
                rows[part] = self._rng.choice(others) if wrong else attention[part]
            elif measure is not None and measure.model == "mean":
                rows[part] = self._number(measure, asked, about)
        return rows

    def _chance(self, measure: OwnMeasure, about: SeenStimulus | None) -> float:
        return 0.5 if self._careless else float(expit(self._level(measure, about, logit)))

    def _say(self, measure: OwnMeasure, about: SeenStimulus | None) -> Any:
        yes, no = yes_and_no(measure)
        said = self._rng.choice(yes if self._rng.random() < self._chance(measure, about) else no)
        return next((option for option in measure.source.options if str(option) == said), said)

    def _tick(
        self, asked: Question, own: Sequence[OwnMeasure], about: SeenStimulus | None
    ) -> list[str]:
        options = [str(option) for option in INSTRUMENTS[asked.kind].options(asked.params)]
        chances = dict.fromkeys(options, 0.5 if self._careless else UNMEASURED_TICK)
        chances |= {
            str(measure.measure.item): self._chance(measure, about)
            for measure in own
            if measure.model == "share"
        }
        return tick(asked.params, chances, self._rng)

    def _prefer(self, measure: OwnMeasure, about: Sequence[SeenStimulus]) -> Any:
        first, second, others = side_words(measure)
        if others and self._rng.random() < UNDECIDED:
            return self._rng.choice(others)
        felt = (
            [self._strength(measure, seen.condition) for seen in about[-2:]]
            if len(about) > 1
            else [0.0, 0.0]
        )
        chance = 0.5 if self._careless else float(expit(felt[0] - felt[1]))
        return first if self._rng.random() < chance else second

    def _strength(self, measure: OwnMeasure, condition: str | None) -> float:
        if condition not in measure.groups:
            return 0.0
        own = self._draw(
            measure.name, "strength", str(condition), sd=self._planted_value(measure, "person_sd")
        )
        return self._planted_value(measure, str(condition)) + own

    # ------------------------------------------------------------------------------------------
    # annotations

    def acts(self, kind: str, seen: SeenStimulus) -> Sequence[Act] | None:
        own = [
            measure
            for measure in self._measures
            if measure.source.question is None
            and measure.source.kind == kind
            and self._is_from_page(measure)
        ]
        if not own:
            return None
        return self._flags(own[0], seen) if own[0].model == "flags" else self._trace(own[0], seen)

    def _flags(self, measure: OwnMeasure, seen: SeenStimulus) -> list[Act]:
        """Each action is flagged with the assumed chance; without a log, a moment every few
        seconds.
        """
        level = self._level(measure, seen, lambda per_100: logit(per_100 / 100))
        chance = CARELESS_FLAGS_PER_100 / 100 if self._careless else float(expit(level))
        steps = max(1, seen.length_ms // ACTION_MS)
        moments: list[tuple[int, str | None]] = [
            ((action.t0_ms + action.t1_ms) // 2, action.id) for action in seen.log
        ]
        moments = moments or [(round((step + 0.5) * ACTION_MS), None) for step in range(steps)]
        flagged = sorted(
            (at_ms, action or "") for at_ms, action in moments if self._rng.random() < chance
        )
        return [
            Act(
                at_ms,
                "flag.add",
                {"flag": f"f{number}", "media_ms": at_ms, "action": action or None, "reason": ""},
            )
            for number, (at_ms, action) in enumerate(flagged, 1)
        ]

    def _trace(self, measure: OwnMeasure, seen: SeenStimulus) -> list[Act]:
        rng = self._rng
        level = self._level(measure, seen)
        low, high = (-1.0, 1.0) if marks(measure) else measure.scale
        level = rng.uniform(low, high) if self._careless else level
        steps = max(1, seen.length_ms // STEP_MS)
        times_ms = [
            min(round((step + 0.5) * STEP_MS), max(0, seen.length_ms - 1)) for step in range(steps)
        ]
        if marks(measure):
            up = (min(max(level, -1.0), 1.0) + 1) / 2
            return [mark(at_ms, 1 if rng.random() < up else -1, "key") for at_ms in times_ms]
        noise = [rng.gauss(0, 1) * self._planted_value(measure, "residual_sd") for _ in times_ms]
        if counts_notches(measure):
            elapsed = [(step + 1) / steps for step in range(steps)]
            values = [
                float(notches(part, level, off)) for part, off in zip(elapsed, noise, strict=True)
            ]
        else:
            values = [min(max(level + off, low), high) for off in noise]
        return samples(list(zip(times_ms, values, strict=True)), seen.length_ms, values[0], "key")
