"""From recordings to a study that checks, by commands only."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.recordings.file import write
from believable.recordings.recording import Actor, RecordedWorld, Recording, Timing, Track
from believable.stimuli.probe import decode, facts
from tests.films import films


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("av", reason="needs the video extra")
    folder = tmp_path_factory.mktemp("recordings")
    films(folder, ["atrium_human_1", "atrium_scripted_1"], duration_s=1.5)
    cut_off = folder / "cut_off.mp4"
    cut_off.write_bytes((folder / "atrium_human_1.mp4").read_bytes()[:30_000])
    return folder


def run(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(group, ["stimuli", *map(str, words)], standalone_mode=False)
    assert result.exception is None, result.output
    return int(result.return_value or 0), result.output


def test_the_way_from_recordings_to_a_study(recordings: Path, tmp_path: Path) -> None:
    study = tmp_path / "study"
    code, said = run(
        "add",
        study,
        recordings / "atrium_human_1.mp4",
        recordings / "cut_off.mp4",
        "--condition",
        "human",
        "--scenario",
        "atrium",
        "--workers",
        "1",
    )
    assert code == 1
    assert "1 added, 0 already there, 1 not usable." in said
    assert "cut_off.mp4" in said
    code, said = run(
        "add",
        study,
        recordings / "atrium_scripted_1.mp4",
        "--condition",
        "agent",
        "--scenario",
        "atrium",
        "--cut-end",
        "0.1",
    )
    assert code == 0
    code, said = run(
        "standardise",
        study,
        "--size",
        "320x180",
        "--fps",
        "25",
        "--match",
        "--min-length",
        "1",
        "--watermark",
        "Research",
        "--mask",
        "0,0,20,20",
    )
    assert (code, "2 made, 0 kept, 0 left out, 0 failed." in said) == (0, True), said
    assert "atrium" not in " ".join(path.name for path in (study / "stimuli").iterdir())
    code, listed = run("list", study)
    assert "2 sources, 2 stimuli." in listed
    assert "atrium_human_1.mp4" in listed
    code, lines = run("list", study, "--yaml")
    (study / "study.yaml").write_text(
        "believable: 1\ntitle: T\nseed: 1\nconditions: [agent, human]\n"
        + lines
        + "timeline:\n  - watch: {stimulus: any}\n  - finish: {}\n",
        "utf-8",
    )
    checked = CliRunner().invoke(group, ["check", str(study)], standalone_mode=False)
    assert checked.return_value == 0, checked.output
    code, said = run("verify", study)
    assert (code, "0 problems" in said) == (0, True), said
    next((study / "stimuli").glob("*.mp4")).write_bytes(b"broken")
    code, said = run("verify", study)
    assert (code, "differs from what its provenance record says" in said) == (1, True)


def test_wrong_values_say_what_is_expected(tmp_path: Path) -> None:
    for words, message in (
        (["standardise", str(tmp_path)], "there are no recordings"),
        (["standardise", str(tmp_path), "--size", "large"], "expected WIDTHxHEIGHT"),
        (["standardise", str(tmp_path), "--mask", "1,2"], "X,Y,WIDTH,HEIGHT"),
        (
            ["add", str(tmp_path), "x.mp4", "--condition", "not a name", "--scenario", "x"],
            "--condition: expected a name",
        ),
    ):
        result = CliRunner().invoke(group, ["stimuli", *words], standalone_mode=False)
        assert message in str(result.exception)


def test_recordings_become_videos_and_a_broken_one_stops_nothing_else(tmp_path: Path) -> None:
    pytest.importorskip("av", reason="needs the video extra")
    frames = 40
    walls = ("#" * 8, *(["#......#"] * 4), "#" * 8)
    track = Track(
        actor="ada",
        x=tuple(range(1500, 1500 + 100 * frames, 100)),
        y=(2500,) * frames,
        heading=(0,) * frames,
    )
    whole = Recording(
        world=RecordedWorld(kind="arena", width=8, height=6, walls=walls),
        actors=(Actor("ada", "Ada", "mover"),),
        timing=Timing(frame_ms=100, frames=frames),
        tracks=(track,),
    )
    write(whole, tmp_path / "walk.replay.json.gz")
    (tmp_path / "broken.replay.json.gz").write_bytes(b"no recording")
    out = tmp_path / "videos"
    code, said = run(
        "render",
        tmp_path / "walk.replay.json.gz",
        tmp_path / "broken.replay.json.gz",
        "--out",
        out,
        "--size",
        "320x240",
        "--fps",
        "20",
        "--speed",
        "2",
        "--from",
        "1",
        "--workers",
        "1",
    )
    assert code == 1
    assert "broken.replay.json.gz" in said
    (film,) = out.glob("*.mp4")
    seen = facts(film)
    assert (seen.width_px, seen.height_px) == (320, 240)
    assert seen.duration_ms == pytest.approx(1500, abs=60), "three seconds at double speed"
    assert decode(film).fault == ""
