"""Real videos through the whole pipeline; what comes out is decoded and measured."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from believable.core.clock import VirtualClock
from believable.core.errors import InvalidInput
from believable.stimuli import inventory, source_pool, standardise
from believable.stimuli.loudness import integrated_lufs
from believable.stimuli.probe import decode, facts
from believable.stimuli.recipe import Mask, Recipe
from believable.stimuli.source_pool import SourceDetails, StimulusSource
from tests.waiting import wait_until

av: Any = pytest.importorskip("av", reason="needs the video extra")
CLOCK = VirtualClock()
SMALL = Recipe(width_px=320, height_px=180, frames_per_s=30, crf=12)


def names() -> Callable[[], str]:
    numbers = count()
    return lambda: f"name{next(numbers)}"


def film(
    path: Path,
    grey: Callable[[float], int],
    *,
    size: tuple[int, int] = (160, 90),
    rate: int = 25,
    seconds: float = 3.0,
    loud: float = 0.2,
    container: str = "mp4",
) -> Path:
    """A plain picture whose grey follows the time, with a tone."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", format=container) as out:
        out.metadata["title"] = "made by nobody"
        video = out.add_stream(
            "libx264", rate=rate, options={"crf": "10", "threads": "1", "preset": "veryfast"}
        )
        video.width, video.height, video.pix_fmt = *size, "yuv420p"
        sound = out.add_stream("aac", rate=44_100, layout="mono") if loud else None
        for number in range(round(seconds * rate)):
            level = grey(number / rate)
            frame = av.VideoFrame.from_ndarray(
                np.full((size[1], size[0], 3), level, np.uint8), format="rgb24"
            )
            frame.pts, frame.time_base = number, Fraction(1, rate)
            out.mux(video.encode(frame))
        out.mux(video.encode(None))
        if sound is not None:
            wave = loud * np.sin(2 * np.pi * 440 * np.arange(round(seconds * 44_100)) / 44_100)
            for start in range(0, len(wave), 1024):
                block = av.AudioFrame.from_ndarray(
                    wave[None, start : start + 1024].astype(np.float32),
                    format="fltp",
                    layout="mono",
                )
                block.sample_rate, block.pts, block.time_base = 44_100, start, Fraction(1, 44_100)
                out.mux(sound.encode(block))
            out.mux(sound.encode(None))
    return path


def pictures(path: Path) -> list[NDArray[np.uint8]]:
    with av.open(str(path)) as file:
        return [frame.to_ndarray(format="rgb24") for frame in file.decode(video=0)]


def sound(path: Path) -> NDArray[np.float32]:
    with av.open(str(path)) as file:
        return np.concatenate([frame.to_ndarray() for frame in file.decode(audio=0)], axis=1)


def add(folder: Path, files: list[Path], **about: Any) -> source_pool.Added:
    told = SourceDetails(**{"condition": "human", "scenario": "harbour", **about})
    return source_pool.add(folder, files, told, clock=CLOCK, new_name=names(), workers=1)


def only(added: source_pool.Added) -> StimulusSource:
    (source,) = added.new.values()
    return source


def test_cut_masked_marked_and_made_alike(tmp_path: Path) -> None:
    """Grey 40 in the first second, 120 in the second, 220 in the third; half a second is cut at
    both ends.
    """
    given = film(tmp_path / "in.mp4", lambda t: (40, 120, 220)[int(t)])
    source = only(add(tmp_path, [given], cut_start_ms=300, masks=(Mask(0, 0, 40, 45),)))
    assert source.length_ms == 3000
    recipe = Recipe(
        width_px=320,
        height_px=240,
        frames_per_s=30,
        cut_start_ms=200,
        cut_end_ms=500,
        crf=12,
        watermark="Research",
    )
    made = standardise.make(tmp_path, source, recipe, 5)
    shown = pictures(made)
    assert len(shown) == 60
    assert shown[0].shape == (240, 320, 3)
    centre = [float(picture[110:130, 150:170].mean()) for picture in shown]
    assert centre == pytest.approx([40.0] * 15 + [120.0] * 30 + [220.0] * 15, abs=4)
    one = shown[30]
    assert one[:28].max() < 8, "the 16:9 picture stands between black bars"
    assert one[-28:, :160].max() < 8
    assert one[34:114, 4:74].max() < 12, "the mask covers the upper left quarter"
    assert one[34:114, 90:].min() > 100
    assert one[-30:, 160:].max() > 60, "the watermark is in the lower right corner"
    assert sound(made).shape[1] / 48_000 == pytest.approx(2.0, abs=0.03)


def test_loudness_is_common_and_silence_is_added_where_there_was_none(tmp_path: Path) -> None:
    files = [film(tmp_path / f"{loud}.mp4", lambda t: 90, loud=loud) for loud in (0.02, 0.5, 0.0)]
    add(tmp_path, files)
    sources = source_pool.sources(tmp_path)
    done = standardise.standardise(tmp_path, sources, SMALL, clock=CLOCK, workers=2)
    assert not done.failed
    for source in sources:
        made = done.films[source.name]
        heard = integrated_lufs(sound(made))
        assert facts(made).audio == "aac stereo"
        if source.audio == "none":
            assert heard is None
        else:
            assert heard == pytest.approx(-23, abs=0.5)


def test_nothing_tells_who_made_it(tmp_path: Path) -> None:
    files = [
        film(tmp_path / "a.mp4", lambda t: 90, size=(160, 90)),
        film(tmp_path / "b.mkv", lambda t: 60, size=(128, 128), rate=50, container="matroska"),
    ]
    for file, condition in zip(files, ("human", "agent"), strict=True):
        source_pool.add(
            tmp_path,
            [file],
            SourceDetails(condition=condition, scenario="x"),
            clock=CLOCK,
            new_name=f"n{condition}".__str__,
        )
    standardise.standardise(tmp_path, source_pool.sources(tmp_path), SMALL, clock=CLOCK)
    assert [
        problem.message for problem in inventory.problems(tmp_path) if problem.severity != "note"
    ] == []
    for file in (tmp_path / "stimuli").glob("*.mp4"):
        content = file.read_bytes()
        for word in (b"nobody", b"Lavf", b"x264", b"human", b"agent", b".mkv"):
            assert word not in content
    record = json.loads((tmp_path / "stimuli" / "nagent.provenance.json").read_text())
    assert record["source"]["original"] == "b.mkv"
    assert record["source"]["condition"] == "agent"
    assert record["output"]["frames"] == 90
    assert record["libraries"]["av"] == av.__version__


def test_damaged_files_name_themselves_and_stop_nothing_else(tmp_path: Path) -> None:
    good = film(tmp_path / "good.mp4", lambda t: 90)
    cut_off = tmp_path / "cut_off.mp4"
    cut_off.write_bytes(good.read_bytes()[: good.stat().st_size // 2])
    words = tmp_path / "words.mp4"
    words.write_text("not a video")
    noisy = film(tmp_path / "noisy.mp4", lambda t: int(80 * t), container="matroska")
    content = bytearray(noisy.read_bytes())
    third = len(content) // 3
    content[third : third + 2000] = os.urandom(2000)
    noisy.write_bytes(content)
    added = add(tmp_path, [good, cut_off, words, noisy, tmp_path / "absent.mp4"])
    assert set(added.new) == {good}
    for name in ("cut_off", "words", "noisy", "absent"):
        assert f"'{name}.mp4'" in added.failed[tmp_path / f"{name}.mp4"]


def test_a_copy_that_was_changed_is_not_used(tmp_path: Path) -> None:
    add(tmp_path, [film(tmp_path / "a.mp4", lambda t: 90), film(tmp_path / "b.mp4", lambda t: 120)])
    sources = source_pool.sources(tmp_path)
    (tmp_path / "sources" / sources[0].file).write_bytes(b"other")
    done = standardise.standardise(tmp_path, sources, SMALL, clock=CLOCK)
    assert list(done.films) == [sources[1].name]
    assert "missing or changed" in done.failed[sources[0].name]
    assert any("missing or changed" in problem.message for problem in inventory.problems(tmp_path))


def test_finished_work_is_kept_and_the_rest_is_made(tmp_path: Path) -> None:
    add(tmp_path, [film(tmp_path / "a.mp4", lambda t: 90), film(tmp_path / "b.mp4", lambda t: 120)])
    first, second = source_pool.sources(tmp_path)
    standardise.standardise(tmp_path, [first], SMALL, clock=CLOCK)
    before = (tmp_path / "stimuli" / f"{first.name}.mp4").stat().st_mtime_ns
    again = standardise.standardise(tmp_path, [first, second], SMALL, clock=CLOCK)
    assert (list(again.kept), list(again.films)) == ([first.name], [second.name])
    assert (tmp_path / "stimuli" / f"{first.name}.mp4").stat().st_mtime_ns == before
    (tmp_path / "stimuli" / f"{first.name}.mp4").write_bytes(b"half a fi")
    third = standardise.standardise(tmp_path, [first, second], SMALL, clock=CLOCK)
    assert list(third.films) == [first.name]
    other = standardise.standardise(
        tmp_path, [first], Recipe(width_px=160, height_px=90), clock=CLOCK
    )
    assert list(other.films) == [first.name]
    assert not list((tmp_path / "stimuli").glob(".*")), "nothing unfinished is left"


def test_the_same_recording_is_added_once(tmp_path: Path) -> None:
    given = film(tmp_path / "a.mp4", lambda t: 90)
    source = only(add(tmp_path, [given]))
    again = add(tmp_path, [given], condition="agent")
    assert again.known == {given: source}
    assert not again.new


def test_a_film_whose_time_does_not_begin_at_zero(tmp_path: Path) -> None:
    given = film(tmp_path / "a.ts", lambda t: (40, 120, 220)[int(t)], container="mpegts")
    source = only(add(tmp_path, [given], cut_start_ms=1000))
    assert source.length_ms == pytest.approx(3000, abs=50)
    made = standardise.make(tmp_path, source, SMALL, 5)
    assert decode(made).frames == pytest.approx(60, abs=1)
    assert pictures(made)[10].mean() == pytest.approx(120, abs=4)


def test_cuts_that_leave_nothing_are_refused(tmp_path: Path) -> None:
    given = film(tmp_path / "a.mp4", lambda t: 90)
    assert "the cuts leave nothing" in add(tmp_path, [given], cut_end_ms=2950).failed[given]
    source = only(add(tmp_path, [given]))
    with pytest.raises(InvalidInput, match=r"'a\.mp4' lasts 3000 ms; the cuts leave nothing"):
        standardise.make(tmp_path, source, Recipe(cut_end_ms=2990), 5)
    outside = add(tmp_path / "other", [given], masks=(Mask(200, 0, 5, 5),))
    assert "is 160×90; the mask 200,0,5,5 lies outside" in outside.failed[given]


def test_a_killed_run_leaves_nothing_half_and_is_taken_up_again(tmp_path: Path) -> None:
    add(
        tmp_path,
        [film(tmp_path / f"{grey}.mp4", lambda t, g=grey: g, seconds=8) for grey in (60, 120)],
    )  # type: ignore[misc]
    words = [
        sys.executable,
        "-m",
        "believable",
        "stimuli",
        "standardise",
        str(tmp_path),
        "--size",
        "1280x720",
        "--workers",
        "1",
    ]
    run = subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    wait_until(lambda: list((tmp_path / "stimuli").glob(".*.coded")), "nothing is being coded")
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    for video in (tmp_path / "stimuli").glob("*.mp4"):
        assert decode(video).fault == ""
    sources = source_pool.sources(tmp_path)
    done = standardise.standardise(tmp_path, sources, SMALL, clock=CLOCK, workers=2)
    assert set(done.films) == {source.name for source in sources}
    assert {path.suffix for path in (tmp_path / "stimuli").iterdir()} == {".mp4", ".json"}
    assert not list((tmp_path / "stimuli").glob(".*"))
