"""The loudness of samples in memory, by the meter of the product."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
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
