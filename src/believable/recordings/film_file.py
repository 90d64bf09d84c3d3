"""A film while it is made, picture by picture: the file appears whole or not at all, the same bytes
for the same pictures.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput, MissingExtra


def load_av(what: str) -> Any:
    """The `av` module, or an error that says what needs it and how to install it."""
    try:
        return importlib.import_module("av")
    except ImportError:
        raise MissingExtra(what=what, extra="video") from None


class FilmFile:
    """H.264 in MP4. Used as a context: what ends with an error leaves nothing behind. `options` are
    more of the encoder's.
    """

    def __init__(
        self,
        target: Path,
        frames_per_s: int,
        *,
        what: str,
        crf: int = 20,
        preset: str = "medium",
        options: Mapping[str, str] | None = None,
    ) -> None:
        self._av = load_av(what)
        self._target = target
        self._unfinished = target.with_name(f".{target.name}.{os.getpid()}.part")
        container = {"movflags": "+faststart", "fflags": "+bitexact"}
        self._out = self._av.open(str(self._unfinished), "w", format="mp4", options=container)
        encoder = {"crf": str(crf), "preset": preset, **(options or {})}
        self._stream = self._out.add_stream("libx264", rate=frames_per_s, options=encoder)
        self._stream.pix_fmt = "yuv420p"
        self.frames = 0

    def add(self, picture: NDArray[np.uint8]) -> None:
        """The next picture: height × width × red, green, blue; all of one film have the size of the
        first.
        """
        height_px, width_px = picture.shape[:2]
        if not self.frames:
            self._stream.width, self._stream.height = width_px, height_px
        elif (self._stream.width, self._stream.height) != (width_px, height_px):
            size = f"{self._stream.width}×{self._stream.height}"
            raise InvalidInput(
                f"{self._target.name}: picture {self.frames} is {width_px}×{height_px}, those"
                f" before are {size}. Film one size."
            )
        self._out.mux(
            self._stream.encode(self._av.VideoFrame.from_ndarray(picture, format="rgb24"))
        )
        self.frames += 1

    def finish(self) -> None:
        self._out.mux(self._stream.encode())
        self._out.close()
        os.replace(self._unfinished, self._target)

    def discard(self) -> None:
        self._out.close()
        self._unfinished.unlink(missing_ok=True)

    def __enter__(self) -> FilmFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.finish()
        else:
            self.discard()
