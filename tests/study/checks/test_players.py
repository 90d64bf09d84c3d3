from __future__ import annotations

from pathlib import Path

import pytest

from believable.study.load import problems

STUDY = """\
believable: 1
title: Speeds
seed: 1
stimuli: [{{id: a, file: stimuli/a.{suffix}}}]
timeline:
  - watch: {{stimulus: a, controls: {{{controls}}}}}
  - finish: {{}}
"""


def found(folder: Path, controls: str, suffix: str = "replay.json.gz") -> list[tuple[str, str]]:
    (folder / "study.yaml").write_text(STUDY.format(controls=controls, suffix=suffix))
    return [
        (problem.path, problem.message)
        for problem in problems(folder)
        if problem.severity == "error"
    ]


@pytest.mark.parametrize(
    "controls", ["", "speeds: [0.25, 1, 600]", "speeds: [1, 8], speed: 8", "zoom: true"]
)
def test_sound_controls(tmp_path: Path, controls: str) -> None:
    assert found(tmp_path, controls) == []


@pytest.mark.parametrize(
    ("controls", "suffix", "path", "words"),
    [
        ("speeds: [1, 8], speed: 2", "replay.json.gz", "speed", "2 is not among the speeds 1, 8"),
        ("speeds: [1, 1]", "replay.json.gz", "speeds", "listed twice"),
        ("speeds: [1, 60]", "mp4", "speeds", "at most 16"),
        ("speeds: [1, 601]", "replay.json.gz", "speeds", "600"),
        ("speeds: []", "replay.json.gz", "speeds", "at least"),
    ],
)
def test_impossible_speeds_are_named(
    tmp_path: Path, controls: str, suffix: str, path: str, words: str
) -> None:
    ((where, message),) = found(tmp_path, controls, suffix)
    assert path in where
    assert words in message
