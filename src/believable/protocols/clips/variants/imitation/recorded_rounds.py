"""Recordings of people, and the rounds that bots and learned players play on their map."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from believable.contracts.agent import NoParams
from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.core.work import WorkOutcome
from believable.imitation.imitator import Imitator, LearningOptions, learn
from believable.imitation.learned_file import read_imitation, write_imitation
from believable.imitation.observations import Observations
from believable.protocols.clips.variants.imitation.group_plan import (
    ARTIFICIAL,
    IMITATION,
    ClipDesign,
)
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read, write
from believable.worlds.doom import DOOM
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_observations import observe_doom
from believable.worlds.doom.doom_recording import setup_in
from believable.worlds.doom.doom_round import DoomSetup
from believable.worlds.doom.engine_bot import BOT
from believable.worlds.doom.imitating_player import seat_mind
from believable.worlds.live_round import play_through

NODES = 64
PRIMITIVES = 50


@dataclass(frozen=True, slots=True)
class PersonRecording:
    """A recording of DIR, and who played it, as it says."""

    file: Path
    player: str
    setup: DoomSetup
    seen: Observations


def people_in(folder: Path) -> list[PersonRecording]:
    """The recordings of a folder: all of one map, and either of people or of scripts that replace
    them.
    """
    files = sorted(folder.glob(f"*{RECORDING_SUFFIX}"))
    if len(files) < 2:
        raise InvalidInput(
            f"--recordings: expected two recordings or more in {str(folder)!r}, got {len(files)}:"
            " some are shown, others learned from. Record some: believable record doom DIR --map"
            " deathmatch"
        )
    people = []
    for file in files:
        recording = read(file)
        setup = setup_in(recording)
        if not setup.place.deathmatch or setup.watched:
            raise InvalidInput(
                f"--recordings: {file}: expected somebody's round of a deathmatch map, got"
                f" {setup.map!r} {'played by a bot' if setup.watched else ''}. Move it elsewhere."
            )
        player = recording.provenance.get("player")
        if not isinstance(player, str):
            raise InvalidInput(
                f"--recordings: {file}: it does not say who plays, so that a script could pass for"
                " a person. Use recordings of `believable record`, which do."
            )
        people.append(PersonRecording(file, player, setup, observe_doom(recording)))
    places = sorted({(person.setup.map, person.setup.map_seed) for person in people})
    if len(places) > 1:
        raise InvalidInput(
            f"--recordings: {folder}: rounds of several maps ({places}). Clips are compared on one"
            " map."
        )
    if len({person.player == "person" for person in people}) > 1:
        scripts = sorted({person.player for person in people} - {"person"})
        raise InvalidInput(
            f"--recordings: {folder}: rounds of people and of scripts ({', '.join(scripts)}). Give"
            " folders of one kind."
        )
    return people


def split_recordings(files: Sequence[Path], rng: random.Random) -> tuple[list[Path], list[Path]]:
    """Half of the recordings are shown, the others are learned from."""
    drawn = list(files)
    rng.shuffle(drawn)
    middle = (len(drawn) + 1) // 2
    return sorted(drawn[:middle]), sorted(drawn[middle:])


def most_nodes(people: Sequence[PersonRecording]) -> int:
    return max(2, min(person.seen.frames for person in people) // 10)


def learn_players(people: Sequence[PersonRecording], folder: Path, seed: int) -> list[Path]:
    """One learned player for each person that there are recordings of."""
    by_player: dict[str, list[PersonRecording]] = defaultdict(list)
    for person in people:
        by_player[person.player].append(person)
    return [
        learn_player(own, folder / f"player-{number}.imitation", seed)
        for number, (_, own) in enumerate(sorted(by_player.items()), 1)
    ]


def learn_player(people: Sequence[PersonRecording], file: Path, seed: int) -> Path:
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        most = most_nodes(people)
        options = LearningOptions(
            nodes=min(NODES, most), primitives=min(PRIMITIVES, most), seed=seed
        )
        model = learn(
            [person.seen for person in people], options, [person.file.name for person in people]
        )
        unfinished = file.with_suffix(".part")
        write_imitation(model, unfinished)
        unfinished.replace(file)
    return file


#: A round to play: its setup, the player (a learned player's file, or none for the engine's bot),
#: the player's seed, the target.
RoundJob = tuple[DoomSetup, Path | None, int, Path]


def round_jobs(
    setup: DoomSetup, models: Sequence[Path], design: ClipDesign, seed: int, folder: Path
) -> Mapping[str, RoundJob]:
    """Rounds of the bots and of the learned players, with separate starting positions, all of one
    length.
    """
    folder.mkdir(parents=True, exist_ok=True)
    jobs: dict[str, RoundJob] = {}
    for kind in (ARTIFICIAL, IMITATION):
        for number in range(design.rounds):
            name = f"{kind}-{number:03d}"
            own = setup.model_copy(
                update={
                    "engine_seed": derive(seed, "round", name) % 2**31,
                    "ticks": design.round_s * TICS_PER_S,
                    "opponent": "nobody",
                    "camera": "first",
                    "practice": False,
                }
            )
            player = models[number % len(models)] if kind == IMITATION else None
            jobs[name] = (
                own,
                player,
                derive(seed, "player", name) >> 1,
                folder / f"{name}{RECORDING_SUFFIX}",
            )
    return jobs


def play_round(setup: DoomSetup, player: Path | None, seed: int, target: Path) -> Path:
    """Play one round, unless an earlier run did."""
    if target.is_file():
        return target
    if player is None:
        recording = play_through(DOOM.game, setup, BOT.new(NoParams(), seed), BOT.game)
    else:
        mind = Imitator(read_imitation(player), seed)
        recording = play_through(
            DOOM.game, setup, seat_mind(mind), partial(DoomGame, recorded=True)
        )
    unfinished = target.with_name(f".{target.name}")
    write(recording, unfinished)
    unfinished.replace(target)
    return target


def raise_failures(outcome: WorkOutcome[str, Path]) -> None:
    if outcome.failed:
        raise InvalidInput("; ".join(f"{name}: {why}" for name, why in outcome.failed.items()))
