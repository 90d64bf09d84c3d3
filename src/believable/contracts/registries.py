"""The parts of this installation by name: ours and those of installed packages.

Any module imports the registry that it needs from here. A registry loads a record when it is asked
for, so this module imports no part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from believable.plugins import registry

if TYPE_CHECKING:
    from believable.contracts.agent import Agent
    from believable.contracts.instrument import Instrument
    from believable.contracts.page import PageKind
    from believable.contracts.player import Player
    from believable.contracts.protocol import Protocol
    from believable.contracts.world import World
    from believable.core.registry import Registry

#: How people answer. A study folder may contain instruments.
INSTRUMENTS: Registry[Instrument[Any]] = registry(
    "instrument", "believable.contracts.instrument:Instrument", "instruments", extensible=True
)
#: What shows the stimuli of a study: the ending of the file decides which one.
PLAYERS: Registry[Player] = registry("player", "believable.contracts.player:Player", "players")
PAGES: Registry[PageKind[Any]] = registry(
    "kind of page", "believable.contracts.page:PageKind", "pages"
)
WORLDS: Registry[World] = registry("world", "believable.contracts.world:World", "worlds")
AGENTS: Registry[Agent[Any]] = registry("agent", "believable.contracts.agent:Agent", "agents")
PROTOCOLS: Registry[Protocol] = registry(
    "protocol", "believable.contracts.protocol:Protocol", "protocols"
)
