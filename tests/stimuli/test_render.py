from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from believable.core.errors import InvalidInput
from believable.recordings.file import write
from believable.recordings.recording import Actor, RecordedWorld, Recording, Timing, Track
from believable.stimuli.artifacts import film_amounts
from believable.stimuli.raster import Rasteriser, whole_world
from believable.stimuli.render import Look, render, render_file
from believable.worlds import draw

av = pytest.importorskip("av", reason="needs the video extra")

REPLAY = Recording(
    world=RecordedWorld(
        kind="arena", width=16, height=9, walls=("#" * 16, *["#..............#"] * 7, "#" * 16)
    ),
    actors=(Actor("m", "M", "mover"),),
    timing=Timing(frame_ms=100, frames=40),
    tracks=(
        Track(
            actor="m", x=tuple(2000 + 250 * n for n in range(40)), y=(4500,) * 40, heading=(0,) * 40
        ),
    ),
)
LOOK = Look(width_px=320, height_px=180, frames_per_s=10, speed=2)


def test_the_video_shows_what_the_rasteriser_paints(tmp_path: Path) -> None:
    write(REPLAY, tmp_path / "run.replay.json.gz")
    assert render_file(tmp_path / "run.replay.json.gz", tmp_path / "run.mp4", LOOK) == 20
    scene = draw(REPLAY)
    painter = Rasteriser(scene, REPLAY, whole_world(scene, 320, 180))
    with av.open(str(tmp_path / "run.mp4")) as video:
        frames = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]
        assert video.streams.video[0].average_rate == 10
    assert len(frames) == 20
    for number in (0, 7, 19):
        wanted = painter.picture(200.0 * number)
        assert np.abs(frames[number].astype(int) - wanted.astype(int)).mean() < 4
    assert np.abs(frames[0].astype(int) - frames[19].astype(int)).max() > 60


def test_videos_have_one_rate_whatever_they_show(tmp_path: Path) -> None:
    """Somebody who stands still and somebody who runs: the same bytes, picture by picture."""
    still = replace(REPLAY, tracks=(replace(REPLAY.tracks[0], x=(2000,) * 40),))
    for name, recording in (("still", still), ("moving", REPLAY)):
        write(recording, tmp_path / f"{name}.replay.json.gz")
    sources = [tmp_path / f"{name}.replay.json.gz" for name in ("still", "moving")]
    videos = render(sources, tmp_path / "videos", LOOK, workers=1).results
    amounts = [film_amounts(videos[source]) for source in sources]
    assert amounts[0]["bytes"] == pytest.approx(amounts[1]["bytes"], abs=2)
    assert amounts[0]["bytes"] == pytest.approx(1_900_000 / 8 * 2, rel=0.05), (
        "1.9 Mbit/s for two seconds"
    )
    assert amounts[0]["packet_largest"] == pytest.approx(amounts[1]["packet_largest"], abs=4)


def test_many_files_one_broken(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.replay.json.gz", tmp_path / "bad.replay.json.gz"
    write(REPLAY, good)
    bad.write_bytes(b"no recording")
    told: list[tuple[int, int]] = []
    done = render(
        [good, bad],
        tmp_path / "out",
        LOOK,
        workers=1,
        progress=lambda n, total: told.append((n, total)),
    )
    assert done.results == {good: tmp_path / "out/good.mp4"}
    assert "bad.replay.json.gz" in done.failed[bad]
    assert told == [(1, 2), (2, 2)]
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["good.mp4"]


@pytest.mark.parametrize(
    ("look", "words"),
    [({"width_px": 321}, "even"), ({"speed": 0}, "above 0"), ({"frames_per_s": 0}, "above 0")],
)
def test_impossible_looks_are_refused(look: dict[str, int], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        Look(**look)


def test_a_part_of_a_recording() -> None:
    assert Look(frames_per_s=10, from_ms=1000, to_ms=1500).moments_ms(4000) == [
        1000,
        1100,
        1200,
        1300,
        1400,
    ]
    with pytest.raises(InvalidInput, match="empty"):
        Look(from_ms=4000).moments_ms(4000)
