"""`python -m validation.verdict_size`: how often a verdict about an agent is false.

Studies are simulated in which judges differ, clips differ, and judges differ in what they see in a
condition. "Different" is false for an agent that does not differ from people (or from the other
condition) on average over judges and clips; "equivalent" is false for an agent whose difference is
exactly the margin. The verdicts are those of the protocols, for `about: agent` and, to compare, for
`about: these clips`.

A design has so many clips: `shared` are seen by all judges, of `pooled` and `fresh` ones each judge
sees a part, with views balanced. Clips are pairs in `hntt`, clips of both types together in
`clips`, characters in `replay`. A judge sees six clips, and one character.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from believable.core.seeds import derive
from believable.protocols.clips import TYPES
from believable.protocols.clips.clip_ratings import Ratings
from believable.protocols.clips.clip_verdicts import contrast, equivalent
from believable.protocols.hntt.agent_verdict import decide
from believable.stats.crossed import Over
from believable.stats.crossed_contrasts import crossed_difference, crossed_odds, crossed_share_test

JUDGES = (50, 92, 200)
#: Clips of a design by its name.
DESIGNS = {"6 shared": 6, "24 pooled": 24, "300 fresh": 300}
CLIPS_PER_JUDGE = 6
ALPHA, MARGIN = 0.05, 0.10
#: The most that a rate may be with `about: agent`.
MOST = 0.06
#: Spreads between judges, between clips, and of judges' own effects of a condition, in log odds or
#: on the latent scale.
JUDGE_SD, CLIP_SD, EFFECT_SD = 0.5, 0.5, 0.5
#: Steps between the five answers of `clips` on the latent scale, whose rest has SD 1.
_STEPS = (-1.2, -0.4, 0.4, 1.2)
#: In `replay`: viewed actions of a day, and the log odds of a flag.
_ACTIONS, _FLAGGED = 60, -3.0
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(41)

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """Of one simulated study. `equivalent` is None if the protocol has no such verdict."""

    different: bool
    equivalent: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseRates:
    """Shares of false verdicts, over judges and clips (`agent`) and over judges (`these`)."""

    verdict: str
    judges: int
    design: str
    different_agent: float
    equivalent_agent: float | None
    different_these: float
    equivalent_these: float | None

    @property
    def kept(self) -> bool:
        return self.different_agent <= MOST and (self.equivalent_agent or 0.0) <= MOST


def seen_clips(
    judges: int, clips: int, each: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Judge and clip of every judgement: `each` clips per judge, all clips equally often (to within
    one view).
    """
    rounds = -(-judges * each // clips)
    order = np.concatenate([rng.permutation(clips) for _ in range(rounds)])[: judges * each]
    return np.repeat(np.arange(judges), each), order.astype(np.int64)


# ----------------------------------------------------------------------------------------------
# simulated studies


def choose_navigators(
    judges: int, clips: int, true: bool, over: Over, rng: np.random.Generator
) -> Verdicts:
    """`hntt`: an accuracy of .5 if the agent is alike (`true` is False), of .5 + margin else."""
    judge, pair = seen_clips(judges, clips, min(CLIPS_PER_JUDGE, clips), rng)
    centre = log_odds_of(0.5 + MARGIN if true else 0.5, float(np.hypot(JUDGE_SD, CLIP_SD)))
    logit = centre + rng.normal(0, JUDGE_SD, judges)[judge] + rng.normal(0, CLIP_SD, clips)[pair]
    correct = rng.random(len(judge)) < special.expit(logit)
    verdict = decide(correct, judge, pair, over=over, margin=MARGIN, alpha=ALPHA)
    return Verdicts(verdict.test.significant(ALPHA), verdict.equivalence.equivalent)


def log_odds_of(accuracy: float, sd: float) -> float:
    """The mean log odds at which the mean accuracy is this, if log odds vary with this SD."""

    def miss(centre: float) -> float:
        return float(special.expit(centre + sd * _NODES) @ _WEIGHTS / _WEIGHTS.sum()) - accuracy

    return float(optimize.brentq(miss, -5, 5))


def rate_clips(
    judges: int, clips: int, true: bool, over: Over, rng: np.random.Generator
) -> Verdicts:
    """`clips`: half of the clips are human, half imitations; their indices are equal, or differ by
    the margin.
    """
    half, each = clips // 2, min(CLIPS_PER_JUDGE, clips) // 2
    seen = [seen_clips(judges, half, each, rng) for _ in range(2)]
    respondent = np.concatenate([judge for judge, _ in seen])
    clip = np.concatenate([seen[0][1], seen[1][1] + half])
    human = np.repeat([True, False], [len(seen[0][0]), len(seen[1][0])])
    own = rng.normal(0, EFFECT_SD, judges)[respondent] * np.where(human, 0.5, -0.5)
    latent = rng.normal(0, JUDGE_SD, judges)[respondent] + rng.normal(0, CLIP_SD, clips)[clip] + own
    latent += np.where(human, 0.0, _shift(MARGIN) if true else 0.0) + rng.normal(0, 1, len(clip))
    survey = Ratings(
        respondent=respondent,
        type=np.where(human, TYPES.index("human"), TYPES.index("imitation")),
        stimulus=clip.astype(str).astype(object),
        rating=1.0 + (latent[:, None] > np.array(_STEPS)).sum(axis=1),
        position=np.zeros(len(clip), np.int64),
        player=np.zeros(len(clip), np.int64),
        experience=rng.integers(1, 6, judges).astype(np.float64),
        condition=np.where(human, "human", "imitation").astype(object),
    )
    test = contrast(survey, "human", "imitation", over=over, level=1 - ALPHA)[0]
    return Verdicts(
        test.significant(ALPHA), equivalent(test, margin=MARGIN, alpha=ALPHA).equivalent
    )


def _shift(difference: float) -> float:
    """The shift towards artificial on the latent scale that lowers the index by this much."""
    sd = float(np.sqrt(JUDGE_SD**2 + CLIP_SD**2 + EFFECT_SD**2 / 4 + 1))

    def index(shift: float) -> float:
        return 1 - float(special.ndtr((shift - np.array(_STEPS)) / sd).mean())

    def miss(shift: float) -> float:
        return index(0.0) - index(shift) - difference

    return float(optimize.brentq(miss, 0, 5))


def _watch_days(
    judges: int, characters: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, FloatArray]:
    """`replay`: person, character, and by how much the character and the person favour one
    condition, of each pair of days.
    """
    person, character = seen_clips(judges, characters, 1, rng)
    return (
        person,
        character,
        rng.normal(0, EFFECT_SD, judges)[person] + rng.normal(0, CLIP_SD, characters)[character],
    )


def rate_days(
    judges: int, characters: int, true: bool, over: Over, rng: np.random.Generator
) -> Verdicts:
    person, character, favour = _watch_days(judges, characters, rng)
    level = 4 + rng.normal(0, 1, judges)
    ratings = [
        np.clip(np.round(level + sign * favour / 2 + rng.normal(0, 1, judges)), 1, 7)
        for sign in (1, -1)
    ]
    return _compare(np.concatenate(ratings), person, character, over)


def _compare(values: FloatArray, person: IntArray, character: IntArray, over: Over) -> Verdicts:
    """The difference between two conditions that each person judged in the same character."""
    first = np.repeat([True, False], len(person))
    twice = np.tile(person, 2), np.tile(character, 2)
    return Verdicts(
        crossed_difference(values, first, *twice, over=over, level=1 - ALPHA).test.significant(
            ALPHA
        )
    )


def flag_days(
    judges: int, characters: int, true: bool, over: Over, rng: np.random.Generator
) -> Verdicts:
    person, character, favour = _watch_days(judges, characters, rng)
    level = _FLAGGED + rng.normal(0, JUDGE_SD, judges)
    flags = [rng.binomial(_ACTIONS, special.expit(level + sign * favour / 2)) for sign in (1, -1)]
    first = np.repeat([True, False], judges)
    whole = np.full(2 * judges, float(_ACTIONS))
    twice = np.tile(person, 2), np.tile(character, 2)
    return Verdicts(
        crossed_odds(np.concatenate(flags), whole, first, *twice, over=over).test.significant(ALPHA)
    )


def prefer_days(
    judges: int, characters: int, true: bool, over: Over, rng: np.random.Generator
) -> Verdicts:
    person, character, favour = _watch_days(judges, characters, rng)
    chosen = rng.random(judges) < special.expit(favour)
    return Verdicts(crossed_share_test(chosen, person, character, over=over).significant(ALPHA))


Simulated = Callable[[int, int, bool, Over, np.random.Generator], Verdicts]
#: By name: how a study is simulated, and whether it has a verdict of equivalence.
VERDICTS: Mapping[str, tuple[Simulated, bool]] = {
    "hntt: accuracy": (choose_navigators, True),
    "clips: difference": (rate_clips, True),
    "replay: rating": (rate_days, False),
    "replay: odds of a flag": (flag_days, False),
    "replay: preference": (prefer_days, False),
}


# ----------------------------------------------------------------------------------------------
# rates


def measure(verdict: str, judges: int, design: str, studies: int, *, seed: int = 1) -> FalseRates:
    """The rates of false verdicts in so many simulated studies. The same seed gives the same
    rates.
    """
    simulate, has_equivalence = VERDICTS[verdict]
    clips = DESIGNS[design]

    def rate(true: bool, over: Over) -> float:
        rng = np.random.default_rng(derive(seed, "verdict size", verdict, judges, design, true))
        found = [simulate(judges, clips, true, over, rng) for _ in range(studies)]
        return sum(bool(study.equivalent if true else study.different) for study in found) / studies

    return FalseRates(
        verdict=verdict,
        judges=judges,
        design=design,
        different_agent=rate(False, "both"),
        equivalent_agent=rate(True, "both") if has_equivalence else None,
        different_these=rate(False, "judges"),
        equivalent_these=rate(True, "judges") if has_equivalence else None,
    )


def line(rates: FalseRates) -> str:
    """A line of the table in docs/validity.md."""
    pairs = (
        (rates.different_agent, rates.equivalent_agent),
        (rates.different_these, rates.equivalent_these),
    )
    cells = " | ".join(
        "—" if rate is None else f"{rate:.3f}".lstrip("0") for pair in pairs for rate in pair
    )
    return (
        f"| {rates.verdict} | {rates.judges} × {rates.design} | {cells}"
        f" |{'' if rates.kept else ' BROKEN'}\n"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if every rate with `about: agent` is within the limit, 1 otherwise."""
    parser = argparse.ArgumentParser(prog="python -m validation.verdict_size", description=__doc__)
    parser.add_argument("--verdict", nargs="*", choices=list(VERDICTS), default=list(VERDICTS))
    parser.add_argument("--judges", type=int, nargs="*", default=list(JUDGES))
    parser.add_argument("--design", nargs="*", choices=list(DESIGNS), default=list(DESIGNS))
    parser.add_argument("--studies", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    sys.stdout.write(
        "| verdict | judges × clips | false different, agent | false equivalent, agent | false"
        " different, these clips | false equivalent, these clips |\n|---|---|---|---|---|---|\n"
    )
    kept = True
    for verdict in options.verdict:
        for judges in options.judges:
            for design in options.design:
                rates = measure(verdict, judges, design, options.studies, seed=options.seed)
                kept = kept and rates.kept
                sys.stdout.write(line(rates))
                sys.stdout.flush()
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
