"""What each person watched, saw, flagged and answered; and its outcomes: paired differences, odds
of a flag, preference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from believable.analysis.data import Data, texts
from believable.analysis.data import numbers as numbers_of
from believable.analysis.numbers import in_words, listed
from believable.analysis.settled_plan import Plan
from believable.analysis.viewed_actions import (
    JudgedActions,
    LoggedActions,
    Stretches,
    actions_by_stimulus,
    flags_by_page,
    judged,
    seeing_of,
    stretches_by_page,
)
from believable.core.errors import InvalidInput, MissingExtra
from believable.stats.counts import binomial
from believable.stats.estimate import Estimate, undefined
from believable.stats.inputs import FloatArray
from believable.stats.location import PairedComparison, paired_comparison
from believable.stats.means import mean_t
from believable.stats.models import MixedModel, mixed_linear, mixed_logistic
from believable.stats.result import TestResult

IntArray = np.ndarray[tuple[int], np.dtype[np.int64]]

NO_ACTIONS = LoggedActions((), np.empty(0), np.empty(0))

#: Why a secondary rating is missing.
BY_DESIGN = "by design"
UNANSWERED = "not answered"


@dataclass(frozen=True, slots=True, eq=False)
class WatchedDay:
    """One replay that one person watched. `place` counts from 1 in the order of watching."""

    session: str
    position: int
    place: int
    condition: str
    scenario: str
    stimulus: str
    actions: LoggedActions
    judged: JudgedActions
    wall_ms: float
    #: At which most of it was played; 0 where nothing was.
    speed: float
    plan_opened: int
    log_opened: int
    undone: int

    @property
    def opened(self) -> bool:
        """Whether plan or log were ever opened beside it."""
        return self.plan_opened + self.log_opened > 0


def contrast(data: Data, plan: Plan) -> tuple[str, str]:
    """The condition of interest and the one it is compared with. With two conditions and no word,
    the first is compared with.
    """
    ours, baseline = plan.role("ours"), plan.role("baseline")
    known = [condition for condition in data.conditions if condition not in (ours, baseline)]
    if ours is not None and baseline is not None and data.study is not None:
        return ours, baseline
    present = tuple(
        dict.fromkeys(
            value for value in data.table("trials")["condition"].values if value is not None
        )
    )
    if ours in present and baseline in present and ours is not None and baseline is not None:
        return ours, baseline
    if len(present) == 2:
        return str(present[1]), str(present[0])
    raise InvalidInput(
        f"roles: expected a condition for `ours` and one for `baseline`, got {ours!r} and"
        f" {baseline!r}; the data have"
        f" {', '.join(map(str, present)) or 'none'}{f', the study {known}' if known else ''}. Name"
        " both under `roles:`."
    )


def watched(data: Data, plan: Plan) -> tuple[WatchedDay, ...]:
    """Every replay watched in the trials of the role `day`, by session and position."""
    trials = data.table("trials")
    wanted = np.isin(trials["trial"].values.astype(str), list(plan.roles["day"]))
    rows = np.flatnonzero(wanted & (trials["status"].values == "done"))
    actions, seeing = actions_by_stimulus(data), seeing_of(plan)
    stretches, opened = stretches_by_page(data)
    flags, undone = flags_by_page(data)
    places: dict[str, int] = defaultdict(int)
    days: list[WatchedDay] = []
    order = sorted(
        rows.tolist(),
        key=lambda row: (trials["session"].values[row], trials["position"].values[row]),
    )
    nothing = Stretches(np.empty(0), np.empty(0), np.empty(0))
    for row in order:
        session, position = str(trials["session"].values[row]), int(trials["position"].values[row])
        places[session] += 1
        stimulus = str(trials["stimulus"].values[row] or "")
        key = session, position
        played = stretches.get(key, nothing)
        known = actions.get(stimulus, NO_ACTIONS)
        days.append(
            WatchedDay(
                session,
                position,
                places[session],
                str(trials["condition"].values[row] or ""),
                str(trials["scenario"].values[row] or ""),
                stimulus,
                known,
                judged(known, played, flags.get(key, ()), seeing),
                played.wall_ms,
                _main_speed(played),
                opened.get((*key, "plan"), 0),
                opened.get((*key, "log"), 0),
                undone.get(key, 0),
            )
        )
    return tuple(days)


def _main_speed(played: Stretches) -> float:
    shown: dict[float, float] = defaultdict(float)
    for since, until, rate in zip(played.from_ms, played.to_ms, played.rate, strict=True):
        shown[float(rate)] += float(until - since)
    return max(shown, key=lambda rate: shown[rate], default=0.0)


def ratings_by_page(
    data: Data, role: str, seen: Sequence[WatchedDay]
) -> Mapping[tuple[str, int], float]:
    """The answers of a role by session and the position of the replay, wherever they were asked;
    those left open are missing.
    """
    if not data.has(role):
        return {}
    answers = data.answers(role)
    pages = {(day.session, day.position) for day in seen}
    watched_at = {(day.session, day.stimulus): day.position for day in seen}
    ratings: dict[tuple[str, int], float] = {}
    for session, position, stimulus, value in zip(
        answers.session, answers.position, answers.stimulus, numbers_of(answers), strict=True
    ):
        if value == value:
            own = int(position)
            at = (
                own
                if (str(session), own) in pages
                else watched_at.get((str(session), str(stimulus)), own)
            )
            ratings[str(session), at] = float(value)
    return ratings


def of_opened(
    answered: Mapping[tuple[str, int], float], seen: Sequence[WatchedDay]
) -> Mapping[tuple[str, int], float]:
    """The answers about replays whose plan or log was opened, as recorded; what people say about it
    does not count.
    """
    opened = {(day.session, day.position) for day in seen if day.opened}
    return {page: value for page, value in answered.items() if page in opened}


def missing(
    day: WatchedDay, answered: Mapping[tuple[str, int], float], *, needs_overlay: bool
) -> str | None:
    """Why a rating is missing; None where it is there."""
    if (day.session, day.position) in answered:
        return None
    return BY_DESIGN if needs_overlay and not day.opened else UNANSWERED


def preferences(data: Data, seen: Sequence[WatchedDay]) -> Mapping[str, str]:
    """The condition each person prefers; `both` or `neither` where that was the answer."""
    if not data.has("preference"):
        return {}
    answers = data.answers("preference")
    shown = _shown(data)
    watched_by: dict[str, list[str]] = defaultdict(list)
    for day in sorted(seen, key=lambda day: (day.session, day.place)):
        watched_by[day.session].append(day.condition)
    known = {day.condition for day in seen}
    chosen: dict[str, str] = {}
    for session, position, answer in zip(
        answers.session, answers.position, texts(answers), strict=True
    ):
        if answer is None:
            continue
        if answer in ("first", "second"):
            sides = shown.get((session, int(position))) or watched_by[session]
            place = ("first", "second").index(answer)
            if place < len(sides):
                chosen[str(session)] = sides[place]
        elif answer in known or answer in ("both", "neither"):
            chosen[str(session)] = str(answer)
        else:
            raise InvalidInput(
                f"preference of session {session}: expected first, second or a condition, got"
                f" {answer!r}. Use the instrument `preference`."
            )
    return chosen


def _shown(data: Data) -> dict[tuple[str, int], list[str]]:
    """The conditions of each page that showed or asked about several, in the order of its
    players.
    """
    table = data.table("shown")
    rows: dict[tuple[str, int], list[tuple[int, str]]] = defaultdict(list)
    for row in table.rows():
        rows[str(row["session"]), int(row["position"] or 0)].append(
            (int(row["player"] or 0), str(row["condition"] or ""))
        )
    return {
        key: [condition for _, condition in sorted(sides)]
        for key, sides in rows.items()
        if len(sides) > 1
    }


#: Why a model is not fitted: what it asks for is more than the data hold.
TOO_FEW = "there are too few replays, or they vary too little, for this model"
#: With fewer people who watched both conditions, the spread of their own effects cannot be
#: estimated.
FEWEST_PEOPLE = 5

CONDITION = "condition"
#: By participant: whoever reacts more to a condition than others must not count as evidence for
#: everybody. With random intercepts only, as published, 13 to 32 of 100 studies of 34 people find
#: an effect that is not there when it differs between people.
FLAG_FORMULAS = {
    "by_participant": "flagged ~ condition + (1 + condition | participant) + (1 | scenario)",
    "published": "flagged ~ condition + (1 | participant) + (1 | scenario)",
}
EXPLORING = "condition + later + overlay + experience"


@dataclass(frozen=True, slots=True)
class PairedOutcome:
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
    """The mixed model of flags, or why there is none. `odds_ratio` is that of ours against the
    baseline.
    """

    model: MixedModel | None
    odds_ratio: Estimate
    notes: tuple[str, ...]
    viewed: int = 0


def values_by_person(
    seen: Sequence[WatchedDay], values: Mapping[tuple[str, int], float]
) -> dict[str, dict[str, float]]:
    """Per condition and person: the mean of what was answered, where a condition was watched more
    than once.
    """
    listed: dict[str, dict[str, list[float]]] = {}
    for day in seen:
        value = values.get((day.session, day.position))
        if value is not None:
            listed.setdefault(day.condition, {}).setdefault(day.session, []).append(value)
    return {
        condition: {person: float(np.mean(numbers)) for person, numbers in people.items()}
        for condition, people in listed.items()
    }


def rates(seen: Sequence[WatchedDay]) -> dict[tuple[str, int], float]:
    """The unbelievable rate of each replay that was watched; those without a viewed action have
    none.
    """
    return {
        (day.session, day.position): rate for day in seen if (rate := day.judged.rate) is not None
    }


def paired(
    values: Mapping[str, Mapping[str, float]],
    ours: str,
    baseline: str,
    *,
    alternative: str = "two-sided",
    normality_alpha: float = 0.05,
    level: float = 0.95,
) -> PairedOutcome:
    """Ours minus baseline over people who have both."""
    mine, theirs = values.get(ours, {}), values.get(baseline, {})
    people = tuple(sorted(mine.keys() & theirs.keys()))
    first = np.array([mine[person] for person in people], dtype=float)
    second = np.array([theirs[person] for person in people], dtype=float)
    comparison = paired_comparison(
        first, second, alpha=normality_alpha, alternative=alternative, level=level
    )
    return PairedOutcome(people, first, second, mean_t(first - second, level=level), comparison)


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
    return _fitted(FLAG_FORMULAS[effects], kept, ours, baseline, level)


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
    return _fitted(f"flagged ~ {right} + (1 | participant)", kept, ours, baseline, level, known)


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
    missing = _unwatched(kept, ours, baseline)
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


def _unwatched(kept: Sequence[WatchedDay], ours: str, baseline: str) -> str:
    """Why conditions cannot be compared; empty where both were watched."""
    unseen = [name for name in (ours, baseline) if all(day.condition != name for day in kept)]
    return f"nobody watched {listed([in_words(name) for name in unseen])}" if unseen else ""


def _fitted(
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
    missing = _unwatched(kept, ours, baseline)
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
        "overlay": np.array([float(day.opened) for day in kept]),
        "experience": np.array([experience.get(day.session, 0.0) for day in kept]),
    }


def _varying(right: str, kept: Sequence[WatchedDay], experience: Mapping[str, float]) -> str:
    """The covariates that vary; one that does not would be determined by the intercept."""
    varies = {
        "condition": True,
        "later": len({day.place for day in kept}) > 1,
        "overlay": len({day.opened for day in kept}) > 1,
        "experience": len({experience.get(day.session) for day in kept}) > 1,
    }
    return " + ".join(name for name in right.split(" + ") if varies[name])
