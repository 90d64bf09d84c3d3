"""The command on folders of films and on a study: found, accepted, and kept."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.giveaways.certificate import read_certificate
from validation.giveaways import encode

pytest.importorskip("av", reason="needs the video extra")

STUDY = """believable: 1
title: Pairs
seed: 1
languages: [en]
conditions: [agent, person]
timeline:
  - finish: {}
stimuli:
"""
PAIRS = 4


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four pairs; the agent's films are a fifth of a second longer."""
    folder = tmp_path_factory.mktemp("study")
    lines = []
    for number in range(PAIRS):
        for condition, frames in (("agent", 18), ("person", 15)):
            name = f"stimuli/{condition}/{number}.mp4"
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            encode(folder / name, number, frames=frames)
            lines.append(
                f"  - {{id: {condition}{number}, file: {name}, condition: {condition}, scenario:"
                f" s{number}}}"
            )
    (folder / "study.yaml").write_text(STUDY + "\n".join(lines) + "\n", "utf-8")
    return folder


def run(*words: str) -> tuple[int, str]:
    answer = CliRunner().invoke(group, ["giveaways", *words], standalone_mode=False)
    return answer.return_value, answer.output


def test_a_leak_is_found_accepted_and_kept(study: Path) -> None:
    code, output = run(str(study))
    assert code == 1, output
    assert "artifact: length in ms is larger in agent than in person in 4 of 4 pairs" in output
    assert "This stops the launch." in output
    kept = read_certificate(study)
    assert kept is not None
    assert kept.stops_launch
    page = (study / "giveaways.html").read_text("utf-8")
    assert "length in ms is larger in agent" in page
    assert "must not open" in page
    code, output = run(str(study), "--accept", "Both pages say so.")
    assert (code, "Accepted, because: Both pages say so." in output) == (0, True)
    code, output = run(str(study))
    assert code == 0, "the reason holds as long as the artifacts are the same"
    kept = read_certificate(study)
    assert kept is not None
    assert kept.accepted == "Both pages say so."


def test_any_films_are_compared_without_a_study(study: Path, tmp_path: Path) -> None:
    clips = [
        part
        for name in ("agent", "person")
        for part in ("--clips", f"{name}={study / 'stimuli' / name}")
    ]
    code, output = run(*clips, "--page", str(tmp_path / "page.html"))
    assert code == 1
    assert "agent and person: 4 pairs" in output
    assert "length in ms" in output
    assert (tmp_path / "page.html").is_file()


@pytest.mark.parametrize(
    ("words", "message"),
    [([], "expected a study's folder, or --clips"), (["--clips", "agent=."], "there are no films")],
)
def test_bad_wishes_are_refused(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(group, ["giveaways", *words], standalone_mode=False)
    assert message in str(answer.exception)
