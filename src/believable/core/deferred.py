"""Modules that are loaded when something of them is first used: those that weigh much and that most
processes never need.
"""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


class DeferredModule(ModuleType):
    """`special = DeferredModule("scipy.special")` replaces the module; `special.ndtr` loads it,
    once.
    """

    def __getattr__(self, name: str) -> Any:
        if name.startswith(
            "__"
        ):  # what looks through all modules asks for these; it uses nothing of them
            raise AttributeError(name)
        value = getattr(importlib.import_module(self.__name__), name)
        setattr(self, name, value)
        return value


special: Any = DeferredModule("scipy.special")
sparse: Any = DeferredModule("scipy.sparse")
stats: Any = DeferredModule("scipy.stats")
