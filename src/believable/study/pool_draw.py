"""Which clips a new session gets from pools: those with the fewest views, so that views differ by
one at most.

The draw is a pure function of the study, the session's assignment and the earlier views. The caller
counts views and stores the result in one transaction, so sessions that start at the same time on
several servers are drawn one after the other.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from believable.contracts.trial import Block
from believable.core.seeds import generator
from believable.study.plan import (
    Assignment,
    Chooser,
    chooser,
    draw_names,
    is_settled,
    level_place,
    unroll,
)
from believable.study.records import Study


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnName:
    """One name that was drawn for a session: a stimulus, or a level of a block.

    place         where in the plan; several names of one place are numbered
    probability   with which a policy drew it, if the policy states it
    """

    place: str
    number: int
    kind: Literal["level", "stimulus"]
    name: str
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Views:
    """How many sessions have each stimulus, and each level as `block/level`."""

    stimuli: Mapping[str, int] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRequest:
    """A block that takes `count` of its levels. `views`: how many sessions have each level; of
    scenarios, how many views their clips have on average.
    """

    block: Block
    names: tuple[str, ...]
    count: int
    views: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class DrawnLevel:
    """A level, and the probability with which it was drawn; None if that is not known."""

    name: str
    probability: float | None = None


#: How the levels of a block are drawn, in the order in which they were chosen.
LevelPolicy: TypeAlias = Callable[[LevelRequest, random.Random], Sequence[DrawnLevel]]


def least_viewed(request: LevelRequest, rng: random.Random) -> Sequence[DrawnLevel]:
    """The levels with the fewest views; chance decides among equals."""
    names = list(request.names)
    rng.shuffle(names)
    names.sort(key=lambda name: request.views.get(name, 0))
    return [DrawnLevel(name) for name in names[: request.count]]


def draws_levels(block: Block, names: Sequence[str]) -> bool:
    """Whether a session gets only some levels of this block, and which ones is drawn."""
    return (
        block.over in ("condition", "scenario", "pair")
        and block.order != "latin_square"
        and block.sample is not None
        and block.sample < len(names)
    )


def needs_draw(study: Study) -> bool:
    """Whether sessions get stimuli by their views, and there is something to draw."""
    return study.draw != "shared" and not is_settled(study)


#: With fewer clips of a condition, `draw: fresh` is treated as a pool.
FRESH_CLIPS = 60


def effective_draw(study: Study) -> Literal["shared", "pool", "fresh"]:
    """The draw as analyses treat it: `fresh` from too small pools is `pool`."""
    counts = Counter(stimulus.condition for stimulus in study.stimuli)
    if study.draw == "fresh" and min(counts.values(), default=0) < FRESH_CLIPS:
        return "pool"
    return study.draw


def deal(
    study: Study, assignment: Assignment, views: Views, policy: LevelPolicy = least_viewed
) -> tuple[DrawnName, ...]:
    """Everything that the timeline leaves open for one session."""
    levels: list[DrawnName] = []
    choose = _level_chooser(study, assignment, views, policy, levels)
    pages = unroll(study, assignment.arms, choose)
    names = draw_names(pages, assignment.seed, views.stimuli)
    stimuli = [
        DrawnName(place=place, number=number, kind="stimulus", name=name)
        for place, of_place in names.items()
        for number, name in enumerate(of_place)
    ]
    return (*levels, *stimuli)


def with_draw(assignment: Assignment, drawn: Sequence[DrawnName]) -> Assignment:
    """The assignment with the names of a draw, by their places."""
    places: dict[str, list[DrawnName]] = {}
    for entry in drawn:
        places.setdefault(entry.place, []).append(entry)
    by_place = {
        place: tuple(entry.name for entry in sorted(entries, key=lambda entry: entry.number))
        for place, entries in places.items()
    }
    return replace(assignment, drawn=by_place)


def _level_chooser(
    study: Study, assignment: Assignment, views: Views, policy: LevelPolicy, levels: list[DrawnName]
) -> Chooser:
    """As `plan.chooser`, with levels drawn by the policy. Its draws are appended to `levels`."""
    usual = chooser(assignment)
    scenario_views = _scenario_views(study, views)
    in_session: Counter[tuple[str, str]] = Counter()

    def choose(block: Block, run: int, names: Sequence[str]) -> Sequence[int]:
        if not draws_levels(block, names):
            return usual(block, run, names)
        seen: Mapping[str, float] = (
            scenario_views
            if block.over == "scenario"
            else {name: views.levels.get(level_key(block.id, name), 0) for name in names}
        )
        loads = {name: seen.get(name, 0) + in_session[block.id, name] for name in names}
        request = LevelRequest(
            block=block, names=tuple(names), count=block.sample or len(names), views=loads
        )
        rng = generator(assignment.seed, "levels", block.id, run)
        chosen = list(policy(request, rng))
        if block.order == "random":
            rng.shuffle(chosen)
        else:
            chosen.sort(key=lambda level: names.index(level.name))
        for number, level in enumerate(chosen):
            in_session[block.id, level.name] += 1
            levels.append(
                DrawnName(
                    place=level_place(block, run),
                    number=number,
                    kind="level",
                    name=level.name,
                    probability=level.probability,
                )
            )
        return [names.index(level.name) for level in chosen]

    return choose


def level_key(block: str, level: str) -> str:
    """A level of a block, as `Views.levels` counts it."""
    return f"{block}/{level}"


def _scenario_views(study: Study, views: Views) -> Mapping[str, float]:
    """The mean number of views of the clips of each scenario."""
    seen: dict[str, list[int]] = {}
    for stimulus in study.stimuli:
        if stimulus.scenario is not None:
            seen.setdefault(stimulus.scenario, []).append(views.stimuli.get(stimulus.id, 0))
    return {name: sum(counts) / len(counts) for name, counts in seen.items()}
