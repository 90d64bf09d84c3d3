"""Are films of bots as light as films of people, where both look at the same thing? Pictures of
matched places and views.

    python -m validation.same_views REC train alone

Films every round whose name begins with the first word, and with the second, as clips are filmed,
and compares pictures in which both are at the same place and look the same way. Light and edges of
whole films differ where players go to other places; what is left here is how they are drawn.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from believable.imitation.observations import Floats
from believable.protocols.clips.variants.imitation.recorded_clips import LOOK
from believable.recordings.file import read
from believable.recordings.film_file import load_av
from believable.stimuli.render import render_file
from believable.worlds.doom.doom_observations import observe_doom

#: So near, and looking so nearly the same way, two pictures show the same thing.
NEAR_TILES, NEAR_DEGREES = 0.6, 12.0
PICTURES_PER_S = 7
#: Rows between the covered messages and the covered bar, of 180.
ROWS = slice(8, 150)


@dataclass(frozen=True, slots=True, eq=False)
class Views:
    """Pictures of rounds: where they were taken, which way, and how light and how full of edges
    they are.
    """

    place: Floats
    yaw: Floats
    light: Floats
    edges: Floats


def views(files: list[Path]) -> Views:
    look = replace(LOOK, width_px=320, height_px=180, frames_per_s=PICTURES_PER_S)
    columns: list[tuple[Floats, Floats, Floats, Floats]] = []
    for file in files:
        seen = observe_doom(read(file))
        with tempfile.TemporaryDirectory() as folder:
            film = Path(folder) / "film.mp4"
            render_file(file, film, look)
            with load_av("Comparing views").open(str(film)) as opened:
                pictures = np.array(
                    [frame.to_ndarray(format="gray")[ROWS] for frame in opened.decode(video=0)],
                    float,
                )
        frames = np.round(np.arange(len(pictures)) * 1000 / PICTURES_PER_S / seen.frame_ms).astype(
            int
        )
        frames = np.minimum(frames, seen.frames - 1)
        edges = np.abs(np.diff(pictures, axis=2)).mean((1, 2))
        columns.append((seen.position[frames], seen.yaw[frames], pictures.mean((1, 2)), edges))
    place, yaw, light, edges = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    return Views(place, yaw, light, edges)


def matched_differences(own: Views, others: Views) -> Floats:
    """Light and edges of each picture less the mean of the others' pictures of the same view, where
    there are some.
    """
    rows = []
    for number, place in enumerate(own.place):
        turned = np.abs((others.yaw - own.yaw[number] + 180) % 360 - 180)
        same = (np.linalg.norm(others.place - place, axis=1) < NEAR_TILES) & (turned < NEAR_DEGREES)
        if same.any():
            rows.append(
                (
                    own.light[number] - others.light[same].mean(),
                    own.edges[number] - others.edges[same].mean(),
                )
            )
    return np.array(rows).reshape(-1, 2)


def main(folder: Path, first: str, second: str) -> None:
    people, bots = (
        views(sorted(folder.glob(f"{name}*.replay.json.gz"))) for name in (first, second)
    )
    for name, whole in ((first, people), (second, bots)):
        sys.stdout.write(
            f"{name}: {len(whole.light)} pictures, light {whole.light.mean():.1f}, edges"
            f" {whole.edges.mean():.2f}\n"
        )
    apart = matched_differences(bots, people)
    light, edges = apart.mean(0)
    sys.stdout.write(
        f"same views: {len(apart)}, light {light:+.2f} (SD {apart[:, 0].std():.2f}), edges"
        f" {edges:+.2f}\n"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
