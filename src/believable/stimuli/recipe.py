"""How videos are made alike: one recipe for all of them, and the chain of libav filters that
follows from it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from believable.core.errors import InvalidInput

#: Raised when the same recipe gives other files, so that they are made again.
EDITION = 1

#: The sound of every stimulus, and where loudness is measured.
SOUND_RATE_HZ = 48_000
#: Samples per AAC frame.
SOUND_BLOCK = 1024
#: −1 dB below full scale, as a factor.
PEAK = 0.891

#: Below this there is no picture worth showing.
LEAST_BITS_PER_S = 100_000
#: The rate of every film that is made here: a pair of ten seconds takes under 5 MB, an `hntt`
#: session of 12 clips under 30 MB.
BITS_PER_S = 1_900_000

Filter = tuple[str, str]
Chain = tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Mask:
    """A rectangle of the source picture that is painted black, in the source's pixels."""

    x_px: int
    y_px: int
    width_px: int
    height_px: int

    def __post_init__(self) -> None:
        if min(self.x_px, self.y_px) < 0 or min(self.width_px, self.height_px) < 1:
            raise InvalidInput(
                f"mask: expected a place inside the picture and a size above 0, got {self}. Write"
                " X,Y,WIDTH,HEIGHT in pixels."
            )

    def __str__(self) -> str:
        return f"{self.x_px},{self.y_px},{self.width_px},{self.height_px}"

    @classmethod
    def parse(cls, text: str) -> Mask:
        """From `X,Y,WIDTH,HEIGHT`."""
        parts = text.split(",")
        if len(parts) != 4 or not all(part.strip().lstrip("-").isdecimal() for part in parts):
            raise InvalidInput(f"mask: expected X,Y,WIDTH,HEIGHT in whole pixels, got {text!r}.")
        return cls(*(int(part) for part in parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What all videos of a set have in common. `loudness_lufs` is integrated loudness (ITU-R
    BS.1770). `bits_per_s`: every film has this rate, picture by picture (`constant_rate`), so that
    sizes do not depend on the content; 0: they do.
    """

    width_px: int = 1280
    height_px: int = 720
    frames_per_s: int = 30
    loudness_lufs: float = -23.0
    sound: bool = True
    cut_start_ms: int = 0
    cut_end_ms: int = 0
    masks: tuple[Mask, ...] = ()
    watermark: str = ""
    crf: int = 18
    bits_per_s: int = BITS_PER_S

    def __post_init__(self) -> None:
        if (
            self.width_px % 2
            or self.height_px % 2
            or not 16 <= min(self.width_px, self.height_px) <= 7680
        ):
            raise InvalidInput(
                f"size: expected even numbers from 16, got {self.width_px}×{self.height_px}. Common"
                " is 1280x720."
            )
        if not 1 <= self.frames_per_s <= 240:
            raise InvalidInput(f"frames per second: expected 1 to 240, got {self.frames_per_s}.")
        if not -70 < self.loudness_lufs <= -5:
            raise InvalidInput(
                f"loudness: expected −70 to −5 LUFS, got {self.loudness_lufs}. Broadcasting uses"
                " −23."
            )
        if min(self.cut_start_ms, self.cut_end_ms) < 0:
            raise InvalidInput(
                f"cut: expected 0 or more, got {self.cut_start_ms} and {self.cut_end_ms} ms."
            )
        if not 0 <= self.crf <= 51:
            raise InvalidInput(
                f"crf: expected 0 to 51, got {self.crf}. Smaller is better; 18 looks the same."
            )
        if self.bits_per_s and self.bits_per_s < LEAST_BITS_PER_S:
            raise InvalidInput(
                f"bits per second: expected {LEAST_BITS_PER_S} or more, or 0, got"
                f" {self.bits_per_s}."
            )

    def to_tree(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_tree(cls, tree: Mapping[str, Any]) -> Recipe:
        """From a record next to a stimulus; steps that an older record does not mention were not
        done.
        """
        return cls(
            **{"bits_per_s": 0, **tree, "masks": tuple(Mask(**mask) for mask in tree["masks"])}
        )

    @property
    def key_every(self) -> int:
        """One of this number of pictures is independent, so that people can seek."""
        return 2 * self.frames_per_s

    @property
    def digest(self) -> str:
        """Equal recipes, equal digests."""
        text = json.dumps([EDITION, self.to_tree()], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """The filters' facts about one source: the selected part (in the file's own time), its picture,
    its rotation.

    `shape` is width by height as displayed, where pixels need not be square; `turn_deg` is
    counterclockwise.
    """

    start_s: float
    end_s: float
    picture_px: tuple[int, int]
    shape: tuple[float, float]
    turn_deg: int = 0
    masks: tuple[Mask, ...] = ()

    @property
    def length_s(self) -> float:
        return self.end_s - self.start_s


def fit_size(shape: tuple[float, float], width_px: int, height_px: int) -> tuple[int, int]:
    """The largest even size of this shape that fits into the frame."""
    scale = min(width_px / shape[0], height_px / shape[1])
    width, height = (max(2, 2 * round(side * scale / 2)) for side in shape)
    return width, height


_TURNS: dict[int, Chain] = {
    0: (),
    90: (("transpose", "cclock"),),
    -90: (("transpose", "clock"),),
    180: (("hflip", ""), ("vflip", "")),
    -180: (("hflip", ""), ("vflip", "")),
}


def picture_chain(recipe: Recipe, shot: Shot) -> Chain:
    """Up to the watermark: part, masks, turn, frame rate, size, colours."""
    turned = shot.shape if shot.turn_deg % 180 == 0 else (shot.shape[1], shot.shape[0])
    width_px, height_px = fit_size(turned, recipe.width_px, recipe.height_px)
    chain: list[Filter] = [
        ("trim", f"start={shot.start_s:.6f}:end={shot.end_s:.6f}"),
        ("setpts", f"PTS-{shot.start_s:.6f}/TB"),
    ]
    for mask in (*recipe.masks, *shot.masks):
        chain.append(
            (
                "drawbox",
                f"x={mask.x_px}:y={mask.y_px}:w={mask.width_px}:h={mask.height_px}"
                ":color=black:t=fill",
            )
        )
    chain += _TURNS[shot.turn_deg]
    chain.append(("fps", f"fps={recipe.frames_per_s}:start_time=0"))
    # The last picture lasts longer at another rate: every film of this length gets the same number
    # of pictures.
    chain.append(("trim", f"end_frame={max(1, round(shot.length_s * recipe.frames_per_s))}"))
    chain.append(
        ("scale", f"w={width_px}:h={height_px}:flags=bicubic:out_color_matrix=bt709:out_range=tv")
    )
    if (width_px, height_px) != (recipe.width_px, recipe.height_px):
        chain.append(
            ("pad", f"w={recipe.width_px}:h={recipe.height_px}:x=(ow-iw)/2:y=(oh-ih)/2:color=black")
        )
    chain += [("setsar", "1"), ("format", "pix_fmts=yuv420p")]
    return tuple(chain)


def overlay_filter(recipe: Recipe) -> Filter:
    """Where the watermark lies: lower right, a fortieth of the height away from the edges."""
    edge_px = recipe.height_px // 40
    return "overlay", f"x=W-w-{edge_px}:y=H-h-{edge_px}:format=yuv420:eof_action=repeat"


def sound_chain(shot: Shot, gain_db: float) -> Chain:
    """Part, common rate and channels, loudness, peaks held below full scale, exactly as long as the
    picture.
    """
    return (
        ("atrim", f"start={shot.start_s:.6f}:end={shot.end_s:.6f}"),
        ("asetpts", f"PTS-{shot.start_s:.6f}/TB"),
        ("aresample", f"{SOUND_RATE_HZ}:async=1:first_pts=0"),
        ("aformat", f"sample_fmts=fltp:sample_rates={SOUND_RATE_HZ}:channel_layouts=stereo"),
        ("volume", f"{gain_db:.4f}dB:precision=float"),
        ("alimiter", f"limit={PEAK}:level=disabled:latency=1"),
        ("aformat", f"sample_fmts=fltp:sample_rates={SOUND_RATE_HZ}:channel_layouts=stereo"),
        ("apad", f"whole_dur={shot.length_s:.6f}"),
        ("atrim", f"end={shot.length_s:.6f}"),
        ("asetnsamples", f"n={SOUND_BLOCK}:p=0"),
    )


def silence_chain(shot: Shot) -> Chain:
    """For a source without sound in a set that has sound: its absence must not reveal
    the source.
    """
    return (
        ("anullsrc", f"r={SOUND_RATE_HZ}:cl=stereo:n={SOUND_BLOCK}"),
        ("atrim", f"end={shot.length_s:.6f}"),
        ("aformat", f"sample_fmts=fltp:sample_rates={SOUND_RATE_HZ}:channel_layouts=stereo"),
    )


def in_words(chain: Chain) -> str:
    """As ffmpeg's `-vf` and `-af` take it."""
    return ",".join(f"{name}={arguments}" if arguments else name for name, arguments in chain)
