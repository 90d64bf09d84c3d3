"""Films of one rate: every picture takes as many bytes as the same picture of every other film,
whatever it shows.

How many bytes a picture needs follows from how much moves in it, so the sizes of files and packets
reveal players who turn more. Here every second counts alike: the encoder is held below a limit, and
the unused bytes of a picture are filled with words of zeros after its last slice
(`cabac_zero_word`, H.264 7.3.2.8), which decoders skip and which MP4 files may hold, unlike filler
units. A word takes three bytes, so that sizes agree to within two. Sound gets one rate, too, by
fill elements before the end of its blocks (AAC, ISO 14496-3 4.4.1.1): a block that takes more than
the mean takes it from all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.recordings.film_file import load_av

#: An independent picture has this many times the bytes of a dependent one.
KEY_TIMES = 3
#: The encoder's limit as a share of the rate, tried in this order until every picture fits into its
#: place. Walks through a map of Doom never fitted above the first: it is low enough for most films,
#: so that they have one limit and are encoded once.
LIMITS = (0.4, 0.25, 0.15)
#: Films of one rate have bytes to spare, so that the encoder needs not search long.
PRESET = "veryfast"
#: The place of a block of sound (1024 samples) in the mean, and the rates of its encoder, one for
#: each of the limits: 128 kbit/s take 341 bytes in the mean.
SOUND_BYTES = 512
SOUND_BITS_PER_S = (128_000, 96_000, 64_000)
_END, _FILL = 0b111, 0b110
#: The longest fill element, and from where on its length is written in another byte.
_LONGEST_FILL, _LONG_FILL = 269, 15
_WORD = b"\x00\x00\x03"
_LENGTH_BYTES = 4


@dataclass(frozen=True, slots=True)
class ByteBudget:
    """The bytes of each picture: the first of every `key_every` is independent."""

    plain_bytes: int
    key_every: int

    @property
    def key_bytes(self) -> int:
        return KEY_TIMES * self.plain_bytes


def byte_budget(bits_per_s: int, frames_per_s: int, key_every: int) -> ByteBudget:
    """All places of a group of pictures together make up the rate."""
    return ByteBudget(
        bits_per_s * key_every // (8 * frames_per_s * (key_every + KEY_TIMES - 1)), key_every
    )


def encoder_options(budget: ByteBudget, bits_per_s: int, limit: float) -> Mapping[str, str]:
    """For x264: independent pictures at the same positions in all films, and none that follow from
    later ones.
    """
    words = {
        "scenecut": "0",
        "bframes": "0",
        "keyint": str(budget.key_every),
        "min-keyint": str(budget.key_every),
        "vbv-maxrate": str(round(limit * bits_per_s / 1000)),
        "vbv-bufsize": str(8 * budget.key_bytes // 1000),
    }
    return {"x264-params": ":".join(f"{name}={value}" for name, value in words.items())}


def fill_film(source: Path, target: Path, budget: ByteBudget) -> bool:
    """Write the film with every picture filled up to its place; False, and nothing of use, where
    one does not fit into it.
    """
    av = load_av("Films of one rate")
    blocks = _sound_sizes(av, source)
    if sum(blocks) > SOUND_BYTES * len(blocks):
        return False
    places = iter(sound_places(blocks, SOUND_BYTES * len(blocks)))
    options = {"fflags": "+bitexact", "movflags": "+faststart", "write_btrt": "0"}
    with (
        av.open(str(source)) as container,
        av.open(str(target), "w", format="mp4", options=options) as out,
    ):
        stream = container.streams.video[0]
        sound = container.streams.audio[:1]
        copies = {own.index: out.add_stream_from_template(own) for own in (stream, *sound)}
        owed = 0
        for packet in container.demux(stream, *sound):
            if packet.dts is None:  # the demuxer's end mark
                continue
            if packet.stream.index == stream.index:
                place = budget.key_bytes if packet.is_keyframe else budget.plain_bytes
                content = bytes(packet)
                if len(content) > place:
                    return False
                # Bytes that make no word are carried to the next picture, so that whole files agree
                # as well.
                content = fill_picture(content, place + owed)
                owed += place - len(content)
                packet = _replace_content(av, packet, content, copies[stream.index])
            else:
                packet = _replace_content(
                    av,
                    packet,
                    filled_sound(bytes(packet), next(places)),
                    copies[packet.stream.index],
                )
            out.mux(packet)
    return True


def _replace_content(av: Any, packet: Any, content: bytes, stream: Any) -> Any:
    """The packet with other content, in another stream."""
    other = av.Packet(content)
    other.pts, other.dts, other.time_base = packet.pts, packet.dts, packet.time_base
    other.duration, other.is_keyframe = packet.duration, packet.is_keyframe
    other.stream = stream
    return other


def _sound_sizes(av: Any, source: Path) -> list[int]:
    with av.open(str(source)) as container:
        sound = container.streams.audio[:1]
        return (
            [packet.size for packet in container.demux(*sound) if packet.dts is not None]
            if sound
            else []
        )


def sound_places(sizes: Sequence[int], total: int) -> list[int]:
    """The size to which each block is filled, so that all together make up the total: small ones up
    to one level.
    """
    low, high = 0, max(sizes, default=0) + total
    while high - low > 1:
        level = (low + high) // 2
        low, high = (
            (level, high) if sum(max(size, level) for size in sizes) <= total else (low, level)
        )
    places = [max(size, low) for size in sizes]
    left = total - sum(places)
    for number, place in enumerate(places):
        if left and place == low:
            places[number], left = place + 1, left - 1
    return places


def fill_picture(sample: bytes, size: int) -> bytes:
    """A picture as units with their lengths before them, its last unit longer by as many words as
    fit into `size`.
    """
    at = 0
    while at < len(sample):
        last = at
        at += _LENGTH_BYTES + int.from_bytes(sample[at : at + _LENGTH_BYTES], "big")
    words = max(0, size - len(sample)) // len(_WORD)
    length = len(sample) - last - _LENGTH_BYTES + words * len(_WORD)
    return (
        sample[:last]
        + length.to_bytes(_LENGTH_BYTES, "big")
        + sample[last + _LENGTH_BYTES :]
        + words * _WORD
    )


def filled_sound(block: bytes, size: int) -> bytes:
    """A block of AAC sound with fill elements before its end, so that it has `size` bytes. One that
    has them is left alone.
    """
    bits = int.from_bytes(block, "big")
    unused = (bits & -bits).bit_length() - 1 if bits else 0
    if len(block) >= size or bits >> unused & _END != _END:
        return block
    bits, count = bits >> (unused + 3), 8 * len(block) - unused - 3
    while (room := 8 * size - 3 - count) >= 7:
        length = min((room - 7) // 8, _LONGEST_FILL)
        if length < _LONG_FILL:
            bits, count = bits << 7 | _FILL << 4 | length, count + 7
        else:
            length = min(length, (room - 15) // 8)
            bits, count = bits << 15 | _FILL << 12 | 15 << 8 | (length - 14), count + 15
        bits, count = bits << 8 * length, count + 8 * length
    bits, count = bits << 3 | _END, count + 3
    return (bits << 8 * size - count).to_bytes(size, "big")
