"""The page of the headphone check plays tones without being told which one is right."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from believable.pages.device import DEVICE, ROWS, TONES, Device, quietest_tone, tone_rows


def message(seed: int, attempts: int = 0) -> dict[str, Any]:
    page: Any = SimpleNamespace(
        seed=seed, attempts=attempts, drafts={}, planned=SimpleNamespace(key="device")
    )
    return dict(DEVICE.looks.message(Device(id="device"), page)["device"])


@pytest.mark.parametrize("seed", range(20))
def test_the_sounds_hold_the_answer_and_nothing_else_does(seed: int) -> None:
    """The quieter tone is heard over headphones, the one with its sides against each other seems
    the quietest in a room.
    """
    device = message(seed)
    assert device.keys() == {"tones", "later", "wheel", "attempt"}
    for attempt, rows in enumerate((device["tones"], *device["later"]), 1):
        planned = tone_rows(seed, "device", attempt)
        assert [quietest_tone(row, headphones=True) for row in rows] == [
            row.quiet for row in planned
        ]
        assert [quietest_tone(row, headphones=False) for row in rows] == [
            row.against for row in planned
        ]
        waves = [wave for row in rows for wave in row]
        assert all(isinstance(wave, str) for wave in waves)
        assert {len(wave) for wave in waves} == {len(waves[0])}
        assert len(set(waves)) == ROWS * TONES, "equal tones look different"


def test_a_reload_plays_the_same_sounds() -> None:
    assert message(3) == message(3)
    assert message(3)["later"][0] == message(3, attempts=1)["tones"]
