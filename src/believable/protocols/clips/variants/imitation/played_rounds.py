"""Rounds that are played for a study: by learned players, by direct clones and by the bot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from believable.core.errors import InvalidInput
from believable.core.seeds import derive
from believable.core.work import WorkOutcome
from believable.imitation.imitator import Imitator, LearningOptions, learn
from believable.imitation.learned_file import read_imitation, write_imitation
from believable.protocols.clips.variants.imitation.group_plan import (
    ARTIFICIAL,
    IMITATION,
    ClipDesign,
)
from believable.protocols.clips.variants.imitation.people_recordings import (
    MapPeople,
    PersonRecording,
    most_nodes,
)
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import write
from believable.worlds.doom import DOOM
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_round import DoomSetup
from believable.worlds.doom.imitating_player import seat_mind
from believable.worlds.doom.rule_bot import BOT, BotParams
from believable.worlds.live_round import play_through

_NODES, _PRIMITIVES = 64, 50
#: The bot of the rule-based clips is `doom/bot` of this skill.
BOT_SKILL = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundJob:
    """A round to play. `player` is a learned player's file, or None for the bot."""

    setup: DoomSetup
    player: Path | None
    seed: int
    target: Path
    as_published: bool = False


def learned_players(place: MapPeople, folder: Path, seed: int) -> list[Path]:
    """One learned player for each name in the recordings of a map that are not shown. People have
    one name: of each there are minutes only.
    """
    by_player: dict[str, list[PersonRecording]] = defaultdict(list)
    for person in place.others:
        by_player[person.player].append(person)
    return [
        learned_player(own, folder / f"player-{place.number}-{number}.imitation", seed)
        for number, (_, own) in enumerate(sorted(by_player.items()), 1)
    ]


def learned_player(people: Sequence[PersonRecording], file: Path, seed: int) -> Path:
    """Learn from recordings, unless an earlier run did."""
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        most = most_nodes(people)
        options = LearningOptions(
            nodes=min(_NODES, most), primitives=min(_PRIMITIVES, most), seed=seed
        )
        model = learn(
            [person.seen for person in people], options, [person.file.name for person in people]
        )
        unfinished = file.with_suffix(".part")
        write_imitation(model, unfinished)
        unfinished.replace(file)
    return file


def rounds_of(
    place: MapPeople,
    models: Sequence[Path],
    design: ClipDesign,
    rounds: int,
    seed: int,
    folder: Path,
) -> Mapping[str, RoundJob]:
    """Rounds of the bot and of the learned players on a map, with separate starting positions, all
    of one length.
    """
    folder.mkdir(parents=True, exist_ok=True)
    jobs: dict[str, RoundJob] = {}
    for kind in (ARTIFICIAL, IMITATION):
        for number in range(rounds):
            name = f"{kind}-{place.number}-{number:03d}"
            jobs[name] = RoundJob(
                setup=round_setup(place.setup, derive(seed, "round", name) % 2**31, design),
                player=models[number % len(models)] if kind == IMITATION else None,
                seed=derive(seed, "player", name) >> 1,
                target=folder / f"{name}{RECORDING_SUFFIX}",
                as_published=design.as_published,
            )
    return jobs


def round_setup(setup: DoomSetup, engine_seed: int, design: ClipDesign) -> DoomSetup:
    """A round alone on the map of these recordings, seen through the figure's eyes."""
    return setup.model_copy(
        update={
            "engine_seed": engine_seed,
            "ticks": design.round_s * TICS_PER_S,
            "opponent": "nobody",
            "camera": "first",
            "practice": False,
            "led": False,
        }
    )


def play_round(job: RoundJob) -> Path:
    """Play one round, unless an earlier run did."""
    if job.target.is_file():
        return job.target
    if job.player is None:
        act, player = BOT.new(BotParams(skill=BOT_SKILL), job.seed), f"bot:{BOT_SKILL}"
    else:
        mind = Imitator(read_imitation(job.player), job.seed, as_published=job.as_published)
        act, player = seat_mind(mind), f"imitation:{job.player.name}"
    recording = play_through(DOOM.game, job.setup, act, partial(DoomGame, recorded=True))
    recording = replace(recording, provenance={**recording.provenance, "player": player})
    unfinished = job.target.with_name(f".{job.target.name}")
    write(recording, unfinished)
    unfinished.replace(job.target)
    return job.target


def must_succeed(outcome: WorkOutcome[str, Path]) -> None:
    """Raise an error that names each job that failed."""
    if outcome.failed:
        raise InvalidInput("; ".join(f"{name}: {why}" for name, why in outcome.failed.items()))
