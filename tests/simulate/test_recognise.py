"""Simulated people know what they are shown, from what a browser receives."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from believable.pages import KINDS
from believable.protocols import PROTOCOLS, READY_STUDIES
from believable.recordings.file import read
from believable.simulate.demonstration import violations_of
from believable.simulate.recognise import look_at, recogniser_of, turning
from believable.stimuli.judging import Variant, judging_tree
from believable.study.load import load
from believable.worlds.maze.standins import fight


def served(path: Path, variant: Variant) -> bytes:
    return gzip.compress(json.dumps(judging_tree(read(path), variant)).encode())


@pytest.mark.parametrize("name", ["hntt", "replay"])
@pytest.mark.parametrize("variant", [Variant(), Variant(plan=True, log=True)])
def test_every_stimulus_is_recognised_whatever_is_shown_of_it(name: str, variant: Variant, tmp_path: Path) -> None:
    folder = tmp_path / name
    READY_STUDIES[name].copy(folder)
    study = load(folder, kinds=KINDS, protocols=PROTOCOLS).study
    PROTOCOLS[name].write_stimuli(study, folder, 5)
    recogniser = recogniser_of(study, folder)
    for stimulus in study.stimuli:
        content = served(folder / stimulus.file, variant)
        seen = recogniser.seen(content, look_at(content))
        assert seen.stimulus == stimulus
        assert bool(seen.log) == variant.log
        if variant.log:
            wrong = violations_of(read(folder / stimulus.file).actions)
            assert [going.violations for going in seen.log if going.violations] == list(wrong.values())


def test_what_the_study_does_not_have_is_not_recognised_but_seen(tmp_path: Path) -> None:
    READY_STUDIES["qa"].copy(tmp_path / "qa")
    study = load(tmp_path / "qa", kinds=KINDS, protocols=PROTOCOLS).study
    recogniser = recogniser_of(study, tmp_path / "qa")
    tree = judging_tree(fight(9, 0, "standin_human", ticks=300), Variant())
    content = gzip.compress(json.dumps(tree).encode())
    seen = recogniser.seen(content, look_at(content))
    assert seen.stimulus is None
    assert len(seen.turning) == 10
    assert recogniser.seen(b"no recording", look_at(content)).stimulus is None


def test_a_frustrated_opponent_turns_more() -> None:
    def turns(mood: str) -> float:
        trees = [judging_tree(fight(seed, 0, "standin_human", ticks=600, mood=mood), Variant())["replay"] for seed in range(4)]
        return sum(sum(turning(tree)) for tree in trees)

    assert turns("frustrated") > 1.3 * turns("calm")
