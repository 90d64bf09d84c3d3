"""`believable import doom-demo`: people's demos of FreeDM as recordings."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core.errors import InvalidInput
from believable.recordings.file import read
from believable.stimuli.freedoom import ENGINE, GAME_DATA
from believable.worlds.doom.game_map import FREEDM_MAPS

TRACKS = Path(__file__).parents[1] / "data" / "freedm_demo" / "tracks.csv.gz"


def test_tracks_become_a_recording_for_each_player(tmp_path: Path) -> None:
    words = ["import", "doom-demo", str(TRACKS), "--out", str(tmp_path / "people")]
    answer = CliRunner().invoke(group, words, catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    assert "2 recordings of MAP21, 0.9 minutes" in answer.output
    assert "left out, we have no map of it: freedoom1-demo1 (E1M4)" in answer.output
    recording = read(tmp_path / "people" / "freedm-demo1-2.replay.json.gz")
    assert recording.timing.frames == 900
    assert str(recording.provenance["source"]).startswith("tracks.csv.gz; https://")
    assert CliRunner().invoke(group, words).exit_code != 0, "nothing is overwritten"


def test_a_file_without_such_demos_is_refused(tmp_path: Path) -> None:
    words = ["import", "doom-demo", str(FREEDM_MAPS), "--out", str(tmp_path / "people")]
    with pytest.raises(InvalidInput, match="no demo of FreeDM's maps 6, 9, 18 or 21"):
        CliRunner().invoke(group, words, catch_exceptions=False)


@pytest.mark.skipif(
    not (ENGINE.is_file() and (GAME_DATA / "freedm.wad").is_file()),
    reason="people's demos are not installed",
)
def test_demos_are_played_again_to_the_shipped_recordings(tmp_path: Path) -> None:
    words = ["import", "doom-demo", str(GAME_DATA / "freedm.wad"), "--out", str(tmp_path)]
    answer = CliRunner().invoke(group, words, catch_exceptions=False)
    assert answer.exit_code == 0, answer.output
    shipped = sorted((FREEDM_MAPS.parent / "people").glob("*.replay.json.gz"))
    assert len(shipped) == 13
    for file in shipped:
        assert read(file).telemetry == read(tmp_path / file.name).telemetry
