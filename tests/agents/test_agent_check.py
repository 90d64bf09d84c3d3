"""`check_agent`: what it finds, each fault planted once; and our agents keep the contract."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

from believable.contracts.agent import ActFunction, Agent, NoParams
from believable.contracts.registries import AGENTS
from believable.core.errors import InvalidInput, MissingExtra
from believable.worlds.agent_check import check_agent

STILL = (0, 0, 0, 0, 0)


def walker(params: NoParams, seed: int) -> ActFunction:
    rng = random.Random(seed)

    def act(view: Mapping[str, Any]) -> tuple[int, ...]:
        assert isinstance(view["t"], int)
        return rng.choice((-1, 0, 1)), 0, view["p"][2], 0, 0

    return act


WALKER = Agent(name="maze/walker", world="maze", about="Walks about.", new=walker)


def test_a_sound_agent_passes_and_its_times_are_reported() -> None:
    report = check_agent(WALKER)
    assert report.decisions == 180
    assert 0 <= report.median_ms <= report.p95_ms <= report.slowest_ms


@pytest.mark.parametrize(
    "name", ["maze/scripted", "gym/random", "doom/wanderer", "doom/regular", "town/neurosymbolic"]
)
def test_ours_keep_the_contract(name: str) -> None:
    check_agent(AGENTS[name])


def by_global_chance(params: NoParams, seed: int) -> ActFunction:
    return lambda view: (random.choice((-1, 0, 1)), view["t"] * 0, 0, 0, 0)


_CALLS: list[int] = []


def remembering_earlier_rounds(params: NoParams, seed: int) -> ActFunction:
    _CALLS.append(seed)
    return lambda view: (len(_CALLS) % 2 + view["t"] * 0, 0, 0, 0, 0)


def peeking(params: NoParams, seed: int) -> ActFunction:
    """Reads the round of whoever calls it instead of its view."""

    def act(view: Mapping[str, Any]) -> tuple[int, ...]:
        frame: Any = sys._getframe()
        while "live" not in frame.f_locals:
            frame = frame.f_back
        return (int(frame.f_locals["live"].tick % 2), view["t"] * 0, 0, 0, 0)

    return act


def changing_the_view(params: NoParams, seed: int) -> ActFunction:
    def act(view: Any) -> tuple[int, ...]:
        view["t"] += 0
        view["note"] = "mine"
        return STILL

    return act


def slow(params: NoParams, seed: int) -> ActFunction:
    def act(view: Mapping[str, Any]) -> tuple[int, ...]:
        if view["t"] < 20:
            time.sleep(0.045)
        return STILL

    return act


def ending_the_program(params: NoParams, seed: int) -> ActFunction:
    def act(view: Mapping[str, Any]) -> tuple[int, ...]:
        if view.get("t") is None:
            sys.exit(1)
        return STILL

    return act


def junk_in_junk_out(params: NoParams, seed: int) -> ActFunction:
    return lambda view: STILL if isinstance(view.get("t"), int) else (9, 9)


@dataclass(frozen=True)
class Speed:
    speed: int


@pytest.mark.parametrize(
    ("agent", "problem"),
    [
        (replace(WALKER, name="walker"), "its name must begin with its world"),
        (replace(WALKER, world="mazes"), "its world 'mazes' is unknown"),
        (replace(WALKER, about=""), "it must describe itself"),
        (replace(WALKER, seat="referee"), "there is no seat 'referee'. Seats: player, opponent"),
        (replace(WALKER, takes="file"), "`takes` names 'file'"),
        (replace(WALKER, files=(".zip",)), "`takes` does not name the parameter for the file"),
        (replace(WALKER, params=Speed), "option speed: Field required"),
        (replace(WALKER, new=lambda params, seed: lambda view: (9, 9)), "it cannot play"),
        (replace(WALKER, new=by_global_chance), "differs although parameters, seed and views"),
        (replace(WALKER, new=remembering_earlier_rounds), "differs although parameters"),
        (replace(WALKER, new=peeking), "shown the same views again, it failed"),
        (replace(WALKER, new=changing_the_view), "it changed the view that it was handed"),
        (replace(WALKER, new=slow), "the limit is 33.3 ms"),
        (replace(WALKER, new=ending_the_program), "it ended the program"),
        (replace(WALKER, new=junk_in_junk_out), "which is no input of the world"),
    ],
)
def test_a_fault_is_found(agent: Agent[Any], problem: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        check_agent(agent)
    assert problem in str(raised.value)


def test_a_limit_can_be_set_and_missing_needs_are_named() -> None:
    check_agent(replace(WALKER, new=slow), limit_ms=100)
    with pytest.raises(MissingExtra, match=r"pip install 'no-such-package'"):
        check_agent(replace(WALKER, needs=("no-such-package",)))


def test_partial_functions_are_agents() -> None:
    check_agent(replace(WALKER, new=partial(walker)))
