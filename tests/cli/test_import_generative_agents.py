"""`believable import generative-agents` on the public run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli.importing import command
from believable.core.errors import InvalidInput
from believable.recordings.file import read


def test_the_run_becomes_a_recording_and_its_contradictions_are_told(
    tmp_path: Path, public_data: Callable[[str], Path]
) -> None:
    target = tmp_path / "day.replay.json.gz"
    result = CliRunner().invoke(
        command, ["generative-agents", str(public_data("generative_agents")), "--out", str(target)]
    )
    assert result.exit_code == 0, result.output
    assert "3 people, 8655 steps, 255 actions, 94 plan steps, 8 conversations" in result.output
    assert (
        "Isabella Rodriguez: 92 activities, 1224 tiles walked, longest move 1, on blocked tiles 0"
        in result.output
    )
    assert result.output.count("contradiction: meta:") == 2
    assert len(read(target).actors) == 3
    assert target.stat().st_size < 1_000_000


@pytest.mark.parametrize(
    ("out", "words"), [("day.json", "replay.json.gz"), ("day.replay.json.gz", "not there")]
)
def test_what_cannot_be_done_is_refused(tmp_path: Path, out: str, words: str) -> None:
    folder = tmp_path / "nowhere"
    if words != "not there":
        folder.mkdir()
    with pytest.raises(InvalidInput, match=words):
        CliRunner().invoke(
            command,
            ["generative-agents", str(folder), "--out", str(tmp_path / out)],
            catch_exceptions=False,
        )


def test_what_is_missing_and_who_enters_later_is_told(tmp_path: Path) -> None:
    run = Path(__file__).resolve().parents[1] / "data" / "agent_runs" / "late"
    result = CliRunner().invoke(
        command, ["generative-agents", str(run), "--out", str(tmp_path / "day.replay.json.gz")]
    )
    assert result.exit_code == 0, result.output
    assert "2 people, 5 steps" in result.output
    assert "on blocked tiles unknown" in result.output
    assert "  note: Bo Berg enters at step 2 of 5" in result.output
    assert "  note: no map: " in result.output
