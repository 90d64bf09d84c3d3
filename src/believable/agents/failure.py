"""An error inside an agent, reported with the agent's own lines and none of ours."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from believable.core.errors import BelievableError, InvalidInput

#: Lines of a traceback that are shown.
SHOWN_FRAMES = 3
_PACKAGE = Path(__file__).parents[1]


class AgentFailed(InvalidInput):
    """An agent raised an exception."""


@contextmanager
def blame(agent: str, during: Callable[[], str]) -> Iterator[None]:
    """Turn an exception of an agent into one message. `during()` says when it happened."""
    try:
        yield
    except BelievableError:
        raise
    except Exception as error:
        lines = "\n".join(_own_lines(error.__traceback__))
        text = f"{type(error).__name__}: {error}"
        raise AgentFailed(f"agent {agent!r} failed {during()}: {text}\n{lines}".rstrip()) from error


def _own_lines(trace: TracebackType | None) -> list[str]:
    """The last frames that are not of this package."""
    frames = [
        frame
        for frame in traceback.extract_tb(trace)
        if _PACKAGE not in Path(frame.filename).parents
    ]
    return [
        f"  {frame.filename}:{frame.lineno} in {frame.name}: {frame.line}"
        for frame in frames[-SHOWN_FRAMES:]
    ]


def guard_act(agent: str, act: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same `act`, whose exceptions name the agent and the number of its decision."""
    decisions = 0

    def act_or_blame(view: Any) -> Any:
        nonlocal decisions
        decisions += 1
        with blame(agent, lambda: f"at decision {decisions}"):
            return act(view)

    return act_or_blame
