"""One simulated viewer at a browser."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any

from scipy.special import ndtr, ndtri

from believable.coding.phrases import simulated_answer
from believable.contracts.instrument import Act
from believable.instruments.flags import CHOICE, LINE, OFFERED, choose, mark
from believable.protocols.replay import DECLARATION
from believable.protocols.replay.planted_truth import CARELESS_LOGIT, GAP, ReplayTruth
from believable.simulate.behaviour import Mind, SeenAction, SeenStimulus
from believable.simulate.pool import roles_of
from believable.study.records import Study


class Viewer(Mind):
    """One viewer at a browser, who notices violations by the d′ of the truth."""

    def __init__(
        self, truth: ReplayTruth, study: Study, rng: random.Random, careless: bool
    ) -> None:
        self._truth, self._rng, self._careless = truth, rng, careless
        self._roles = roles_of(study, DECLARATION)
        self._leaning = rng.gauss(0, truth.person_sd)
        self._readiness = rng.gauss(0, truth.flag_sd)
        self._effect = truth.flag_effect + rng.gauss(0, truth.effect_sd)
        self._hand = random.Random(rng.random())
        self._delay_ms = truth.delay_ms * math.exp(self._hand.gauss(0, truth.delay_spread))
        self._felt: dict[str, float] = {}
        self._rated = 0

    @property
    def opens(self) -> float:
        return self._truth.opens

    def jump(self, seen: SeenStimulus) -> tuple[int, int] | None:
        """As in `_watch`: some of the days that are judged."""
        if seen.condition is None or self._hand.random() >= self._truth.skips:
            return None
        from_ms = self._hand.uniform(0.3, 0.9 - GAP) * seen.length_ms
        return round(from_ms), round(from_ms + GAP * seen.length_ms)

    def acts(self, kind: str, seen: SeenStimulus) -> Sequence[Act] | None:
        if kind != "flags" or not seen.log:
            return None
        truth, rng = self._truth, self._rng
        ours = seen.stimulus is not None and seen.stimulus.condition in self._roles.named["ours"]
        flags: list[Act] = []
        marked = 0
        for going in seen.log:
            if _is_missed(going, seen.jump):
                continue
            logit = truth.flag_logit + self._effect * ours + self._readiness
            plain = 1 / (1 + math.exp(-(CARELESS_LOGIT if self._careless else logit)))
            d_prime = 0.0 if self._careless else truth.d_prime(going.violations, bool(seen.opened))
            if rng.random() < float(ndtr(ndtri(plain) + d_prime)):
                marked += 1
                flags += self._mark(
                    going, marked, rng.uniform(going.t0_ms, (going.t0_ms + going.t1_ms) / 2), seen
                )
        return sorted(flags, key=lambda act: act.media_ms)

    def _mark(
        self, going: SeenAction, number: int, noticed_ms: float, seen: SeenStimulus
    ) -> list[Act]:
        """Press the key after the person's delay and choose the noticed action, or use its line if
        it is no longer offered.
        """
        rng, name = self._rng, f"f{number}"
        pressed_ms = noticed_ms + self._delay_ms * seen.rate
        if seen.jump is not None:
            from_ms, to_ms = seen.jump
            if from_ms <= noticed_ms < to_ms:  # that was not on screen
                noticed_ms = from_ms if going.t0_ms < from_ms else to_ms
                pressed_ms = noticed_ms + self._delay_ms * seen.rate
            if noticed_ms <= from_ms <= pressed_ms:
                pressed_ms += to_ms - from_ms
        at_ms = min(round(pressed_ms), seen.length_ms - 1)
        begun = sorted(
            (action for action in seen.log if action.t0_ms <= at_ms),
            key=lambda action: action.t0_ms,
        )
        offered = [action.id for action in begun[-OFFERED:]]
        if going.id in offered:
            delay_ms = round((at_ms - going.t0_ms) / seen.rate)
            marking = choose(
                number, at_ms, offered, going.id, delay_ms, round(rng.uniform(700, 2500))
            )
            marking.append(mark(name, at_ms, going.id, CHOICE))
        else:
            marking = [mark(name, at_ms, going.id, LINE)]
        if rng.random() < self._truth.reason:
            marking.append(
                Act(at_ms, "flag.edit", {"flag": name, "reason": simulated_answer("replay", rng)})
            )
        if rng.random() < self._truth.undone:
            marking.append(Act(at_ms, "flag.remove", {"flag": name}))
        return marking

    def answer(
        self, question: str, page: Sequence[SeenStimulus], earlier: Sequence[SeenStimulus]
    ) -> Any:
        role = self._roles.role_of(question)
        if role in ("believability", "coherence", "adherence"):
            if page and page[0].stimulus is not None:
                return self._rating(role, page[0])
            self._rated += role == "believability"
            judged = [
                seen
                for seen in earlier
                if seen.stimulus is not None and seen.stimulus.condition is not None
            ]
            return self._rating(role, judged[(self._rated - 1) % len(judged)]) if judged else None
        if role == "preference":
            return self._preference(earlier)
        if role == "why":
            return simulated_answer("replay", self._rng)
        if role == "experience":
            return self._rng.choices((1, 2, 3, 4, 5), (0.3, 0.3, 0.2, 0.15, 0.05))[0]
        return None

    def _rating(self, role: str, seen: SeenStimulus) -> int:
        assert seen.stimulus is not None
        name = seen.stimulus.id
        if name not in self._felt:
            ours = seen.stimulus.condition in self._roles.named["ours"]
            mean = self._truth.ours if ours else self._truth.baseline
            felt = mean + self._leaning + self._rng.gauss(0, self._truth.noise)
            self._felt[name] = self._rng.uniform(0.5, 7.5) if self._careless else felt
        noise = {"believability": 0.0, "coherence": 0.7, "adherence": 0.9}[role]
        return min(7, max(1, round(self._felt[name] + self._rng.gauss(0, noise))))

    def _preference(self, earlier: Sequence[SeenStimulus]) -> str | None:
        felt = [
            self._felt[seen.stimulus.id]
            for seen in earlier
            if seen.stimulus is not None and seen.stimulus.id in self._felt
        ]
        if len(felt) < 2:
            return None
        return (
            "first"
            if felt[-2] - felt[-1] + self._rng.gauss(0, self._truth.choice_noise) > 0
            else "second"
        )


def _is_missed(action: SeenAction, jump: tuple[int, int] | None) -> bool:
    """Whether the jump left out the beginning and more than half of an action, as in `_flag`."""
    if jump is None or not jump[0] <= action.t0_ms < jump[1]:
        return False
    missed_ms = min(action.t1_ms, jump[1]) - action.t0_ms
    return missed_ms > 0.5 * (action.t1_ms - action.t0_ms)
