"""The pages that participants go through: one folder per kind, each a declared record with its
template and script.
"""

from __future__ import annotations

#: In the order of the reference. A practice is never in the file: the plan puts it before the first
#: use.
BUILT_IN = (
    *("consent", "text", "form", "check", "device", "qa", "qa_gate", "play"),
    *("watch", "recall", "compare", "group", "rate", "break", "finish", "practice"),
)
