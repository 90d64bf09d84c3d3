"""Colours that everybody can tell apart, on both grounds."""

from __future__ import annotations

from itertools import combinations

import pytest

from believable.report.colours import DARK, LIGHT, PAGE, Theme, css, variables


def linear(colour: str) -> tuple[float, ...]:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return tuple(
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


#: Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
BLIND = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}


def distance(one: str, other: str, kind: str) -> float:
    def seen(colour: str) -> tuple[float, ...]:
        parts = linear(colour)
        mixed = (
            sum(weight * part for weight, part in zip(row, parts, strict=True))
            for row in BLIND[kind]
        )
        return tuple(max(0.0, min(1.0, part)) ** (1 / 2.2) for part in mixed)

    return float(sum((a - b) ** 2 for a, b in zip(seen(one), seen(other), strict=True)) ** 0.5)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_text_and_hues_stand_out_from_the_ground(theme: Theme) -> None:
    assert contrast(theme.ink, theme.ground) > 12
    assert contrast(theme.soft, theme.ground) > 4.5
    assert all(contrast(hue, theme.ground) >= 3 for hue in theme.hues)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_numbers_can_be_read_on_every_step(theme: Theme) -> None:
    for grounds, inks in ((theme.steps, theme.steps_ink), (theme.split, theme.split_ink)):
        assert all(contrast(ink, ground) >= 4 for ink, ground in zip(inks, grounds, strict=True))


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("kind", BLIND)
def test_the_first_hues_differ_for_colour_blind_readers(theme: Theme, kind: str) -> None:
    assert all(distance(one, other, kind) > 0.12 for one, other in combinations(theme.hues[:4], 2))


def test_the_page_names_every_colour_of_a_theme() -> None:
    assert PAGE.hues[0] == "var(--f-hues-0)"
    assert variables(LIGHT).keys() == variables(DARK).keys()
    assert "--f-ink: #1c2127;" in css(LIGHT)
