"""The standard's own check: a full-scale 997 Hz sine in one channel is −3.01 LUFS. And ffmpeg's
meter beside ours.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from believable.recordings.film_file import load_av
from believable.stimuli.filters import FilterChain, one_thread
from believable.stimuli.loudness import WEIGHTING, gated_loudness
from believable.stimuli.recipe import SOUND_RATE_HZ as RATE_HZ


def integrated_lufs(samples: NDArray[np.float32]) -> float | None:
    """Loudness of `samples` (channels × time at 48 kHz, left and right). None for silence, or for
    less than one block.
    """
    av = load_av("Measuring loudness")
    graph = one_thread(av)
    source = graph.add_abuffer(
        sample_rate=RATE_HZ, format="fltp", layout="stereo", time_base=Fraction(1, RATE_HZ)
    )
    line = FilterChain(av, source, graph, WEIGHTING, "abuffersink")
    line.last.link_to(line.sink)
    graph.configure()
    frame = av.AudioFrame.from_ndarray(
        np.ascontiguousarray(samples), format="fltp", layout="stereo"
    )
    frame.sample_rate, frame.pts = RATE_HZ, 0
    return gated_loudness(line.whole([frame]))


def sine(seconds: float, amplitude: float = 1.0) -> NDArray[np.float32]:
    return (
        amplitude * np.sin(2 * np.pi * 997 * np.arange(round(seconds * RATE_HZ)) / RATE_HZ)
    ).astype(np.float32)


def test_the_standards_sine() -> None:
    left = sine(5)
    assert integrated_lufs(np.stack([left, 0 * left])) == pytest.approx(-3.01, abs=0.02)
    assert integrated_lufs(np.stack([left, left])) == pytest.approx(0.0, abs=0.02)


def test_ten_decibels_are_ten_units() -> None:
    both = np.stack([sine(3, 0.5)] * 2)
    soft = integrated_lufs((both * np.float32(10 ** (-10 / 20))).astype(np.float32))
    loud = integrated_lufs(both)
    assert loud is not None
    assert soft == pytest.approx(loud - 10, abs=1e-4)


def test_silence_has_no_loudness_and_does_not_count() -> None:
    loud = np.stack([sine(4, 0.1)] * 2)
    assert integrated_lufs(np.zeros_like(loud)) is None
    assert integrated_lufs(loud[:, :1000]) is None
    with_pause = np.concatenate([loud, np.zeros((2, 20 * RATE_HZ), np.float32)], axis=1)
    assert integrated_lufs(with_pause) == pytest.approx(integrated_lufs(loud), abs=0.3)


def test_beside_libavs_own_meter() -> None:
    av = pytest.importorskip("av", reason="needs the video extra")
    rng = np.random.default_rng(3)
    envelope = np.repeat(rng.uniform(0.001, 0.4, 60), RATE_HZ // 5)
    samples = (rng.normal(size=(2, len(envelope))) * 0.3 * envelope).astype(np.float32)
    graph = av.filter.Graph()
    source = graph.add_abuffer(format="fltp", sample_rate=RATE_HZ, layout="stereo")
    meter = graph.add("ebur128", "metadata=1")
    sink = graph.add("abuffersink")
    source.link_to(meter)
    meter.link_to(sink)
    graph.configure()
    measured = -math.inf
    for start in range(0, samples.shape[1], 4800):
        block = av.AudioFrame.from_ndarray(
            np.ascontiguousarray(samples[:, start : start + 4800]), format="fltp", layout="stereo"
        )
        block.sample_rate, block.pts = RATE_HZ, start
        source.push(block)
        while True:
            try:
                frame = sink.pull()
            except (av.BlockingIOError, av.EOFError):
                break
            measured = float(frame.metadata.get("lavfi.r128.I", measured))
    assert integrated_lufs(samples) == pytest.approx(measured, abs=0.1)
