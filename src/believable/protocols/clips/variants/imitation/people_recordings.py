"""The recordings that a study is made of: of people, or of scripts that replace them, by map."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from believable.core.errors import InvalidInput
from believable.imitation.observations import Observations
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read
from believable.worlds.doom.doom_observations import observe_doom
from believable.worlds.doom.doom_recording import setup_in
from believable.worlds.doom.doom_round import DoomSetup

#: Who plays in a recording of a person.
PERSON = "person"
_FRAMES_PER_NODE = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRecording:
    """A recording of the folder, and its player by name."""

    file: Path
    player: str
    setup: DoomSetup
    seen: Observations

    @property
    def map(self) -> tuple[str, int]:
        return self.setup.map, self.setup.map_seed


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPeople:
    """The recordings of one map: those that are shown, and those that are learned from."""

    number: int
    shown: tuple[PersonRecording, ...]
    others: tuple[PersonRecording, ...]

    @property
    def everyone(self) -> tuple[PersonRecording, ...]:
        return (*self.shown, *self.others)

    @property
    def setup(self) -> DoomSetup:
        return self.shown[0].setup


def people_in(folder: Path) -> list[PersonRecording]:
    """The recordings of a folder: either all of people, or all of scripts that replace them."""
    files = sorted(folder.glob(f"*{RECORDING_SUFFIX}"))
    if len(files) < 2:
        raise InvalidInput(
            f"--recordings: expected two recordings or more in {str(folder)!r}, got {len(files)}:"
            " some are shown, others learned from. Record some: believable record doom DIR --map"
            " deathmatch"
        )
    people = [_person_in(file) for file in files]
    if len({person.player == PERSON for person in people}) > 1:
        scripts = sorted({person.player for person in people} - {PERSON})
        raise InvalidInput(
            f"--recordings: {folder}: rounds of people and of scripts ({', '.join(scripts)}). Give"
            " folders of one kind."
        )
    return people


def _person_in(file: Path) -> PersonRecording:
    recording = read(file)
    setup = setup_in(recording)
    if not setup.place.deathmatch or setup.watched:
        raise InvalidInput(
            f"--recordings: {file}: expected a player's round of a deathmatch map, got"
            f" {setup.map!r} {'played by a bot' if setup.watched else ''}. Move it elsewhere."
        )
    player = recording.provenance.get("player")
    if not isinstance(player, str):
        raise InvalidInput(
            f"--recordings: {file}: it does not say who plays, so that a script could pass for"
            " a person. Use recordings of `believable record` or `believable import doom-demo`."
        )
    return PersonRecording(file=file, player=player, setup=setup, seen=observe_doom(recording))


def people_by_map(people: Sequence[PersonRecording], rng: random.Random) -> list[MapPeople]:
    """Half of the recordings of each map are shown, the others are learned from."""
    by_map: dict[tuple[str, int], list[PersonRecording]] = defaultdict(list)
    for person in people:
        by_map[person.map].append(person)
    alone = [str(place[0]) for place, own in by_map.items() if len(own) < 2]
    if alone:
        raise InvalidInput(
            f"--recordings: one recording of {', '.join(alone)}. A map needs two or more: some are"
            " shown, others learned from."
        )
    maps = []
    for number, (_, own) in enumerate(sorted(by_map.items()), 1):
        drawn = list(own)
        rng.shuffle(drawn)
        middle = (len(drawn) + 1) // 2
        shown, others = (
            tuple(sorted(part, key=lambda person: person.file))
            for part in (drawn[:middle], drawn[middle:])
        )
        maps.append(MapPeople(number=number, shown=shown, others=others))
    return maps


def most_nodes(people: Sequence[PersonRecording]) -> int:
    """How many clusters of positions or movements these recordings allow."""
    return max(2, min(person.seen.frames for person in people) // _FRAMES_PER_NODE)
