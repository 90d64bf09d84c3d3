"""A town seen from above, whose people live through their days.

The place
    map             buildings, rooms, doors, furniture, activities, ways
    layout          the map of a seed, from buildings.yaml
    townsfolk       the people of a seed, from townsfolk.yaml
The simulation
    clock           steps, minutes, days
    mind            the contract with minds: percepts, primitives, refusals, plans
    state           everything that changes
    sight           the percept of a person
    refusals        impossible actions
    actions         how actions begin and end, and their effects
    walking         ways through doors; all minds share it
    run             people and minds, step by step
    run_folder      a run on disk; checkpoint turns records into JSON values
The minds
    minds           scripted, generative, neurosymbolic
    language        language models: embedded, endpoint, recorded answers
The recording
    recording       a run as a recording; primitive_text writes its log
    excerpt         one character for viewers; excerpt_text rewords plan and log
    rule_checker    mistakes in a recording, by norms.yaml; it knows no mind
    draw            the picture; looks has streets, furniture and people
    inspection      a page about the minds of a run
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from believable.contracts.world import World
from believable.core.deferred import DeferredModule
from believable.worlds.town.draw import draw

_agents: Any = DeferredModule("believable.worlds.town.minds.agents")

TOWN = World(
    name="town",
    version=1,
    about=(
        "A town from above: buildings with their names, people as round tokens with a day of their"
        " own."
    ),
    folder=Path(__file__).parent,
    draw=draw,
    try_agent=lambda *given: _agents.try_agent(*given),
)
