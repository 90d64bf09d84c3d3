"""What each person watched, flagged and answered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from believable.analysis.data import Data, texts
from believable.analysis.data import numbers as numbers_of
from believable.analysis.settled_plan import Plan
from believable.analysis.viewed_actions import (
    JudgedActions,
    LoggedActions,
    Stretches,
    actions_by_stimulus,
    flags_by_page,
    judge_actions,
    seeing_of,
    stretches_by_page,
)
from believable.core.errors import InvalidInput

NO_ACTIONS = LoggedActions((), np.empty(0), np.empty(0))


#: Why a secondary rating is missing.
BY_DESIGN = "by design"


UNANSWERED = "not answered"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
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
    #: The speed at which most of it was played; 0 if nothing was played.
    speed: float
    plan_opened: int
    log_opened: int
    undone: int

    @property
    def was_opened(self) -> bool:
        """Whether plan or log were ever opened."""
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


def watched_replays(data: Data, plan: Plan) -> tuple[WatchedDay, ...]:
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
                session=session,
                position=position,
                place=places[session],
                condition=str(trials["condition"].values[row] or ""),
                scenario=str(trials["scenario"].values[row] or ""),
                stimulus=stimulus,
                actions=known,
                judged=judge_actions(known, played, flags.get(key, ()), seeing),
                wall_ms=played.wall_ms,
                speed=_main_speed(played),
                plan_opened=opened.get((*key, "plan"), 0),
                log_opened=opened.get((*key, "log"), 0),
                undone=undone.get(key, 0),
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
    """Keep the answers about replays whose plan or log was opened, by the record, not by people's
    answers.
    """
    opened = {(day.session, day.position) for day in seen if day.was_opened}
    return {page: value for page, value in answered.items() if page in opened}


def missing(
    day: WatchedDay, answered: Mapping[tuple[str, int], float], *, needs_overlay: bool
) -> str | None:
    """Return why a rating is missing; None if it exists."""
    if (day.session, day.position) in answered:
        return None
    return BY_DESIGN if needs_overlay and not day.was_opened else UNANSWERED


def preferences(data: Data, seen: Sequence[WatchedDay]) -> Mapping[str, str]:
    """Return the condition that each person prefers, or `both` or `neither`."""
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


def values_by_person(
    seen: Sequence[WatchedDay], values: Mapping[tuple[str, int], float]
) -> dict[str, dict[str, float]]:
    """Return the mean answer per condition and person."""
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
