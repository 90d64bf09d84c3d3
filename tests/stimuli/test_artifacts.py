"""What reveals a condition within pairs is refused, and the suggested command removes it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from believable.cli import group
from believable.core.errors import Problem
from believable.recordings.film_file import FilmFile
from believable.stimuli.artifacts import ComparedStimulus, film_amounts, pair_leads
from believable.stimuli.verify import verify
from believable.study.load import load

pytest.importorskip("av", reason="needs the video extra")

HEAD = """believable: 1
title: Pairs
seed: 1
languages: [en]
conditions: [human, agent]
timeline:
  - finish: {}
stimuli:
"""
PAIRS = 4


def shown(
    amounts: dict[str, list[float]], trait: str = "bytes", *, paired: bool = True
) -> list[ComparedStimulus]:
    return [
        ComparedStimulus(condition, f"s{number}" if paired else None, {trait: value})
        for condition, values in amounts.items()
        for number, value in enumerate(values)
    ]


def test_a_condition_that_is_larger_in_every_pair_is_revealed_although_ranges_overlap() -> None:
    sizes = {
        "agent": [9.20e6, 8.81e6, 10.95e6, 8.71e6, 8.16e6, 9.05e6],
        "human": [8.43e6, 8.31e6, 10.66e6, 7.92e6, 7.54e6, 8.22e6],
    }
    (lead,) = pair_leads(shown(sizes))
    assert (lead.first_larger, lead.second_larger, lead.pairs) == (6, 0, 6)
    assert lead.reveals
    assert lead.is_certain
    assert str(lead).startswith(
        "file size in bytes is larger in agent than in human in 6 of 6 pairs (agent 8160000 to"
        " 10950000"
    )
    (pooled,) = pair_leads(shown(sizes, paired=False))
    assert not pooled.reveals, "over all films the ranges overlap"


@pytest.mark.parametrize(
    ("agent", "human", "reveals", "certain"),
    [
        (
            [100e3, 200e3, 300e3],
            [100e3 + 60, 200e3 + 60, 300e3 + 60],
            False,
            True,
        ),  # within the slack
        ([100e3, 200e3, 300e3], [110e3, 190e3, 330e3], False, True),
        ([100e3, 200e3], [110e3, 220e3], True, False),
        ([100e3, 200e3, 300e3], [110e3, 220e3, 330e3], True, True),
        ([*[100e3] * 9, 120e3], [110e3] * 10, True, True),  # nine of ten
        ([*[100e3] * 8, 120e3, 120e3], [110e3] * 10, False, True),
    ],
)
def test_how_often_is_revealing(
    agent: list[float], human: list[float], reveals: bool, certain: bool
) -> None:
    (lead,) = pair_leads(shown({"agent": agent, "human": human}))
    assert (lead.reveals, lead.is_certain) == (reveals, certain)


def test_conditions_without_common_scenarios_are_compared_film_by_film() -> None:
    (lead,) = pair_leads(shown({"agent": [1e5, 2e5, 3e5], "human": [4e5, 5e5, 6e5]}, paired=False))
    assert (lead.second_larger, lead.pairs, lead.paired, lead.reveals, lead.is_certain) == (
        9,
        9,
        False,
        True,
        True,
    )


def test_conditions_that_are_shown_against_others_only_are_no_error() -> None:
    """Pages of people and bots are shorter than pages of an imitation and bots; nobody compares
    people with the imitation.
    """
    pages = [(f"p{n}", 6e3, ("people", "bot")) for n in range(3)] + [
        (f"q{n}", 2e4, ("imitation", "bot")) for n in range(3)
    ]
    stimuli = [
        ComparedStimulus(condition, page, {"length_ms": length_ms})
        for page, length_ms, both in pages
        for condition in both
    ]
    leads = {(lead.first, lead.second): lead for lead in pair_leads(stimuli)}
    assert not leads["bot", "people"].reveals
    assert not leads["bot", "imitation"].reveals
    assert leads["imitation", "people"].reveals
    assert not leads["imitation", "people"].is_certain


# ----------------------------------------------------------------------------------------------
# films


def film(path: Path, seed: int, speed: int, *, frames: int = 24, blank: int = 0) -> None:
    """Somebody who looks along a wall and turns at this speed; the first pictures may be blank."""
    rng = np.random.default_rng(seed)
    wall = rng.integers(60, 160, (9, 40, 3)).repeat(10, 0).repeat(8, 1) + rng.integers(
        0, 10 * (seed + 1), (90, 320, 3)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with FilmFile(path, 12, what="test", preset="ultrafast") as out:
        for number in range(frames):
            at = abs((number * speed + 40) % 320 - 160)
            picture = wall[:, at : at + 160].clip(0, 255).astype(np.uint8)
            out.add(np.zeros_like(picture) if number < blank else picture)


def study(folder: Path, agent: dict[str, int], human: dict[str, int]) -> Path:
    """Pairs of films; `seed`, which decides how many bytes a wall takes, is that of the pair."""
    lines = []
    for number in range(PAIRS):
        for condition, look in (("human", human), ("agent", agent)):
            name = f"{condition}{number}"
            film(folder / "stimuli" / f"{name}.mp4", number, **{"speed": 3, **look})
            lines.append(
                f"  - {{id: {name}, file: stimuli/{name}.mp4, condition: {condition}, scenario:"
                f" s{number}}}"
            )
    (folder / "study.yaml").write_text(HEAD + "\n".join(lines) + "\n", "utf-8")
    return folder


def errors(folder: Path) -> list[Problem]:
    definition = load(folder)
    return [problem for problem in verify(definition, folder) if problem.severity == "error"]


def follow(problem: Problem) -> None:
    """Run the command that the problem suggests."""
    found = re.search(r"believable (stimuli even .*)$", problem.cure)
    assert found, problem.cure
    answer = CliRunner().invoke(
        group, [*shlex.split(found[1]), "--workers", "1"], standalone_mode=False
    )
    assert answer.exception is None, answer.exception


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (
            {"speed": 7},
            f"file size in bytes is larger in agent than in human in {PAIRS} of {PAIRS} pairs",
        ),
        (
            {"frames": 30},
            f"length in ms is larger in agent than in human in {PAIRS} of {PAIRS} pairs",
        ),
        (
            {"blank": 2},
            (
                "brightness of the first picture against the next half second (of 255) is larger"
                f" in human than in agent in {PAIRS}"
            ),
        ),
    ],
    ids=["bytes and packets", "length", "first picture"],
)
def test_what_reveals_the_condition_is_refused_and_the_suggested_command_removes_it(
    tmp_path: Path, agent: dict[str, int], words: str
) -> None:
    folder = study(tmp_path / "my study", agent, {})
    found = errors(folder)
    assert words in " ".join(problem.message for problem in found)
    assert all(
        "a judge can tell agent from human without a look at the behavior" in problem.message
        for problem in found
    )
    before = {stimulus.id for stimulus in load(folder).study.stimuli}
    follow(next(problem for problem in found if words in problem.message))
    assert errors(folder) == []
    after = load(folder).study.stimuli
    assert {stimulus.id for stimulus in after} == before, (
        "ids stay, so that plans and measures still fit"
    )
    by_scenario: dict[str, list[dict[str, float]]] = {}
    for stimulus in after:
        by_scenario.setdefault(str(stimulus.scenario), []).append(
            film_amounts(folder / stimulus.file)
        )
        assert stimulus.duration_ms == pytest.approx(
            by_scenario[str(stimulus.scenario)][-1]["length_ms"], abs=1
        )
    for left, right in by_scenario.values():
        assert abs(left["bytes"] - right["bytes"]) <= 2
        assert left["length_ms"] == right["length_ms"]


def test_even_again_makes_films_from_their_sources_with_their_recipe(tmp_path: Path) -> None:
    folder = study(tmp_path, {"speed": 7}, {})
    for options in ([], ["--cut-start", "0.5"]):
        answer = CliRunner().invoke(
            group,
            ["stimuli", "even", str(folder), "--workers", "1", *options],
            standalone_mode=False,
        )
        assert answer.exception is None, answer.exception
    assert len(list((folder / "sources").glob("*.mp4"))) == 2 * PAIRS, (
        "films that were made here are not sources"
    )
    assert all(stimulus.duration_ms == 1500 for stimulus in load(folder).study.stimuli)
