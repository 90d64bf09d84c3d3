"""Quality tests: a green screen whose brightness, and a tone whose pitch, follow a known signal
(methods: `qa`).

The truth is next to each film as a table, one row per picture. Same seed, same film.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput
from believable.recordings.film_file import load_av
from believable.stimuli.prepare import strip_metadata
from believable.stimuli.raster import watermark
from believable.stimuli.signal import Signal, draw

Test = Literal["visual", "auditory"]
TESTS: tuple[Test, ...] = ("visual", "auditory")

FRAMES_PER_S = 60
WIDTH_PX, HEIGHT_PX = 960, 540
GREEN, RED, BLUE = (25, 255), 20, 12
PITCH_HZ = (50.0, 470.0)
SOUND_RATE_HZ = 48_000
SOUND_BLOCK = 1024
AMPLITUDE = 0.3
FADE_S = 0.02
MESSAGE = "Listen to the tone"

#: A plain colour costs next to nothing, so nothing of it is saved away.
VIDEO_OPTIONS = {"crf": "1", "preset": "veryfast", "threads": "1", "g": "120", "profile": "high"}

#: Turned back into colours, a code is shown as it is by exact arithmetic (browsers), and with up to
#: two and a half steps less of green by ffmpeg, which cuts fractions off. Codes aim between the
#: two, so that both stay within 1.5 of the truth.
LEAN = np.array([0.0, 1.25, 0.0])
#: Whole steps around a rounded colour.
STEPS = np.array([(y, u, v) for y in (-1, 0, 1) for u in (-1, 0, 1) for v in (-1, 0, 1)])


@dataclass(frozen=True, slots=True)
class QualityFilm:
    film: Path
    truth: Path
    signal: Signal


def truth_values(test: Test, signal: Signal) -> NDArray[np.float64]:
    """The value shown with each picture: green from 25 to 255 in whole steps, or pitch in Hz."""
    frames = signal.duration_ms * FRAMES_PER_S // 1000
    levels = signal.levels(np.arange(frames) * 1000 / FRAMES_PER_S)
    if test == "visual":
        return np.rint(GREEN[0] + (GREEN[1] - GREEN[0]) * levels)
    return PITCH_HZ[0] + (PITCH_HZ[1] - PITCH_HZ[0]) * levels


def make(
    folder: Path,
    test: Test,
    *,
    seed: int = 1,
    duration_s: int = 60,
    message: str = MESSAGE,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> QualityFilm:
    """Write `qa_<test>.mp4` and `qa_<test>.truth.csv`, each whole or not at all."""
    if test not in TESTS:
        raise InvalidInput(f"test: expected visual or auditory, got {test!r}.")
    signal = draw(seed, duration_s)
    folder.mkdir(parents=True, exist_ok=True)
    film, truth = folder / f"qa_{test}.mp4", folder / f"qa_{test}.truth.csv"
    coded, clean = (
        film.with_name(f".{film.name}.{os.getpid()}.{end}") for end in ("coded", "clean")
    )
    table = truth.with_name(f".{truth.name}.{os.getpid()}.part")
    try:
        _encode(coded, test, signal, message, progress)
        strip_metadata(coded, clean)
        table.write_text(truth_table(test, signal), "utf-8")
        os.replace(table, truth)
        os.replace(clean, film)
    finally:
        for path in (coded, clean, table):
            path.unlink(missing_ok=True)
    return QualityFilm(film, truth, signal)


def truth_table(test: Test, signal: Signal) -> str:
    """One row per picture: its number, its time, the signal's phase, its level, and the shown or
    heard value.
    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(
        ["frame", "time_ms", "kind", "level", "green" if test == "visual" else "pitch_hz"]
    )
    values = truth_values(test, signal)
    times_ms = np.arange(len(values)) * 1000 / FRAMES_PER_S
    levels = signal.levels(times_ms)
    for frame, (t_ms, level, value) in enumerate(zip(times_ms, levels, values, strict=True)):
        shown = f"{value:.0f}" if test == "visual" else f"{value:.3f}"
        rows.writerow([frame, f"{t_ms:.3f}", signal.kind_at(t_ms), f"{level:.6f}", shown])
    return text.getvalue()


def tone(signal: Signal) -> NDArray[np.float32]:
    """A triangle wave whose pitch follows the signal without steps."""
    count = signal.duration_ms * SOUND_RATE_HZ // 1000
    times_s = np.arange(count) / SOUND_RATE_HZ
    pitch_hz = PITCH_HZ[0] + (PITCH_HZ[1] - PITCH_HZ[0]) * signal.levels(1000 * times_s)
    turns = np.cumsum(pitch_hz) / SOUND_RATE_HZ
    wave = 4 * np.abs(np.mod(turns + 0.25, 1.0) - 0.5) - 1
    fade = np.minimum(1.0, np.minimum(times_s, times_s[-1] - times_s) / FADE_S)
    return np.asarray(AMPLITUDE * wave * fade, np.float32)


def _encode(
    path: Path, test: Test, signal: Signal, message: str, progress: Callable[[int, int], None]
) -> None:
    av = load_av("Making quality tests")
    sound = (
        tone(signal)
        if test == "auditory"
        else np.zeros(signal.duration_ms * SOUND_RATE_HZ // 1000, np.float32)
    )
    pictures = _greens(signal) if test == "visual" else _message(message, signal)
    frames = signal.duration_ms * FRAMES_PER_S // 1000
    with av.open(str(path), "w", format="mp4", options={"fflags": "+bitexact"}) as out:
        screen = out.add_stream("libx264", rate=FRAMES_PER_S, options=VIDEO_OPTIONS)
        screen.width, screen.height, screen.pix_fmt = WIDTH_PX, HEIGHT_PX, "yuv420p"
        context = screen.codec_context
        context.colorspace = context.color_primaries = context.color_trc = (
            1  # BT.709, as the colours below are computed
        )
        context.color_range = 1
        voice = out.add_stream("aac", rate=SOUND_RATE_HZ, layout="mono", bit_rate=128_000)
        for stream in (screen, voice):
            stream.codec_context.flags |= int(av.codec.context.Flags.bitexact)
        for number, picture in enumerate(pictures):
            frame = av.VideoFrame.from_ndarray(picture, format="yuv420p")
            frame.pts, frame.time_base = number, Fraction(1, FRAMES_PER_S)
            out.mux(screen.encode(frame))
            if number % FRAMES_PER_S == 0:
                second = number // FRAMES_PER_S
                _encode_sound(av, out, voice, sound, second)
                progress(number + FRAMES_PER_S, frames)
        for stream in (screen, voice):
            out.mux(stream.encode(None))


def _encode_sound(av: Any, out: Any, voice: Any, sound: NDArray[np.float32], second: int) -> None:
    """The blocks that begin in this second, so that pictures and sound are
    interleaved in the file.
    """
    first = -(-second * SOUND_RATE_HZ // SOUND_BLOCK) * SOUND_BLOCK
    for start in range(first, min(len(sound), (second + 1) * SOUND_RATE_HZ), SOUND_BLOCK):
        block = av.AudioFrame.from_ndarray(
            sound[None, start : start + SOUND_BLOCK], format="fltp", layout="mono"
        )
        block.sample_rate, block.pts, block.time_base = (
            SOUND_RATE_HZ,
            start,
            Fraction(1, SOUND_RATE_HZ),
        )
        out.mux(voice.encode(block))


def _greens(signal: Signal) -> Iterator[NDArray[np.uint8]]:
    for green in truth_values("visual", signal):
        yield _plain(np.array([RED, green, BLUE]))


def _message(message: str, signal: Signal) -> Iterator[NDArray[np.uint8]]:
    words = watermark(message, WIDTH_PX, HEIGHT_PX)
    picture = _plain(np.zeros(3))
    height, width = words.shape[:2]
    top, left = (HEIGHT_PX - height) // 2 & ~1, (WIDTH_PX - width) // 2 & ~1
    light = words[:, :, :3].max(axis=2) * (words[:, :, 3] / 255)
    picture[top : top + height, left : left + width] = np.rint(16 + 219 * light / 255).astype(
        np.uint8
    )
    for _ in range(signal.duration_ms * FRAMES_PER_S // 1000):
        yield picture


def _plain(rgb: NDArray[np.float64]) -> NDArray[np.uint8]:
    """A picture of one colour, planes one below the other."""
    planes = np.empty((HEIGHT_PX * 3 // 2, WIDTH_PX), np.uint8)
    quarter = HEIGHT_PX // 4
    luma, blueness, redness = _to_yuv(rgb)
    planes[:HEIGHT_PX] = luma
    planes[HEIGHT_PX : HEIGHT_PX + quarter] = blueness
    planes[HEIGHT_PX + quarter :] = redness
    return planes


def _to_yuv(rgb: NDArray[np.float64]) -> NDArray[np.int64]:
    """Luma and colour differences (BT.709, 16 to 235) in whole steps: green is reproduced best (see
    `LEAN`), then the others.
    """
    red, green, blue = rgb / 255
    luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    exact = np.array(
        [16 + 219 * luma, 128 + 224 * (blue - luma) / 1.8556, 128 + 224 * (red - luma) / 1.5748]
    )
    near = np.rint(exact).astype(np.int64) + STEPS
    missed = np.abs(_to_rgb(near) - (rgb + LEAN))
    return np.asarray(near[np.argmin(missed @ (1.0, 10.0, 1.0))])


def _to_rgb(coded: NDArray[np.int64]) -> NDArray[np.float64]:
    luma, blueness, redness = (
        (coded[:, 0] - 16) / 219,
        (coded[:, 1] - 128) / 224,
        (coded[:, 2] - 128) / 224,
    )
    red, blue = luma + 1.5748 * redness, luma + 1.8556 * blueness
    green = (luma - 0.2126 * red - 0.0722 * blue) / 0.7152
    return 255 * np.clip(np.stack([red, green, blue], axis=1), 0, 1)
