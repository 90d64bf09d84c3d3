"""Recordings as videos, painted from the same display list as the browser's canvas.

Files are rendered side by side in processes of their own; each video appears whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.core.errors import InvalidInput
from believable.replay.file import read
from believable.stimuli.extra import load_av
from believable.stimuli.raster import Rasteriser, whole_world
from believable.stimuli.workers import Progress, Worked, side_by_side
from believable.worlds.drawing import draw


@dataclass(frozen=True, slots=True)
class Look:
    """How a video comes out. `speed` is how much replay time passes in a second of video, in seconds."""

    width_px: int = 1280
    height_px: int = 720
    frames_per_s: int = 30
    speed: float = 1.0
    from_ms: int = 0
    to_ms: int | None = None
    crf: int = 20

    def __post_init__(self) -> None:
        if self.width_px % 2 or self.height_px % 2 or min(self.width_px, self.height_px) < 2:
            raise InvalidInput(f"size: expected even numbers, got {self.width_px}×{self.height_px}.")
        if self.frames_per_s < 1 or self.speed <= 0:
            raise InvalidInput(
                f"frames_per_s and speed must be above 0, got {self.frames_per_s} and {self.speed}."
            )

    def moments_ms(self, duration_ms: int) -> list[float]:
        """The moment of replay time that each picture shows."""
        end_ms = duration_ms if self.to_ms is None else min(self.to_ms, duration_ms)
        if not 0 <= self.from_ms < end_ms:
            raise InvalidInput(
                f"from {self.from_ms} ms to {end_ms} ms is empty. Give a part of the recording."
            )
        step_ms = 1000 * self.speed / self.frames_per_s
        count = max(1, round((end_ms - self.from_ms) / step_ms))
        return [self.from_ms + number * step_ms for number in range(count)]


def render(
    sources: Sequence[Path],
    folder: Path,
    look: Look | None = None,
    *,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> Worked[Path, Path]:
    """Render recordings into `folder/NAME.mp4`; results are the videos. A file that cannot be rendered stops nothing else."""
    folder.mkdir(parents=True, exist_ok=True)
    targets = {source: folder / f"{source.name.partition('.')[0]}.mp4" for source in sources}
    if len(set(targets.values())) < len(targets):
        raise InvalidInput("two recordings would become the same video. Give them different names.")
    jobs = {source: (source, target, look or Look()) for source, target in targets.items()}
    worked = side_by_side(render_file, jobs, workers=workers, progress=progress)
    return Worked({source: targets[source] for source in worked.results}, worked.failed)


def render_file(source: Path, target: Path, look: Look) -> int:
    """Render one recording and return the number of pictures. What judges may not see is not in the pictures either."""
    av = load_av("Rendering recordings")
    blind = read(source).for_judging()
    scene = draw(blind)
    painter = Rasteriser(scene, blind, whole_world(scene, look.width_px, look.height_px))
    moments = look.moments_ms(blind.timing.duration_ms)
    unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with av.open(
            str(unfinished), "w", format="mp4", options={"movflags": "+faststart", "fflags": "+bitexact"}
        ) as out:
            stream = out.add_stream(
                "libx264", rate=look.frames_per_s, options={"crf": str(look.crf), "preset": "medium"}
            )
            stream.width, stream.height, stream.pix_fmt = look.width_px, look.height_px, "yuv420p"
            for t_ms in moments:
                frame = av.VideoFrame.from_ndarray(painter.picture(t_ms), format="rgb24")
                out.mux(stream.encode(frame))
            out.mux(stream.encode())
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)
    return len(moments)
