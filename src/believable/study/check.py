"""Everything that can be wrong with a study beyond the form of its records."""

from __future__ import annotations

from believable.study.kinds import QuestionKinds
from believable.study.read import Reading


def check(reading: Reading, kinds: QuestionKinds, *, now_ms: int) -> None:
    """Report every problem into `reading`."""
