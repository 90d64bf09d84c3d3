"""Clips from recordings of people: the engine's bots and a learned player on the same map are
played, alike parts are chosen, filmed and made into stimuli in one way.

The result of each long step is a file in `work`, written completely or not at all: an interrupted
run resumes there.
"""

from __future__ import annotations

import csv
import random
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from believable.contracts.agent import NoParams
from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.core.seeds import derive, generator
from believable.core.work import WorkOutcome, map_named
from believable.imitation.imitator import Imitator, LearningOptions, learn
from believable.imitation.learned_file import read_imitation, write_imitation
from believable.imitation.observations import Observations
from believable.imitation.similar_routes import (
    RouteWindow,
    nearest_window,
    quiet_windows,
    route_distance,
)
from believable.imitation.topology import Topology, learn_topology
from believable.protocols.clips.variants.imitation.demo_pages import (
    DemoClip,
    WidestPart,
    cut_film,
    demo_clips,
    film_demo,
    widest_part,
)
from believable.protocols.clips.variants.imitation.group_plan import (
    ARTIFICIAL,
    HUMAN,
    IMITATION,
    ClipDesign,
    PlannedClip,
    plan_groups,
)
from believable.protocols.doom_films import MESSAGES, STATUS_BAR, film_name
from believable.protocols.own_clips import SceneClip, make_stimuli
from believable.protocols.variants import change_study
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read, write
from believable.stimuli.raster import Look, render_file
from believable.stimuli.recipe import Recipe
from believable.worlds.doom import DOOM
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_game import DoomGame
from believable.worlds.doom.doom_observations import observe_doom
from believable.worlds.doom.doom_recording import setup_in
from believable.worlds.doom.doom_round import DoomSetup
from believable.worlds.doom.engine_bot import BOT
from believable.worlds.doom.imitating_player import seat_mind
from believable.worlds.live_round import play_through

#: Conditions by type; direct clones and people's demos are separate conditions, so reports
#: distinguish them.
CONDITIONS = {HUMAN: "human", IMITATION: "imitation", ARTIFICIAL: "rule_based"}
STANDIN, CLONE, PEOPLE = "standin_human", "clone", "people"
#: Engines draw messages and the status bar differently: covered in all clips.
MASKS = (MESSAGES, STATUS_BAR)
RECIPE = Recipe(
    width_px=640, height_px=360, sound=False, watermark="For research purposes only", crf=20
)
#: One picture and one film for all rendered clips, whoever plays. Weapons, and flashes at pick-ups,
#: are not shown: engines draw them differently, and films of bots show another player's hands.
LOOK = Look(width_px=640, height_px=360, frames_per_s=TICS_PER_S, camera="first", plain=True)
#: The type and origin of each clip, in the study folder; nothing of it is served.
LISTED = "clips.csv"
_NODES, _PRIMITIVES = 64, 50
#: Bots get stuck on maps of people's demos: this number of rounds is tried until one moves far
#: enough.
_BOT_ROUNDS, _GETS_ABOUT_UNITS = 4, 1000.0


@dataclass(frozen=True, slots=True)
class PersonRecording:
    """A recording of DIR, and who played it, as it says."""

    file: Path
    player: str
    setup: DoomSetup
    seen: Observations


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmedClip:
    """A clip before it becomes a stimulus: a part of a recording, or a film of a demo."""

    source: Path
    condition: str
    page: str
    from_ms: int
    to_ms: int
    apart: float | None
    learned_from: str = ""
    demo: DemoClip | None = None


def write_recorded_clips(
    folder: Path,
    seed: int,
    recordings: Path,
    design: ClipDesign,
    work: Path,
    tell: Callable[[str], None],
) -> None:
    """The stimuli of a study in `folder` from the recordings in a folder, with the conditions they
    have.
    """
    people = people_in(recordings)
    rng = generator(seed, "clips from recordings")
    shown, others = _split([person.file for person in people], rng)
    by_file = {person.file: person for person in people}
    topology = learn_topology(
        [person.seen for person in people],
        min(_NODES, _most_nodes(people)),
        np.random.default_rng(derive(seed, "nodes")),
    )
    tell(
        f"{len(people)} recordings: clips from {len(shown)}, learning from the other {len(others)}"
    )
    models = _learned_players([by_file[file] for file in others], work / "players", seed)
    runs = _rounds(people[0].setup, models, design, seed, work / "rounds")
    tell(f"playing {len(runs)} rounds by bots and learned players")
    _all(map_named(play_round, runs))
    played = {
        kind: sorted((work / "rounds").glob(f"{kind}-[0-9]*{RECORDING_SUFFIX}"))
        for kind in (ARTIFICIAL, IMITATION)
    }
    files = {HUMAN: shown, **played}
    seen = {HUMAN: [by_file[file].seen for file in shown]} | {
        kind: [observe_doom(read(file)) for file in played[kind]] for kind in played
    }
    windows = {
        kind: quiet_windows(topology, seen[kind], 1000 * design.clip_s, design.fewest_nodes)
        for kind in files
    }
    planned = plan_groups(topology, windows, design, rng)
    standins = people[0].player != "person"
    tell("playing direct clones of human clips")
    clips = [
        (
            _clone(clip, by_file[shown[clip.window.recording]], topology, design, seed, work)
            if clip.clone
            else _plain(clip, files[clip.type][clip.window.recording], standins, models)
        )
        for clip in planned
    ]
    clips += _people_clips(design, seed, work, tell)
    films = _film(clips, work / "films", tell)
    scenes = [
        SceneClip(film, clip.condition, clip.page) for film, clip in zip(films, clips, strict=True)
    ]
    tell(f"making {len(scenes)} stimuli alike")
    names = [film_name(generator(seed, "name of a film", number)) for number in range(len(scenes))]
    finished: list[int] = []
    make_stimuli(
        folder,
        scenes,
        clock=VirtualClock(0),
        new_name=lambda: names[len(finished)],
        recipe=RECIPE,
        masks=MASKS,
        done=lambda: finished.append(1),
    )
    _name_conditions(folder / "study.yaml", {clip.condition for clip in clips}, standins=standins)
    _list(folder / LISTED, names, clips)


# ----------------------------------------------------------------------------------------------
# recordings


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


def _split(files: Sequence[Path], rng: random.Random) -> tuple[list[Path], list[Path]]:
    """Half of the recordings are shown, the others are learned from."""
    drawn = list(files)
    rng.shuffle(drawn)
    middle = (len(drawn) + 1) // 2
    return sorted(drawn[:middle]), sorted(drawn[middle:])


def _most_nodes(people: Sequence[PersonRecording]) -> int:
    return max(2, min(person.seen.frames for person in people) // 10)


# ----------------------------------------------------------------------------------------------
# rounds


def _learned_players(people: Sequence[PersonRecording], folder: Path, seed: int) -> list[Path]:
    """One learned player for each person that there are recordings of."""
    by_player: dict[str, list[PersonRecording]] = defaultdict(list)
    for person in people:
        by_player[person.player].append(person)
    return [
        _learn(own, folder / f"player-{number}.imitation", seed)
        for number, (_, own) in enumerate(sorted(by_player.items()), 1)
    ]


def _learn(people: Sequence[PersonRecording], file: Path, seed: int) -> Path:
    if not file.is_file():
        file.parent.mkdir(parents=True, exist_ok=True)
        most = _most_nodes(people)
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


#: A round to play: its setup, the player (a learned player's file, or none for the engine's bot),
#: the player's seed, the target.
RoundJob = tuple[DoomSetup, Path | None, int, Path]


def _rounds(
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


def _all(outcome: WorkOutcome[str, Path]) -> None:
    if outcome.failed:
        raise InvalidInput("; ".join(f"{name}: {why}" for name, why in outcome.failed.items()))


def _plain(clip: PlannedClip, file: Path, standins: bool, models: Sequence[Path]) -> FilmedClip:
    condition = STANDIN if standins and clip.type == HUMAN else CONDITIONS[clip.type]
    number = clip.window.recording % len(models)
    learned = ", ".join(read_imitation(models[number]).sources) if clip.type == IMITATION else ""
    return FilmedClip(
        source=file,
        condition=condition,
        page=page_name(clip.group),
        from_ms=clip.window.from_ms,
        to_ms=clip.window.to_ms,
        apart=clip.apart,
        learned_from=learned,
    )


def _clone(
    clip: PlannedClip,
    person: PersonRecording,
    topology: Topology,
    design: ClipDesign,
    seed: int,
    work: Path,
) -> FilmedClip:
    """Learned from the very recording of the human clip, begun as that was begun; the part whose
    way is nearest to the clip's.
    """
    name = f"{CLONE}-{clip.group:03d}"
    model = _learn([person], work / "players" / f"{name}.imitation", seed)
    ticks = max(person.setup.ticks, design.round_s * TICS_PER_S)
    setup = person.setup.model_copy(
        update={"ticks": ticks, "opponent": "nobody", "camera": "first"}
    )
    file = play_round(
        setup,
        model,
        derive(seed, "player", name) >> 1,
        work / "rounds" / f"{name}{RECORDING_SUFFIX}",
    )
    windows = quiet_windows(
        topology, [observe_doom(read(file))], 1000 * design.clip_s, design.fewest_nodes
    )
    window: RouteWindow | None = nearest_window(topology, clip.window.nodes, windows, ())
    if window is None:
        raise InvalidInput(
            f"the direct clone of {person.file.name}: in no part of {design.clip_s} s does it get"
            " about. Record longer rounds."
        )
    apart = route_distance(topology, clip.window.nodes, window.nodes)
    return FilmedClip(
        source=file,
        condition=CLONE,
        page=page_name(clip.group),
        from_ms=window.from_ms,
        to_ms=window.to_ms,
        apart=apart,
        learned_from=person.file.name,
    )


def page_name(group: int) -> str:
    return f"page_{group + 1:02d}"


def _people_clips(
    design: ClipDesign, seed: int, work: Path, tell: Callable[[str], None]
) -> list[FilmedClip]:
    """Pages with people's demos of FreeDM next to the engine's bots on the same map, as long as the
    demo is quiet.
    """
    if not design.people_pages:
        return []
    tell(f"{design.people_pages} pages with people's demos")
    clips = []
    for number, demo in enumerate(demo_clips(design.people_pages, design.per_group)):
        page = page_name(design.groups + demo.page)
        if demo.demo is not None:
            file = film_demo(demo, work / "demos")
            clips.append(
                FilmedClip(
                    source=file,
                    condition=PEOPLE,
                    page=page,
                    from_ms=demo.from_ms,
                    to_ms=demo.to_ms,
                    apart=None,
                    demo=demo,
                )
            )
            continue
        target, part = _bot_beside_people(demo, f"demo-{number:03d}", design, seed, work)
        clips.append(
            FilmedClip(
                source=target,
                condition=CONDITIONS[ARTIFICIAL],
                page=page,
                from_ms=part.from_ms,
                to_ms=part.to_ms,
                apart=None,
                demo=demo,
            )
        )
    return clips


def _bot_beside_people(
    demo: DemoClip, name: str, design: ClipDesign, seed: int, work: Path
) -> tuple[Path, WidestPart]:
    """A bot on the demo's map, in the first of a few rounds in which it gets about; else in the one
    in which it gets farthest.
    """
    rounds: list[tuple[Path, WidestPart]] = []
    for attempt in range(_BOT_ROUNDS):
        own = f"{name}-{attempt}"
        setup = DoomSetup(
            map=demo.map,
            map_seed=0,
            engine_seed=derive(seed, "round", own) % 2**31,
            camera="first",
            ticks=design.round_s * TICS_PER_S,
            width_px=demo.size_px[0],
            height_px=demo.size_px[1],
        )
        target = play_round(setup, None, 0, work / "rounds" / f"{own}{RECORDING_SUFFIX}")
        rounds.append((target, widest_part(read(target), demo.to_ms - demo.from_ms)))
        if rounds[-1][1].spread_units >= _GETS_ABOUT_UNITS:
            break
    return max(rounds, key=lambda pair: pair[1].spread_units)


# ----------------------------------------------------------------------------------------------
# films and the study


def _film(clips: Sequence[FilmedClip], folder: Path, tell: Callable[[str], None]) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    targets = [folder / f"film-{number:03d}.mp4" for number in range(len(clips))]
    jobs = {
        target.name: (
            clip.source,
            target,
            replace(clip_look(clip), from_ms=clip.from_ms, to_ms=clip.to_ms),
        )
        for clip, target in zip(clips, targets, strict=True)
        if not target.is_file()
    }
    tell(f"filming {len(jobs)} clips")
    _all(map_named(film_part, jobs, progress=lambda done, total: tell(f"filmed {done} of {total}")))
    return targets


def clip_look(clip: FilmedClip) -> Look:
    """The same for all clips; with demos on the page, in the size of those."""
    if clip.demo is None:
        return LOOK
    width_px, height_px = clip.demo.size_px
    # The bar below is part of the other engine's picture: with it both pictures have the same
    # middle, and it is covered in both.
    return replace(LOOK, width_px=width_px, height_px=height_px, overlay=True)


def film_part(source: Path, target: Path, look: Look) -> Path:
    """A part of a recording as a film; of a film that part of it, coded in the same way."""
    if source.suffix == ".mp4":
        cut_film(source, target, look)
    else:
        render_file(source, target, look)
    return target


def _name_conditions(study: Path, shown: set[str], *, standins: bool) -> None:
    """Conditions and their roles, if they are shown. With scripts in the role of people it stays a
    demonstration.
    """
    human = [name for name in (STANDIN, CONDITIONS[HUMAN], PEOPLE) if name in shown]
    imitation = [name for name in (CONDITIONS[IMITATION], CLONE) if name in shown]
    artificial = [CONDITIONS[ARTIFICIAL]]
    roles = {HUMAN: human, IMITATION: imitation, ARTIFICIAL: artificial}
    changes: dict[str, object] = {
        "conditions": [*human, *imitation, *artificial],
        "analysis": {
            "roles": {
                role: names if len(names) > 1 else names[0]
                for role, names in roles.items()
                if names
            }
        },
    }
    if not standins:
        changes["demonstration"] = None
    change_study(study, changes)


def _list(file: Path, names: Sequence[str], clips: Sequence[FilmedClip]) -> None:
    columns = (
        "stimulus",
        "condition",
        "page",
        "recording",
        "from_ms",
        "to_ms",
        "route_distance",
        "learned_from",
    )
    with file.open("w", newline="", encoding="utf-8") as sheet:
        writer = csv.writer(sheet)
        writer.writerow(columns)
        for name, clip in zip(names, clips, strict=True):
            apart = "" if clip.apart is None else f"{clip.apart:.3f}"
            writer.writerow(
                (
                    name,
                    clip.condition,
                    clip.page,
                    clip.source.name,
                    clip.from_ms,
                    clip.to_ms,
                    apart,
                    clip.learned_from,
                )
            )
