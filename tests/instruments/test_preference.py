"""Which of two."""

from __future__ import annotations

from typing import Any

import pytest

from believable.contracts.instrument import InvalidAnswer
from believable.instruments.preference import PREFERENCE, PreferenceParams


def test_forced_leaves_two() -> None:
    assert list(PREFERENCE.options(PreferenceParams())) == ["first", "second", "both", "neither"]
    assert list(PREFERENCE.options(PreferenceParams(forced=True))) == ["first", "second"]
    assert PREFERENCE.read(PreferenceParams(), "both") == "both"


@pytest.mark.parametrize("raw", ["both", "A", "", None, 1, ["first"]])
def test_what_cannot_be_chosen_is_refused(raw: Any) -> None:
    with pytest.raises(InvalidAnswer):
        PREFERENCE.read(PreferenceParams(forced=True), raw)
