from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from believable.recordings.recording import Actor, RecordedWorld, Recording, State, Timing, Track
from believable.recordings.scene import Shape
from believable.stimuli.raster import Camera, PixelBox, Rasteriser, bubble_place, paint, whole_world
from believable.worlds import draw

CAMERA = Camera(x=5, y=5, px_per_tile=20, width_px=200, height_px=200)


def ink(*shapes: Shape) -> float:
    """Painted area in tiles, black on white."""
    pixels = np.full((200, 200, 3), 255, np.float32)
    return float((255 - paint(pixels, shapes, CAMERA)[..., 0]).sum() / 255 / CAMERA.px_per_tile**2)


@pytest.mark.parametrize(
    ("shape", "area"),
    [
        (Shape(kind="rect", fill="#000000", x=1.03, y=2.07, w=3.11, h=1.7), 3.11 * 1.7),
        (Shape(kind="circle", fill="#000000", x=5.01, y=5.02, r=2.3), math.pi * 2.3**2),
        (
            Shape(kind="sector", fill="#000000", x=5, y=5, r=3, from_deg=-30, to_deg=60),
            math.pi * 9 / 4,
        ),
        (
            Shape(kind="sector", fill="#000000", x=5, y=5, r=3, from_deg=10, to_deg=280),
            math.pi * 9 * 0.75,
        ),
        (Shape(kind="poly", fill="#000000", points=((1, 1), (6, 2), (3, 7))), 14.0),
        (Shape(kind="poly", fill="#000000", points=((1, 1), (3, 7), (6, 2))), 14.0),
        (Shape(kind="circle", fill="#00000080", x=5, y=5, r=2), math.pi * 4 * 128 / 255),
        (Shape(kind="rect", fill="#000000", x=-3, y=-3, w=4, h=4), 1.0),
        (Shape(kind="circle", fill="#000000", x=40, y=40, r=2), 0.0),
    ],
)
def test_a_shape_covers_its_area(shape: Shape, area: float) -> None:
    assert ink(shape) == pytest.approx(area, abs=0.03)


def test_later_shapes_lie_on_top() -> None:
    pixels = np.zeros((200, 200, 3), np.float32)
    paint(
        pixels,
        [
            Shape(kind="rect", fill="#ff0000", x=0, y=0, w=10, h=10),
            Shape(kind="circle", fill="#0000ff", x=5, y=5, r=1),
        ],
        CAMERA,
    )
    assert pixels[100, 100].tolist() == [0, 0, 255]
    assert pixels[5, 5].tolist() == [255, 0, 0]


def test_a_recording_becomes_pictures_that_follow_the_actors() -> None:
    replay = Recording(
        world=RecordedWorld(
            kind="maze", width=8, height=6, walls=("########", *["#......#"] * 4, "########")
        ),
        actors=(Actor("p", "You", "player"),),
        timing=Timing(frame_ms=100, frames=3),
        tracks=(
            Track(
                actor="p",
                x=(2000, 2500, 3000),
                y=(3000,) * 3,
                heading=(0,) * 3,
                first_frame=0,
                states=(State(0, "health", 100),),
            ),
        ),
    )
    scene = draw(replay)
    camera = whole_world(scene, 320, 240)
    painter = Rasteriser(scene, replay, camera)
    first, last = painter.picture(0), painter.picture(200)
    assert first.shape == (240, 320, 3)
    figure, empty = first[105:135, 65:95], first[105:135, 65 + 160 : 95 + 160]
    assert not np.array_equal(figure, empty)
    assert np.array_equal(last[105:135, 65 + 40 : 95 + 40], figure), "a metre is forty pixels"
    assert np.array_equal(first, painter.picture(0))


def test_what_the_font_cannot_draw_leaves_a_bubble_that_says_something() -> None:
    assert ink(Shape(kind="bubble", fill="#000000", x=5, y=5, text="😴", size=0.8)) > 0.2


@pytest.mark.parametrize(
    ("foot", "names", "corner"),
    [
        ((200, 150), (), (160, 130)),
        ((200, 150), ((150, 125, 100, 16),), (160, 198)),
        ((200, 150), ((150, 125, 100, 16), (150, 195, 100, 30)), (220, 156)),
        ((5, 4), (), (0, 0)),
    ],
)
def test_a_bubble_covers_no_name(
    foot: tuple[int, int], names: tuple[PixelBox, ...], corner: tuple[int, int]
) -> None:
    """The same places as the browser's painter takes (`tests/js/painter.test.mjs`)."""
    assert bubble_place(foot, (80, 20), 20, names, (400, 300)) == corner


def test_in_a_film_the_name_of_a_place_can_be_read_beside_a_bubble() -> None:
    name = Shape(kind="text", fill="#c00000", x=5, y=3.2, text="Bakery", size=0.8)
    alone = paint(np.full((200, 200, 3), 255, np.float32), [name], CAMERA)
    bubble = Shape(kind="bubble", fill="#ffffff", x=5, y=4, text="Hello", size=0.8)
    both = paint(np.full((200, 200, 3), 255, np.float32), [name, bubble], CAMERA)
    red = alone[..., 1] < 120
    assert red.sum() > 20
    assert (both[..., 1][red] < 120).all()


def test_two_who_talk_side_by_side_can_both_be_read() -> None:
    empty = np.full((200, 200, 3), 120, np.float32)
    first, second = (
        Shape(kind="bubble", fill="#ffffff", x=x, y=4, text=text, size=0.8)
        for x, text in ((5, "Good day"), (5.5, "Hello"))
    )
    alone = [paint(empty.copy(), [bubble], CAMERA)[..., 1] > 200 for bubble in (first, second)]
    both = paint(empty.copy(), [first, second], CAMERA)[..., 1] > 200
    assert (alone[0] & alone[1]).any(), "above their heads one would cover the other"
    assert both.sum() == pytest.approx(alone[0].sum() + alone[1].sum(), rel=0.02)


def test_somebody_out_of_sight_has_no_bubble_at_the_edge() -> None:
    assert ink(Shape(kind="bubble", fill="#000000", x=5, y=13, text="Hello", size=0.8)) == 0
    assert ink(Shape(kind="bubble", fill="#000000", x=5, y=10, text="Hello", size=0.8)) > 0


def test_a_halo_keeps_a_name_readable_on_something_dark() -> None:
    dark = np.zeros((200, 200, 3), np.float32)
    name = Shape(kind="text", fill="#26303a", x=5, y=5, text="Ada", size=0.8)
    assert paint(dark.copy(), [name], CAMERA).max() < 70
    assert paint(dark.copy(), [replace(name, halo="#ffffffb3")], CAMERA).max() > 150
