"""Small films with picture and sound, for whatever needs a video: a square that crosses the picture
while a tone rises.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

WIDTH_PX, HEIGHT_PX, SQUARE_PX = 640, 360, 40
FRAMES_PER_S, SOUND_RATE_HZ = 25, 48_000


def film(path: Path, *, duration_s: float, hue: int = 200) -> Path:
    """One film. `hue` is how bright the square is, so that films can differ."""
    import av  # noqa: PLC0415

    frames = round(duration_s * FRAMES_PER_S)
    per_frame = SOUND_RATE_HZ // FRAMES_PER_S
    grain = np.random.default_rng(hue).integers(0, 60, (HEIGHT_PX, WIDTH_PX, 3), np.uint8)
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(
        str(path), "w", format="mp4", options={"movflags": "+faststart", "fflags": "+bitexact"}
    ) as out:
        picture = out.add_stream(
            "libx264", rate=FRAMES_PER_S, options={"crf": "23", "threads": "1"}
        )
        picture.width, picture.height, picture.pix_fmt = WIDTH_PX, HEIGHT_PX, "yuv420p"
        voice = out.add_stream("aac", rate=SOUND_RATE_HZ, layout="mono")
        for number in range(frames):
            pixels = grain.copy()
            left = number * (WIDTH_PX - SQUARE_PX) // frames
            pixels[160 : 160 + SQUARE_PX, left : left + SQUARE_PX] = hue
            image = av.VideoFrame.from_ndarray(pixels, format="rgb24")
            image.pts, image.time_base = number, Fraction(1, FRAMES_PER_S)
            out.mux(picture.encode(image))
            at_s = (number * per_frame + np.arange(per_frame)) / SOUND_RATE_HZ
            tone = (0.2 * np.sin(2 * np.pi * (220 + hue + 10 * at_s) * at_s)).astype(np.float32)
            sound = av.AudioFrame.from_ndarray(tone[None], format="fltp", layout="mono")
            sound.sample_rate, sound.pts, sound.time_base = (
                SOUND_RATE_HZ,
                number * per_frame,
                Fraction(1, SOUND_RATE_HZ),
            )
            out.mux(voice.encode(sound))
        out.mux(picture.encode(None))
        out.mux(voice.encode(None))
    return path


def films(folder: Path, names: Sequence[str], *, duration_s: float) -> list[Path]:
    """A film per name, each a little different."""
    return [
        film(folder / f"{name}.mp4", duration_s=duration_s, hue=200 + 10 * n)
        for n, name in enumerate(names)
    ]
