"""Demos that people recorded for Freedoom and FreeDM (Debian packages), as films with their inputs:
real human clips.

A demo contains the pressed keys, tic by tic (format 1.9 of Doom: 13 bytes of header, then for each
tic and player forwards, sideways, turn, buttons; 0x80 ends it). `dsda-doom` plays it again without
a screen and gives one picture for each tic.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from believable.core.errors import InvalidInput, NotFound
from believable.core.whole_files import write_whole
from believable.recordings.file import write
from believable.recordings.film_file import load_av
from believable.recordings.recording import Actor, RecordedWorld, Recording, Scalar, Timing

TICS_PER_S = 35
VERSION, HEADER_BYTES, TIC_BYTES, END = 109, 13, 4, 0x80
#: Where Debian puts the games' data, with the package that brings each.
GAME_DATA = Path("/usr/share/games/doom")
GAMES = {"freedoom1": "freedoom", "freedoom2": "freedoom", "freedm": "freedm"}
ENGINE = Path("/usr/games/dsda-doom")
INSTALL = "apt install freedoom freedm dsda-doom ffmpeg"
LICENCE, PROJECT = "BSD-3-Clause", "https://github.com/freedoom/freedoom"
#: Bits of the last byte of a tic.
_ATTACK, _USE, _CHANGE = 1, 2, 4
_CONFIG = """\
cap_fps {fps}
cap_videocommand "ffmpeg -f rawvideo -pix_fmt rgb24 -r %r -s %wx%h -i - -c:v libx264 \
-preset ultrafast -crf 16 -pix_fmt yuv420p -threads 1 -y temp_v.nut"
cap_muxcommand "ffmpeg -i temp_v.nut -i temp_a.nut -c:v copy -c:a aac -y %f"
"""
#: Nothing but the surroundings: view and weapon do not bob, the weapon is not there, and nothing
#: flashes.
_PLAIN = "".join(
    f"{name}\n"
    for name in (
        "dsda_viewbob 0",
        "dsda_weaponbob 0",
        "dsda_hide_weapon 1",
        "palette_ondamage 0",
        "palette_onbonus 0",
        "palette_onpowers 0",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleDemo:
    """One demo. `inputs[player][tic]` is forwards, sideways, turn (as the engine counts) and
    buttons.
    """

    game: str
    lump: str
    header: bytes
    inputs: tuple[tuple[tuple[int, int, int, int], ...], ...]
    viewed: int

    @property
    def name(self) -> str:
        return f"{self.game}-{self.lump.lower()}"

    @property
    def tics(self) -> int:
        return len(self.inputs[0])

    @property
    def map(self) -> str:
        episode, number = self.header[2:4]
        return f"E{episode}M{number}" if self.game == "freedoom1" else f"MAP{number:02d}"

    def first(self, tics: int) -> PeopleDemo:
        """Its beginning."""
        shorter = tuple(player[:tics] for player in self.inputs)
        return PeopleDemo(
            game=self.game, lump=self.lump, header=self.header, inputs=shorter, viewed=self.viewed
        )

    def to_bytes(self) -> bytes:
        tics = zip(*self.inputs, strict=True)
        return (
            self.header
            + b"".join(struct.pack("bbBB", *pressed) for tic in tics for pressed in tic)
            + bytes([END])
        )


def read_demo(game: str, lump: str, data: bytes) -> PeopleDemo:
    """A demo from its bytes; an error if its format is unknown."""
    if len(data) <= HEADER_BYTES or data[0] != VERSION:
        raise InvalidInput(
            f"{game}.wad, {lump}: expected a demo of version 1.9, got byte"
            f" {data[:1].hex() or 'none'}."
        )
    players = [number for number, there in enumerate(data[9:13]) if there]
    size = TIC_BYTES * len(players)
    body = data[HEADER_BYTES:]
    tics = (
        next((at // size for at in range(0, len(body), size) if body[at] == END), None)
        if players
        else None
    )
    if not tics:
        raise InvalidInput(
            f"{game}.wad, {lump}: the demo has no end or nobody in it. Install the package again:"
            f" {INSTALL}"
        )
    pressed = list(struct.iter_unpack("bbBB", body[: tics * size]))
    inputs = tuple(tuple(pressed[number :: len(players)]) for number in range(len(players)))
    viewed = players.index(data[8]) if data[8] in players else 0
    return PeopleDemo(
        game=game, lump=lump, header=bytes(data[:HEADER_BYTES]), inputs=inputs, viewed=viewed
    )


def demos(folder: Path = GAME_DATA) -> list[PeopleDemo]:
    """All demos of the installed games."""
    missing = [name for name in GAMES if not (folder / f"{name}.wad").is_file()]
    if missing:
        packages = ", ".join(sorted({GAMES[name] for name in missing}))
        raise NotFound(
            f"{folder}: {', '.join(missing)} is not there (Debian packages {packages}). Install:"
            f" {INSTALL}"
        )
    return [
        read_demo(game, lump, data)
        for game in GAMES
        for lump, data in _lumps(folder / f"{game}.wad")
    ]


def _lumps(wad: Path) -> list[tuple[str, bytes]]:
    data = wad.read_bytes()
    count, directory = struct.unpack_from("<ii", data, 4)
    entries = [
        struct.unpack_from("<ii8s", data, directory + 16 * number) for number in range(count)
    ]
    named = [
        (name.rstrip(b"\0").decode("ascii", "replace"), at, size) for at, size, name in entries
    ]
    return [
        (name, data[at : at + size])
        for name, at, size in named
        if name in ("DEMO1", "DEMO2", "DEMO3", "DEMO4")
    ]


def film(demo: PeopleDemo, folder: Path, data: Path = GAME_DATA, *, plain: bool = False) -> Path:
    """`NAME.mp4` with `NAME.replay.json.gz` in the folder: one picture and one row for each tic of
    the demo. `plain`: nothing but the surroundings, neither hands nor flashes.
    """
    for program, path in (
        ("dsda-doom", ENGINE if ENGINE.is_file() else None),
        ("ffmpeg", shutil.which("ffmpeg")),
    ):
        if path is None and shutil.which(program) is None:
            raise NotFound(
                f"{program} is not installed; it plays the demos again. Install: {INSTALL}"
            )
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="believable-demo-") as place:
        scratch = Path(place)
        (scratch / "demo.lmp").write_bytes(demo.to_bytes())
        (scratch / "engine.cfg").write_text(
            _CONFIG.format(fps=TICS_PER_S) + (_PLAIN if plain else "")
        )
        _play(scratch, data / f"{demo.game}.wad")
        pictures = _pictures(scratch / "film.mp4")
        if pictures != demo.tics:
            raise InvalidInput(
                f"{demo.name}: the film has {pictures} pictures for {demo.tics} tics. Film it"
                " again."
            )
        target = folder / f"{demo.name}.mp4"
        shutil.move(scratch / "film.mp4", target)
    write(recording_of(demo, data), folder / f"{demo.name}.replay.json.gz")
    return target


def _play(scratch: Path, wad: Path) -> None:
    """Without screen and sound card, with a separate home folder, so that no user's settings are
    read or changed.
    """
    engine = str(ENGINE) if ENGINE.is_file() else "dsda-doom"
    command = [
        engine,
        "-config",
        "engine.cfg",
        "-iwad",
        str(wad),
        "-timedemo",
        "demo.lmp",
        "-viddump",
        "film.mp4",
    ]
    surroundings = {
        **os.environ,
        "HOME": str(scratch),
        "SDL_VIDEODRIVER": "dummy",
        "SDL_AUDIODRIVER": "dummy",
    }
    played = subprocess.run(
        [*command, "-vidmode", "software"],
        cwd=scratch,
        env=surroundings,
        capture_output=True,
        text=True,
        check=False,
    )
    if not (scratch / "film.mp4").is_file():
        words = " ".join((played.stdout + played.stderr).split())[-300:]
        raise InvalidInput(f"{engine} gave no film of {wad.name}: {words}")


def _pictures(path: Path) -> int:
    with load_av("Filming demos").open(str(path)) as opened:
        return sum(1 for _ in opened.decode(video=0))


def recording_of(demo: PeopleDemo, data: Path = GAME_DATA) -> Recording:
    """The inputs of the followed player as tracks, and those of the others as additional tracks;
    source and licence.
    """
    others = [number for number in range(len(demo.inputs)) if number != demo.viewed]
    columns: dict[str, tuple[Scalar, ...]] = dict(_columns(demo.inputs[demo.viewed], ""))
    for place, number in enumerate(others, 2):
        columns |= _columns(demo.inputs[number], f"_{place}")
    return Recording(
        world=RecordedWorld(kind="doom", width=1, height=1, walls=(".",)),
        actors=(Actor("player", "You", "player"),),
        timing=Timing(frame_ms=1000 / TICS_PER_S, frames=demo.tics),
        tracks=(),
        telemetry=columns,
        agent="people",
        provenance={
            "players": "people",
            "people": len(demo.inputs),
            "map": demo.map,
            **origin(demo, data),
        },
    )


def origin(demo: PeopleDemo, data: Path = GAME_DATA) -> dict[str, Scalar]:
    """The source of a demo and the licence under which it may be used."""
    digest = hashlib.sha256((data / f"{demo.game}.wad").read_bytes()).hexdigest()
    return {
        "source": (
            f"Debian package {GAMES[demo.game]}, {demo.game}.wad (sha256 {digest}), lump"
            f" {demo.lump}; {PROJECT}"
        ),
        "licence": LICENCE,
    }


def _columns(
    pressed: Sequence[tuple[int, int, int, int]], ending: str
) -> dict[str, tuple[Scalar, ...]]:
    """Turn in degrees to the left; weapon 0 keeps the one in hand."""
    forward, side, turn, buttons = zip(*pressed, strict=True)
    return {
        f"forward{ending}": forward,
        f"side{ending}": side,
        f"turn_deg{ending}": tuple(
            (byte - 256 if byte > 127 else byte) * 360 / 256 for byte in turn
        ),
        f"attack{ending}": tuple(int(byte & _ATTACK > 0) for byte in buttons),
        f"use{ending}": tuple(int(byte & _USE > 0) for byte in buttons),
        f"weapon{ending}": tuple((byte >> 3 & 7) + 1 if byte & _CHANGE else 0 for byte in buttons),
    }


def write_sources(folder: Path, filmed: Sequence[PeopleDemo], data: Path = GAME_DATA) -> Path:
    """A description of the folder: the players (people), the source, the licence, next to the
    licence itself.
    """
    rows: list[dict[str, Any]] = [
        {
            "film": f"{demo.name}.mp4",
            "players": "people",
            "people": len(demo.inputs),
            "map": demo.map,
            "seconds": round(demo.tics / TICS_PER_S, 2),
            **origin(demo, data),
        }
        for demo in filmed
    ]
    path = folder / "sources.json"
    write_whole(path, json.dumps(rows, indent=1) + "\n")
    copyright_file = Path("/usr/share/doc/freedoom/copyright")
    if copyright_file.is_file():
        shutil.copyfile(copyright_file, folder / "LICENCE.txt")
    return path
