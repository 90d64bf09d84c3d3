"""The quality tests are decoded and measured against their own truth."""

from __future__ import annotations

import csv
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from believable.stimuli import qa
from believable.stimuli.probe import decode, facts

av: Any = pytest.importorskip("av", reason="needs the video extra")


#: Short, and still with held seconds and a wide range of greens, which the tests below make sure
#: of.
SECONDS = 10


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, qa.QualityFilm]:
    folder = tmp_path_factory.mktemp("qa")
    return {test: qa.make(folder, test, seed=3, duration_s=SECONDS) for test in qa.TESTS}


def truth(one: qa.QualityFilm, column: str) -> list[float]:
    with one.truth.open(newline="") as file:
        return [float(row[column]) for row in csv.DictReader(file)]


#: The promise is ±3; half of it is left for decoders that were not tried.
MARGIN = 1.5
#: The colour is the same everywhere, so every so many rows are enough.
ROWS = 12


def by_pyav(film: Path) -> NDArray[np.float64]:
    with av.open(str(film)) as file:
        return np.array(
            [
                frame.to_ndarray(format="rgb24")[::ROWS].mean(axis=(0, 1))
                for frame in file.decode(video=0)
            ]
        )


def by_ffmpeg(film: Path) -> NDArray[np.float64]:
    program = shutil.which("ffmpeg")
    if program is None:
        pytest.skip("ffmpeg is not installed: apt install ffmpeg")
    command = [
        program,
        "-v",
        "error",
        "-i",
        str(film),
        "-map",
        "0:v",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-",
    ]
    size, means = qa.WIDTH_PX * qa.HEIGHT_PX * 3, []
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        while picture := running.stdout.read(size):
            rows = np.frombuffer(picture, np.uint8).reshape(qa.HEIGHT_PX, qa.WIDTH_PX, 3)[::ROWS]
            means.append(rows.mean(axis=(0, 1)))
    assert running.returncode == 0
    return np.array(means)


@pytest.mark.parametrize("decoded", [by_pyav, by_ffmpeg])
def test_green_follows_the_truth_in_every_picture(
    made: dict[str, qa.QualityFilm], decoded: Callable[[Path], NDArray[np.float64]]
) -> None:
    expected = truth(made["visual"], "green")
    shown = decoded(made["visual"].film)
    assert len(shown) == len(expected) == SECONDS * qa.FRAMES_PER_S
    assert np.abs(shown[:, 1] - expected).max() <= MARGIN
    assert np.abs(shown[:, 0] - 20).max() <= 5
    assert np.abs(shown[:, 2] - 12).max() <= 5
    assert min(expected) >= 25
    assert max(expected) <= 255
    assert max(expected) - min(expected) > 60


def test_every_green_is_within_the_margin_in_exact_arithmetic() -> None:
    """As browsers do it."""
    for green in range(qa.GREEN[0], qa.GREEN[1] + 1):
        shown = qa._to_rgb(qa._to_yuv(np.array([qa.RED, green, qa.BLUE], float))[None])[0]
        assert abs(shown[1] - green) <= MARGIN
        assert np.abs(shown[[0, 2]] - (qa.RED, qa.BLUE)).max() <= 5


def pitch_hz(wave: NDArray[np.float32]) -> float:
    """The first strong peak of the autocorrelation, between samples by a parabola."""
    centred = wave - wave.mean()
    power = np.abs(np.fft.rfft(centred, 2 * len(centred))) ** 2
    like = np.fft.irfft(power)[: len(centred) // 2] / np.arange(len(centred), len(centred) // 2, -1)
    inside = np.arange(1, len(like) - 1)
    peaks = inside[
        (like[inside] > like[inside - 1]) & (like[inside] >= like[inside + 1]) & (inside > 80)
    ]
    best = peaks[like[peaks] > 0.9 * like[peaks].max()][0]
    before, here, after = like[best - 1 : best + 2]
    return float(qa.SOUND_RATE_HZ / (best + 0.5 * (before - after) / (before - 2 * here + after)))


def test_pitch_follows_the_truth_in_every_held_second(made: dict[str, qa.QualityFilm]) -> None:
    one = made["auditory"]
    expected = truth(one, "pitch_hz")
    with av.open(str(one.film)) as file:
        blocks = [frame.to_ndarray()[0] for frame in file.decode(audio=0)]
    heard = np.concatenate(blocks)
    held = [
        second
        for piece in one.signal.pieces
        if piece.kind == "hold"
        for second in range(-(-piece.start_ms // 1000), piece.end_ms // 1000)
    ]
    assert len(held) >= 4
    for second in held:
        part = heard[second * qa.SOUND_RATE_HZ : (second + 1) * qa.SOUND_RATE_HZ]
        assert pitch_hz(part) == pytest.approx(expected[second * qa.FRAMES_PER_S], rel=0.03), second


def test_the_tone_is_a_triangle_wave(made: dict[str, qa.QualityFilm]) -> None:
    """Odd harmonics only, falling with the square of their number."""
    wave = qa.tone(made["auditory"].signal)[: qa.SOUND_RATE_HZ]
    spectrum = np.abs(np.fft.rfft(wave * np.hanning(len(wave))))
    base = int(np.argmax(spectrum))
    level = [
        spectrum[round(base * n) - 3 : round(base * n) + 4].max() / spectrum[base]
        for n in (2, 3, 5)
    ]
    assert level[0] < 0.02
    assert level[1] == pytest.approx(1 / 9, rel=0.3)
    assert level[2] == pytest.approx(1 / 25, rel=0.5)


def test_the_screen_of_the_auditory_test_is_black_with_a_message(
    made: dict[str, qa.QualityFilm],
) -> None:
    with av.open(str(made["auditory"].film)) as file:
        picture = next(file.decode(video=0)).to_ndarray(format="rgb24")
    assert picture[:100].max() < 6
    assert picture[250:290, 300:660].max() > 120


def test_files_are_whole_and_say_nothing(made: dict[str, qa.QualityFilm]) -> None:
    for one in made.values():
        assert decode(one.film).fault == ""
        assert facts(one.film).encoder == ""
        assert facts(one.film).duration_ms == pytest.approx(1000 * SECONDS, abs=30)


def test_the_same_seed_makes_the_same_film(made: dict[str, qa.QualityFilm], tmp_path: Path) -> None:
    one, again = made["visual"], qa.make(tmp_path, "visual", seed=3, duration_s=SECONDS)
    assert one.film.read_bytes() == again.film.read_bytes()
    assert one.truth.read_bytes() == again.truth.read_bytes()
