"""The five points of certainty and of the clip rating."""

from __future__ import annotations

from typing import Any

import pytest

from believable.contracts.instrument import Instrument, InvalidAnswer
from believable.contracts.texts import LANGUAGES, built_in
from believable.instruments.certainty import CERTAINTY
from believable.instruments.clip_rating import CLIP_RATING

SCALES = pytest.mark.parametrize("instrument", [CERTAINTY, CLIP_RATING], ids=lambda one: one.name)


@SCALES
def test_five_points_with_words_in_every_language(instrument: Instrument[Any]) -> None:
    params = instrument.params()
    assert list(instrument.options(params)) == [1, 2, 3, 4, 5]
    for texts in map(built_in, LANGUAGES):
        assert len({texts[f"{instrument.name}.{point}"] for point in range(1, 6)}) == 5
    for raw in (0, 6, "3", True):
        with pytest.raises(InvalidAnswer):
            instrument.read(params, raw)


@SCALES
@pytest.mark.parametrize(("labels", "problems"), [(0, 0), (5, 0), (2, 1), (6, 1)])
def test_own_labels_name_all_points(
    instrument: Instrument[Any], labels: int, problems: int
) -> None:
    params = instrument.params.model_validate({"labels": [f"label {n}" for n in range(labels)]})
    assert len(instrument.check(params)) == problems
