"""Small videos with everything in them that gives a condition away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from believable.core.nodes import from_plain
from believable.stimuli import probe
from believable.stimuli.probe import CONTAINERS
from believable.study.definition import Definition
from believable.study.reading import read_study

MakeVideo = Callable[..., Path]
MakeDefinition = Callable[[Sequence[Mapping[str, Any]]], Definition]


#: What describes the coded samples themselves: sizes, places, times.
SAMPLE_TABLES = {"stsz", "stco", "co64", "stsc", "stts", "ctts", "stss", "mdat"}


def outside_the_samples(path: Path) -> dict[str, bytes]:
    """Every box of an MP4 file except the samples and their tables."""
    with path.open("rb") as file:
        found = {}
        for box in probe.walk(file):
            if box.kind not in SAMPLE_TABLES:
                file.seek(box.start)
                own = CONTAINERS.get(box.kind, box.end - box.start)
                found[box.path] = file.read(own)
        return found


@pytest.fixture
def mp4_outside() -> Callable[[Path], dict[str, bytes]]:
    return outside_the_samples


@pytest.fixture
def make_video(tmp_path: Path) -> MakeVideo:
    av = pytest.importorskip("av", reason="needs the video extra")

    def make(
        name: str,
        *,
        tags: Mapping[str, str] | None = None,
        x264: str = "",
        frames: int = 50,
        size: tuple[int, int] = (160, 96),
        rate: int = 25,
        sound: bool = True,
        pix_fmt: str = "yuv420p",
        codec: str = "libx264",
        container: str = "mp4",
        noise_seed: int = 1,
        timescale: int | None = None,
    ) -> Path:
        path = tmp_path / "stimuli" / name
        path.parent.mkdir(exist_ok=True)
        options = {} if timescale is None else {"video_track_timescale": str(timescale)}
        with av.open(str(path), "w", format=container, options=options) as out:
            out.metadata.update(tags or {})
            parameters = {"x264-params": x264} if x264 else {}
            video = out.add_stream(codec, rate=rate, options=parameters | {"threads": "1"})
            video.width, video.height, video.pix_fmt = *size, pix_fmt
            if tags:
                video.metadata["handler_name"] = "Handler of " + tags.get("title", "nobody")
                video.metadata["language"] = "deu"
            audio = None
            if sound:
                audio = out.add_stream(
                    "libopus" if container == "webm" else "aac", rate=48000, layout="mono"
                )
            rng = np.random.default_rng(noise_seed)
            still = rng.integers(0, 255, (size[1], size[0], 3), np.uint8)
            for number in range(frames):
                frame = av.VideoFrame.from_ndarray(
                    np.roll(still, 3 * number, axis=1), format="rgb24"
                )
                frame.pts, frame.time_base = number, Fraction(1, rate)
                out.mux(video.encode(frame))
            out.mux(video.encode(None))
            if audio is not None:
                samples = (0.1 * np.sin(np.arange(48000 * frames // rate) * 0.05)).astype(
                    np.float32
                )
                for start in range(0, len(samples), 960):
                    block = av.AudioFrame.from_ndarray(
                        samples[None, start : start + 960], format="flt", layout="mono"
                    )
                    block.sample_rate, block.pts, block.time_base = 48000, start, Fraction(1, 48000)
                    out.mux(audio.encode(block))
                out.mux(audio.encode(None))
        return path

    return make


@pytest.fixture
def make_definition() -> MakeDefinition:
    def make(stimuli: Sequence[Mapping[str, Any]]) -> Definition:
        conditions = sorted(
            {stimulus["condition"] for stimulus in stimuli if "condition" in stimulus}
        )
        tree = {
            "believable": 1,
            "title": "Media",
            "seed": 1,
            "conditions": conditions,
            "stimuli": [dict(stimulus) for stimulus in stimuli],
            "timeline": [{"watch": {"stimulus": "any"}}, {"finish": {"text": "Thank you."}}],
        }
        reading = read_study(from_plain(tree), file="study.yaml")
        assert not reading.problems, reading.problems
        return Definition(study=reading.study, tree=tree)

    return make
