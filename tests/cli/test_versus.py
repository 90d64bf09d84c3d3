"""`believable versus`: from two folders of recordings to a verdict and an exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from believable.app.options import UseCaseOutcome
from believable.app.versus import VersusVerdict, _names, _outcome
from believable.cli import group
from believable.cli.exit_codes import NOT_MET, OK, OPEN
from believable.core.errors import Refused, WrongUsage
from believable.recordings.file import write
from believable.study.load import load
from believable.study.sequential_design import sequential_design
from believable.worlds.maze.standins import walk

#: The new one is chosen much more often, whatever the clips show.
PLANTED = ("span=2.5", "steady=0", "clip_sd=0.05")


def call(*arguments: object) -> Result:
    """`return_value` is the exit code."""
    words = [str(part) for part in arguments]
    return CliRunner().invoke(group, words, catch_exceptions=False, standalone_mode=False)


def clips(folder: Path, kind: str, count: int = 5) -> Path:
    folder.mkdir()
    for seed in range(count):
        write(walk(seed, kind, ticks=45), folder / f"{kind}-{seed}.replay.json.gz")
    return folder


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("versus")
    clips(place / "v1", "standin_agent")
    clips(place / "v2", "standin_careful")
    return place


@pytest.mark.timeout(600)
def test_from_two_folders_to_a_verdict(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lab)
    nobody = call("versus", "v1", "v2", "--study", "duel", "--judges", 16)
    assert nobody.return_value == OPEN, nobody.output
    assert "open: There are no judgements yet." in nobody.output
    assert "believable serve duel" in nobody.output
    study = load(lab / "duel").study
    assert study.conditions == ("v2", "v1")
    assert len(study.scenarios) == 5
    assert all("steadiness" in stimulus.measures for stimulus in study.stimuli)
    assert study.analysis is not None
    assert study.analysis.stopping is not None
    assert study.analysis.stopping.n == 16
    claims = {claim.id: claim.about for claim in study.analysis.hypotheses}
    assert claims == dict.fromkeys(("H1", "H2", "H3"), "v2-v1")

    truth = [part for planted in PLANTED for part in ("--truth", planted)]
    asked = call(
        "versus", "v1", "v2", "--study", "duel", "--judges", 16, "--simulated", *truth, "--json"
    )
    assert asked.return_value == OK, asked.output
    answer = json.loads(asked.stdout)
    assert answer["verdict"] == "better"
    assert answer["lead"]["low"] > 0
    assert answer["simulated"] is True
    assert answer["judges"] >= 16

    again = call("versus", "v1", "v2", "--study", "duel", "--judges", 16, "--simulated")
    assert again.return_value == OK
    assert f"{answer['judges']} simulated judges" in again.output, "nobody was asked again"
    assert "better: v2 is taken for a person more often than v1: its lead is" in again.output
    strict = call("versus", "v1", "v2", "--study", "duel", "--judges", 16, "--require", "equal")
    assert strict.return_value == NOT_MET

    clips(lab / "other", "standin_agent", 2)
    with pytest.raises(Refused, match="it compares other clips"):
        call("versus", "other", "v2", "--study", "duel")


def test_until_known_each_judge_sees_other_clips(
    lab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(lab)
    nobody = call("versus", "v1", "v2", "--study", "known", "--sequential", "--judges", 90)
    assert nobody.return_value == OPEN, nobody.output
    design = sequential_design(load(lab / "known").study)
    assert design is not None
    assert (design.most, design.margin, design.until) == (90, 0.05, "both")
    assert [(part.contrast.name, part.draw, part.trials) for part in design.contrasts] == [
        ("v2-v1", "pool", 2)
    ]


@pytest.mark.parametrize(
    ("verdict", "equal", "not_worse", "require", "outcome"),
    [
        (VersusVerdict.BETTER, False, None, "better", UseCaseOutcome.DONE),
        (VersusVerdict.EQUAL, True, True, "better", UseCaseOutcome.NOT_MET),
        (VersusVerdict.WORSE, False, False, "better", UseCaseOutcome.NOT_MET),
        (VersusVerdict.OPEN, False, None, "better", UseCaseOutcome.OPEN),
        (VersusVerdict.EQUAL, True, True, "not-worse", UseCaseOutcome.DONE),
        (VersusVerdict.OPEN, False, True, "not-worse", UseCaseOutcome.DONE),
        (VersusVerdict.WORSE, False, False, "not-worse", UseCaseOutcome.NOT_MET),
        (VersusVerdict.OPEN, False, None, "not-worse", UseCaseOutcome.OPEN),
        (VersusVerdict.EQUAL, True, True, "equal", UseCaseOutcome.DONE),
        (VersusVerdict.BETTER, False, True, "equal", UseCaseOutcome.NOT_MET),
        (VersusVerdict.OPEN, None, None, "equal", UseCaseOutcome.OPEN),
    ],
)
def test_the_outcome_follows_from_the_required_answer(
    verdict, equal, not_worse, require, outcome
) -> None:
    assert _outcome(verdict, equal, not_worse, require) is outcome


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("clips/v1", "clips/v2", ("v1", "v2")),
        ("a/clips", "b/clips", ("old", "new")),
        ("my-agent.py", "other.py:act", ("my_agent", "other")),
        ("1", "2", ("old", "new")),
    ],
)
def test_conditions_are_named_after_what_is_compared(old, new, names) -> None:
    assert _names(old, new) == names


def test_an_agent_needs_a_world(lab: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lab)
    with pytest.raises(WrongUsage, match="'nowhere' is no world that agents play in"):
        call("versus", "v1", "nothing", "--world", "nowhere")
