"""The pages that participants go through: one folder per kind, each a declared record with its
template and script.
"""

from __future__ import annotations

from typing import Any

from believable.core.registry import Registry
from believable.instruments import INSTRUMENTS
from believable.pages.contract import Kinds, PageKind
from believable.plugins import registry

#: In the order of the reference. A practice is never in the file: the plan puts it before the first
#: use.
BUILT_IN = (
    *("consent", "text", "form", "check", "device", "qa", "qa_gate", "play"),
    *("watch", "recall", "compare", "group", "rate", "break", "finish", "practice"),
)

PAGES: Registry[PageKind[Any]] = registry("kind of page", PageKind, __name__, BUILT_IN)

#: What the studies of this installation can speak of.
KINDS = Kinds(INSTRUMENTS, PAGES)

__all__ = ["KINDS", "PAGES", "Kinds", "PageKind"]
