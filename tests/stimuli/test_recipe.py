from __future__ import annotations

import pytest

from believable.core.errors import InvalidInput
from believable.stimuli.recipe import Mask, Recipe, Shot, fit_size, in_words, picture_chain


def test_masks_are_read_and_refused_in_words() -> None:
    assert Mask.parse("1,2, 30,40") == Mask(1, 2, 30, 40)
    with pytest.raises(InvalidInput, match="X,Y,WIDTH,HEIGHT in whole pixels, got '1,2,3'"):
        Mask.parse("1,2,3")
    with pytest.raises(InvalidInput, match="inside the picture"):
        Mask.parse("-1,2,3,4")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"width_px": 641}, "even numbers"),
        ({"frames_per_s": 0}, "1 to 240"),
        ({"loudness_lufs": 3.0}, "LUFS"),
        ({"cut_end_ms": -1}, "0 or more"),
        ({"crf": 60}, "0 to 51"),
    ],
)
def test_recipes_that_cannot_be_followed(wrong: dict[str, float], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        Recipe(**wrong)  # type: ignore[arg-type]


def test_equal_recipes_have_equal_digests_and_others_do_not() -> None:
    assert Recipe(crf=20).digest == Recipe(crf=20).digest
    assert (
        len({Recipe().digest, Recipe(crf=20).digest, Recipe(masks=(Mask(0, 0, 2, 2),)).digest}) == 3
    )


def test_pictures_keep_their_shape() -> None:
    assert fit_size((160, 90), 1280, 720) == (1280, 720)
    assert fit_size((100, 100), 1280, 720) == (720, 720)
    assert fit_size((720 * 16 / 15, 576), 1280, 720) == (960, 720)  # pixels that are not square


def test_a_turned_picture_is_turned_back_before_it_is_fitted() -> None:
    shot = Shot(start_s=0.0, end_s=1.0, picture_px=(640, 360), shape=(640.0, 360.0), turn_deg=-90)
    words = in_words(picture_chain(Recipe(), shot))
    assert "transpose=clock,fps" in words
    assert "w=404:h=720" in words
    assert "pad=w=1280:h=720" in words
