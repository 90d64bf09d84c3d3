"""Quake II demos (`.dm2`, protocol 34), read to the last byte: the messages of the server to the
recording client, frame by frame.

A file is a row of blocks, each a length and a run of commands; a length of −1 ends it. The player's
state and everything in sight are sent as differences to an earlier frame, so that one wrong byte
would show in everything after it: any mismatch is an error.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Final

from believable.core.errors import InvalidInput
from believable.recordings.importers.dm2_records import (
    MuzzleFlash,
    Quake2Demo,
    Quake2Entity,
    Quake2Frame,
    Quake2Player,
    Quake2Sound,
    Vector,
)

PROTOCOL: Final = 34


_MOST_STRINGS = 2080


_LARGEST_BLOCK = 1 << 20


def read_dm2(content: bytes) -> Quake2Demo:
    """The whole demo. Raises `InvalidInput` with the offset of the first byte that does not fit."""
    reader = _Demo()
    for offset, block in _blocks(content):
        reader.block(block, offset)
    if not reader.demo.frames:
        raise InvalidInput("the demo holds no frame: expected a Quake II demo (.dm2, protocol 34).")
    return reader.demo


def _blocks(content: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while True:
        if place + 4 > len(content):
            raise InvalidInput(
                f"offset {place}: the demo ends without its end mark (−1); it was cut off. Take a"
                " complete file."
            )
        (length,) = struct.unpack_from("<i", content, place)
        if length == -1:
            return
        if not 0 <= length <= _LARGEST_BLOCK:
            raise InvalidInput(
                f"offset {place}: a block of {length} bytes; expected a Quake II demo (.dm2,"
                " protocol 34)."
            )
        if place + 4 + length > len(content):
            raise InvalidInput(
                f"offset {place}: a block of {length} bytes, but only {len(content) - place - 4}"
                " are left; the file was cut off."
            )
        yield place + 4, content[place + 4 : place + 4 + length]
        place += 4 + length


class _Bytes:
    """A block, read from left to right."""

    def __init__(self, content: bytes, offset: int) -> None:
        self._content, self._offset = content, offset
        self._place = 0

    @property
    def offset(self) -> int:
        return self._offset + self._place

    @property
    def left(self) -> int:
        return len(self._content) - self._place

    def _take(self, layout: struct.Struct) -> tuple[int, ...]:
        if self.left < layout.size:
            raise InvalidInput(f"offset {self.offset}: the block ends in the middle of a command.")
        values = layout.unpack_from(self._content, self._place)
        self._place += layout.size
        return values

    def byte(self) -> int:
        return self._take(_BYTE)[0]

    def char(self) -> int:
        return self._take(_CHAR)[0]

    def short(self) -> int:
        return self._take(_SHORT)[0]

    def unsigned_short(self) -> int:
        return self._take(_USHORT)[0]

    def long(self) -> int:
        return self._take(_LONG)[0]

    def skip(self, count: int) -> None:
        if count < 0 or self.left < count:
            raise InvalidInput(
                f"offset {self.offset}: {count} bytes expected, {self.left} are left in the block."
            )
        self._place += count

    def string(self) -> str:
        end = self._content.find(b"\0", self._place)
        if end < 0:
            raise InvalidInput(f"offset {self.offset}: a text without an end.")
        text = self._content[self._place : end].decode("latin-1")
        self._place = end + 1
        return text

    def coordinate(self) -> float:
        return self.short() / 8

    def position(self) -> Vector:
        return self.coordinate(), self.coordinate(), self.coordinate()

    def angle(self) -> float:
        return self.char() * 360 / 256


_BYTE, _CHAR, _SHORT, _USHORT, _LONG = (struct.Struct(f"<{code}") for code in "BbhHi")


class _Demo:
    """The state that differences refer to, and the data collected for the next frame."""

    def __init__(self) -> None:
        self.demo = Quake2Demo()
        self._baselines: dict[int, Quake2Entity] = {}
        self._frames: dict[int, tuple[Quake2Player, dict[int, Quake2Entity]]] = {}
        self._number = 0
        self._base: tuple[Quake2Player, dict[int, Quake2Entity]] | None = None
        self._player: Quake2Player | None = None
        self._told: tuple[int, Quake2Player, dict[int, Quake2Entity]] | None = None
        self._sounds: list[Quake2Sound] = []
        self._flashes: list[MuzzleFlash] = []
        self._prints: list[str] = []
        self._commands: dict[int, Callable[[_Bytes], None]] = {
            1: self._flash,
            2: self._flash,
            3: _temporary_entity,
            4: lambda data: _ignore(data.string()),
            5: lambda data: data.skip(512),
            6: lambda data: None,
            7: lambda data: None,
            8: lambda data: None,
            9: self._sound,
            10: self._print,
            11: lambda data: _ignore(data.string()),
            12: self._server,
            13: self._string,
            14: self._baseline,
            15: lambda data: _ignore(data.string()),
            16: _download,
            17: self._player_info,
            18: self._entities,
            20: self._frame,
        }

    def block(self, content: bytes, offset: int) -> None:
        data = _Bytes(content, offset)
        while data.left:
            place = data.offset
            command = data.byte()
            if command not in self._commands:
                raise InvalidInput(
                    f"offset {place}: unknown command {command}; expected protocol {PROTOCOL}."
                )
            self._commands[command](data)
        self._end_of_block()

    def _server(self, data: _Bytes) -> None:
        place = data.offset
        protocol = data.long()
        if protocol != PROTOCOL:
            raise InvalidInput(
                f"offset {place}: protocol {protocol}; only protocol {PROTOCOL} of Quake II can be"
                " read."
            )
        data.long()  # which start of the server this was
        data.byte()  # whether it is a demo already
        self.demo.game = data.string() or "baseq2"
        self.demo.player_entity = data.short() + 1
        self.demo.level = data.string()

    def _string(self, data: _Bytes) -> None:
        place = data.offset
        index = data.short()
        if not 0 <= index < _MOST_STRINGS:
            raise InvalidInput(
                f"offset {place}: configuration string {index}; expected 0 to {_MOST_STRINGS - 1}."
            )
        self.demo.strings[index] = data.string()

    def _baseline(self, data: _Bytes) -> None:
        number, bits = _entity_bits(data)
        self._baselines[number] = _entity(data, Quake2Entity(), number, bits)

    def _print(self, data: _Bytes) -> None:
        data.byte()
        self._prints.append(data.string())

    def _flash(self, data: _Bytes) -> None:
        self._flashes.append(MuzzleFlash(data.short(), data.byte()))

    def _sound(self, data: _Bytes) -> None:
        flags, sound = data.byte(), data.byte()
        data.skip(sum(1 for flag in (1, 2, 16) if flags & flag))  # volume, attenuation, offset
        source = data.unsigned_short() if flags & 8 else None
        if flags & 4:
            data.position()
        entity, channel = (None, 0) if source is None else (source >> 3, source & 7)
        self._sounds.append(Quake2Sound(sound, entity, channel))

    def _frame(self, data: _Bytes) -> None:
        place = data.offset
        self._number, base = data.long(), data.long()
        data.byte()  # how many frames the server held back
        data.skip(data.byte())  # which areas of the map are joined
        if base == -1:
            self._base = None
        elif base in self._frames:
            self._base = self._frames[base]
        else:
            raise InvalidInput(
                f"offset {place}: frame {self._number} is told as a difference to frame {base},"
                " which is not there."
            )

    def _player_info(self, data: _Bytes) -> None:
        self._player = _player(data, Quake2Player() if self._base is None else self._base[0])

    def _entities(self, data: _Bytes) -> None:
        place = data.offset
        if self._player is None:
            raise InvalidInput(f"offset {place}: entities before the player's state.")
        entities = {} if self._base is None else dict(self._base[1])
        entities = {number: entity._replace(event=0) for number, entity in entities.items()}
        while True:
            place = data.offset
            number, bits = _entity_bits(data)
            if number == 0:
                break
            if bits & _REMOVE:
                entities.pop(number, None)
            else:
                before = entities.get(number) or self._baselines.get(number, Quake2Entity())
                entities[number] = _entity(data, before, number, bits)
        self._told = (self._number, self._player, entities)
        self._frames[self._number] = (self._player, entities)
        self._frames.pop(self._number - 64, None)  # no server refers further back
        self._player = None

    def _end_of_block(self) -> None:
        """Sounds and flashes of a frame follow it in its block; those of a block without a frame
        wait for the next one.
        """
        if self._told is None:
            return
        number, player, entities = self._told
        self.demo.frames.append(
            Quake2Frame(
                number=number,
                player=player,
                entities=entities,
                sounds=tuple(self._sounds),
                flashes=tuple(self._flashes),
                prints=tuple(self._prints),
            )
        )
        self._sounds, self._flashes, self._prints, self._told = [], [], [], None


def _ignore(_: object) -> None:
    """Words for the screen that say nothing about the game."""


def _download(data: _Bytes) -> None:
    size = data.short()
    data.byte()
    if size > 0:
        data.skip(size)


_REMOVE = 1 << 6


def _entity_bits(data: _Bytes) -> tuple[int, int]:
    bits = data.byte()
    for shift, more in ((8, 1 << 7), (16, 1 << 15), (24, 1 << 23)):
        if not bits & more:
            break
        bits |= data.byte() << shift
    number = data.short() if bits & (1 << 8) else data.byte()
    return number, bits


def _read_sized(data: _Bytes, bits: int, small: int, large: int) -> int | None:
    """A number in one byte, two or four, by its two bits."""
    if bits & small and bits & large:
        return data.long()
    if bits & small:
        return data.byte()
    return data.short() if bits & large else None


def _entity(data: _Bytes, before: Quake2Entity, number: int, bits: int) -> Quake2Entity:
    """In the order of the protocol."""
    new: dict[str, object] = {"number": number, "old_origin": before.origin, "event": 0}
    for name, bit in (("model", 11), ("model2", 20), ("model3", 21), ("model4", 22)):
        if bits & 1 << bit:
            new[name] = data.byte()
    if bits & 1 << 4:
        new["frame"] = data.byte()
    if bits & 1 << 17:
        new["frame"] = data.short()
    for name, small, large in (("skin", 16, 25), ("effects", 14, 19), ("render", 12, 18)):
        value = _read_sized(data, bits, 1 << small, 1 << large)
        if value is not None:
            new[name] = value
    x, y, z = before.origin
    x = data.coordinate() if bits & 1 << 0 else x
    y = data.coordinate() if bits & 1 << 1 else y
    z = data.coordinate() if bits & 1 << 9 else z
    new["origin"] = (x, y, z)
    pitch, yaw, roll = before.angles
    pitch = data.angle() if bits & 1 << 10 else pitch
    yaw = data.angle() if bits & 1 << 2 else yaw
    roll = data.angle() if bits & 1 << 3 else roll
    new["angles"] = (pitch, yaw, roll)
    if bits & 1 << 24:
        new["old_origin"] = data.position()
    if bits & 1 << 26:
        new["sound"] = data.byte()
    if bits & 1 << 5:
        new["event"] = data.byte()
    if bits & 1 << 27:
        new["solid"] = data.short()
    return before._replace(**new)  # type: ignore[arg-type]


def _player(data: _Bytes, before: Quake2Player) -> Quake2Player:
    """In the order of the protocol."""
    flags = data.unsigned_short()
    new: dict[str, object] = {}
    if flags & 1 << 0:
        new["move_type"] = data.byte()
    if flags & 1 << 1:
        new["origin"] = data.position()
    if flags & 1 << 2:
        new["velocity"] = data.position()
    if flags & 1 << 3:
        new["move_time"] = data.byte()
    if flags & 1 << 4:
        new["move_flags"] = data.byte()
    if flags & 1 << 5:
        new["gravity"] = data.short()
    if flags & 1 << 6:
        new["delta_angles"] = (data.short(), data.short(), data.short())
    if flags & 1 << 7:
        new["view_offset"] = _quarters(data)
    if flags & 1 << 8:
        new["view_angles"] = tuple(data.short() * 360 / 65536 for _ in range(3))
    if flags & 1 << 9:
        new["kick_angles"] = _quarters(data)
    if flags & 1 << 12:
        new["gun_index"] = data.byte()
    if flags & 1 << 13:
        new["gun_frame"] = data.byte()
        data.skip(6)  # how the gun is held
    if flags & 1 << 10:
        new["blend"] = (data.byte(), data.byte(), data.byte(), data.byte())
    if flags & 1 << 11:
        new["field_of_view"] = data.byte()
    if flags & 1 << 14:
        new["render_flags"] = data.byte()
    changed = data.long()
    if changed:
        stats = list(before.stats)
        for number in range(32):
            if changed & 1 << number:
                stats[number] = data.short()
        new["stats"] = tuple(stats)
    return before._replace(**new)  # type: ignore[arg-type]


def _quarters(data: _Bytes) -> Vector:
    return data.char() / 4, data.char() / 4, data.char() / 4


#: What follows each kind of temporary entity: p a position, d a direction, b a byte, s a short.
_TEMPORARY: Final = dict(
    enumerate(
        (
            *(
                "pd",
                "pd",
                "pd",
                "pp",
                "pd",
                "p",
                "p",
                "p",
                "p",
                "pd",
                "bpdb",
                "pp",
                "pd",
                "pd",
                "pd",
                "bpdb",
            ),
            *(
                "spp",
                "p",
                "p",
                "spp",
                "p",
                "p",
                "p",
                "pp",
                "sppp",
                "bpdb",
                "pd",
                "pp",
                "p",
                "bpdb",
                "pd",
                "pp",
            ),
            *(
                "pd",
                "sspp",
                "pp",
                "p",
                "ps",
                "ppb",
                "spp",
                "spp",
                "steam",
                "pp",
                "pd",
                "pd",
                "pd",
                "p",
                "pd",
                "p",
            ),
            *("p", "p", "sp", "p", "p", "p", "p", "pd"),
        )
    )
)


_STEAM = 40


def _temporary_entity(data: _Bytes) -> None:
    """An effect on the screen: read over, because it says nothing that the entities do not."""
    place = data.offset
    kind = data.byte()
    if kind == _STEAM:
        lasting = data.short() != -1
        data.skip(1 + 6 + 1 + 1 + 2 + (4 if lasting else 0))
        return
    if kind not in _TEMPORARY:
        raise InvalidInput(f"offset {place}: unknown effect {kind}; expected protocol {PROTOCOL}.")
    for part in _TEMPORARY[kind]:
        data.skip({"p": 6, "d": 1, "b": 1, "s": 2}[part])
