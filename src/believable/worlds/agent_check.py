"""What every agent must keep to. Authors run `check_agent(MINE)` in a test."""

from __future__ import annotations

import copy
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from believable.agents.requirements import must_be_installed
from believable.contracts.agent import ActFunction, Agent, View
from believable.contracts.game import RoundContext
from believable.contracts.registries import WORLDS
from believable.contracts.world import World
from believable.core.errors import InvalidInput
from believable.core.registry import must_keep_contract
from believable.worlds.live_round import play_seats, play_through

#: Length of the round that is tried.
TRIED_S = 6
_SEED = 1
#: Decisions that are compared again after the agent was shown junk.
_AFTER_JUNK = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentReport:
    """How an agent did in its check."""

    decisions: int
    median_ms: float
    p95_ms: float
    slowest_ms: float


@dataclass(frozen=True, slots=True)
class _AgentStep:
    view: View
    answer: Any
    ms: float


def check_agent(
    agent: Agent[Any],
    params: Mapping[str, Any] | None = None,
    *,
    options: Mapping[str, Any] | None = None,
    limit_ms: float | None = None,
) -> AgentReport:
    """Play a short round, and raise InvalidInput with everything that breaks the contract.

    `params` are its parameters, if the defaults are not enough; `options` those of the round, such
    as `{"env": "CartPole-v1"}`. `limit_ms` is the time that 95 of 100 decisions must keep to; by
    default a tick of the world.
    """
    must_be_installed(agent.name, agent.needs)
    steps: list[_AgentStep] = []
    problems = partial(_problems, agent, params or {}, options or {}, limit_ms, steps)
    must_keep_contract("agent", agent.name, problems())
    times = np.array([step.ms for step in steps])
    return AgentReport(
        decisions=len(steps),
        median_ms=float(np.median(times)),
        p95_ms=float(np.percentile(times, 95)),
        slowest_ms=float(times.max()),
    )


def _problems(
    agent: Agent[Any],
    values: Mapping[str, Any],
    options: Mapping[str, Any],
    limit_ms: float | None,
    steps: list[_AgentStep],
) -> Iterator[str]:
    form = list(_form_problems(agent))
    yield from form
    if form:
        return
    world = WORLDS[agent.world]
    try:
        params = agent.read_params(values)
        if agent.draw is not None:
            agent.draw(random.Random(_SEED))
    except InvalidInput as error:
        yield str(error)
        return
    changed: list[str] = []
    try:
        _try_round(world, agent, options, watch_agent(agent.new(params, _SEED), steps, changed))
    except Exception as error:  # noqa: BLE001  reported, whatever it is
        yield f"it cannot play: {type(error).__name__}: {error}"
        return
    if not steps:
        yield "it was never asked for a decision."
        return
    yield from changed[:1]
    different = list(_repeat_problems(agent, params, options, steps))
    yield from different
    if different:
        return
    yield from _junk_problems(agent, params, steps)
    if limit_ms is None and world.playing is not None:
        limit_ms = 1000 / world.game.hz(_resolve_setup(world, agent, options))
    yield from _time_problems(steps, limit_ms)


def _form_problems(agent: Agent[Any]) -> Iterator[str]:
    if agent.world not in WORLDS:
        yield f"its world {agent.world!r} is unknown. Known: {', '.join(WORLDS.names)}."
        return
    if not agent.name.startswith(f"{agent.world}/") or not agent.short_name:
        yield f"its name must begin with its world: '{agent.world}/NAME', got {agent.name!r}."
    if not agent.about:
        yield "it must describe itself (`about`)."
    playing = WORLDS[agent.world].playing
    seats = playing.seats if playing is not None else ()
    if agent.seat and agent.seat not in seats:
        yield f"there is no seat {agent.seat!r}. Seats: {', '.join(seats) or 'none'}."
    if agent.takes and agent.takes not in agent.param_names:
        yield f"`takes` names {agent.takes!r}, which is not among its parameters."
    if agent.files and not agent.takes:
        yield "it has endings of `files`, but `takes` does not name the parameter for the file."


def _try_round(
    world: World, agent: Agent[Any], options: Mapping[str, Any], act: ActFunction
) -> None:
    """Play; answers that the world refuses are errors."""
    if world.try_agent is not None and (agent.acts == "environment" or world.playing is None):
        world.try_agent(agent, options, act, _SEED, TRIED_S)
        return
    setup = _resolve_setup(world, agent, options)
    playing = world.game
    if agent.seat in ("", playing.seat):
        play_through(playing, setup, act, agent.game)
        return
    stand_in = playing.stand_in
    first = stand_in.new(stand_in.read_params({}), _SEED)
    play_seats(playing, setup, {playing.seat: first, agent.seat: act})


def _resolve_setup(world: World, agent: Agent[Any], options: Mapping[str, Any]) -> Any:
    form = world.game.trial
    opponent = next(iter(form.opponents.named), "")
    context = RoundContext(
        session_seed=_SEED, trial_key="trial", opponent=opponent, duration_s=TRIED_S
    )
    return form.resolve(form.options.model_validate({**agent.rounds, **options}), context)


def watch_agent(act: ActFunction, steps: list[_AgentStep], changed: list[str]) -> ActFunction:
    """The same agent; its views are copied, its answers kept and timed."""

    def watch(view: View) -> Any:
        kept = copy_view(view)
        before = time.perf_counter()
        answer = act(view)
        ms = 1000 * (time.perf_counter() - before)
        if not _same(kept, view):
            changed.append("it changed the view that it was handed.")
        steps.append(_AgentStep(kept, copy.deepcopy(answer), ms))
        return answer

    return watch


def copy_view(view: View) -> View:
    """The view as plain data. A welcome with an environment or a town cannot be copied."""
    welcome = view.get("welcome")
    if isinstance(welcome, Mapping) and "env" not in welcome:
        return copy.deepcopy(dict(view))
    rest = {name: value for name, value in view.items() if name != "welcome"}
    return {**copy.deepcopy(rest), "welcome": welcome}


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[name], other[name]) for name in one)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=np.asarray(one).dtype.kind in "fc")
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _repeat_problems(
    agent: Agent[Any], params: Any, options: Mapping[str, Any], steps: Sequence[_AgentStep]
) -> Iterator[str]:
    """The same parameters, seed and views give the same answers. The views are copies and the round
    is over, so that an agent which looks elsewhere is found, too.
    """
    random.seed(time.perf_counter_ns())
    np.random.seed(time.perf_counter_ns() % 2**32)
    again: list[Any] = []
    try:
        if agent.acts == "environment":
            second: list[_AgentStep] = []
            act = watch_agent(agent.new(params, _SEED), second, [])
            _try_round(WORLDS[agent.world], agent, options, act)
            again = [step.answer for step in second]
        else:
            act = agent.new(params, _SEED)
            again = [act(step.view) for step in steps]
    except Exception as error:  # noqa: BLE001  reported, whatever it is
        yield f"shown the same views again, it failed: {type(error).__name__}: {error}"
        return
    for number, (step, answer) in enumerate(zip(steps, again, strict=False), start=1):
        if not _same(step.answer, answer):
            yield (
                f"decision {number} differs although parameters, seed and views are the same. Take"
                " all chance from the seed, and look at nothing but the view."
            )
            return
    if len(again) != len(steps):
        yield f"it decided {len(again)} times instead of {len(steps)} in the same round."


def _junk_problems(agent: Agent[Any], params: Any, steps: Sequence[_AgentStep]) -> Iterator[str]:
    """A broken view is an exception or an input that the world takes, never the end of the
    process; and later players are not affected.
    """
    playing = WORLDS[agent.world].playing
    for junk in _junk(steps[0].view):
        try:
            answer = agent.new(params, _SEED)(junk)
            inputs = None
            if agent.acts == "inputs" and playing is not None:
                inputs = playing.seats[agent.seat or playing.seat]
            if inputs is not None and inputs.values_in(answer) is None:
                yield (
                    f"shown {_short(junk)}, it answered {str(answer)[:40]}, which is no input of"
                    f" the world ({inputs.range_text})."
                )
                return
        except Exception:  # noqa: BLE001  any exception is a good answer
            continue
        except BaseException as error:  # noqa: BLE001  SystemExit and the like
            yield f"shown {_short(junk)}, it ended the program ({type(error).__name__})."
            return
    if agent.acts == "inputs":
        act = agent.new(params, _SEED)
        compared = steps[:_AFTER_JUNK]
        if not all(_same(step.answer, act(step.view)) for step in compared):
            yield "after a broken view, a new player of the same seed decides otherwise."


def _junk(view: View) -> Iterator[View]:
    yield {}
    yield {"welcome": {}}
    for name in view:
        rest = {key: value for key, value in view.items() if key != name}
        yield rest
        yield {**rest, name: None}


def _short(junk: View) -> str:
    return f"a view with {', '.join(junk) or 'nothing'}"


def _time_problems(steps: Sequence[_AgentStep], limit_ms: float | None) -> Iterator[str]:
    p95_ms = float(np.percentile([step.ms for step in steps], 95))
    if limit_ms is not None and p95_ms > limit_ms:
        yield (
            f"5 of 100 decisions take longer than {p95_ms:.1f} ms; the limit is {limit_ms:.1f} ms."
        )
