"""Mixed models of flags and ratings: the odds of a flag, and covariates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from believable.analysis.numbers import in_words, listed
from believable.core.errors import InvalidInput, MissingExtra
from believable.protocols.replay.watched_days import WatchedDay
from believable.stats.estimate import Estimate, undefined
from believable.stats.models import MixedModel, mixed_linear, mixed_logistic

IntArray = np.ndarray[tuple[int], np.dtype[np.int64]]


#: The reason if a model asks for more than the data contain.
TOO_FEW = "there are too few replays, or they vary too little, for this model"


#: With fewer people who watched both conditions, the spread of individual effects cannot be
#: estimated.
FEWEST_PEOPLE = 5


CONDITION = "condition"


#: By participant: a person who reacts more to a condition than others must not count as evidence
#: for all people. With random intercepts only, as published, 13 to 32 of 100 studies of 34 people
#: find an effect that is not there when it differs between people.
FLAG_FORMULAS = {
    "by_participant": "flagged ~ condition + (1 + condition | participant) + (1 | scenario)",
    "published": "flagged ~ condition + (1 | participant) + (1 | scenario)",
}


EXPLORING = "condition + later + overlay + experience"


@dataclass(frozen=True, slots=True)
class FlagModel:
    """The mixed model of flags, or why there is none. `odds_ratio` is that of ours against the
    baseline.
    """

    model: MixedModel | None
    odds_ratio: Estimate
    notes: tuple[str, ...]
    viewed: int = 0


def flag_model(
    seen: Sequence[WatchedDay],
    ours: str,
    baseline: str,
    *,
    effects: str = "by_participant",
    level: float = 0.95,
) -> FlagModel:
    """The odds of a flag on viewed actions, counted per replay, by one of `FLAG_FORMULAS`.

    With fewer than five scenarios they become a fixed effect, with one they are left out; notes say
    so. An effect that may differ between participants is tested by t with one degree of freedom
    less than people who watched both conditions; with fewer than five of them there is no test. A
    singular fit of the published model gets a profile interval, separation a penalised fit that
    names itself. What cannot be fitted says why.
    """
    kept = [day for day in seen if day.condition in (ours, baseline) and day.judged.a > 0]
    both = _people_of_both(kept, ours, baseline)
    if effects == "by_participant" and 0 < both < FEWEST_PEOPLE:
        reason = (
            f"too few people for this model: {both} watched both conditions, and the spread of"
            f" their own effects takes {FEWEST_PEOPLE}"
        )
        people = len({day.session for day in kept})
        nothing = undefined(
            reason, method="odds ratio, logistic mixed model", n=people, level=level
        )
        return FlagModel(None, nothing, (reason,))
    return _fit_flags(FLAG_FORMULAS[effects], kept, ours, baseline, level)


def _people_of_both(kept: Sequence[WatchedDay], ours: str, baseline: str) -> int:
    conditions: dict[str, set[str]] = {}
    for day in kept:
        conditions.setdefault(day.session, set()).add(day.condition)
    return sum(watched >= {ours, baseline} for watched in conditions.values())


def explored_flags(
    seen: Sequence[WatchedDay],
    ours: str,
    baseline: str,
    *,
    experience: Mapping[str, float] | None = None,
    level: float = 0.95,
) -> FlagModel:
    """The same with the order of watching, the overlay and prior experience as covariates."""
    known = experience or {}
    kept = [
        day
        for day in seen
        if day.condition in (ours, baseline)
        and day.judged.a > 0
        and (not known or day.session in known)
    ]
    right = _varying(EXPLORING, kept, known)
    return _fit_flags(f"flagged ~ {right} + (1 | participant)", kept, ours, baseline, level, known)


def explored_ratings(
    seen: Sequence[WatchedDay],
    values: Mapping[tuple[str, int], float],
    ours: str,
    baseline: str,
    *,
    experience: Mapping[str, float] | None = None,
    level: float = 0.95,
) -> MixedModel | str:
    """A rating by condition, order of watching, overlay and experience, participants as random
    effect; or why there is none.
    """
    known = experience or {}
    kept = [
        day
        for day in seen
        if day.condition in (ours, baseline)
        and (day.session, day.position) in values
        and (not known or day.session in known)
    ]
    missing = _name_unwatched(kept, ours, baseline)
    if missing:
        return missing
    table = _table(kept, known)
    table["rating"] = [values[day.session, day.position] for day in kept]
    right = _varying(EXPLORING, kept, known)
    try:
        return mixed_linear(
            f"rating ~ {right} + (1 | participant)",
            table,
            levels={CONDITION: (baseline, ours)},
            level=level,
        )
    except InvalidInput:
        return TOO_FEW


def _name_unwatched(kept: Sequence[WatchedDay], ours: str, baseline: str) -> str:
    """Why conditions cannot be compared; empty where both were watched."""
    unseen = [name for name in (ours, baseline) if all(day.condition != name for day in kept)]
    return f"nobody watched {listed([in_words(name) for name in unseen])}" if unseen else ""


def _fit_flags(
    formula: str,
    kept: Sequence[WatchedDay],
    ours: str,
    baseline: str,
    level: float,
    experience: Mapping[str, float] | None = None,
) -> FlagModel:
    name, method = f"{CONDITION}[{ours}]", "odds ratio, logistic mixed model"
    table = _table(kept, experience or {})
    table["flagged"] = [day.judged.f for day in kept]
    table["viewed"] = [day.judged.a for day in kept]
    people = len({day.session for day in kept})
    total = sum(day.judged.f for day in kept)
    if not total or total == sum(day.judged.a for day in kept):
        reason = "no viewed action was flagged" if not total else "every viewed action was flagged"
        return FlagModel(None, undefined(reason, method=method, n=people, level=level), (reason,))
    missing = _name_unwatched(kept, ours, baseline)
    if missing:
        return FlagModel(None, undefined(missing, method=method, n=people, level=level), (missing,))
    levels = {CONDITION: (baseline, ours)}
    try:
        model = mixed_logistic(formula, table, trials="viewed", levels=levels, level=level)
        plain = (
            f"1 + {CONDITION} |" not in formula
        )  # with a random slope there is no profile of its effect
        if (
            plain
            and model.convergence.singular
            and model.convergence.converged
            and not model.convergence.separated
        ):
            model = mixed_logistic(
                formula, table, trials="viewed", levels=levels, level=level, interval="profile"
            )
    except MissingExtra as error:
        return FlagModel(
            None, undefined(str(error), method=method, n=people, level=level), (str(error),)
        )
    except InvalidInput:
        return FlagModel(None, undefined(TOO_FEW, method=method, n=people, level=level), (TOO_FEW,))
    odds = model.term(name).odds_ratio
    if odds is None:
        reason = model.term(name).estimate.reason or "the fit did not converge"
        odds = undefined(reason, method=method, n=people, level=level)
    return FlagModel(
        model, replace(odds, n=people), _notes(model), sum(day.judged.a for day in kept)
    )


def _notes(model: MixedModel) -> tuple[str, ...]:
    notes = list(model.notes)
    if model.convergence.singular:
        profiled = any("profile" in term.estimate.method for term in model.terms)
        kept = "their interval is a profile interval" if profiled else "their interval is Wald's"
        kept = "see the penalised fit" if model.criterion.startswith("penalised") else kept
        notes.append(
            "singular fit: a random effect has no variance; the fixed effects are those of the"
            f" simpler model, {kept}"
        )
    elif model.convergence.messages:
        notes.append("the fit is in doubt: its optimiser did not settle")
    return tuple(notes)


def _table(kept: Sequence[WatchedDay], experience: Mapping[str, float]) -> dict[str, Any]:
    return {
        CONDITION: [day.condition for day in kept],
        "participant": [day.session for day in kept],
        "scenario": [day.scenario or "only" for day in kept],
        "later": np.array([day.place - 1 for day in kept], dtype=float),
        "overlay": np.array([float(day.was_opened) for day in kept]),
        "experience": np.array([experience.get(day.session, 0.0) for day in kept]),
    }


def _varying(right: str, kept: Sequence[WatchedDay], experience: Mapping[str, float]) -> str:
    """The covariates that vary; one that does not would be determined by the intercept."""
    varies = {
        "condition": True,
        "later": len({day.place for day in kept}) > 1,
        "overlay": len({day.was_opened for day in kept}) > 1,
        "experience": len({experience.get(day.session) for day in kept}) > 1,
    }
    return " + ".join(name for name in right.split(" + ") if varies[name])
