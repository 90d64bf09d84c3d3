from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from believable.core.errors import InvalidInput
from believable.stimuli.signal import LEAST_CHANGE, STEEPEST_PER_S, draw


@given(seed=st.integers(0, 10_000), duration_s=st.sampled_from([10, 32, 60, 120]))
def test_every_signal_can_be_followed(seed: int, duration_s: int) -> None:
    signal = draw(seed, duration_s)
    assert signal == draw(seed, duration_s)
    assert (signal.pieces[0].start_ms, signal.pieces[-1].end_ms) == (0, 1000 * duration_s)
    for before, after in pairwise(signal.pieces):
        assert before.end_ms == after.start_ms
        assert before.end_level == after.start_level
    for number, piece in enumerate(signal.pieces):
        change = abs(piece.end_level - piece.start_level)
        assert 0 <= piece.end_level <= 1
        assert change <= STEEPEST_PER_S * (piece.end_ms - piece.start_ms) / 1000 + 0.01
        if piece.kind == "hold":
            assert change == 0
        elif number < len(signal.pieces) - 1:
            assert change >= LEAST_CHANGE - 0.002
    assert signal.pieces[0].kind == "hold"
    assert signal.pieces[0].end_ms >= 2000


def test_a_minute_has_all_three_kinds_and_goes_both_ways() -> None:
    for seed in range(20):
        signal = draw(seed)
        assert {piece.kind for piece in signal.pieces} >= {"ramp", "hold"}
        levels = signal.levels(np.arange(0, 60_000, 250.0))
        signs = np.sign(np.diff(levels))
        assert all((signs == way).mean() > 0.1 for way in (-1, 0, 1)), seed
    assert any(piece.kind == "reversal" for piece in draw(1).pieces)
    assert draw(1) != draw(2)


def test_reversals_turn_back() -> None:
    for seed in range(20):
        pieces = draw(seed).pieces[:-1]
        for first, second in pairwise(pieces):
            if first.kind == second.kind == "reversal" and first.end_level > first.start_level:
                up_again = second.end_level > second.start_level
                assert not up_again or first.end_level < LEAST_CHANGE


def test_lengths_out_of_range() -> None:
    with pytest.raises(InvalidInput, match="expected 10 to 600 seconds, got 5"):
        draw(1, 5)
