"""Behaviour and judgement: the measures of each clip, and how often the clip was taken for a
person's.

Judges choose between two clips, so their cues show in how their choice follows the difference
between the two: log odds of choosing a clip, per standard deviation by which a measure is higher in
it. Intervals resample judges and pairs of clips at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from believable.analysis.data import Data
from believable.analysis.findings import (
    LOOSE_CELL,
    Column,
    Finding,
    Section,
    Table,
    Undefined,
    estimate_cells,
    number_or,
)
from believable.analysis.layouts import Layouts
from believable.analysis.numbers import counted, estimate_words, in_words
from believable.analysis.settled_plan import Plan
from believable.protocols.hntt.navigation_judgements import NavigationJudgements, agents, judgements
from believable.stats.counts import proportion
from believable.stats.estimate import Estimate, undefined, without_interval
from believable.stats.inputs import FloatArray
from believable.study.records import Stimulus

LAYOUTS = Layouts(__file__)

#: The published problems of agents (Milani et al. 2023), which are also looked at together.
PROBLEMS = ("camera", "collisions", "slow")
WORDS: Mapping[str, str] = {
    "camera": "P1: sudden turns of the camera",
    "collisions": "P2: collisions",
    "slow": "P3: slow steps",
    "jerk": "Jerk",
    "yaw_smoothness": "Smoothness of turning (spectral arc length)",
    "path_efficiency": "Path efficiency",
}
RESAMPLES = 1000
#: Weights are held back as if their spread were this, in log odds per SD: it keeps them finite
#: where all judges agree.
PRIOR_SD = 5.0
_NEWTON_STEPS = 30


@dataclass(frozen=True, slots=True)
class JudgedPairs:
    """Pairs of clips by judges: how often the first of a pair was shown to each, and how often
    chosen.
    """

    pairs: tuple[tuple[str, str], ...]
    shown: FloatArray
    chosen: FloatArray


def judged_pairs(judged: NavigationJudgements, pairs: Sequence[tuple[str, str]]) -> JudgedPairs:
    """`shown` and `chosen` are judges × pairs."""
    place = {pair: number for number, pair in enumerate(pairs)}
    _, judge = np.unique(judged.judge, return_inverse=True)
    shown = np.zeros((int(judge.max(initial=-1)) + 1, len(pairs)))
    chosen = np.zeros_like(shown)
    for row, (first, second) in enumerate(judged.clips.tolist()):
        pair = (min(first, second), max(first, second))
        if pair in place:
            shown[judge[row], place[pair]] += 1
            chosen[judge[row], place[pair]] += (first == pair[0]) == bool(judged.chose_first[row])
    return JudgedPairs(tuple(pairs), shown, chosen)


def choice_weights(differences: FloatArray, shown: FloatArray, chosen: FloatArray) -> FloatArray:
    """Logistic weights without an intercept, for each row of counts: `differences` is pairs ×
    measures, counts are rows × pairs.
    """
    weights = np.zeros((len(shown), differences.shape[1]))
    ridge = np.eye(differences.shape[1]) / PRIOR_SD**2
    for _ in range(_NEWTON_STEPS):
        chance = special.expit(weights @ differences.T)
        gradient = (chosen - shown * chance) @ differences - weights @ ridge
        spread = shown * chance * (1 - chance)
        curvature = np.einsum("rp,pi,pj->rij", spread, differences, differences) + ridge
        step = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        weights = weights + np.clip(step, -2.0, 2.0)
        if float(np.abs(step).max(initial=0.0)) < 1e-8:
            break
    return weights


def resampled_counts(
    pairs: JudgedPairs, rng: np.random.Generator, resamples: int
) -> tuple[FloatArray, FloatArray]:
    """Resamples of judges and pairs, both with replacement, `resamples` times: views and choices of
    each pair.
    """
    judges, columns = pairs.shown.shape
    people = rng.multinomial(judges, np.full(judges, 1 / judges), size=resamples)
    clips = rng.multinomial(columns, np.full(columns, 1 / columns), size=resamples)
    return clips * (people @ pairs.shown), clips * (people @ pairs.chosen)


def weight_estimates(
    pairs: JudgedPairs, differences: FloatArray, *, rng: np.random.Generator, level: float
) -> list[Estimate]:
    """For each measure its weight, all of `differences` in one model, with an interval for other
    judges and other pairs.
    """
    method = "logistic choice model; percentile bootstrap over judges and pairs"
    units, used = min(len(pairs.shown), len(pairs.pairs)), np.flatnonzero(pairs.shown.sum(0) > 0)
    measures = differences.shape[1]
    if len(used) < 2 * measures or not differences.any(0).all():
        reason = f"{len(used)} pairs, or pairs that do not differ in it"
        return [undefined(reason, method=method, n=units, level=level)] * measures
    shown, chosen = pairs.shown.sum(0)[None], pairs.chosen.sum(0)[None]
    values = choice_weights(differences, shown, chosen)[0].tolist()
    if units < 2:
        return [
            without_interval(value, "one judge", method=method, n=units, level=level)
            for value in values
        ]
    drawn = choice_weights(differences, *resampled_counts(pairs, rng, RESAMPLES))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0).tolist()
    return [
        Estimate(value=value, low=lower, high=upper, level=level, n=units, method=method)
        for value, lower, upper in zip(values, low, high, strict=True)
    ]


def behaviour_section(data: Data, plan: Plan) -> Section | None:
    """None where the study says nothing about how its clips move."""
    stimuli = data.stimuli
    names = [name for name in _names(stimuli.values()) if _spread(name, stimuli) > 0]
    judged = judgements(data)
    seen = sorted({clip for clips in judged.clips.tolist() for clip in clips if clip in stimuli})
    if not names or not seen:
        return None
    # A separate random generator: the resamples here change no other number.
    rng = np.random.default_rng([plan.seed, 15])
    rows, findings = _weights(judged, stimuli, names, plan, rng)
    return LAYOUTS.section(
        "behaviour",
        findings=findings,
        tables=(
            LAYOUTS.table("behaviour_weights", rows, prior_sd=PRIOR_SD, resamples=RESAMPLES),
            _agents_table(data, judged, stimuli, names, plan),
            _clips_table(judged, stimuli, names, seen, plan),
        ),
        charts=(
            LAYOUTS.chart("behaviour_weights"),
            *(
                LAYOUTS.chart("behaviour_{name}", name=name, measure=WORDS.get(name, name))
                for name in names
            ),
        ),
    )


def _names(stimuli: Iterable[Stimulus]) -> list[str]:
    """Measures that any stimulus has, those we know first."""
    measured = {name for stimulus in stimuli for name in stimulus.measures}
    return [*(name for name in WORDS if name in measured), *sorted(measured - set(WORDS))]


def _spread(name: str, stimuli: Mapping[str, Stimulus]) -> float:
    values = [stimulus.measures[name] for stimulus in stimuli.values() if name in stimulus.measures]
    return float(np.std(values, ddof=1)) if len(values) > 1 else 0.0


def differences(
    pairs: Sequence[tuple[str, str]], stimuli: Mapping[str, Stimulus], names: Sequence[str]
) -> NDArray[np.float64]:
    """By how many standard deviations the first clip of each pair has more of each measure."""
    return np.array(
        [
            [
                (stimuli[first].measures[name] - stimuli[second].measures[name])
                / _spread(name, stimuli)
                for name in names
            ]
            for first, second in pairs
        ]
    )


def _weights(
    judged: NavigationJudgements,
    stimuli: Mapping[str, Stimulus],
    names: Sequence[str],
    plan: Plan,
    rng: np.random.Generator,
) -> tuple[list[tuple[LOOSE_CELL, ...]], list[Finding]]:
    every = sorted(
        {
            (min(clips), max(clips))
            for clips in map(tuple, judged.clips.tolist())
            if set(clips) <= set(stimuli)
        }
    )
    models: list[tuple[str, tuple[str, ...]]] = [("alone", (name,)) for name in names]
    if set(PROBLEMS) <= set(names):
        models.append(("together", PROBLEMS))
    rows: list[tuple[LOOSE_CELL, ...]] = []
    findings = []
    for model, chosen in models:
        pairs = [
            pair
            for pair in every
            if all(name in stimuli[clip].measures for clip in pair for name in chosen)
        ]
        counts = judged_pairs(judged, pairs)
        estimates = (
            weight_estimates(counts, differences(pairs, stimuli, chosen), rng=rng, level=plan.level)
            if pairs
            else [
                undefined("no pair has it", method="logistic choice model", n=0, level=plan.level)
            ]
            * len(chosen)
        )
        for name, estimate in zip(chosen, estimates, strict=True):
            rows.append((WORDS.get(name, name), model, len(pairs), *estimate_cells(estimate)))
            if model == "alone" and name in PROBLEMS and estimate.value is not None:
                findings.append(
                    Finding(
                        outcome="behaviour",
                        title=f"What judges went by, {WORDS.get(name, name)}",
                        sentence=f"Over {counted(len(pairs), 'pair')}, a clip with one standard"
                        f" deviation more of it ({WORDS[name]}) was taken for the person with log"
                        f" odds of {estimate_words(estimate)}.",
                        estimate=estimate,
                        about=name,
                    )
                )
    return rows, findings


def _agents_table(
    data: Data,
    judged: NavigationJudgements,
    stimuli: Mapping[str, Stimulus],
    names: Sequence[str],
    plan: Plan,
) -> Table:
    contests = {contest.agent: contest for contest in agents(judged, plan.roles["human"])}
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for condition in data.conditions:
        clips = [
            stimulus
            for stimulus in stimuli.values()
            if stimulus.condition == condition and stimulus.measures
        ]
        if not clips:
            continue
        contest = contests.get(condition)
        judgement = (
            Undefined("people are what agents are compared with")
            if contest is None
            else 1 - float(contest.accuracy().mean())
        )
        means = [
            _mean([clip.measures[name] for clip in clips if name in clip.measures])
            for name in names
        ]
        rows.append((condition, len(clips), judgement, *means))
    return LAYOUTS.table("behaviour_conditions", rows, measures=_columns(names, "mean over clips"))


def _mean(values: Sequence[float]) -> LOOSE_CELL:
    return number_or(float(np.mean(values)) if values else None, "no clip has it")


def _clips_table(
    judged: NavigationJudgements,
    stimuli: Mapping[str, Stimulus],
    names: Sequence[str],
    seen: Sequence[str],
    plan: Plan,
) -> Table:
    rows: list[tuple[LOOSE_CELL, ...]] = []
    for clip in seen:
        first, second = judged.clips[:, 0] == clip, judged.clips[:, 1] == clip
        chosen = int((judged.chose_first & first).sum() + (~judged.chose_first & second).sum())
        share = proportion(chosen, int((first | second).sum()), level=plan.level)
        stimulus = stimuli[clip]
        measures = [
            number_or(stimulus.measures.get(name), "not measured in this clip") for name in names
        ]
        rows.append(
            (
                clip,
                stimulus.condition or "",
                stimulus.scenario or "",
                share.n,
                *estimate_cells(share),
                *measures,
            )
        )
    return LAYOUTS.table("clips", rows, measures=_columns(names))


def _columns(names: Sequence[str], about: str = "") -> list[Column]:
    """A column for each measure."""
    return [
        Column(
            name=name, title=WORDS.get(name, in_words(name)), form="number", digits=3, about=about
        )
        for name in names
    ]
