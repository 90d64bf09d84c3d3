"""Films of one rate have the same bytes, picture by picture, and the same pictures as before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.giveaways.exhibits import exhibit_of
from believable.giveaways.film_look import look_at_film
from believable.giveaways.finder import find_giveaways
from believable.recordings.film_file import FilmFile, load_av
from believable.stimuli import constant_rate, source_pool, standardise
from believable.stimuli.constant_rate import (
    SOUND_BYTES,
    ByteBudget,
    byte_budget,
    fill_picture,
    filled_sound,
    sound_places,
)
from believable.stimuli.prepare import prepare_file
from believable.stimuli.recipe import Recipe
from believable.stimuli.source_pool import SourceDetails

RATE = 600_000
RECIPE = Recipe(width_px=160, height_px=90, frames_per_s=15, sound=False, bits_per_s=RATE)
STUDY = """believable: 1
title: Blind
seed: 1
languages: [en]
conditions: [human, imitation, rule_based]
timeline:
  - finish: {}
stimuli:
"""
Films = list[tuple[str, Path]]
CONDITIONS = ("human", "imitation", "rule_based")


def wall(seed: int) -> NDArray[np.uint8]:
    """A texture twice as wide as what is seen of it."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(40, 140, (10, 40, 3)).repeat(9, 0).repeat(8, 1)
    return (coarse + rng.integers(0, 40, coarse.shape)).astype(np.uint8)


def film(
    path: Path, seed: int, pixels_per_picture: int, *, brighter: int = 0, spot: bool = False
) -> Path:
    """Somebody who looks along a wall and turns at this speed."""
    texture = wall(seed)
    with FilmFile(path, 15, what="test", crf=10, preset="ultrafast") as out:
        for number in range(30):
            at = abs((number * pixels_per_picture + 40) % 320 - 160)
            picture = np.clip(texture[:, at : at + 160].astype(int) + brighter, 0, 255).astype(
                np.uint8
            )
            if spot:
                picture[42:48, 77:83] = (0, 255, 0)
            out.add(picture)
    return path


def stimulus(folder: Path, source: Path, condition: str, recipe: Recipe) -> Path:
    """What `standardise` makes of a film, in this process."""
    looked_at = source_pool.look(source)
    added = source_pool.add(
        folder,
        [source],
        SourceDetails(condition=condition, scenario="s"),
        clock=VirtualClock(0),
        new_name=lambda: source.stem,
        looked_at={source: looked_at},
    )
    return standardise.make(folder, added.new[source], recipe, 0)


def stimuli(
    folder: Path, recipe: Recipe, conditions: tuple[str, ...] = CONDITIONS, **spoiled: Any
) -> Films:
    """Four films of each condition; of the first ones the hands turn slowly, of the last ones
    fast.
    """
    films = []
    for condition in conditions:
        speed = 1 + 4 * CONDITIONS.index(condition)
        for take in range(4):
            source = film(folder / f"{condition}{take}.mp4", 7 * speed + take, speed, **spoiled)
            films.append((condition, stimulus(folder, source, condition, recipe)))
    return films


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> Films:
    return stimuli(tmp_path_factory.mktemp("films"), RECIPE)


def revealing(films: Films) -> set[str]:
    """The artifacts by which any two conditions are told apart."""
    shown = [
        exhibit_of(path, name=path.stem, condition=name, scenario=None, served={})
        for name, path in films
    ]
    found = find_giveaways(shown, np.random.default_rng(1)).of("artifact")
    return {giveaway.guess.feature for giveaway in found}


def test_whoever_turns_more_has_no_larger_film(films: Films, tmp_path: Path) -> None:
    budget = byte_budget(RATE, 15, 30)
    for _, path in films:
        with load_av("test").open(str(path)) as opened:
            sizes = [packet.size for packet in opened.demux(video=0) if packet.dts is not None]
        assert len(sizes) == 30
        assert [abs(size - budget.plain_bytes) <= 4 for size in sizes[1:]] == [True] * 29
        assert abs(sizes[0] - budget.key_bytes) <= 2
    served = [prepare_file(path, tmp_path / "media") for _, path in films]
    assert max(medium.bytes for medium in served) - min(medium.bytes for medium in served) <= 2, (
        "as browsers get them"
    )
    assert revealing(films) == set()


def test_files_as_large_as_their_pictures_need_tell_conditions_apart(tmp_path: Path) -> None:
    films = stimuli(
        tmp_path, Recipe(width_px=160, height_px=90, frames_per_s=15, sound=False, bits_per_s=0)
    )
    assert {"bytes", "packet_mean"} <= revealing(films)


def test_a_crosshair_is_noticed(films: Films, tmp_path: Path) -> None:
    plain = [look_at_film(path).artifacts["middle"] for _, path in films]
    spots = stimuli(tmp_path, RECIPE, ("rule_based",), spot=True)
    assert min(look_at_film(path).artifacts["middle"] for _, path in spots) > max(plain)


def test_the_pictures_are_those_of_the_film(films: Films) -> None:
    (_, path), *_ = films
    texture = wall(7)
    with load_av("test").open(str(path)) as opened:
        pictures = [
            frame.to_ndarray(format="rgb24").astype(int) for frame in opened.decode(video=0)
        ]
    assert len(pictures) == 30
    for number in (0, 15, 29):
        at = abs((number + 40) % 320 - 160)
        assert np.abs(pictures[number] - texture[:, at : at + 160]).mean() < 12


def test_places_of_pictures_make_up_the_rate() -> None:
    budget = byte_budget(4_000_000, 30, 60)
    assert budget == ByteBudget(16129, 60)
    assert 8 * (59 * budget.plain_bytes + budget.key_bytes) / 2 == pytest.approx(
        4_000_000, rel=1e-3
    )


def test_the_last_unit_of_a_picture_is_filled_with_words() -> None:
    sample = bytes([0, 0, 0, 2, 9, 16, 0, 0, 0, 3, 65, 1, 128])
    assert fill_picture(sample, 20) == bytes(
        [0, 0, 0, 2, 9, 16, 0, 0, 0, 9, 65, 1, 128, 0, 0, 3, 0, 0, 3]
    )
    assert fill_picture(sample, 13) == fill_picture(sample, 15) == sample


def sounding(path: Path, loud: float) -> Path:
    """A film with a noise that comes and goes."""
    av, rng = load_av("test"), np.random.default_rng(round(100 * loud))
    with av.open(str(path), "w", format="mp4") as out:
        video, voice = (
            out.add_stream("libx264", rate=15),
            out.add_stream("aac", rate=48000, layout="stereo"),
        )
        video.width, video.height, video.pix_fmt = 160, 90, "yuv420p"
        for number in range(30):
            out.mux(
                video.encode(
                    av.VideoFrame.from_ndarray(
                        wall(1)[:, 2 * number : 2 * number + 160].copy(), format="rgb24"
                    )
                )
            )
            level = loud * (number % 7 < 3)
            samples = (level * rng.normal(size=(2, 3200))).clip(-1, 1).astype(np.float32)
            block = av.AudioFrame.from_ndarray(samples, format="fltp", layout="stereo")
            block.sample_rate = 48000
            out.mux(voice.encode(block))
        out.mux(video.encode(None))
        out.mux(voice.encode(None))
    return path


def blocks(path: Path) -> list[bytes]:
    with load_av("test").open(str(path)) as opened:
        return [bytes(packet) for packet in opened.demux(audio=0) if packet.dts is not None]


def heard(path: Path) -> NDArray[np.float32]:
    with load_av("test").open(str(path)) as opened:
        return np.concatenate([frame.to_ndarray() for frame in opened.decode(audio=0)], axis=1)


def test_sound_has_one_size_and_sounds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = Recipe(width_px=160, height_px=90, frames_per_s=15, bits_per_s=RATE)
    paths = [
        sounding(tmp_path / f"{name}.mp4", loud) for name, loud in (("loud", 0.3), ("soft", 0.01))
    ]
    films = [stimulus(tmp_path, path, path.stem, recipe) for path in paths]
    for film_made in films:
        sizes = [len(block) for block in blocks(film_made)]
        assert sum(sizes) == SOUND_BYTES * len(sizes)
        assert max(sizes) <= 1536
    served = [prepare_file(path, tmp_path / "media") for path in films]
    assert abs(served[0].bytes - served[1].bytes) <= 2
    filled_ones = heard(films[0])
    monkeypatch.setattr(constant_rate, "filled_sound", lambda block, size: block)
    (tmp_path / "bare").mkdir()
    bare = stimulus(tmp_path / "bare", paths[0], "loud", recipe)
    assert len({len(block) for block in blocks(bare)}) > 5
    assert np.array_equal(heard(bare), filled_ones)


def test_sound_is_filled_up_to_one_level() -> None:
    assert sound_places([10, 100, 30, 30], 240) == [47, 100, 47, 46]
    assert sound_places([10, 20], 30) == [10, 20]
    assert sound_places([], 0) == []


@pytest.mark.parametrize(
    "more", [0, 1, 2, 3, 13, 14, 15, 16, 17, 18, 268, 269, 270, 271, 272, 273, 1000]
)
def test_every_size_of_sound_can_be_reached(more: int) -> None:
    for ending in range(8):
        block = (0x21490000 | 0b111 << ending).to_bytes(4, "big")
        assert len(filled_sound(block, len(block) + more)) == len(block) + more


def test_a_rate_that_is_too_low_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        InvalidInput, match="bits per second: expected 100000 or more, or 0, got 5000"
    ):
        Recipe(bits_per_s=5000)
    tried = []
    monkeypatch.setattr(
        constant_rate, "byte_budget", lambda *rate: tried.append(rate) or ByteBudget(40, 30)
    )
    with pytest.raises(
        InvalidInput, match=r"do not fit into 600000 bits per second\. Choose a higher rate"
    ):
        stimulus(tmp_path, film(tmp_path / "a.mp4", 1, 9), "human", RECIPE)
    assert tried == [(RATE, 15, 30)]
    assert not list((tmp_path / "stimuli").iterdir()), "nothing is left behind"
