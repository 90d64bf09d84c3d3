from __future__ import annotations

from dataclasses import astuple, fields

import pytest

from believable.core.errors import InvalidInput
from believable.worlds.maze.temper import (
    CALM,
    FRUSTRATED,
    PRESETS,
    Frustration,
    Temper,
    constant,
    preset,
)


def test_the_two_ends_differ_in_every_parameter_and_in_the_stated_direction() -> None:
    assert all(a != b for a, b in zip(astuple(CALM), astuple(FRUSTRATED), strict=True))
    assert FRUSTRATED.view_deg < CALM.view_deg
    assert FRUSTRATED.hearing_blur < CALM.hearing_blur
    assert FRUSTRATED.fire_health < CALM.fire_health
    assert FRUSTRATED.detour_ratio < CALM.detour_ratio
    assert FRUSTRATED.swerve_deg > CALM.swerve_deg


def test_the_presets_differ_in_every_number() -> None:
    calm, frustrated = astuple(PRESETS["calm"]), astuple(PRESETS["frustrated"])
    assert all(a != b for a, b in zip(calm, frustrated, strict=True))


def test_the_table_in_the_docstring_names_every_parameter() -> None:
    assert all(f"`{field.name}`" in (Temper.__doc__ or "") for field in fields(Temper))


def test_a_mix_lies_between() -> None:
    assert CALM.mix(FRUSTRATED, 0.0) == CALM
    assert CALM.mix(FRUSTRATED, 1.0) == FRUSTRATED
    assert CALM.mix(FRUSTRATED, 0.5).view_deg == (CALM.view_deg + FRUSTRATED.view_deg) / 2


def test_frustration_rises_stays_in_bounds_and_returns_to_rest() -> None:
    mood = Frustration(preset("calm"))
    mood.add(5.0)
    assert mood.level == 1.0
    assert mood.temper.view_deg == pytest.approx(FRUSTRATED.view_deg)
    mood.settle(100.0)
    assert mood.level == 0.0
    assert mood.temper.view_deg == pytest.approx(CALM.view_deg, abs=0.5)


def test_constant_frustration_never_moves() -> None:
    mood = Frustration(constant(0.4))
    mood.settle(1000.0)
    mood.add(mood.dynamics.when_sight_lost)
    assert mood.level == 0.4


def test_wrong_names_and_levels_are_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"unknown opponent preset 'clam'\. Did you mean 'calm'\?"
    ):
        preset("clam")
    with pytest.raises(InvalidInput, match=r"between 0 and 1, got 2"):
        constant(2)
