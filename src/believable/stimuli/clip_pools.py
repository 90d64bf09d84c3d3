"""Pools of clips that are ready to be shown: films of one size and one rate, of equal length within
a pair, in one folder for each condition with an index (`pool.json`).

Everything is made here, before the study is served. What an earlier run finished is kept.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from believable.contracts.registries import WORLDS
from believable.core.errors import InvalidInput
from believable.core.object_storage import digest_of
from believable.core.whole_files import write_whole
from believable.core.work import Progress, map_named
from believable.recordings.actions import RECORDING_SUFFIX
from believable.recordings.file import read
from believable.stimuli import source_pool, standardise
from believable.stimuli.clip_matching import ClipMatch, SourceClip
from believable.stimuli.probe import facts
from believable.stimuli.recipe import BITS_PER_S, Recipe
from believable.stimuli.render import Look, render_file
from believable.study.pools import FORMAT, INDEX, PoolClip, readable_id

FILMS = (".mp4", ".webm", ".mkv", ".mov", ".avi")
#: Beside the films: how each was made, so that a repeated command keeps it.
MADE = ".made.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLook:
    """The size and rate of all films."""

    width_px: int = 960
    height_px: int = 540
    frames_per_s: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFilm:
    """A film to make: from which file, where, and how long."""

    source: Path
    target: Path
    length_ms: int
    clip: PoolClip

    def recipe(self, look: PoolLook) -> str:
        """All that the film depends on, as text."""
        parts = {"source": digest_of(self.source), "length_ms": self.length_ms, **asdict(look)}
        return json.dumps(parts, sort_keys=True)


@dataclass(frozen=True, slots=True)
class MadePools:
    """Folder of each condition, films made now, films kept from before, and why others failed."""

    folders: Mapping[str, Path]
    made: tuple[Path, ...]
    kept: tuple[Path, ...]
    failed: Mapping[Path, str]


def source_clips(
    folder: Path, *, scenario: str | None = None, longest_ms: int | None = None
) -> list[SourceClip]:
    """The clips of a folder. Folders inside it are scenarios, unless one `scenario` is given. A
    recording is used rather than the film that was made of it.
    """
    clips = []
    for file in _clip_files(folder):
        inner = file.relative_to(folder).parts[:-1]
        known = scenario or (readable_id(*inner) if inner else None)
        start, length_ms = _start_and_length(file)
        length_ms = length_ms if longest_ms is None else min(length_ms, longest_ms)
        clips.append(SourceClip(file=file, scenario=known, start=start, length_ms=length_ms))
    if not clips:
        raise InvalidInput(
            f"{folder}: there are no films ({', '.join(FILMS)}) and no recordings. Record some:"
            " believable record --help"
        )
    return clips


def _clip_files(folder: Path) -> Iterator[Path]:
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    recorded = {
        (file.parent, file.name.removesuffix(RECORDING_SUFFIX))
        for file in files
        if file.name.endswith(RECORDING_SUFFIX)
    }
    for file in files:
        if any(part.startswith(".") for part in file.relative_to(folder).parts):
            continue
        is_film = file.suffix.lower() in FILMS and (file.parent, file.stem) not in recorded
        if is_film or file.name.endswith(RECORDING_SUFFIX):
            yield file


def _start_and_length(file: Path) -> tuple[str | None, int]:
    if not file.name.endswith(RECORDING_SUFFIX):
        return None, facts(file).duration_ms
    recording = read(file)
    kind = recording.world.kind
    start = WORLDS[kind].start_of(recording) if kind in WORLDS else None
    return start, int(recording.timing.duration_ms)


def plan_films(study: Path, matches: Sequence[ClipMatch]) -> dict[str, list[PoolFilm]]:
    """The films of each condition. A pair without a scenario becomes one; pairs of a scenario
    are numbered in it.
    """
    films: dict[str, list[PoolFilm]] = {condition: [] for condition in matches[0].clips}
    taken: set[str] = set()
    digits = max(2, len(str(len(matches))))
    for number, match in enumerate(matches, start=1):
        scene = f"scene_{number:0{digits}d}"
        scenario, pair = (scene, None) if match.scenario is None else (match.scenario, scene)
        for condition, clip in match.clips.items():
            place = study / standardise.FOLDER / condition
            name = _free_name(readable_id(condition, _stem(clip.file)), taken)
            target = place / f"{name}.mp4"
            made = PoolClip(
                id=name,
                file=target.name,
                scenario=scenario,
                pair=pair,
                duration_ms=match.length_ms,
                origin=clip.file.name,
            )
            films[condition].append(
                PoolFilm(source=clip.file, target=target, length_ms=match.length_ms, clip=made)
            )
    return films


def _free_name(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 1
    while name in taken:
        number += 1
        name = f"{wanted[:58]}_{number}"
    taken.add(name)
    return name


def _stem(file: Path) -> str:
    return file.name.removesuffix(RECORDING_SUFFIX).partition(".")[0]


def make_pools(
    study: Path,
    matches: Sequence[ClipMatch],
    look: PoolLook,
    *,
    workers: int | None = None,
    progress: Progress = lambda done, total: None,
) -> MadePools:
    """Make every film that is missing, and the index of each pool."""
    planned = plan_films(study, matches)
    everything = [film for films in planned.values() for film in films]
    kinds = {film.source.name.endswith(RECORDING_SUFFIX) for film in everything}
    if len(kinds) > 1:
        raise InvalidInput(
            "pools: some clips are films and some are recordings, so that their pictures would"
            " differ. Give recordings of all conditions, or films of all."
        )
    folders = {condition: films[0].target.parent for condition, films in planned.items()}
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    recipes = {film.target: film.recipe(look) for film in everything}
    before = {target: made for folder in folders.values() for target, made in _recipes_in(folder)}
    kept = [
        film.target
        for film in everything
        if film.target.is_file() and before.get(film.target) == recipes[film.target]
    ]
    todo = {film.target: (film, look) for film in everything if film.target not in kept}
    for target in todo:
        target.unlink(missing_ok=True)
    for condition, folder in folders.items():
        made = {film.target.name: recipes[film.target] for film in planned[condition]}
        write_whole(folder / MADE, json.dumps(made, indent=1, sort_keys=True))
    worked = map_named(
        _make_film,
        todo,
        workers=workers,
        progress=lambda done, total: progress(len(kept) + done, len(everything)),
    )
    for condition, folder in folders.items():
        _write_index(folder, planned[condition], worked.failed)
    return MadePools(folders, tuple(worked.results), tuple(kept), worked.failed)


def _recipes_in(folder: Path) -> Iterator[tuple[Path, str]]:
    path = folder / MADE
    if path.is_file():
        for name, recipe in json.loads(path.read_text("utf-8")).items():
            yield folder / name, recipe


def _write_index(folder: Path, films: Sequence[PoolFilm], failed: Mapping[Path, str]) -> None:
    clips = [film.clip.to_tree() for film in films if film.target not in failed]
    tree = {"format": FORMAT, "clips": clips}
    write_whole(folder / INDEX, json.dumps(tree, indent=1, ensure_ascii=False))


def _make_film(film: PoolFilm, look: PoolLook) -> None:
    if film.source.name.endswith(RECORDING_SUFFIX):
        _film_recording(film, look)
    else:
        _film_again(film, look)


def _film_recording(film: PoolFilm, look: PoolLook) -> None:
    """As it was seen, once, at the rate of all films."""
    wanted = Look(
        width_px=look.width_px,
        height_px=look.height_px,
        frames_per_s=look.frames_per_s,
        to_ms=film.length_ms,
        bits_per_s=BITS_PER_S,
    )
    recording = read(film.source)
    playing = WORLDS[recording.world.kind].playing
    filmable = None if playing is None else playing.filmable
    if filmable is not None and filmable.size_px is not None:
        width_px, height_px = filmable.size_px(recording)
        wanted = replace(wanted, width_px=width_px, height_px=height_px)
    render_file(film.source, film.target, wanted)


def _film_again(film: PoolFilm, look: PoolLook) -> None:
    """A film encoded again as `stimuli standardise` does, cropped to the length of its pair."""
    scratch = film.target.with_name(f".{film.target.stem}")
    shutil.rmtree(scratch, ignore_errors=True)
    try:
        sources = scratch / source_pool.FOLDER
        sources.mkdir(parents=True)
        kept = sources / f"clip{film.source.suffix}"
        shutil.copyfile(film.source, kept)
        source = replace(source_pool.look(kept), name="clip", file=kept.name)
        recipe = Recipe(
            width_px=look.width_px, height_px=look.height_px, frames_per_s=look.frames_per_s
        )
        made = standardise.make(scratch, source, recipe, 0, film.length_ms)
        made.replace(film.target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
