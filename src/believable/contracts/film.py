"""Worlds that draw themselves: how people play them at a page, and how recordings are filmed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

from believable.contracts.game import Pixels
from believable.core.registry import did_you_mean
from believable.recordings.recording import Recording


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """How a recording is filmed: the size of the picture and the camera (empty: as it was played).

    `overlay` writes health, ammunition and the like over the picture. `plain` leaves out hands,
    crosshair and flashes. `first_frame` is the frame of the first picture.
    """

    width_px: int
    height_px: int
    camera: str = ""
    overlay: bool = False
    plain: bool = False
    first_frame: int = 0


@dataclass(frozen=True, slots=True)
class MouseLook:
    """The parts of an input, of kind `moved`, that a mouse moves sideways and upwards, and how far
    per pixel.
    """

    sideways: str
    upwards: str
    per_px: float


@dataclass(frozen=True, slots=True)
class GameControls:
    """How keys and mouse become an input, on the page that all worlds with pictures share.

    `keys` maps a key (`KeyboardEvent.code`), or several held together (`KeyA+KeyW`), to a part and
    its value while the key is down; for a part of kind `moved`, the value is the distance in a
    second. `buttons` is the same for the mouse: 0 left, 1 middle, 2 right. If a part can be
    negative, the values of all keys that are down are added; otherwise the last key counts. `words`
    names the effect of keys: an element with `data-controls` in `help.html` lists them.
    """

    keys: Mapping[str, tuple[str, int]]
    buttons: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    mouse: MouseLook | None = None
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filmable:
    """How a world that draws itself is played and filmed. Its games are `Rendered`.

    `controls(setup)` returns how a person plays it. `pictures(recording, view)` plays a recording
    again, from the setup and the inputs in it, and yields one picture for each frame: the same
    bytes for the same recording and view. `cameras` are the names of its cameras.
    `size_px(recording)` returns width and height of the picture as it was played.
    """

    controls: Callable[[Any], GameControls]
    pictures: Callable[[Recording, View], Generator[Pixels, None, None]]
    cameras: tuple[str, ...] = ()
    size_px: Callable[[Recording], tuple[int, int]] | None = None

    def problem(self, camera: str) -> str | None:
        """Return the problem with the name of a camera, with its fix."""
        if not camera or camera in self.cameras:
            return None
        return f"camera: unknown {camera!r}. {did_you_mean(camera, self.cameras)}"
