"""The outcomes of two conditions judged by the same people: paired differences, odds of a flag, preference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from believable.analysis.replay.collect import Watched
from believable.core.errors import InvalidInput, MissingExtra
from believable.stats.counts import binomial
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray
from believable.stats.location import PairedComparison, paired_comparison
from believable.stats.means import mean_t
from believable.stats.models import MixedModel, mixed_linear, mixed_logistic
from believable.stats.result import TestResult

CONDITION = "condition"
FLAG_FORMULA = "flagged ~ condition + (1 | participant) + (1 | scenario)"
EXPLORING = "condition + later + overlay + experience"


@dataclass(frozen=True, slots=True)
class Paired:
    """Ours against the baseline, one pair per person.

    people      who has both values
    difference  mean of ours minus baseline, t interval
    comparison  the test that the normality rule chose, the normality test and Cohen's dz
    """

    people: tuple[str, ...]
    ours: FloatArray
    baseline: FloatArray
    difference: Estimate
    comparison: PairedComparison


@dataclass(frozen=True, slots=True)
class Preference:
    """Who prefers which; `test` compares ours with an even split among those who decided."""

    ours: int
    baseline: int
    undecided: int
    test: TestResult


@dataclass(frozen=True, slots=True)
class FlagModel:
    """The mixed model of flags, or why there is none. `odds_ratio` is that of ours against the baseline."""

    model: MixedModel | None
    odds_ratio: Estimate
    notes: tuple[str, ...]
    viewed: int = 0


def values_by_person(
    seen: Sequence[Watched], values: Mapping[tuple[str, int], float]
) -> dict[str, dict[str, float]]:
    """Per condition and person: the mean of what was answered, where a condition was watched more than once."""
    listed: dict[str, dict[str, list[float]]] = {}
    for one in seen:
        value = values.get((one.session, one.position))
        if value is not None:
            listed.setdefault(one.condition, {}).setdefault(one.session, []).append(value)
    return {
        condition: {person: float(np.mean(numbers)) for person, numbers in people.items()}
        for condition, people in listed.items()
    }


def rates(seen: Sequence[Watched]) -> dict[tuple[str, int], float]:
    """The unbelievable rate of each replay that was watched; those without a viewed action have none."""
    return {(one.session, one.position): rate for one in seen if (rate := one.judged.rate) is not None}


def paired(
    values: Mapping[str, Mapping[str, float]],
    ours: str,
    baseline: str,
    *,
    alternative: str = "two-sided",
    normality_alpha: float = 0.05,
    level: float = 0.95,
) -> Paired:
    """Ours minus baseline over people who have both."""
    mine, theirs = values.get(ours, {}), values.get(baseline, {})
    people = tuple(sorted(mine.keys() & theirs.keys()))
    first = np.array([mine[person] for person in people], dtype=float)
    second = np.array([theirs[person] for person in people], dtype=float)
    found = paired_comparison(first, second, alpha=normality_alpha, alternative=alternative, level=level)
    return Paired(people, first, second, mean_t(first - second, level=level), found)


def preference(
    chosen: Mapping[str, str],
    ours: str,
    baseline: str,
    *,
    alternative: str = "two-sided",
    level: float = 0.95,
) -> Preference:
    """The share that prefers ours, exact binomial test against one half."""
    answers = list(chosen.values())
    mine, theirs = answers.count(ours), answers.count(baseline)
    test = binomial(mine, mine + theirs, alternative=alternative, level=level)
    return Preference(mine, theirs, len(answers) - mine - theirs, test)


def flag_model(seen: Sequence[Watched], ours: str, baseline: str, *, level: float = 0.95) -> FlagModel:
    """`flag ~ condition + (1|participant) + (1|scenario)` on viewed actions, counted per replay.

    With fewer than five scenarios they become a fixed effect, with one they are left out; notes say so. A singular fit gets a
    profile interval, separation a penalised fit that names itself. What cannot be fitted says why.
    """
    kept = [one for one in seen if one.condition in (ours, baseline) and one.judged.a > 0]
    return _fitted(FLAG_FORMULA, kept, ours, baseline, level)


def explored_flags(
    seen: Sequence[Watched],
    ours: str,
    baseline: str,
    *,
    experience: Mapping[str, float] | None = None,
    level: float = 0.95,
) -> FlagModel:
    """The same with the order of watching, the overlay and prior experience as covariates."""
    known = experience or {}
    kept = [
        one
        for one in seen
        if one.condition in (ours, baseline) and one.judged.a > 0 and (not known or one.session in known)
    ]
    right = _varying(EXPLORING, kept, known)
    return _fitted(f"flagged ~ {right} + (1 | participant)", kept, ours, baseline, level, known)


def explored_ratings(
    seen: Sequence[Watched],
    values: Mapping[tuple[str, int], float],
    ours: str,
    baseline: str,
    *,
    experience: Mapping[str, float] | None = None,
    level: float = 0.95,
) -> MixedModel | str:
    """A rating by condition, order of watching, overlay and experience, participants as random effect; or why there is none."""
    known = experience or {}
    kept = [
        one
        for one in seen
        if one.condition in (ours, baseline)
        and (one.session, one.position) in values
        and (not known or one.session in known)
    ]
    table = _table(kept, known)
    table["rating"] = [values[one.session, one.position] for one in kept]
    right = _varying(EXPLORING, kept, known)
    try:
        return mixed_linear(
            f"rating ~ {right} + (1 | participant)", table, levels={CONDITION: (baseline, ours)}, level=level
        )
    except InvalidInput as error:
        return str(error)


def _fitted(
    formula: str,
    kept: Sequence[Watched],
    ours: str,
    baseline: str,
    level: float,
    experience: Mapping[str, float] | None = None,
) -> FlagModel:
    name, method = f"{CONDITION}[{ours}]", "odds ratio, logistic mixed model"
    table = _table(kept, experience or {})
    table["flagged"] = [one.judged.f for one in kept]
    table["viewed"] = [one.judged.a for one in kept]
    people = len({one.session for one in kept})
    total = sum(one.judged.f for one in kept)
    if not total or total == sum(one.judged.a for one in kept):
        reason = "no viewed action was flagged" if not total else "every viewed action was flagged"
        return FlagModel(None, undefined(reason, method=method, n=people, level=level), (reason,))
    levels = {CONDITION: (baseline, ours)}
    try:
        model = mixed_logistic(formula, table, trials="viewed", levels=levels, level=level)
        if model.convergence.singular and model.convergence.converged and not model.convergence.separated:
            model = mixed_logistic(
                formula, table, trials="viewed", levels=levels, level=level, interval="profile"
            )
    except (InvalidInput, MissingExtra) as error:
        return FlagModel(None, undefined(str(error), method=method, n=people, level=level), (str(error),))
    odds = model.term(name).odds_ratio
    if odds is None:
        odds = undefined("the fit did not converge", method=method, n=people, level=level)
    return FlagModel(model, replace(odds, n=people), _notes(model), sum(one.judged.a for one in kept))


def _notes(model: MixedModel) -> tuple[str, ...]:
    notes = list(model.notes)
    if model.convergence.singular:
        kept = (
            "their interval is a profile interval"
            if not model.convergence.separated
            else "see the penalised fit"
        )
        notes.append(
            f"singular fit: a random effect has no variance; the fixed effects are those of the simpler model, {kept}"
        )
    notes += [f"optimiser: {message}" for message in model.convergence.messages]
    return tuple(notes)


def _table(kept: Sequence[Watched], experience: Mapping[str, float]) -> dict[str, Any]:
    return {
        CONDITION: [one.condition for one in kept],
        "participant": [one.session for one in kept],
        "scenario": [one.scenario or "only" for one in kept],
        "later": np.array([one.place - 1 for one in kept], dtype=float),
        "overlay": np.array([float(one.opened) for one in kept]),
        "experience": np.array([experience.get(one.session, 0.0) for one in kept]),
    }


def _varying(right: str, kept: Sequence[Watched], experience: Mapping[str, float]) -> str:
    """The covariates that vary; one that does not would be determined by the intercept."""
    varies = {
        "condition": True,
        "later": len({one.place for one in kept}) > 1,
        "overlay": len({one.opened for one in kept}) > 1,
        "experience": len({experience.get(one.session) for one in kept}) > 1,
    }
    return " + ".join(name for name in right.split(" + ") if varies[name])
