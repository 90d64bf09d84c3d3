"""Are planted giveaways found, and does chance raise few alarms? Real films, real motion.

    python -m validation.giveaways                    planted leaks and 400 null studies of 12 pairs
    python -m validation.giveaways FOLDER FOLDER      which giveaways two folders of films have

Small films of turning views are encoded, some with one leak each: more bytes, more length, more
light. Motion tracks turn smoothly, or on a clock of 5 Hz. Studies draw pairs from these. Exits with
1 unless at least 95 % of planted studies and at most 5 % of null studies are found.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from believable.app.giveaways import giveaways
from believable.giveaways.exhibits import Exhibit, exhibit_of
from believable.giveaways.finder import find_giveaways
from believable.motion.motion_features import measure_motion
from believable.motion.motion_track import Floats, make_track
from believable.recordings.film_file import FilmFile

PAIRS, NULLS, PLANTED = 12, 400, 100
LEAST_FOUND, MOST_ALARMS = 0.95, 0.05
FPS, FRAMES = 15, 30
HZ = 35.0
#: A film's copy with a leak: added noise that costs bytes, frames, light.
LEAKS: Mapping[str, Mapping[str, int]] = {
    "none": {},
    "size": {"grain": 3},
    "length": {"frames": FRAMES + 3},
    "brightness": {"light": 6},
}
#: The features that show each leak.
SHOWN_BY = {
    "size": {"bytes", "packet_mean"},
    "length": {"length_ms"},
    "brightness": {"brightness"},
    "grid": {"grid_strength", "grid_evidence"},
}


def encode(path: Path, seed: int, *, grain: int = 0, frames: int = FRAMES, light: int = 0) -> Path:
    """Film a view that wanders along a wall."""
    rng = np.random.default_rng(seed)
    wall = rng.integers(40, 180, (9, 60, 3)).repeat(10, 0).repeat(8, 1)
    at = 160 + np.cumsum(rng.normal(0, 3, frames)).clip(-150, 150).astype(int)
    with FilmFile(path, FPS, what="validation", preset="ultrafast") as out:
        for left in at:
            picture = wall[:, left : left + 160] + rng.integers(-2 - grain, 3 + grain, (90, 160, 3))
            out.add((picture + light).clip(0, 255).astype(np.uint8))
    return path


def turning(seed: int, *, on_grid: bool) -> Mapping[str, float]:
    """Return the features of ten seconds of walking and turning."""
    rng = np.random.default_rng(seed)
    n = round(10 * HZ)
    if on_grid:
        rates: Floats = np.repeat(rng.choice([-60.0, 0.0, 0.0, 30.0, 60.0], n // 7 + 1), 7)[:n]
    else:
        smooth = np.hanning(18) / np.hanning(18).sum()
        rates = np.asarray(np.convolve(rng.normal(0, 160, n + 17), smooth, "valid"))
    heading = np.cumsum(rates) / HZ
    looks, speed = np.radians(heading), rng.uniform(1.5, 2.5)
    position = np.column_stack([np.cumsum(np.cos(looks)), np.cumsum(np.sin(looks))]) * speed / HZ
    track = make_track(
        np.arange(n) / HZ, position, heading_deg=heading, unit="tile", source="validation"
    )
    return measure_motion(track)


def make_pool(folder: Path, films: int) -> Mapping[str, list[Mapping[str, float]]]:
    """Return the values of every film and of its copies with leaks, and of movers on a clock."""
    pool: dict[str, list[Mapping[str, float]]] = {}
    people = [turning(seed, on_grid=False) for seed in range(films)]
    plain: list[Mapping[str, float]] = []
    for leak, changes in LEAKS.items():
        values: list[Mapping[str, float]] = []
        for seed in range(films):
            file = encode(folder / f"{leak}-{seed}.mp4", seed, **changes)
            shown = exhibit_of(file, name=file.stem, condition="x", scenario=None, served={})
            values.append({**shown.values, **people[seed]})
        pool[leak] = values
        plain = plain or values
    pool["grid"] = [{**plain[seed], **turning(1000 + seed, on_grid=True)} for seed in range(films)]
    return pool


def draw(
    pool: Mapping[str, list[Mapping[str, float]]], leak: str, rng: np.random.Generator
) -> list[Exhibit]:
    """Draw the pairs of a study: two different films, of which the agent's has the leak."""
    n = len(pool["none"])
    shown = []
    chosen: NDArray[np.int64] = rng.choice(n, (PAIRS, 2), replace=False)
    for number, (agent, person) in enumerate(chosen):
        for condition, values in (("agent", pool[leak][agent]), ("person", pool["none"][person])):
            shown.append(
                Exhibit(
                    name=f"{condition}{number}",
                    condition=condition,
                    scenario=f"s{number}",
                    values=values,
                )
            )
    return shown


def rates(folder: Path, films: int, say: Callable[[str], None]) -> bool:
    """Print how often each leak is found, and how often chance is."""
    pool = make_pool(folder, films)
    rng = np.random.default_rng(5)
    passed = True
    for leak, features in SHOWN_BY.items():
        found = sum(
            bool(
                features
                & {
                    giveaway.guess.feature
                    for giveaway in find_giveaways(draw(pool, leak, rng), rng).found
                }
            )
            for _ in range(PLANTED)
        )
        passed &= found >= LEAST_FOUND * PLANTED
        say(f"planted {leak}: found in {found} of {PLANTED} studies of {PAIRS} pairs")
    for kind in ("artifact", "behavior"):
        alarms = sum(
            any(
                giveaway.kind == kind
                for giveaway in find_giveaways(draw(pool, "none", rng), rng).found
            )
            for _ in range(NULLS)
        )
        passed &= alarms <= MOST_ALARMS * NULLS
        say(f"false alarms, {kind}: {alarms} of {NULLS} null studies ({alarms / NULLS:.3f})")
    return passed


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", nargs="*", type=Path, help="folders of films, one a condition")
    parser.add_argument("--films", type=int, default=48)
    options = parser.parse_args()
    if options.folders:
        clips = [f"{folder.name}={folder}" for folder in options.folders]
        with tempfile.TemporaryDirectory() as room:
            result = giveaways(clips=clips, page=Path(room) / "page.html")
        for giveaway in result.giveaways.found:
            say(f"{giveaway.kind}: {giveaway}")
        return
    with tempfile.TemporaryDirectory() as room:
        passed = rates(Path(room), options.films, say)
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
