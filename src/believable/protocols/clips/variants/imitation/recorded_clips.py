"""Clips from recordings of people: the engine's bots and a learned player on the same map are
played, alike parts are chosen, filmed and made into stimuli in one way.

The result of each long step is a file in `work`, written completely or not at all: an interrupted
run resumes there.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
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
from believable.protocols.clips.variants.imitation.recorded_rounds import (
    NODES,
    PersonRecording,
    learn_player,
    learn_players,
    most_nodes,
    people_in,
    play_round,
    raise_failures,
    round_jobs,
    split_recordings,
)
from believable.protocols.doom_films import MESSAGES, STATUS_BAR, film_name
from believable.protocols.own_clips import SceneClip, make_stimuli
from believable.protocols.variants import change_study
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read
from believable.stimuli.recipe import Recipe
from believable.stimuli.render import Look, render_file
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_observations import observe_doom
from believable.worlds.doom.doom_round import DoomSetup

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
#: Bots get stuck on maps of people's demos: this number of rounds is tried until one moves far
#: enough.
_BOT_ROUNDS, _GETS_ABOUT_UNITS = 4, 1000.0


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
    shown, others = split_recordings([person.file for person in people], rng)
    by_file = {person.file: person for person in people}
    topology = learn_topology(
        [person.seen for person in people],
        min(NODES, most_nodes(people)),
        np.random.default_rng(derive(seed, "nodes")),
    )
    tell(
        f"{len(people)} recordings: clips from {len(shown)}, learning from the other {len(others)}"
    )
    models = learn_players([by_file[file] for file in others], work / "players", seed)
    runs = round_jobs(people[0].setup, models, design, seed, work / "rounds")
    tell(f"playing {len(runs)} rounds by bots and learned players")
    raise_failures(map_named(play_round, runs))
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
    films = film_clips(clips, work / "films", tell)
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
# rounds


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
    model = learn_player([person], work / "players" / f"{name}.imitation", seed)
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


def film_clips(
    clips: Sequence[FilmedClip], folder: Path, tell: Callable[[str], None]
) -> list[Path]:
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
    raise_failures(
        map_named(film_part, jobs, progress=lambda done, total: tell(f"filmed {done} of {total}"))
    )
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
