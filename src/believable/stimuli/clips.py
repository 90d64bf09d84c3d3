"""Demonstration clips made by code: a figure collects coins, moved like a person or by a script.

Everything but the way of moving is the same in all conditions: room, coins, colours, sounds, length, encoder.
Same seed, same bytes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from believable.core.errors import InvalidInput
from believable.core.registry import did_you_mean
from believable.core.seeds import generator
from believable.stimuli.extra import load_av
from believable.stimuli.movers import FRAMES_PER_S, MOVERS, Motion, move
from believable.stimuli.scene import (
    CELL_PX,
    HEIGHT_PX,
    PLACES,
    WIDTH_PX,
    Picture,
    disc,
    draw_place,
    free_cells,
)

CONDITIONS = tuple(MOVERS)
SCENARIOS = tuple(PLACES)
SOUND_RATE_HZ = 44_100
COINS = 9

#: The same for every clip: what an encoder is told must not tell conditions apart.
VIDEO_OPTIONS = {"crf": "21", "preset": "medium", "threads": "1", "g": "50", "profile": "high"}
AUDIO_BITS_PER_S = 96_000
#: Samples per AAC frame.
AUDIO_BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Clip:
    """One clip to make. `take` tells apart clips of the same condition in the same place."""

    id: str
    condition: str
    scenario: str
    take: int = 0


def clip_set(
    scenarios: Sequence[str] = SCENARIOS, conditions: Sequence[str] = CONDITIONS, takes: int = 1
) -> tuple[Clip, ...]:
    """Every condition in every scenario, `takes` times, with ids such as `atrium_human_1`."""
    return tuple(
        Clip(f"{scenario}_{condition}_{take + 1}", condition, scenario, take)
        for scenario in scenarios for condition in conditions for take in range(takes)
    )  # fmt: skip


def generate(
    folder: Path,
    clips: Sequence[Clip] | None = None,
    *,
    seed: int = 7,
    duration_s: float = 6.0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Path, ...]:
    """Make `clips` (default: `clip_set()`) as `<id>.mp4` in `folder`. Needs the video extra."""
    wanted = clip_set() if clips is None else tuple(clips)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number, clip in enumerate(wanted, start=1):
        paths.append(render(clip, folder / f"{clip.id}.mp4", seed=seed, duration_s=duration_s))
        progress(number, len(wanted))
    return tuple(paths)


def render(clip: Clip, path: Path, *, seed: int, duration_s: float) -> Path:
    """Make one clip. The file appears whole or not at all."""
    for what, value, known in (("condition", clip.condition, MOVERS), ("scenario", clip.scenario, PLACES)):
        if value not in known:
            raise InvalidInput(f"clip {clip.id!r}: unknown {what} {value!r}. {did_you_mean(value, known)}")
    if not 1.0 <= duration_s <= 60.0:
        raise InvalidInput(f"duration_s: expected 1 to 60 seconds, got {duration_s!r}.")
    motion = _motion(clip, seed, round(duration_s * FRAMES_PER_S))
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        _encode(unfinished, clip.scenario, motion, _sound(motion, seed, clip))
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def _motion(clip: Clip, seed: int, frames: int) -> Motion:
    room = generator(seed, "clip", clip.scenario, clip.take)
    return move(
        MOVERS[clip.condition], free_cells(PLACES[clip.scenario]), frames, COINS, room,
        generator(seed, "clip", clip.scenario, clip.take, clip.condition),
    )  # fmt: skip


def _paint(empty: Picture, motion: Motion, frame: int) -> NDArray[np.uint8]:
    picture = empty.copy()
    for cell, taken in zip(motion.coins, motion.taken_at, strict=True):
        if taken is None or frame < taken:
            _coin(picture, (cell[0] + 0.5) * CELL_PX, (cell[1] + 0.5) * CELL_PX, frame)
        elif frame - taken < 12:
            _sparkle(picture, (cell[0] + 0.5) * CELL_PX, (cell[1] + 0.5) * CELL_PX, (frame - taken) / 12)
    _figure(picture, motion, frame)
    return np.clip(np.rint(picture), 0, 255).astype(np.uint8)


def _coin(picture: Picture, x: float, y: float, frame: int) -> None:
    lift = 1.2 * float(np.sin(2 * np.pi * frame / 30 + x))
    disc(picture, x + 2, y + 4, 6, (30, 30, 40), opacity=0.25, soft_px=4)
    disc(picture, x, y + lift, 6.5, (186, 128, 22))
    disc(picture, x, y + lift - 0.6, 5.4, (248, 200, 66))
    disc(picture, x - 1.6, y + lift - 2.2, 1.7, (255, 244, 190), opacity=0.9)


def _sparkle(picture: Picture, x: float, y: float, age: float) -> None:
    for ray in range(6):
        angle = ray * np.pi / 3 + 0.4
        far = 6 + 16 * age
        disc(
            picture,
            x + far * float(np.cos(angle)),
            y + far * float(np.sin(angle)),
            2.2,
            (255, 224, 120),
            opacity=1 - age,
        )


def _figure(picture: Picture, motion: Motion, frame: int) -> None:
    for back in range(24, 0, -3):
        if frame >= back:
            disc(
                picture,
                float(motion.x[frame - back]),
                float(motion.y[frame - back]),
                4.0,
                (62, 84, 140),
                opacity=0.22 * (1 - back / 26),
            )
    x, y, look = float(motion.x[frame]), float(motion.y[frame]), float(motion.heading_rad[frame])
    ahead_x, ahead_y = float(np.cos(look)), float(np.sin(look))
    disc(picture, x + 3, y + 5, 12, (20, 20, 30), opacity=0.3, soft_px=6)
    for side in (-1, 1):
        disc(picture, x - 9 * side * ahead_y, y + 9 * side * ahead_x, 4.6, (49, 66, 112))
    disc(picture, x, y, 11.5, (49, 66, 112))
    disc(picture, x, y, 10.0, (84, 114, 184))
    disc(picture, x + 2.5 * ahead_x, y + 2.5 * ahead_y, 6.4, (244, 214, 186))
    disc(picture, x - 0.5 * ahead_x, y - 0.5 * ahead_y, 6.2, (92, 62, 44))
    disc(picture, x + 8.5 * ahead_x, y + 8.5 * ahead_y, 2.0, (244, 214, 186))


def _sound(motion: Motion, seed: int, clip: Clip) -> NDArray[np.float32]:
    """Steps where the figure walks, a chime at each coin, a quiet chord underneath."""
    frames = len(motion.x)
    total = frames * SOUND_RATE_HZ // FRAMES_PER_S
    time_s = np.arange(total) / SOUND_RATE_HZ
    fade = np.minimum(1.0, np.minimum(time_s, time_s[-1] - time_s) / 0.4)
    sound = (
        sum(
            0.018 * np.sin(2 * np.pi * hz * time_s) * (1 + 0.3 * np.sin(2 * np.pi * time_s / 4))
            for hz in (110.0, 164.8, 220.0)
        )
        * fade
    )
    noise = np.random.default_rng(generator(seed, "steps", clip.scenario, clip.take).getrandbits(63))
    travelled = np.cumsum(
        np.hypot(np.diff(motion.x, prepend=motion.x[0]), np.diff(motion.y, prepend=motion.y[0]))
    )
    for step in range(1, int(travelled[-1] // 34) + 1):
        at_s = float(np.argmax(travelled >= 34 * step)) / FRAMES_PER_S
        length = int(0.07 * SOUND_RATE_HZ)
        thud = np.convolve(noise.normal(size=length), np.ones(24) / 24, mode="same") * np.exp(
            -np.arange(length) / (0.014 * SOUND_RATE_HZ)
        )
        _mix(sound, 0.5 * thud, at_s)
    for taken in motion.taken_at:
        if taken is not None:
            ring_s = np.arange(int(0.5 * SOUND_RATE_HZ)) / SOUND_RATE_HZ
            _mix(
                sound,
                0.12
                * np.exp(-ring_s / 0.12)
                * (np.sin(2 * np.pi * 988 * ring_s) + np.sin(2 * np.pi * 1319 * ring_s)),
                taken / FRAMES_PER_S,
            )
    return np.asarray(np.clip(sound, -0.95, 0.95), np.float32)


def _mix(sound: NDArray[np.float64], part: NDArray[np.float64], at_s: float) -> None:
    start = int(at_s * SOUND_RATE_HZ)
    end = min(len(sound), start + len(part))
    sound[start:end] += part[: end - start]


def _encode(path: Path, scenario: str, motion: Motion, sound: NDArray[np.float32]) -> None:
    av = load_av("Making demonstration clips")
    empty = draw_place(PLACES[scenario])
    container_options = {"movflags": "+faststart", "fflags": "+bitexact"}
    with av.open(str(path), "w", format="mp4", options=container_options) as out:
        picture = out.add_stream("libx264", rate=FRAMES_PER_S, options=VIDEO_OPTIONS)
        picture.width, picture.height, picture.pix_fmt = WIDTH_PX, HEIGHT_PX, "yuv420p"
        voice = out.add_stream("aac", rate=SOUND_RATE_HZ, layout="mono")
        voice.bit_rate = AUDIO_BITS_PER_S
        for stream in (picture, voice):
            stream.codec_context.flags |= int(av.codec.context.Flags.bitexact)
        for frame in range(len(motion.x)):
            image = av.VideoFrame.from_ndarray(_paint(empty, motion, frame), format="rgb24")
            image.pts, image.time_base = frame, Fraction(1, FRAMES_PER_S)
            out.mux(picture.encode(image))
        out.mux(picture.encode(None))
        _encode_sound(av, out, voice, sound)


def _encode_sound(av: Any, out: Any, voice: Any, sound: NDArray[np.float32]) -> None:
    for start in range(0, len(sound), AUDIO_BLOCK):
        block = av.AudioFrame.from_ndarray(
            sound[None, start : start + AUDIO_BLOCK], format="fltp", layout="mono"
        )
        block.sample_rate, block.pts, block.time_base = SOUND_RATE_HZ, start, Fraction(1, SOUND_RATE_HZ)
        out.mux(voice.encode(block))
    out.mux(voice.encode(None))
