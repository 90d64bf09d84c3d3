"""Clips of an agent and of people are paired by environment and seed, and cropped to equal
length.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.contracts.game import RoundContext
from believable.core.errors import InvalidInput
from believable.protocols.own_clips import clip_folder, pair_clips
from believable.recordings.file import write
from believable.stimuli.verify import verify
from believable.study.load import load
from believable.worlds.gym import GYM
from believable.worlds.gym.gym_round import GymOptions, GymSetup
from believable.worlds.gym.rollouts import rollout
from believable.worlds.live_round import record_round

ENV = "MiniGrid-FourRooms-v0"


def setup(seed: int, env: str = ENV, seconds: int = 2) -> GymSetup:
    settled: GymSetup = GYM.game.trial.resolve(
        GymOptions(env=env, env_seed=seed),
        RoundContext(session_seed=1, trial_key="t", duration_s=seconds),
    )
    return settled


def played(folder: Path, seeds: list[int], env: str = ENV, seconds: int = 2) -> Path:
    """Rounds of somebody who stands still."""
    folder.mkdir()
    for number, seed in enumerate(seeds, 1):
        recording, _ = record_round(GYM.game, setup(seed, env, seconds), [])
        write(recording, folder / f"gym-{number:02d}.replay.json.gz")
    return folder


def pairs(people: Path, agent: Path) -> tuple[list[list[str]], tuple[str, ...]]:
    paired = pair_clips(
        ("human", "agent"), [clip_folder(f"human={people}"), clip_folder(f"agent={agent}")]
    )
    by_scene: dict[str, list[str]] = {}
    for clip in paired.clips:
        by_scene.setdefault(clip.scenario, []).append(clip.file.name.partition(".")[0])
    return list(by_scene.values()), paired.notes


def test_clips_of_one_start_make_a_pair(tmp_path: Path) -> None:
    people, agent = played(tmp_path / "p", [3, 1, 2]), played(tmp_path / "a", [1, 2, 3])
    assert pairs(people, agent) == (
        [["gym-01", "gym-03"], ["gym-02", "gym-01"], ["gym-03", "gym-02"]],
        (),
    )


def test_clips_without_a_partner_are_left_out_and_named(tmp_path: Path) -> None:
    people, agent = played(tmp_path / "p", [1, 2, 2]), played(tmp_path / "a", [2, 4])
    found, notes = pairs(people, agent)
    assert found == [["gym-02", "gym-01"]]
    assert [note.partition(" is left out")[0] for note in notes] == [
        str(people / "gym-01.replay.json.gz"),
        str(people / "gym-03.replay.json.gz"),
        str(agent / "gym-02.replay.json.gz"),
    ]
    assert f"({ENV}, seed 4)" in notes[-1]


@pytest.mark.parametrize(
    ("env", "seeds"), [(ENV, [7, 8]), ("MiniGrid-Empty-Random-6x6-v0", [1, 2])]
)
def test_pairs_of_different_levels_are_refused(tmp_path: Path, env: str, seeds: list[int]) -> None:
    people, agent = played(tmp_path / "p", [1, 2]), played(tmp_path / "a", seeds, env)
    message = (
        rf"no clip of 'human' begins as one of 'agent' does \(human: {ENV}, seed 1; agent: {env},"
        rf" seed {seeds[0]}\)"
    )
    with pytest.raises(InvalidInput, match=message):
        pairs(people, agent)


def test_clips_that_do_not_say_their_start_are_paired_by_name_and_that_is_said(
    tmp_path: Path,
) -> None:
    people, agent = played(tmp_path / "p", [1, 2]), tmp_path / "a"
    agent.mkdir()
    for name in ("x", "y", "z"):
        (agent / f"{name}.mp4").write_bytes(b"a film")
    found, notes = pairs(people, agent)
    assert found == [["gym-01", "x"], ["gym-02", "y"]]
    assert "2 of 4 clips do not say how they begin" in notes[0]
    assert "z.mp4 is left out" in notes[1]
    shutil.copy(people / "gym-01.replay.json.gz", agent / "y.replay.json.gz")
    with pytest.raises(InvalidInput, match="clips of one pair begin differently"):
        pairs(people, agent)


def new(folder: Path, *options: str) -> str:
    words = [
        "new",
        str(folder / "s"),
        "--protocol",
        "hntt",
        "--clips",
        f"human={folder / 'p'}",
        "--clips",
        f"agent={folder / 'a'}",
    ]
    result = CliRunner().invoke(group, [*words, *options], standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stderr


def by_agent(folder: Path, seeds: list[int], steps: int) -> None:
    """Episodes of an agent that turns to the right and ends after so many steps."""
    folder.mkdir()
    for number, seed in enumerate(seeds, 1):
        own = setup(seed).model_copy(update={"ticks": steps})
        rollout(own, lambda view: 1, folder / f"gym-{number:02d}")


def test_pairs_are_cropped_to_equal_length_and_pass_the_check(tmp_path: Path) -> None:
    played(tmp_path / "p", [1, 2, 3])
    by_agent(tmp_path / "a", [1, 2, 3], 12)
    assert "left out" not in new(tmp_path)
    definition = load(tmp_path / "s")
    assert {stimulus.duration_ms for stimulus in definition.study.stimuli} == {1200}
    assert [
        problem for problem in verify(definition, tmp_path / "s") if problem.severity != "note"
    ] == []


def test_whole_clips_are_kept_if_asked_for_and_the_check_refuses_their_lengths(
    tmp_path: Path,
) -> None:
    played(tmp_path / "p", [1, 2, 3])
    by_agent(tmp_path / "a", [1, 2, 3], 12)
    new(tmp_path, "--whole-clips")
    definition = load(tmp_path / "s")
    lengths = {
        str(stimulus.condition): stimulus.duration_ms for stimulus in definition.study.stimuli
    }
    assert lengths == {"human": 2000, "agent": 1200}
    errors = [
        problem for problem in verify(definition, tmp_path / "s") if problem.severity == "error"
    ]
    assert "length in ms is larger in human than in agent in 3 of 3 pairs" in errors[0].message


def test_equal_films_are_named_both(tmp_path: Path) -> None:
    played(tmp_path / "p", [1, 2])
    by_agent(tmp_path / "a", [1, 2], 12)
    shutil.copy(tmp_path / "a" / "gym-01.mp4", tmp_path / "a" / "gym-02.mp4")
    with pytest.raises(
        InvalidInput, match=r"gym-02\.mp4: it is the same film as .*gym-01\.mp4\. .*random starts"
    ):
        new(tmp_path)
