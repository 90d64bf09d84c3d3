"""A line of words as a small picture with transparency, to be laid over videos."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from believable.core.errors import InvalidInput


def watermark(text: str, width_px: int, height_px: int) -> NDArray[np.uint8]:
    """Half-transparent white with a dark rim, so that it reads on any ground; RGBA, even sides, for a frame of this size."""
    font = ImageFont.load_default(max(10, height_px // 28))
    left, top, right, bottom = ImageDraw.Draw(Image.new("L", (1, 1))).textbbox(
        (0, 0), text, font=font, stroke_width=2
    )
    size = tuple(2 * math.ceil(side / 2) for side in (right - left, bottom - top))
    if size[0] > width_px or min(size) < 2:
        raise InvalidInput(
            f"watermark: {text!r} needs {size[0]} pixels of {width_px}. Write fewer words or choose a larger size."
        )
    image = Image.new("RGBA", size, (0, 0, 0, 0))  # type: ignore[arg-type]
    ImageDraw.Draw(image).text(
        (-left, -top), text, font=font, fill=(255, 255, 255, 150), stroke_width=2, stroke_fill=(0, 0, 0, 110)
    )
    return np.asarray(image)
