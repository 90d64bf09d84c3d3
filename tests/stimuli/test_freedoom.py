"""Demos of people: read by hand, filmed where Debian's packages are installed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core.errors import InvalidInput, NotFound
from believable.recordings.file import read
from believable.stimuli import freedoom
from believable.stimuli.freedoom import demos, read_demo, recording_of
from believable.stimuli.probe import facts

INSTALLED = (
    freedoom.ENGINE.is_file()
    and shutil.which("ffmpeg")
    and all((freedoom.GAME_DATA / f"{game}.wad").is_file() for game in freedoom.GAMES)
)
needs_packages = pytest.mark.skipif(
    not INSTALLED, reason=f"people's demos are not installed: {freedoom.INSTALL}"
)

#: Skill 3, map 7, a deathmatch seen by the third of the players 0 and 2: two tics.
HEADER = bytes([109, 3, 1, 7, 2, 0, 0, 0, 2, 1, 0, 1, 0])
TICS = bytes([50, 0, 0, 1, 0, 0, 0, 0]) + bytes([0xCE, 24, 0xFE, 0, 25, 0xE8, 64, 4 | 2 << 3])


def test_a_demo_is_read_tic_by_tic_for_each_player() -> None:
    demo = read_demo("freedm", "DEMO1", HEADER + TICS + bytes([0x80]))
    assert (demo.name, demo.map, demo.tics, demo.viewed) == ("freedm-demo1", "MAP07", 2, 1)
    assert demo.inputs == (((50, 0, 0, 1), (-50, 24, 254, 0)), ((0, 0, 0, 0), (25, -24, 64, 20)))
    assert demo.to_bytes() == HEADER + TICS + bytes([0x80])
    assert demo.first(1).to_bytes() == HEADER + TICS[:8] + bytes([0x80])


def test_what_was_pressed_becomes_tracks(tmp_path: Path) -> None:
    (tmp_path / "freedm.wad").write_bytes(b"data")
    recording = recording_of(read_demo("freedm", "DEMO1", HEADER + TICS + bytes([0x80])), tmp_path)
    columns = recording.telemetry
    assert (columns["forward"], columns["side"]) == ((0, 25), (0, -24))
    assert (columns["turn_deg"], columns["weapon"]) == ((0.0, 90.0), (0, 3))
    assert (columns["attack_2"], columns["turn_deg_2"]) == ((1, 0), (0.0, -2.8125))
    assert recording.timing.duration_ms == 57
    assert (recording.agent, recording.provenance["licence"]) == ("people", "BSD-3-Clause")
    assert "lump DEMO1" in str(recording.provenance["source"])


@pytest.mark.parametrize(
    "data", [b"", b"\x6d", HEADER, bytes([104]) + HEADER[1:] + TICS, HEADER + TICS]
)
def test_what_is_no_demo_is_told(data: bytes) -> None:
    with pytest.raises(InvalidInput, match=r"freedm\.wad, DEMO1"):
        read_demo("freedm", "DEMO1", data)


def test_missing_packages_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        NotFound,
        match=r"freedoom1, freedoom2, freedm is not there .*apt install freedoom freedm dsda-doom",
    ):
        demos(tmp_path)
    monkeypatch.setattr(freedoom, "ENGINE", tmp_path / "dsda-doom")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotFound, match="dsda-doom is not installed; it plays the demos again"):
        freedoom.film(read_demo("freedm", "DEMO1", HEADER + TICS + bytes([0x80])), tmp_path / "out")


@needs_packages
def test_the_packages_hold_twelve_demos_of_people() -> None:
    lengths_s = {demo.name: round(demo.tics / 35) for demo in demos()}
    assert len(lengths_s) == 12
    assert (min(lengths_s.values()), max(lengths_s.values())) == (35, 185)
    assert [len(demo.inputs) for demo in demos() if demo.game == "freedm"] == [4, 3, 3, 3]


@needs_packages
def test_a_film_has_a_picture_for_each_tic(tmp_path: Path) -> None:
    options = ["stimuli", "freedoom", str(tmp_path), "--demo", "freedoom2-demo1", "--seconds", "1"]
    result = CliRunner().invoke(group, options, standalone_mode=False)
    assert result.exception is None, result.output
    film = facts(tmp_path / "freedoom2-demo1.mp4")
    assert (film.frames_per_s, film.video_codec) == ("35", "h264")
    assert read(tmp_path / "freedoom2-demo1.replay.json.gz").timing.frames == 35
    sources = json.loads((tmp_path / "sources.json").read_text())
    assert [(row["players"], row["licence"]) for row in sources] == [("people", "BSD-3-Clause")]
    assert "Redistribution and use" in (tmp_path / "LICENCE.txt").read_text()
    again = CliRunner().invoke(group, options, standalone_mode=False)
    assert "exists already" in str(again.exception)
    wrong = CliRunner().invoke(
        group,
        ["stimuli", "freedoom", str(tmp_path), "--demo", "freedm-demo9"],
        standalone_mode=False,
    )
    assert "there is no demo 'freedm-demo9'. Did you mean" in str(wrong.exception)
