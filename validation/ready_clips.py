"""Make the recordings and the films that come with `hntt` and `clips`.

    python -m validation.ready_clips hntt WORK
    python -m validation.ready_clips clips WORK

The package gets recordings of each kind of player (`protocols/NAME/recordings/CONDITION`), from
which pools of fresh clips are made, and the films of the ready study (`protocols/NAME/films`). Every
clip is drawn by chance from what a kind of player did. Long steps leave files in WORK; the same
command goes on there.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from believable.core.clock import VirtualClock
from believable.core.seeds import derive, generator
from believable.core.work import map_chunks, map_named
from believable.imitation.similar_routes import RouteWindow
from believable.protocols import READY_STUDIES
from believable.protocols.clips.variants.imitation import recorded_clips as clips
from believable.protocols.clips.variants.imitation.group_plan import (
    IMITATION,
    ClipDesign,
    plan_groups,
)
from believable.protocols.clips.variants.imitation.people_recordings import (
    MapPeople,
    people_by_map,
    people_in,
)
from believable.protocols.clips.variants.imitation.played_rounds import (
    RoundJob,
    learned_players,
    must_succeed,
    play_round,
    rounds_of,
)
from believable.protocols.hntt import agent_clips
from believable.protocols.hntt.agent_study import READY_AGENT, STANDIN
from believable.protocols.hntt.run_pairs import FinishedRun, match_runs
from believable.protocols.own_clips import SceneClip, make_stimuli
from believable.protocols.shipped_films import FOLDER, pack_film
from believable.protocols.variants import change_study
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read, write
from believable.stimuli.recipe import Recipe
from believable.worlds.doom.doom_engine import TICS_PER_S
from believable.worlds.doom.doom_recording import setup_in
from believable.worlds.doom.game_map import FREEDM_PEOPLE
from believable.worlds.doom.led_round import as_led, led_part
from believable.worlds.doom.navigation.movement_measures import RunMeasures, run_measures
from believable.worlds.doom.navigation.navigation_runs import PlannedRun, planned_runs, run_of

SEED = 7
AGENT, RUNS, WALKS, PAIRS, SHIPPED = "hybrid", 130, 100, 6, 64
#: Short films of low rates: both studies together take less than 12 MB in the package.
RATE, HNTT_RATE, LONGEST_MS = 1_000_000, 1_200_000, 10_000
DESIGN = ClipDesign(groups=5, clip_s=6, clones=0)
#: Rounds of each kind on each map from which the films are chosen, and further ones of the learned
#: player for the recordings: in some of its rounds it fires, or stays in one place.
ROUNDS, MORE_ROUNDS = 7, 7


# ------------------------------------------------------------------------------------------ hntt


def run_to(planned: PlannedRun, target: Path) -> Path:
    """Play a run, unless it was played before."""
    if not target.is_file():
        unfinished = target.with_name(f".{target.name}")
        write(run_of(planned), unfinished)
        unfinished.replace(target)
    return target


def make_hntt(work: Path) -> None:
    runs, walks = work / "runs", work / "walks"
    for folder in (runs, walks):
        folder.mkdir(parents=True, exist_ok=True)
    planned = planned_runs(AGENT, RUNS, derive(SEED, "runs", AGENT) >> 1, goals="far")
    played = map_named(
        run_to,
        {str(run.number): (run, runs / f"{run.number:03d}{RECORDING_SUFFIX}") for run in planned},
    )
    must_succeed(played)
    agents = [run for file in sorted(runs.glob("*.gz")) if (run := finished(file)) is not None]
    rng = generator(SEED, "drawn runs")
    people = [run for file in sorted(walks.glob("*.gz")) if (run := finished(file)) is not None]
    if not people:
        setups = [setup_in(read(run.file)) for run in agents if run.fits]
        people = agent_clips.standin_runs(setups, WALKS, rng, walks)
    pairs = match_runs(agents, people, PAIRS, generator(SEED, "pairs"))
    scenes = [
        (f"pair_{number:02d}", condition, run, min(pair.shown_ms, LONGEST_MS))
        for number, pair in enumerate(pairs, 1)
        for condition, run in ((STANDIN, pair.first), (READY_AGENT, pair.second))
    ]
    names = [f"{pair}_{condition.removeprefix('standin_')}" for pair, condition, _, _ in scenes]
    study = draft("hntt", work)
    make_stimuli(
        study,
        [SceneClip(run.file, condition, pair, shown) for pair, condition, run, shown in scenes],
        clock=VirtualClock(0),
        new_name=in_turn(names),
        recipe=replace(agent_clips.UNMARKED, width_px=640, height_px=360, bits_per_s=HNTT_RATE),
        masks=agent_clips.MASKS,
    )
    measured = [run_measures(read(run.file), 0, shown) for _, _, run, shown in scenes]
    package = ship_films("hntt", study, names, measured=dict(zip(names, measured, strict=True)))
    counts = {
        condition: {"runs": made, "reached": len(own), "shown_from": sum(r.fits for r in own)}
        for condition, made, own in ((READY_AGENT, RUNS, agents), (STANDIN, WALKS, people))
    }
    (package / FOLDER / agent_clips.DRAWN).write_text(
        json.dumps({"agent": AGENT, "drawn_from": counts}, indent=2) + "\n", "utf-8"
    )
    for condition, own in ((READY_AGENT, agents), (STANDIN, people)):
        fitting = [run for run in own if run.fits][:SHIPPED]
        goals = [f"goal_{run.goal:02d}" for run in fitting]
        ship_recordings(package, condition, [run.file for run in fitting], goals)
    sys.stdout.write(f"{counts}\n")


def finished(file: Path) -> FinishedRun | None:
    """A run that reached its goal."""
    measures = run_measures(read(file))
    if not measures.success:
        return None
    return FinishedRun(file, int(measures.goal or 0), measures.seconds)


# ------------------------------------------------------------------------------------------ clips


def make_clips(work: Path) -> None:
    people = people_by_map(people_in(FREEDM_PEOPLE), generator(SEED, "clips from recordings"))
    models = {place.number: learned_players(place, work / "players", SEED) for place in people}
    jobs: dict[str, RoundJob] = {}
    for place in people:
        jobs |= rounds_of(place, models[place.number], DESIGN, ROUNDS, SEED, work / "rounds")
    must_succeed(map_named(play_round, {name: (job,) for name, job in jobs.items()}))
    materials = [
        clips.map_material(place, models[place.number], DESIGN, SEED, work) for place in people
    ]
    by_map = {material.people.number: material for material in materials}
    planned = plan_groups([material.parts for material in materials], DESIGN, random.Random(SEED))
    chosen = [clips.plain_clip(clip, by_map[clip.map]) for clip in planned]
    films = clips.film_clips(chosen, work, lambda line: None)
    names = [f"c{number:02d}" for number in range(1, len(chosen) + 1)]
    study = draft("clips", work)
    recipe: Recipe = replace(clips.RECIPE, bits_per_s=RATE)
    make_stimuli(
        study,
        [
            SceneClip(film, clip.condition, clip.page)
            for film, clip in zip(films, chosen, strict=True)
        ],
        clock=VirtualClock(0),
        new_name=in_turn(names),
        recipe=recipe,
        masks=clips.MASKS,
    )
    package = ship_films("clips", study, names)
    clips.list_clips(package / FOLDER / clips.LISTED, names, chosen)
    left_out = sum((material.left_out for material in materials), Counter[tuple[str, str]]())
    clips.list_left_out(package / FOLDER / clips.LEFT_OUT, left_out)
    for kind, condition in clips.CONDITIONS.items():
        parts = [
            (material.files[kind][window.recording], window.from_ms, window.to_ms)
            for material in materials
            for window in separate(material.parts.windows[kind])
        ]
        if kind == IMITATION:
            parts += more_parts(people, models, work / "more")
        random.Random(SEED).shuffle(parts)
        made = [
            cut(file, from_ms, to_ms, work / "parts" / condition, number)
            for number, (file, from_ms, to_ms) in enumerate(parts[:SHIPPED], 1)
        ]
        ship_recordings(package, condition, made, [file.parent.name for file in made])
        sys.stdout.write(f"{condition}: {len(parts)} parts, {len(made)} shipped\n")


def more_parts(
    people: Sequence[MapPeople], models: Mapping[int, Sequence[Path]], work: Path
) -> list[tuple[Path, int, int]]:
    """Parts of further rounds of the learned players."""
    parts = []
    for place in people:
        jobs = rounds_of(
            place, models[place.number], DESIGN, ROUNDS + MORE_ROUNDS, SEED, work / "rounds"
        )
        further = {
            name: (job,)
            for name, job in jobs.items()
            if job.player is not None and int(name[-3:]) >= ROUNDS
        }
        must_succeed(map_named(play_round, further))
        files = [job.target for (job,) in further.values()]
        topology = clips.topology_of(place, SEED)
        windows, _ = clips.led_windows(topology, files, DESIGN)
        parts += [(files[one.recording], one.from_ms, one.to_ms) for one in separate(windows)]
    return parts


def separate(windows: Sequence[RouteWindow]) -> list[RouteWindow]:
    """Windows that show nothing twice."""
    kept: list[RouteWindow] = []
    for window in windows:
        if not any(window.overlaps(other) for other in kept):
            kept.append(window)
    return kept


def cut(source: Path, from_ms: int, to_ms: int, folder: Path, number: int) -> Path:
    """A part of a recording, in a folder named after its map."""
    recording = read(source)
    target = folder / setup_in(recording).map.partition(":")[2] / f"{number:03d}{RECORDING_SUFFIX}"
    target.parent.mkdir(parents=True, exist_ok=True)
    first, last = (round(at * TICS_PER_S / 1000) for at in (from_ms, to_ms))
    write(led_part(as_led(recording, setup_in(recording)), first, last), target)
    return target


# ------------------------------------------------------------------------------------------ package


def draft(protocol: str, work: Path) -> Path:
    """The study of a protocol in WORK, new."""
    study = work / "study"
    shutil.rmtree(study, ignore_errors=True)
    READY_STUDIES[protocol].copy(study)
    return study


def in_turn(names: Sequence[str]) -> Callable[[], str]:
    rest = iter(names)
    return lambda: next(rest)


def ship_films(
    protocol: str,
    study: Path,
    names: Sequence[str],
    measured: Mapping[str, RunMeasures] | None = None,
) -> Path:
    """Put films into the package, and their entries into its study file."""
    package = READY_STUDIES[protocol].folder
    shutil.rmtree(package / FOLDER, ignore_errors=True)
    map_chunks(_pack, [(study, package, name) for name in names], pool="processes")
    if measured is not None:
        change_study(
            study / "study.yaml",
            {"stimuli": agent_clips.measures_of(names, [measured[name] for name in names])},
        )
    text, ready = (
        place.read_text("utf-8") for place in (study / "study.yaml", package / "study.yaml")
    )
    begin, end = "stimuli:\n", "\ntimeline:"
    own = text[text.index(begin) : text.index(end)].rstrip() + "\n"
    (package / "study.yaml").write_text(
        ready[: ready.index(begin)] + own + ready[ready.index(end) :], "utf-8"
    )
    return package


def _pack(job: tuple[Path, Path, str]) -> None:
    study, package, name = job
    pack_film(study / "stimuli" / f"{name}.mp4", package, name)


def ship_recordings(
    package: Path, condition: str, files: Sequence[Path], scenarios: Sequence[str]
) -> None:
    """Put recordings into the package, in a folder for each scenario: a map or a goal."""
    folder = package / "recordings" / condition
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for number, (file, scenario) in enumerate(zip(files, scenarios, strict=True), 1):
        place = folder / scenario
        place.mkdir(exist_ok=True)
        shutil.copyfile(file, place / f"{condition}-{number:02d}{RECORDING_SUFFIX}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("protocol", choices=("hntt", "clips"))
    parser.add_argument("work", type=Path)
    chosen = parser.parse_args()
    chosen.work.mkdir(parents=True, exist_ok=True)
    {"hntt": make_hntt, "clips": make_clips}[chosen.protocol](chosen.work)
    return 0


if __name__ == "__main__":
    sys.exit(main())
