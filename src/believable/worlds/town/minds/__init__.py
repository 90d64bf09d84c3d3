"""The minds that a run can name. Each is a module with a `MindKind`; `believable.worlds.town.mind`
says how one is added.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from believable.core.errors import NotFound
from believable.core.registry import did_you_mean
from believable.worlds.town.mind import MindKind

#: Name → module and the record in it, imported when it is asked for.
MIND_MODULES: Mapping[str, tuple[str, str]] = {
    "scripted": ("believable.worlds.town.minds.scripted_mind", "SCRIPTED"),
    "generative": ("believable.worlds.town.minds.generative_mind", "GENERATIVE"),
    "neurosymbolic": ("believable.worlds.town.minds.neurosymbolic_mind", "NEUROSYMBOLIC"),
}


def mind_kind(name: str) -> MindKind:
    """The mind of this name."""
    if name not in MIND_MODULES:
        raise NotFound(f"unknown mind {name!r}. {did_you_mean(name, MIND_MODULES)}")
    module, record = MIND_MODULES[name]
    kind: MindKind = getattr(importlib.import_module(module), record)
    return kind
