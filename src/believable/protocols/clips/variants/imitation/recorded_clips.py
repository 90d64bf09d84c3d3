"""Clips from recordings of people: the bot and a learned player on the same maps are played, alike
parts are chosen, filmed and made into stimuli in one way.

Every film is made by leading a figure along the player's way: people, learned players and bots are
seen through one engine, body and camera. The result of each long step is a file in `work`, written
completely or not at all: an interrupted run resumes there.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.core.seeds import derive, generator
from believable.core.work import map_named
from believable.imitation.learned_file import read_imitation
from believable.imitation.similar_routes import (
    RouteWindow,
    nearest_window,
    quiet_windows,
    route_distance,
    sort_windows,
)
from believable.imitation.topology import Topology, learn_topology
from believable.protocols.clips.variants.imitation.group_plan import (
    ARTIFICIAL,
    HUMAN,
    IMITATION,
    ClipDesign,
    MapWindows,
    PlannedClip,
    plan_groups,
)
from believable.protocols.clips.variants.imitation.people_recordings import (
    PERSON,
    MapPeople,
    PersonRecording,
    most_nodes,
    people_by_map,
    people_in,
)
from believable.protocols.clips.variants.imitation.played_rounds import (
    RoundJob,
    learned_player,
    learned_players,
    must_succeed,
    play_round,
    round_setup,
    rounds_of,
)
from believable.protocols.doom_films import MESSAGES, STATUS_BAR, film_name
from believable.protocols.own_clips import SceneClip, make_stimuli
from believable.protocols.variants import change_study
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read, write
from believable.stimuli.recipe import Recipe
from believable.stimuli.render import Look, render_file
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_observations import observe_doom
from believable.worlds.doom.doom_recording import setup_in
from believable.worlds.doom.led_round import as_led, led_distances, way_in

#: Conditions by type; direct clones are a separate condition, so reports distinguish them.
CONDITIONS = {HUMAN: "human", IMITATION: "imitation", ARTIFICIAL: "rule_based"}
STANDIN, CLONE = "standin_human", "clone"
#: Engines draw messages and the status bar differently: covered in all clips.
MASKS = (MESSAGES, STATUS_BAR)
RECIPE = Recipe(
    width_px=640, height_px=360, sound=False, watermark="For research purposes only", crf=20
)
#: One picture and one film for all clips, for every type of player.
LOOK = Look(width_px=640, height_px=360, frames_per_s=TICS_PER_S, camera="first", plain=True)
#: The type and origin of each clip, and the parts left out by type, in the study folder; neither
#: is served.
LISTED, LEFT_OUT = "clips.csv", "left_out.csv"
_NODES = 64
#: A part in which a led figure is farther from its way than this shows another way: left out.
_LED_UNITS = 8.0
#: A direct clone that gets nowhere plays again, at most this often.
_CLONE_ROUNDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class FilmedClip:
    """A clip before it becomes a stimulus: a part of a recording."""

    source: Path
    condition: str
    page: str
    from_ms: int
    to_ms: int
    apart: float
    learned_from: str = ""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MapMaterial:
    """The recordings of one map by type, and the players learned for it."""

    people: MapPeople
    topology: Topology
    models: tuple[Path, ...]
    files: Mapping[str, Sequence[Path]]
    parts: MapWindows
    left_out: Counter[tuple[str, str]]


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
    maps = people_by_map(people, rng)
    shown = sum(len(place.shown) for place in maps)
    tell(
        f"{len(people)} recordings of {len(maps)} maps: clips from {shown}, learning from the other"
        f" {len(people) - shown}"
    )
    models = {place.number: learned_players(place, work / "players", seed) for place in maps}
    runs: dict[str, RoundJob] = {}
    for place in maps:
        rounds = design.rounds(len(maps))
        runs |= rounds_of(place, models[place.number], design, rounds, seed, work / "rounds")
    tell(f"playing {len(runs)} rounds by bots and learned players")
    must_succeed(map_named(play_round, {name: (job,) for name, job in runs.items()}))
    materials = [map_material(place, models[place.number], design, seed, work) for place in maps]
    by_map = {material.people.number: material for material in materials}
    planned = plan_groups([material.parts for material in materials], design, rng)
    tell("playing direct clones of human clips")
    clips = [
        (
            clone_clip(clip, by_map[clip.map], design, seed, work)
            if clip.clone
            else plain_clip(clip, by_map[clip.map])
        )
        for clip in planned
    ]
    films = film_clips(clips, work, tell)
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
    standins = people[0].player != PERSON
    _name_conditions(folder / "study.yaml", {clip.condition for clip in clips}, standins=standins)
    list_clips(folder / LISTED, names, clips)
    left_out = sum((material.left_out for material in materials), Counter[tuple[str, str]]())
    list_left_out(folder / LEFT_OUT, left_out)


def map_material(
    place: MapPeople, models: Sequence[Path], design: ClipDesign, seed: int, work: Path
) -> MapMaterial:
    """Return the parts that a map offers for clips."""
    topology = topology_of(place, seed)
    files: dict[str, list[Path]] = {HUMAN: [person.file for person in place.shown]}
    for kind in (ARTIFICIAL, IMITATION):
        pattern = f"{kind}-{place.number}-[0-9]*{RECORDING_SUFFIX}"
        files[kind] = sorted((work / "rounds").glob(pattern))
    windows: dict[str, list[RouteWindow]] = {}
    left_out = Counter[tuple[str, str]]()
    for kind, own in files.items():
        windows[kind], reasons = led_windows(topology, own, design)
        left_out.update({(kind, reason): count for reason, count in reasons.items()})
    return MapMaterial(
        people=place,
        topology=topology,
        models=tuple(models),
        files=files,
        parts=MapWindows(map=place.number, topology=topology, windows=windows),
        left_out=left_out,
    )


def topology_of(place: MapPeople, seed: int) -> Topology:
    """The nodes of a map, from all recordings of people on it."""
    return learn_topology(
        [person.seen for person in place.everyone],
        min(_NODES, most_nodes(place.everyone)),
        np.random.default_rng(derive(seed, "nodes")),
    )


def led_windows(
    topology: Topology, files: Sequence[Path], design: ClipDesign
) -> tuple[list[RouteWindow], Counter[str]]:
    """The parts of recordings that can be shown with a led figure, and the number of those left
    out, by reason.
    """
    found, reasons = sort_windows(
        topology,
        [observe_doom(read(file)) for file in files],
        1000 * design.clip_s,
        design.fewest_nodes,
    )
    strayed = map_named(strayed_ms, {str(file): (file,) for file in files})
    windows = [
        window
        for window in found
        if not _strays(window, strayed.results[str(files[window.recording])])
    ]
    reasons["shown"] = len(windows)
    reasons["strays"] = len(found) - len(windows)
    return windows, reasons


def strayed_ms(file: Path) -> list[int]:
    """When a led figure is not on the way of a recording, while the player lives."""
    recording = read(file)
    led = as_led(recording, setup_in(recording))
    way = way_in(led)
    off = led_distances(led, setup_in(led), 0, way.tics)
    tics = np.flatnonzero((off > _LED_UNITS) & ~way.dead)
    return [math.floor(tic * 1000 / TICS_PER_S) for tic in tics.tolist()]


def _strays(window: RouteWindow, strayed: Sequence[int]) -> bool:
    return any(window.from_ms <= at_ms < window.to_ms for at_ms in strayed)


def plain_clip(clip: PlannedClip, material: MapMaterial) -> FilmedClip:
    standins = clip.type == HUMAN and material.people.shown[0].player != PERSON
    model = material.models[clip.window.recording % len(material.models)]
    learned = ", ".join(read_imitation(model).sources) if clip.type == IMITATION else ""
    return FilmedClip(
        source=material.files[clip.type][clip.window.recording],
        condition=STANDIN if standins else CONDITIONS[clip.type],
        page=page_name(clip.group),
        from_ms=clip.window.from_ms,
        to_ms=clip.window.to_ms,
        apart=clip.apart,
        learned_from=learned,
    )


def clone_clip(
    clip: PlannedClip, material: MapMaterial, design: ClipDesign, seed: int, work: Path
) -> FilmedClip:
    """Learned from the very recording of the human clip, begun as that was begun; the part whose
    way is nearest to the clip's.
    """
    person: PersonRecording = material.people.shown[clip.window.recording]
    name = f"{CLONE}-{clip.group:03d}"
    model = learned_player([person], work / "players" / f"{name}.imitation", seed)
    setup = round_setup(person.setup, person.setup.engine_seed, design)
    longest = max(person.setup.ticks, setup.ticks)
    for attempt in range(_CLONE_ROUNDS):
        job = RoundJob(
            setup=setup.model_copy(update={"ticks": longest}),
            player=model,
            seed=derive(seed, "player", name, attempt) >> 1,
            target=work / "rounds" / f"{name}-{attempt}{RECORDING_SUFFIX}",
            as_published=design.as_published,
        )
        file = play_round(job)
        windows = quiet_windows(
            material.topology, [observe_doom(read(file))], 1000 * design.clip_s, design.fewest_nodes
        )
        window = nearest_window(material.topology, clip.window.nodes, windows, ())
        if window is not None:
            break
    else:
        raise InvalidInput(
            f"the direct clone of {person.file.name}: in no part of {design.clip_s} s of"
            f" {_CLONE_ROUNDS} rounds does it get about. Record longer rounds."
        )
    return FilmedClip(
        source=file,
        condition=CLONE,
        page=page_name(clip.group),
        from_ms=window.from_ms,
        to_ms=window.to_ms,
        apart=route_distance(material.topology, clip.window.nodes, window.nodes),
        learned_from=person.file.name,
    )


def page_name(group: int) -> str:
    return f"page_{group + 1:02d}"


# ----------------------------------------------------------------------------------------------
# films and the study


def film_clips(clips: Sequence[FilmedClip], work: Path, tell: Callable[[str], None]) -> list[Path]:
    folder = work / "films"
    folder.mkdir(parents=True, exist_ok=True)
    targets = [folder / f"film-{number:03d}.mp4" for number in range(len(clips))]
    jobs = {
        target.name: (clip.source, target, replace(LOOK, from_ms=clip.from_ms, to_ms=clip.to_ms))
        for clip, target in zip(clips, targets, strict=True)
        if not target.is_file()
    }
    tell(f"filming {len(jobs)} clips")
    must_succeed(
        map_named(film_led, jobs, progress=lambda done, total: tell(f"filmed {done} of {total}"))
    )
    return targets


def film_led(source: Path, target: Path, look: Look) -> Path:
    """Film a part of a recording by leading a figure along it."""
    recording = read(source)
    led = target.with_name(f"{target.stem}{RECORDING_SUFFIX}")
    write(as_led(recording, setup_in(recording)), led)
    render_file(led, target, look)
    led.unlink()
    return target


def _name_conditions(study: Path, shown: set[str], *, standins: bool) -> None:
    """Conditions and their roles, if they are shown. With scripts in the role of people it stays a
    demonstration.
    """
    human = [name for name in (STANDIN, CONDITIONS[HUMAN]) if name in shown]
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


def list_clips(file: Path, names: Sequence[str], clips: Sequence[FilmedClip]) -> None:
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
            writer.writerow(
                (
                    name,
                    clip.condition,
                    clip.page,
                    clip.source.name,
                    clip.from_ms,
                    clip.to_ms,
                    f"{clip.apart:.3f}",
                    clip.learned_from,
                )
            )


def list_left_out(file: Path, counts: Counter[tuple[str, str]]) -> None:
    """How many parts of each type could be shown, and how many could not, by reason."""
    with file.open("w", newline="", encoding="utf-8") as sheet:
        writer = csv.writer(sheet)
        writer.writerow(("type", "reason", "parts"))
        writer.writerows((kind, reason, count) for (kind, reason), count in sorted(counts.items()))
