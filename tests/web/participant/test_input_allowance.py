"""How many messages a page may send."""

from __future__ import annotations

import pytest

from believable.core.errors import InvalidInput
from believable.web.participant.round_course import InputAllowance


def test_an_allowance_comes_back_with_time() -> None:
    allowance = InputAllowance(10, 20, 0.0)
    allowance.take(20, 0.0)
    with pytest.raises(InvalidInput, match="a page may say 10 things in a second"):
        allowance.take(1, 0.05)
    allowance = InputAllowance(10, 20, 0.0)
    allowance.take(20, 0.0)
    allowance.take(10, 1.0)
    allowance.take(20, 100.0)
    allowance = InputAllowance(10, 20, 0.0)
    with pytest.raises(InvalidInput, match="too much at once"):
        allowance.take(21, 1000.0)  # silence saves up no more than what may be said at once
