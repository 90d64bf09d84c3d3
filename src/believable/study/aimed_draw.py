"""Which agent the next judge sees, if each judge of a study sees one of many agents.

Agents whose verdict is reached need no more judges. The agent with the fewest views among the
others is next. A floor remains: with a small chance any agent is shown, so late changes are seen.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from believable.core.errors import InvalidInput

#: The chance that any agent is shown, decided or not.
FLOOR = 0.1


@dataclass(frozen=True, slots=True)
class AimedChoice:
    """The agent that was drawn, and the probability with which it could be drawn. Both are stored
    with the assignment.
    """

    agent: str
    probability: float


def aim(
    views: Mapping[str, int], decided: Collection[str], rng: random.Random, *, floor: float = FLOOR
) -> AimedChoice:
    """Draw the agent of the next judge.

    views    how many judges were assigned to each agent, those under way included
    decided  agents whose verdict is reached
    floor    the chance that any agent is shown
    """
    if not views:
        raise InvalidInput("views: expected at least one agent, got none. List the agents.")
    if not 0 <= floor <= 1:
        raise InvalidInput(f"floor: expected a chance from 0 to 1, got {floor!r}. Give 0.1.")
    unknown = sorted(set(decided) - set(views))
    if unknown:
        raise InvalidInput(f"decided: {unknown[0]!r} has no views. Count every agent in views.")
    agents = sorted(views)
    open_agents = [agent for agent in agents if agent not in decided] or agents
    fewest = min(views[agent] for agent in open_agents)
    next_agents = [agent for agent in open_agents if views[agent] == fewest]
    agent = rng.choice(agents if rng.random() < floor else next_agents)
    aimed = (1 - floor) / len(next_agents) if agent in next_agents else 0.0
    return AimedChoice(agent, floor / len(agents) + aimed)


def aim_several(
    views: Mapping[str, int],
    decided: Collection[str],
    count: int,
    rng: random.Random,
    *,
    floor: float = FLOOR,
) -> tuple[AimedChoice, ...]:
    """Draw different agents, or pairs of agents, for one judge, one after the other. The
    probability of each is that among those that the judge does not have yet.
    """
    if not 1 <= count <= len(views):
        raise InvalidInput(
            f"count: expected a number from 1 to {len(views)}, got {count}. A judge sees each at"
            " most once."
        )
    left, choices = dict(views), list[AimedChoice]()
    for _ in range(count):
        choice = aim(left, [name for name in decided if name in left], rng, floor=floor)
        del left[choice.agent]
        choices.append(choice)
    return tuple(choices)
