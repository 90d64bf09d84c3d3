"""How people answer: one folder per instrument, each a declared record with its widget."""

from __future__ import annotations

#: In the order in which they are shown to authors.
BUILT_IN = (
    *("choice", "choices", "likert", "matrix", "number", "text", "long_text", "slider"),
    *("certainty", "clip_rating", "preference", "ranktrace", "btrace", "gtrace", "flags"),
)
