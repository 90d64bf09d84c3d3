"""Pictures of a round as they go to a page: H.264 without delay where the browser decodes it,
otherwise one JPEG after another.

Every picture becomes one piece at once. A piece that is left out is never encoded, so the next one
still fits the pictures on the page. Needs `av`.
"""

from __future__ import annotations

import fractions
import importlib
import importlib.util
from typing import Any, Literal, TypeAlias

import numpy as np

from believable.contracts.game import Pixels
from believable.core.errors import MissingExtra

#: How a page can show pictures.
Coding: TypeAlias = Literal["h264", "jpeg"]
CODINGS: tuple[Coding, ...] = ("h264", "jpeg")
#: A whole picture now and then, so that a fault on the way cannot last.
WHOLE_EVERY_S = 10
#: Constant quality: of H.264 (lower is better) and of JPEG.
CRF, JPEG_QUANTISER = 26, 4
#: Levels of H.264 by how many blocks of 16 × 16 pixels a picture may have.
_LEVELS = ((1620, "1E"), (3600, "1F"), (8192, "28"), (36864, "33"))


def need_codecs() -> None:
    """Raise an error that names the extra, if it is missing. Nothing is loaded."""
    if importlib.util.find_spec("av") is None:
        raise MissingExtra(what="a game whose pictures are sent to the page", extra="video")


def codec_name(width_px: int, height_px: int) -> str:
    """The description for browsers: H.264, constrained baseline, of the level that the size
    needs.
    """
    blocks = -(-width_px // 16) * -(-height_px // 16)
    level = next((level for most, level in _LEVELS if blocks <= most), _LEVELS[-1][1])
    return f"avc1.42E0{level}"


class PictureEncoder:
    """One page's pictures, in their order."""

    def __init__(self, coding: Coding, tick_hz: int) -> None:
        need_codecs()
        self._av: Any = importlib.import_module("av")
        self._coding = coding
        self._tick_hz = tick_hz
        self._codec: Any = None
        # Made once, and by areas: a quarter of the time for each picture separately.
        self._colours = importlib.import_module("av.video.reformatter").VideoReformatter()
        self._count = 0

    def encode(self, picture: Pixels, *, whole: bool = False) -> tuple[bytes, bool]:
        """The piece, and whether it can be shown without those before. `whole` asks for that."""
        av = self._av
        picture = even_side(picture)
        if self._codec is None:
            self._codec = self._open_codec(picture.shape[1], picture.shape[0])
        frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
        jpeg = self._coding == "jpeg"
        frame = self._colours.reformat(
            frame, format="yuvj420p" if jpeg else "yuv420p", interpolation="AREA"
        )
        frame.pts = self._count
        if whole and not jpeg:
            frame.pict_type = av.video.frame.PictureType.I
        self._count += 1
        packets = self._codec.encode(frame)
        return b"".join(bytes(packet) for packet in packets), jpeg or any(
            packet.is_keyframe for packet in packets
        )

    def _open_codec(self, width_px: int, height_px: int) -> Any:
        jpeg = self._coding == "jpeg"
        codec = self._av.CodecContext.create("mjpeg" if jpeg else "libx264", "w")
        codec.width, codec.height = width_px, height_px
        codec.time_base = fractions.Fraction(1, self._tick_hz)
        codec.pix_fmt = "yuvj420p" if jpeg else "yuv420p"
        codec.thread_count = 1
        if jpeg:
            codec.qmin = codec.qmax = JPEG_QUANTISER
        else:
            codec.gop_size = WHOLE_EVERY_S * self._tick_hz
            codec.options = {
                "preset": "ultrafast",
                "tune": "zerolatency",
                "profile": "baseline",
                "crf": str(CRF),
                "forced-idr": "1",
            }
        return codec


def even_side(picture: Pixels) -> Pixels:
    """Both codecs halve the colours: a side of an odd number of pixels repeats its last one. The
    page knows the size.
    """
    height, width = picture.shape[:2]
    if height % 2 or width % 2:
        return np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
    return np.ascontiguousarray(picture)
