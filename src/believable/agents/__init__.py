"""The agents that can take a seat of a world: ours and those of installed packages (entry points
`believable.agents`). A record is loaded when it is asked for.
"""

from __future__ import annotations

from believable.contracts.registries import AGENTS

_NAVIGATORS = "believable.worlds.doom.navigation.navigation_player"
_MINDS = "believable.worlds.town.minds.agents"
_POLICIES = "believable.worlds.gym.policy_files"
_SCRIPTS = "believable.worlds.doom.scripted_players"

#: Name → where the record is.
BUILT_IN = {
    "maze/scripted": "believable.worlds.maze.scripted_player:SCRIPTED",
    "doom/wanderer": f"{_SCRIPTS}:WANDERER",
    "doom/person": f"{_SCRIPTS}:PERSON",
    "doom/regular": "believable.worlds.doom.habitual_player:REGULAR",
    "doom/imitation": "believable.worlds.doom.imitating_player:IMITATION",
    "doom/imitation_as_published": "believable.worlds.doom.imitating_player:AS_PUBLISHED",
    "doom/bot": "believable.worlds.doom.rule_bot:BOT",
    "doom/engine_bot": "believable.worlds.doom.engine_bot:ENGINE_BOT",
    "doom/symbolic": f"{_NAVIGATORS}:SYMBOLIC",
    "doom/hybrid": f"{_NAVIGATORS}:HYBRID",
    "doom/reward_shaping": f"{_NAVIGATORS}:REWARD_SHAPING",
    "doom/navigator": f"{_NAVIGATORS}:NAVIGATOR",
    "town/scripted": f"{_MINDS}:SCRIPTED",
    "town/routine": f"{_MINDS}:ROUTINE",
    "town/generative": f"{_MINDS}:GENERATIVE",
    "town/neurosymbolic": f"{_MINDS}:NEUROSYMBOLIC",
    "gym/stable-baselines3": f"{_POLICIES}:STABLE_BASELINES3",
    "gym/network": f"{_POLICIES}:NETWORK",
    "gym/random": "believable.worlds.gym.random_player:RANDOM",
    "pettingzoo/random": "believable.worlds.pettingzoo.random_player:RANDOM",
    "story/explorer": "believable.worlds.story.explorer:EXPLORER",
}


def names_in(world: str) -> tuple[str, ...]:
    """The names of the agents of one world, without loading them."""
    return tuple(name for name in AGENTS.names if name.startswith(f"{world}/"))
