"""People's demos of Doom as recordings."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np

from believable.app.importing import ImportedData
from believable.app.options import AnyPath, Options, argument, option, options, use_case
from believable.core.errors import InvalidInput, Refused
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import write
from believable.stimuli.demo_ghost import export_ghost
from believable.stimuli.freedoom import GAME_DATA, LICENCE, PROJECT, PeopleDemo, read_demo
from believable.worlds.doom.game_map import FREEDM, read_wad
from believable.worlds.doom.people_tracks import (
    PersonTrack,
    is_deathmatch,
    read_tracks,
    recordings_of,
    tracks_of_ghost,
)

_USE = 2
_TICS_PER_MIN = 35 * 60


@options
class DoomDemoOptions(Options):
    file: AnyPath = argument(
        "A demo of FreeDM (.lmp), a game with demos in it (freedm.wad), or tracks (.csv, .csv.gz).",
        path="file",
        kw_only=False,
    )
    out: AnyPath = option("The folder of the recordings.", path="folder")
    game: AnyPath = option(
        "The game that a demo is of.", default=GAME_DATA / f"{FREEDM}.wad", path="file"
    )


@use_case(DoomDemoOptions)
def import_doom_demo(options: DoomDemoOptions) -> ImportedData:
    """Turn demos that people recorded in Doom into recordings, one for each player.

    A demo holds keys, not positions: dsda-doom (Debian package) plays it again and exports the
    ways. Demos of FreeDM's maps 6, 9, 18 and 21 are imported; we have these maps. Others are named
    and left out. Recordings are filmed by leading a figure along the way: believable stimuli
    render. Pickups follow from touched items; health is not known.
    """
    file, out = Path(options.file), Path(options.out)
    if not file.is_file():
        raise InvalidInput(f"{file} is not there. Give a demo, freedm.wad, or a file of tracks.")
    tracks = _tracks(file, Path(options.game))
    known = [track for track in tracks if is_deathmatch(track)]
    other = sorted({f"{track.demo} ({track.map})" for track in tracks if not is_deathmatch(track)})
    if not known:
        raise InvalidInput(
            f"{file}: no demo of FreeDM's maps 6, 9, 18 or 21, got {', '.join(other) or 'none'}."
        )
    out.mkdir(parents=True, exist_ok=True)
    source = {"source": f"{file.name}; {PROJECT}", "licence": LICENCE}
    for _, group in groupby(known, key=lambda track: track.demo):
        players = list(group)
        recordings = recordings_of(players, f"{FREEDM}:{players[0].map.lower()}", source)
        for track, recording in zip(players, recordings, strict=True):
            target = out / f"{track.name}{RECORDING_SUFFIX}"
            if target.exists():
                raise Refused(f"{target} exists already. Choose another folder, or move it away.")
            write(recording, target)
    minutes = sum(track.tics for track in known) / _TICS_PER_MIN
    maps = sorted({track.map for track in known})
    return ImportedData(
        path=out,
        holds=f"{len(known)} recordings of {', '.join(maps)}, {minutes:.1f} minutes",
        notes=[f"left out, we have no map of it: {name}" for name in other],
    )


def _tracks(file: Path, game: Path) -> list[PersonTrack]:
    if file.suffix in (".csv", ".gz"):
        return read_tracks(file)
    if file.suffix.lower() == ".wad":
        return [
            track
            for lump, data in read_wad(file)[1]
            if lump in ("DEMO1", "DEMO2", "DEMO3", "DEMO4")
            for track in _played_again(read_demo(file.stem, lump, data), file)
        ]
    return _played_again(read_demo(game.stem, file.stem, file.read_bytes()), game)


def _played_again(demo: PeopleDemo, wad: Path) -> list[PersonTrack]:
    used = [np.array([pressed[3] & _USE > 0 for pressed in own], bool) for own in demo.inputs]
    return tracks_of_ghost(export_ghost(demo, wad), demo.name, demo.map, used)
